import Timeshift
import Wire

/// What a player wants of a playlist that goes on.
struct HLSPlaylistRequest: Hashable, Sendable {
  enum Kind: Hashable, Sendable { case multivariant, media }

  let kind: Kind
  var directives = HLSDirectives()
  /// How far behind live the player begins.
  var offset: MediaTime?
  /// When the list begins; nil: as far back as is listed.
  var at: WallTime?
  /// How much is listed.
  var length: MediaTime?
  /// The most kbit/s.
  var bitrate: Int?
  var token: String?

  private static let keys = ["offset", "at", "dvr", "bitrate", "token"]
  private static let known = keys + ["_HLS_msn", "_HLS_skip", "session"]

  init(
    _ query: HTTPQuery, _ kind: Kind, at mount: Mount, now: WallTime, in mounts: MountTable
  ) throws(StreamRequest.Refusal) {
    self.kind = kind
    try QuerySlip.refuse(query, known: Self.known)
    for key in Self.keys where query.count(of: key) > 1 {
      throw .init(field: key, message: "\(key) is given twice; give it once")
    }
    if query["reverse"] != nil { throw .reversedPlaylist }
    if kind == .media, query["bitrate"] != nil {
      throw .init(
        field: "bitrate", message: "main.m3u8 is of one quality; bitrate chooses in live.m3u8")
    }
    token = query["token"]
    if kind == .media { directives = try Self.directives(query) }
    if let text = query["offset"], case .behind(let time) = try StreamRequest.offset(text) {
      offset = time
    }
    if let text = query["at"] {
      if query["offset"] != nil {
        throw .init(field: "at", message: "offset and at exclude each other; give one of them")
      }
      at = try StreamRequest.moment(text, now, mount.timeZone)
    }
    if let text = query["dvr"] { length = try Self.length(text, isBegun: at != nil) }
    if kind == .multivariant, let text = query["bitrate"] {
      guard let most = StreamRequest.bitrate(text) else {
        throw .init(field: "bitrate", message: "bitrate is the most kbit/s, such as 64")
      }
      if let problem = mounts.problem(withBitrateAt: mount) { throw problem }
      bitrate = most
    }
  }

  private static func directives(_ query: HTTPQuery) throws(StreamRequest.Refusal) -> HLSDirectives
  {
    do throws(HLSDirectives.Refusal) {
      return try HLSDirectives(query)
    } catch {
      throw .init(field: error.key, message: error.message)
    }
  }

  private static func length(
    _ text: String, isBegun: Bool
  ) throws(StreamRequest.Refusal) -> MediaTime {
    if isBegun {
      throw .init(
        field: "dvr", message: "dvr and at exclude each other: at says where the list begins")
    }
    guard let seconds = DurationText.parse(text), seconds > 0 else {
      throw .init(field: "dvr", message: "dvr is how much is listed, such as 30m")
    }
    // Lists have ten segments at least; less than a second would be carried as none.
    return MediaTime(seconds: max(1, seconds))
  }

  /// The query that the playlists of the qualities get, escaped.
  var carried: String {
    var items: [String] = []
    if let offset { items.append("offset=\(DurationText.format(offset.seconds))") }
    if let at {
      items.append(
        "at=\(URLText.percentEncoded(TimestampText.rfc3339(at.nanoseconds(since: .epoch))))")
    }
    if let length { items.append("dvr=\(DurationText.format(length.seconds))") }
    if let token { items.append("token=\(URLText.percentEncoded(token))") }
    return items.isEmpty ? "" : "?" + items.joined(separator: "&")
  }
}

/// A request for a piece of audio, or for what a decoder needs before it.
struct HLSPieceRequest: Hashable, Sendable {
  /// Nil for a path that names nothing.
  let name: PieceName?
  let seal: HLSPath.Seal?

  /// - Parameter parts: of the path behind `/hls/`.
  init(_ parts: [String]) {
    guard case .piece(let name, let seal) = HLSPath(Array(parts.joined(separator: "/").utf8)) else {
      (name, seal) = (nil, nil)
      return
    }
    (self.name, self.seal) = (name, seal)
  }
}
