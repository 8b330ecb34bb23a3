import Library
import Longwave
import Server
import Wire

// Lists of the music library: artists, albums, folders, problems.
extension Operation {
  static func artists(_ call: Call) async throws -> APIResponse {
    let query = try call.query.words(of: "q").map { try search("", [(.artist, $0)]) }
    let (after, limit) = (call.query["after"], try pageLimit(call.query))
    let (names, next) = try await call.relay.library.list(for: call.request.origin) {
      store throws(LibraryError) in try store.artists(query, after: after, limit: limit)
    }
    return .madeJSON {
      [
        "artists": .array(names.map { LibraryName.artistShape.json(of: $0) }),
        "next": JSON(next),
      ]
    }
  }

  static func albums(_ call: Call) async throws -> APIResponse {
    let query = try call.query.words(of: "q").map { try search("", [(.album, $0)]) }
    let (artist, limit) = (call.query["artist"], try pageLimit(call.query))
    var after: LibraryStore.AlbumPlace?
    if let text = call.query["after"] {
      let parts = try PageMark.bytes(text).split(separator: 0, omittingEmptySubsequences: false)
      guard parts.count == 2 else { throw badPage }
      after = LibraryStore.AlbumPlace(
        album: String(decoding: parts[0], as: UTF8.self),
        artist: String(decoding: parts[1], as: UTF8.self))
    }
    let place = after
    let (names, next) = try await call.relay.library.list(for: call.request.origin) {
      store throws(LibraryError) in
      try store.albums(query, artist: artist, after: place, limit: limit)
    }
    return .madeJSON {
      [
        "albums": .array(names.map { LibraryName.albumShape.json(of: $0) }),
        "next": JSON(next.map { PageMark.text(Array($0.album.utf8) + [0] + $0.artist.utf8) }),
      ]
    }
  }

  static func folders(_ call: Call) async throws -> APIResponse {
    let (library, limit) = (await call.relay.library, try pageLimit(call.query))
    guard let path = try path(call.query) else {
      let folders = await library.report().roots.map(\.folder)
      return .madeJSON {
        ["folders": .array(folders.map { LibraryFolder.shape.json(of: $0) }), "next": .null]
      }
    }
    guard let place = await library.place(of: path) else {
      let shown = String(decoding: path, as: UTF8.self)
      throw APIError(404, "unknown-root", "path: \(shown) is in no root.", field: "path")
    }
    let after = try call.query["after"].map { text throws(APIError) in try PageMark.bytes(text) }
    let (folders, next) = try await library.list(for: call.request.origin) {
      store throws(LibraryError) in
      try store.folders(in: place.root, below: place.path, after: after, limit: limit)
    }
    return .madeJSON {
      [
        "folders": .array(
          folders.map { folder in
            var folder = folder
            // As `path` takes it.
            folder.path = place.folder + [UInt8(ascii: "/")] + folder.path
            return LibraryFolder.shape.json(of: folder)
          }), "next": JSON(next.map(PageMark.text)),
      ]
    }
  }

  /// The path of which folders are wanted; nil: none is.
  private static func path(_ query: HTTPQuery) throws(APIError) -> [UInt8]? {
    guard let text = query["pathBytes"] else { return query.bytes(of: "path") }
    if query["path"] != nil {
      throw APIError.badParameter("pathBytes", "has no place beside path; write one of them")
    }
    guard let bytes = LibraryFolder.path(inBase64: text) else {
      throw APIError.badParameter("pathBytes", "is no Base64; take it from an answer")
    }
    return bytes
  }

  static func problems(_ call: Call) async throws -> APIResponse {
    let (root, limit) = (call.query["root"], try pageLimit(call.query))
    if let root { try await call.relay.library.requireRoot(root) }
    var after: (root: String, path: [UInt8])?
    if let text = call.query["after"] {
      let bytes = try PageMark.bytes(text)
      guard let end = bytes.firstIndex(of: 0) else { throw badPage }
      after = (String(decoding: bytes[..<end], as: UTF8.self), Array(bytes[(end + 1)...]))
    }
    let place = after
    let (problems, hasMore) = try await call.relay.library.list(for: call.request.origin) {
      store throws(LibraryError) in try store.problems(in: root, after: place, limit: limit)
    }
    let next =
      hasMore ? problems.last.map { PageMark.text(Array($0.root.utf8) + [0] + $0.path) } : nil
    return .madeJSON {
      [
        "problems": .array(problems.map { LibraryProblem.shape.json(of: $0) }),
        "next": JSON(next),
      ]
    }
  }

  static func pageLimit(_ query: HTTPQuery) throws(APIError) -> Int {
    try query.limit(upTo: LibraryStore.pageMax)
  }

  static let badPage = APIError.badParameter(
    "after", "is behind no page; write the next of the page before, or begin without it")

  /// Where a page begins, in hexadecimal digits: a path need be no text.
  enum PageMark {
    static func text(_ bytes: [UInt8]) -> String {
      let digits = Array("0123456789abcdef".utf8)
      return String(
        decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    static func bytes(_ text: String) throws(APIError) -> [UInt8] {
      let digits = text.map(\.hexDigitValue)
      guard digits.count % 2 == 0, text.utf8.count == digits.count else { throw badPage }
      return try stride(from: 0, to: digits.count, by: 2).map { index throws(APIError) in
        guard let high = digits[index], let low = digits[index + 1] else { throw badPage }
        return UInt8(high << 4 | low)
      }
    }
  }
}
