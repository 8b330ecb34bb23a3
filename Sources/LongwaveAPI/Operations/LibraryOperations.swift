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
      endsWithClient: true,
      [Parameter("root", "Only this root's."), limitQuery, afterQuery],
      answers: .json("LibraryProblems"), errors: [400, 404, 503]
    ) { call in try await problems(call) },
    Operation(
      "GET", "/api/v1/tracks", "listTracks",
      "Tracks that are looked for; all, by artist, unless something is asked for. The total is null above 1,000.",
      by: .administrators, endsWithClient: true,
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
            "What the list is sorted by; rank unless given: what matches best, or by artist without words. By lastPlayed, a track that plays meanwhile comes on no later page."
          ), limitQuery, afterQuery,
        ], answers: .json("Tracks"), errors: [400, 404, 503]
    ) { call in try await tracks(call) },
    Operation(
      "GET", "/api/v1/tracks/{track}", "getTrack", "A track and its files.", by: .administrators,
      answers: .json("Track"), errors: [404, 503]
    ) { (call: Call, asked: AskedTrack) in .json(200, try await track(asked.key, call)) },
    Operation(
      "PATCH", "/api/v1/tracks/{track}", "changeTrack",
      "Keeps a track out of every programme, or lets it in again; sets its gain to -18 LUFS, in place of what tags and measures say, or the seconds at which programmes begin and end it. It counts from the next item on.",
      by: .administrators, takes: "TrackChange", answers: .json("Track"), errors: [400, 404, 503]
    ) { (call: Call, asked: AskedTrack) in
      let (key, change) = (try asked.key, try change(try call.json))
      let found = try await call.relay.library.track(key, for: call.request.origin)
      try requireCue(call.relay.note(of: key).changed(by: change), change, of: found)
      try await call.relay.change(key, by: change)
      return .json(200, try await track(key, call))
    },
    Operation(
      "GET", "/api/v1/tracks/{track}/artwork", "getTrackArtwork",
      "The picture in a track's file, else one beside it (cover, folder, front): PNG, JPEG, GIF, WebP or AVIF, of at most 10 MiB.",
      by: .administrators, answers: Answer(status: 200, content: [("image/*", Schema.text)]),
      errors: [404, 503]
    ) { (call: Call, asked: AskedTrack) in
      let picture = try await call.relay.library.artwork(
        of: asked.key, for: call.request.origin)
      return .whole(status: 200, mediaType: picture.mediaType, body: picture.bytes)
    },
    Operation(
      "GET", "/api/v1/tracks/{track}/audio", "getTrackAudio",
      "The file of a track as it is, with ranges.", by: .administrators,
      [Parameter("Range", in: .header, Schema.text, "Parts of it, answered by 206.")],
      answers: .audioFile,
      or: [.audioParts, .unchanged], errors: [404, 416, 429, 503]
    ) { (call: Call, asked: AskedTrack) in
      .file(try await call.relay.library.audio(of: asked.key, for: call.request.origin))
    },
    Operation(
      "GET", "/api/v1/artists", "listArtists", "Artists by name, with counts.",
      by: .administrators, endsWithClient: true,
      [Parameter("q", "Words that the name must have."), limitQuery, afterQuery],
      answers: .json("Artists"), errors: [400, 503]
    ) { call in try await artists(call) },
    Operation(
      "GET", "/api/v1/albums", "listAlbums", "Albums by name, with counts.", by: .administrators,
      endsWithClient: true,
      [
        Parameter("q", "Words that the name must have."),
        Parameter("artist", "Only albums of this artist, or with a track of this artist."),
        limitQuery, afterQuery,
      ], answers: .json("Albums"), errors: [400, 503]
    ) { call in try await albums(call) },
    Operation(
      "GET", "/api/v1/folders", "listFolders",
      "The folders right below one, with the number of files in all of each; without a path all roots, on one page.",
      by: .administrators, endsWithClient: true,
      [
        Parameter("path", "An absolute path: a root, or a folder in one."),
        Parameter(
          "pathBytes", "The same as Base64, as answers have it of names that are no UTF-8."),
        limitQuery, afterQuery,
      ], answers: .json("Folders"), errors: [400, 404, 503]
    ) { call in try await folders(call) },
  ]

  private static let limitQuery = Parameter(
    "limit", Schema.integer(1...LibraryStore.pageMax), "How many; 100 unless given.")
  private static let afterQuery = Parameter(
    "after", "The next of the page before; it holds though what that page ended with is gone.")

  // MARK: Bodies

  private static func scan(_ json: JSON) throws(APIError) -> (root: String?, accepts: Bool) {
    try APIError.requireKnown(json, ["root", "accept"])
    var (root, accepts) = (String?.none, false)
    switch json["root"] {
    case nil, .null?: break
    case .string(let id)?: root = id
    default: throw APIError.badField("root", "write the id of a root, or leave it out for all")
    }
    switch json["accept"] {
    case nil, .null?: break
    case .bool(let flag)?: accepts = flag
    default: throw APIError.badField("accept", "write true or false")
    }
    return (root, accepts)
  }

  private static func change(_ json: JSON) throws(APIError) -> TrackNote.Change {
    try APIError.requireKnown(json, ["excluded", "gain", "cueIn", "cueOut"])
    var change = TrackNote.Change()
    switch json["excluded"] {
    case nil: break
    case .bool(let flag)?: change.isExcluded = flag
    default: throw APIError.badField("excluded", "write true or false")
    }
    if let gain = json["gain"] {
      let bounds = TrackGain.gains
      guard gain == .null || gain.double.map(bounds.contains) == true else {
        throw APIError.badField("gain", "write decibels from -70 to 70, or null for what was found")
      }
      change.gain = .some(gain.double)
    }
    change.cueIn = try cue("cueIn", json)
    change.cueOut = try cue("cueOut", json)
    return change
  }

  private static func cue(_ field: String, _ json: JSON) throws(APIError) -> Double?? {
    guard let cue = json[field] else { return nil }
    guard cue == .null || cue.double.map((0...TrackCue.secondsMax).contains) == true else {
      throw APIError.badField(field, "write seconds from 0 on, or null for what was found")
    }
    return .some(cue.double)
  }

  /// Refuses to play a part of a track that there is not.
  private static func requireCue(
    _ note: TrackNote, _ change: TrackNote.Change, of track: LibraryTrack
  ) throws(APIError) {
    // What is taken back is always taken back.
    if [change.cueIn, change.cueOut].allSatisfy({ $0.flatMap(\.self) == nil }) { return }
    if let whole = track.whole {
      throw APIError.badField(
        change.cueIn == nil ? "cueOut" : "cueIn",
        "a list plays this part of track \(whole); edit the list")
    }
    if track.isExact, let end = change.cueOut.flatMap(\.self), end > track.seconds {
      throw APIError.badField("cueOut", "the track ends after \(track.seconds) s")
    }
    guard let end = note.cueOut ?? (track.isExact ? track.seconds : nil) else { return }
    guard end - (note.cueIn ?? 0) >= TrackCue.secondsMin else {
      let place = note.cueOut == nil ? "the track's end" : "its cueOut"
      throw APIError.badField(
        change.cueIn == nil ? "cueOut" : "cueIn",
        "it would begin at \(note.cueIn ?? 0) s, and \(place) is at \(end) s; "
          + "\(TrackCue.secondsMin) s have to be left")
    }
  }

  private static func told(_ track: LibraryTrack, _ call: Call, _ library: LibraryDesk) -> ToldTrack
  {
    // Of a part of a file, what people say of the whole counts too.
    var note = call.relay.note(of: track.key)
    if let whole = track.whole.map({ call.relay.note(of: $0) }) {
      note.isExcluded = note.isExcluded || whole.isExcluded
      note.gain = note.gain ?? whole.gain
    }
    return ToldTrack(
      track: track, note: note, measure: library.measure(of: track.key),
      plays: library.plays(of: track.key))
  }

  // MARK: Tracks

  private static func track(_ key: TrackKey, _ call: Call) async throws -> JSON {
    let library = await call.relay.library
    let track = try await library.track(key, for: call.request.origin)
    return ToldTrack.whole.json(of: told(track, call, library))
  }

  private static func tracks(_ call: Call) async throws -> APIResponse {
    let query = call.query
    let fields = SearchQuery.Field.allCases.compactMap { field in
      query.words(of: field.rawValue).map { (field: field, words: $0) }
    }
    var order = TrackOrder(try search(query.words(of: "q") ?? "", fields, year: query["year"]))
    if let root = query["root"] {
      try await call.relay.library.requireRoot(root)
      order.root = root
    }
    switch query["playable"] {
    case nil: break
    case "true"?: order.isPlayable = true
    case "false"?: order.isPlayable = false
    default: throw APIError.badParameter("playable", "write true or false")
    }
    order.sort = try word(query, "sort", order.sort)
    order.limit = try pageLimit(query)
    if let after = query["after"] {
      // Another order's place is none of this one.
      let bytes = try PageMark.bytes(after)
      let name = Array(order.sort.rawValue.utf8) + [0]
      guard bytes.starts(with: name), let place = TrackPlace(bytes: Array(bytes[name.count...]))
      else { throw badPage }
      order.after = place
    }
    let library = await call.relay.library
    // Written by the thread that reads: neither Swift's pool nor a second thread has work for each letter that is typed.
    let body = try await library.list(for: call.request.origin) {
      [order] store throws(LibraryError) -> [UInt8]? in
      try store.tracks(order).map { listed($0, by: order.sort, call, library) }
    }
    guard let body else { throw badPage }
    return .whole(status: 200, mediaType: "application/json", body: body)
  }

  private static func listed(
    _ page: TrackPage, by sort: TrackOrder.Sort, _ call: Call, _ library: LibraryDesk
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(1024 + page.tracks.count * 768)
    bytes += "{\"tracks\":[".utf8
    for (index, track) in page.tracks.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      told(track, call, library).write(to: &bytes)
    }
    bytes += "],\"total\":".utf8
    JSON(page.total).write(to: &bytes)
    bytes += ",\"next\":".utf8
    let next = page.next.map { PageMark.text(Array(sort.rawValue.utf8) + [0] + $0.bytes) }
    JSON(next).write(to: &bytes)
    bytes += "}\n".utf8
    return bytes
  }

  static func search(
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
}

/// A track in a path. What is no key names a track that there is not.
struct AskedTrack: PathPart {
  private let text: String

  init?(pathPart text: String) { self.text = text }

  /// Throws `unknownTrack`.
  var key: TrackKey {
    get throws(RelayError) {
      guard let key = TrackKey(text) else { throw .unknownTrack(text) }
      return key
    }
  }
}
