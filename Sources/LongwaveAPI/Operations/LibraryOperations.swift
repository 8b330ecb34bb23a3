import Library
import Longwave
import Server
import Wire

// Operations on the music library.
extension Operation {
  static let library: [Operation] = [
    Operation(
      "GET", "/api/v1/library", "getLibrary", "The folders of music and what is in them.",
      by: .administrators, answers: .json("Library")
    ) { call in
      let report = await call.relay.library.report()
      return .madeJSON { report.json }
    },
    Operation(
      "POST", "/api/v1/library/scan", "scanLibrary",
      "Looks through a root now, or through all; with accept, what is found counts even if much is gone that was known.",
      by: .administrators, takes: "Scan", answers: .json("Library", status: 202),
      errors: [400, 404]
    ) { call in
      let (root, accepts) = try scan(try call.json)
      try await call.relay.library.scan(root, accepts: accepts)
      return .json(202, await call.relay.library.report().json)
    },
    Operation(
      "GET", "/api/v1/library/problems", "listLibraryProblems",
      "Files that cannot be played, by root and path, and why.", by: .administrators,
      [Parameter("root", "Only this root's."), limitQuery, afterQuery],
      answers: .json("LibraryProblems"), errors: [400, 404, 503]
    ) { call in try await problems(call) },
    Operation(
      "GET", "/api/v1/tracks", "listTracks",
      "Tracks that are looked for; all, by artist, unless something is asked for. The total is null above 1,000.",
      by: .administrators,
      [
        Parameter(
          "q",
          "Words, each the beginning of a word and all needed; quotes for a phrase; artist:, title:, album:, genre:, path:, year:1980-1989."
        )
      ]
        + SearchQuery.Field.allCases.map {
          Parameter($0.rawValue, "Words that this field must have.")
        } + [
          Parameter("year", "A year, or two: 1980-1989, 1980-, -1989."),
          Parameter("root", "Only tracks with a file in this root."),
          Parameter("playable", Schema.flag, "Only tracks that can be played, or cannot."),
          Parameter(
            "sort", Schema.words(TrackOrder.Sort.allCases.map(\.rawValue)),
            "What the list is sorted by; rank unless given: what matches best, or by artist without words."
          ), limitQuery, afterQuery,
        ], answers: .json("Tracks"), errors: [400, 404, 503]
    ) { call in try await tracks(call) },
    Operation(
      "GET", "/api/v1/tracks/{track}", "getTrack", "A track and its files.", by: .administrators,
      answers: .json("Track"), errors: [404, 503]
    ) { (call: Call, key: TrackKey) in .json(200, try await track(key, call)) },
    Operation(
      "PATCH", "/api/v1/tracks/{track}", "changeTrack",
      "Keeps a track out of every programme, or lets it in again; it counts from the next item on.",
      by: .administrators, takes: "TrackChange", answers: .json("Track"), errors: [400, 404, 503]
    ) { (call: Call, key: TrackKey) in
      let isExcluded = try exclusion(try call.json)
      _ = try await call.relay.library.track(key, for: call.request.origin)
      if let isExcluded { try await call.relay.exclude(key, isExcluded) }
      return .json(200, try await track(key, call))
    },
    Operation(
      "GET", "/api/v1/tracks/{track}/artwork", "getTrackArtwork",
      "The picture in a track's file, else one beside it (cover, folder, front): PNG, JPEG, GIF, WebP or AVIF, of at most 10 MiB.",
      by: .administrators, answers: Answer(status: 200, content: [("image/*", Schema.text)]),
      errors: [404, 503]
    ) { (call: Call, key: TrackKey) in
      let picture = try await call.relay.library.artwork(of: key, for: call.request.origin)
      return .whole(status: 200, mediaType: picture.mediaType, body: picture.bytes)
    },
    Operation(
      "GET", "/api/v1/tracks/{track}/audio", "getTrackAudio",
      "The file of a track as it is, with ranges.", by: .administrators,
      [Parameter("Range", in: .header, Schema.text, "Parts of it, answered by 206.")],
      answers: Answer(
        status: 200,
        content: ["audio/mpeg", "audio/aac", "audio/ogg"].map { ($0, [:]) }),
      or: [.audioParts, .unchanged], errors: [404, 416, 429, 503]
    ) { (call: Call, key: TrackKey) in
      .file(try await call.relay.library.audio(of: key, for: call.request.origin))
    },
    Operation(
      "GET", "/api/v1/artists", "listArtists", "Artists by name, with counts.",
      by: .administrators,
      [Parameter("q", "Words that the name must have."), limitQuery, afterQuery],
      answers: .json("Artists"), errors: [400, 503]
    ) { call in try await artists(call) },
    Operation(
      "GET", "/api/v1/albums", "listAlbums", "Albums by name, with counts.", by: .administrators,
      [
        Parameter("q", "Words that the name must have."),
        Parameter("artist", "Only albums of this artist, or with a track of this artist."),
        limitQuery, afterQuery,
      ], answers: .json("Albums"), errors: [400, 503]
    ) { call in try await albums(call) },
    Operation(
      "GET", "/api/v1/folders", "listFolders",
      "The folders right below one, with the number of files in all of each; the roots unless a path is given.",
      by: .administrators,
      [
        Parameter("path", "An absolute path: a root, or a folder in one."), limitQuery, afterQuery,
      ], answers: .json("Folders"), errors: [400, 404, 503]
    ) { call in try await folders(call) },
  ]

