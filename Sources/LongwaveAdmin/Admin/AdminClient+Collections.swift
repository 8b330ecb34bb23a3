import Foundation
import Ingest
import Longwave
import Threads
import Wire

/// What came of a list that was imported, however many requests it took.
public struct ListImportReport: Sendable {
  public var collection: String
  public var entries = 0
  public var added = 0
  /// Whether the rest was not sent, since the relay refused a piece of it.
  public internal(set) var isCut = false
  /// Whether a piece of it was taken.
  var isBegun = false
  public var missing: [(line: Int, text: String, reason: String)] = []

  public var json: JSON {
    [
      "added": JSON(added),
      "missing": .array(
        missing.map {
          ["line": JSON($0.line), "text": .string($0.text), "reason": .string($0.reason)]
        }),
    ]
  }

  /// Entries that are named; the others are counted.
  private static let shownMax = 20

  public var text: String {
    let head = "\(added) of \(entries) entries found"
    if missing.isEmpty { return head }
    let shown = missing.prefix(Self.shownMax).map {
      "\n  line \($0.line) \"\($0.text)\" \($0.reason)"
    }
    let rest = missing.count - shown.count
    return head + "; not found:" + shown.joined() + (rest > 0 ? "\n  and \(rest) more" : "")
  }
}

extension AdminClient {
  /// Returns a collection with all of its members.
  public func collection(_ id: String) async throws(AdminError) -> JSON {
    var whole: JSON = .null
    var members: [JSON] = []
    var after: String?
    repeat {
      let query = "?limit=1000" + (after.map { "&after=\($0)" } ?? "")
      guard let page = try await request("GET", Self.path("collections", id) + query) else { break }
      if whole == .null { whole = page }
      members += page.items("members")
      if case .string(let next)? = page["next"] { after = next } else { after = nil }
    } while after != nil
    guard case .object(let fields) = whole else { return whole }
    return .object(
      fields.map {
        switch $0.key {
        case "members": .init(key: $0.key, value: .array(members))
        case "next": .init(key: $0.key, value: .null)
        default: $0
        }
      })
  }

  /// The most bytes of a list that is imported.
  public static let listBytesMax = TrackList.bytesMax
  /// The most bytes of a list in one request: a body has 64 KiB.
  private static let pieceBytes = 48 << 10

  /// Adds the tracks of a list to a collection, which is made if there is none.
  ///
  /// - Parameters:
  ///   - name: the name of the list's file.
  ///   - base: the folder from which relative paths count.
  public func importList(
    _ bytes: [UInt8], name: String, base: String?, to id: String
  ) async throws(AdminError) -> ListImportReport {
    let list: TrackList
    do throws(TrackListProblem) {
      list = try TrackList(bytes, name: name)
    } catch {
      throw AdminError("\(name.isEmpty ? "the list" : name) \(error)")
    }
    try await makeCollection(id)
    var report = ListImportReport(
      collection: id, entries: list.entries.count + list.faults.count)
    report.missing = list.faults.map { ($0.line, $0.text, $0.reason) }
    if list.isCut {
      report.missing.append(
        (0, "all behind", "\(TrackList.entriesMax) entries are too many; split it"))
    }
    var rest = list.entries[...]
    while !rest.isEmpty {
      var piece: [TrackListEntry] = []
      var size = 0
      while let entry = rest.first {
        let length = TrackList.m3u([entry]).count
        if !piece.isEmpty, size + length > Self.pieceBytes { break }
        piece.append(entry)
        size += length
        rest = rest.dropFirst()
      }
      do throws(AdminError) {
        try await add(piece, base: base, to: id, &report)
      } catch {
        if !report.isBegun { throw error }
        // What was sent is there: to send it again would add it twice.
        let left = piece.count + rest.count
        report.missing.append(
          (piece[0].line, "this and all behind it, \(left) entries", "\(error)"))
        report.isCut = true
        break
      }
      report.isBegun = true
    }
    report.missing.sort { $0.line < $1.line }
    return report
  }