  private static let limitQuery = Parameter(
    "limit", Schema.integer(1...LibraryStore.pageMax), "How many; 100 unless given.")
  private static let afterQuery = Parameter("after", "The next of the page before.")

  // MARK: Bodies

  private static func members(
    of json: JSON, known: [String]
  ) throws(APIError) -> [String: JSON] {
    guard case .object(let members) = json else { throw APIError.badJSON }
    for member in members where !known.contains(member.key) {
      throw APIError.badField(
        member.key, "is unknown; there is \(known.joined(separator: ", "))")
    }
    return Dictionary(members.map { ($0.key, $0.value) }) { _, last in last }
  }

  private static func scan(_ json: JSON) throws(APIError) -> (root: String?, accepts: Bool) {
    let body = try members(of: json, known: ["root", "accept"])
    var (root, accepts) = (String?.none, false)
    switch body["root"] {
    case nil, .null?: break
    case .string(let id)?: root = id
    default: throw APIError.badField("root", "write the id of a root, or leave it out for all")
    }
    switch body["accept"] {
    case nil, .null?: break
    case .bool(let flag)?: accepts = flag
    default: throw APIError.badField("accept", "write true or false")
    }
    return (root, accepts)
  }

  /// Returns whether a track is to be kept out; nil where nothing is said of it.
  private static func exclusion(_ json: JSON) throws(APIError) -> Bool? {
    let body = try members(of: json, known: ["excluded", "cueIn", "cueOut", "gain"])
    for name in ["cueIn", "cueOut", "gain"] where body[name] ?? .null != .null {
      throw APIError.badField(name, "has no effect yet; leave it out")
    }
    switch body["excluded"] {
    case nil: return nil
    case .bool(let flag)?: return flag
    default: throw APIError.badField("excluded", "write true or false")
    }
  }

  // MARK: Tracks

  private static func track(_ key: TrackKey, _ call: Call) async throws -> JSON {
    let track = try await call.relay.library.track(key, for: call.request.origin)
    let excluded = call.relay.excluded
    return ToldTrack.shape(hasFiles: true).json(
      of: ToldTrack(track: track, isExcluded: excluded.contains(key)))
  }

  private static func tracks(_ call: Call) async throws -> APIResponse {
    let query = call.query
    let fields = SearchQuery.Field.allCases.compactMap { field in
      query[field.rawValue].map { (field: field, words: $0) }
    }
    var order = TrackOrder(try search(query["q"] ?? "", fields, year: query["year"]))
    if let root = query["root"] {
      _ = try await call.relay.library.folder(of: root)
      order.root = root
    }
    switch query["playable"] {
    case nil: break
    case "true"?: order.isPlayable = true
    case "false"?: order.isPlayable = false
    default: throw APIError.badParameter("playable", "write true or false")
    }
    if let text = query["sort"] {
      guard let sort = TrackOrder.Sort(rawValue: text) else {
        let words = TrackOrder.Sort.allCases.map(\.rawValue).joined(separator: ", ")
        throw APIError.badParameter("sort", "write one of \(words)")
      }
      order.sort = sort
    }
    order.limit = try limit(query)
    if let after = query["after"] {
      guard let key = TrackKey(after) else { throw badAfter }
      order.after = key
    }
    let page = try await call.relay.library.tracks(order, for: call.request.origin)
    let excluded = call.relay.excluded
    let rows = ToldTrack.shape(hasFiles: false)
    return .madeJSON {
      [
        "tracks": .array(
          page.tracks.map {
            rows.json(of: ToldTrack(track: $0, isExcluded: excluded.contains($0.key)))
          }), "total": JSON(page.total), "next": JSON(page.next?.description),
      ]
    }
  }