  /// Sends some entries, each in a line of its own, so that answers name them.
  private func add(
    _ entries: [TrackListEntry], base: String?, to id: String, _ report: inout ListImportReport
  ) async throws(AdminError) {
    let parts = entries.filter { $0.part != nil }
    for part in parts {
      report.missing.append((part.line, part.shown, TrackListEntry.Part.unmatched))
    }
    let whole = entries.filter { $0.part == nil }
    if whole.isEmpty { return }
    let bytes = TrackList.m3u(whole)
    // What is sent is read there as it is here.
    let sent = (try? TrackList(bytes).entries) ?? []
    let origins = Dictionary(zip(sent.map(\.line), whole)) { one, _ in one }
    let query = base.map { "?base=\(Self.escaped($0))" } ?? ""
    let path = Self.path("collections", id, "import") + query
    let json = try await request("POST", path, bytes: bytes, type: "audio/x-mpegurl")
    if case .integer(let added)? = json?["added"] { report.added += Int(clamping: added) }
    for missing in json?.items("missing") ?? [] {
      guard case .integer(let line)? = missing["line"] else { continue }
      let origin = origins[Int(clamping: line)]
      report.missing.append(
        (origin?.line ?? 0, origin?.shown ?? missing.text("text"), missing.text("reason")))
    }
  }

  private func makeCollection(_ id: String) async throws(AdminError) {
    do throws(AdminError) {
      _ = try await request("POST", Self.path("collections"), body: ["collection": .string(id)])
    } catch {
      if error.code != "collection-exists" { throw error }
    }
  }

  /// Returns a collection as a list.
  public func exportList(
    _ id: String, format: String, paths: String, base: String?
  ) async throws(AdminError) -> [UInt8] {
    let place = base.map { "&base=\(Self.escaped($0))" } ?? ""
    return try await body(
      of: Self.path("collections", id, "export")
        + "?format=\(Self.escaped(format))&paths=\(Self.escaped(paths))" + place)
  }

  /// Puts what is on air at a station, or a track, into the favourites, or takes it out.
  ///
  /// - Parameter what: a station or a track; nil: the only station.
  /// - Returns: the member.
  public func favourite(_ what: String?, isRemoved: Bool) async throws(AdminError) -> JSON {
    let favourites = CollectionDesk.favourites
    let key = what.flatMap { TrackKey($0)?.description }
    var found: JSON = ["track": .string(key ?? "")]
    if key == nil {
      let id = try await station(what)
      found = try await request("GET", Self.path("stations", id, "programme"))?["now"] ?? [:]
      guard TrackKey(found.text("track")) != nil else {
        throw AdminError("no track is on air at \(id)")
      }
    }
    if isRemoved { return try await removeFavourite(found) }
    let body: JSON = ["tracks": .array([.string(found.text("track"))])]
    _ = try await request("POST", Self.path("collections", favourites, "members"), body: body)
    if key == nil { return found }
    return try await self.favourites(of: found.text("track")).first ?? [:]
  }

  private func favourites(of track: String) async throws(AdminError) -> [JSON] {
    try await collection(CollectionDesk.favourites).items("members").filter {
      $0["track"]?.text("track") == track
    }
  }

  /// - Parameter track: with a title, where one is known.
  private func removeFavourite(_ track: JSON) async throws(AdminError) -> JSON {
    let id = CollectionDesk.favourites
    let members = try await favourites(of: track.text("track"))
    guard let first = members.first else {
      let name = Self.name(of: track)
      throw AdminError("\(name) is no favourite; longwave collection show \(id) has them all")
    }
    for member in members {
      _ = try await request(
        "DELETE", Self.path("collections", id, "members", member.text("member")))
    }
    return first
  }

  /// Returns what a track or a member is called: artist and title, else its file's name, else its key.
  public static func name(of track: JSON) -> String {
    let name = [track.text("artist"), track.text("title")].filter { !$0.isEmpty }
    if !name.isEmpty { return name.joined(separator: " – ") }
    if let file = track.text("path").split(separator: "/").last { return String(file) }
    if let of = track["track"], case .object = of { return of.text("track") }
    return track.text("track")
  }

  private func station(_ name: String?) async throws(AdminError) -> String {
    if let name { return name }
    let all = try await request("GET", Self.path("stations"))?.items("stations") ?? []
    guard all.count == 1, let only = all.first else {
      throw AdminError("there are \(all.count) stations; name the one that is meant")
    }
    return only.text("id")
  }
}

extension JSON {
  /// A member as text, empty for null.
  func text(_ key: String) -> String {
    switch self[key] {
    case nil, .null: ""
    case .string(let text): text
    case .some(let value): value.text
    }
  }
}