  private static func search(
    _ line: String, _ fields: [(field: SearchQuery.Field, words: String)] = [],
    year: String? = nil
  ) throws(APIError) -> SearchQuery {
    do throws(SearchQuery.Problem) {
      return try SearchQuery(line, fields: fields, year: year)
    } catch {
      if case .badYear = error, year != nil {
        throw APIError.badParameter("year", "write a year such as 1985, or two: 1980-1989")
      }
      throw APIError.badParameter("q", error.description)
    }
  }

  // MARK: Lists

  private static func artists(_ call: Call) async throws -> APIResponse {
    let words = call.query["q"]
    let query = try words.map { try search("", [(.artist, $0)]) }
    let (after, limit) = (call.query["after"], try limit(call.query))
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

  private static func albums(_ call: Call) async throws -> APIResponse {
    let query = try call.query["q"].map { try search("", [(.album, $0)]) }
    let (artist, limit) = (call.query["artist"], try limit(call.query))
    var after: LibraryStore.AlbumPlace?
    if let text = call.query["after"] {
      let parts = try PageMark.bytes(text).split(separator: 0, omittingEmptySubsequences: false)
      guard parts.count == 2 else { throw badAfter }
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

  private static func folders(_ call: Call) async throws -> APIResponse {
    let (library, limit) = (await call.relay.library, try limit(call.query))
    guard let path = call.query["path"] else {
      let folders = await library.report().roots.map(\.folder)
      return .madeJSON {
        ["folders": .array(folders.map { LibraryFolder.shape.json(of: $0) }), "next": .null]
      }
    }
    guard let place = await library.place(of: path) else {
      throw APIError(404, "unknown-root", "path: \(path) is in no root.", field: "path")
    }
    let after = try call.query["after"].map { text throws(APIError) in try PageMark.bytes(text) }
    let (folders, next) = try await library.list(for: call.request.origin) {
      store throws(LibraryError) in
      try store.folders(in: place.root, below: place.path, after: after, limit: limit)
    }
    return .madeJSON {
      [
        "folders": .array(folders.map { LibraryFolder.shape.json(of: $0) }),
        "next": JSON(next.map(PageMark.text)),
      ]
    }
  }

  private static func problems(_ call: Call) async throws -> APIResponse {
    let (root, limit) = (call.query["root"], try limit(call.query))
    if let root { _ = try await call.relay.library.folder(of: root) }
    var after: (root: String, path: [UInt8])?
    if let text = call.query["after"] {
      let bytes = try PageMark.bytes(text)
      guard let end = bytes.firstIndex(of: 0) else { throw badAfter }
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

  private static func limit(_ query: HTTPQuery) throws(APIError) -> Int {
    guard let text = query["limit"] else { return 100 }
    guard let limit = Int(text, in: 1...LibraryStore.pageMax) else {
      throw APIError.badParameter("limit", "write a number from 1 to \(LibraryStore.pageMax)")
    }
    return limit
  }

  private static let badAfter = APIError.badParameter("after", "take the next of the page before")

  /// Where a page begins, in hexadecimal digits: a path need be no text.
  private enum PageMark {
    static func text(_ bytes: [UInt8]) -> String {
      let digits = Array("0123456789abcdef".utf8)
      return String(
        decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    static func bytes(_ text: String) throws(APIError) -> [UInt8] {
      let digits = text.map(\.hexDigitValue)
      guard digits.count % 2 == 0, text.utf8.count == digits.count else { throw badAfter }
      return try stride(from: 0, to: digits.count, by: 2).map { index throws(APIError) in
        guard let high = digits[index], let low = digits[index + 1] else { throw badAfter }
        return UInt8(high << 4 | low)
      }
    }
  }
}

extension TrackKey: PathPart {
  init?(pathPart text: String) { self.init(text) }
}
