import Timeshift
import Wire

/// A listener's wishes besides the station: where to begin, and how much at once.
struct StreamRequest: Hashable, Sendable {
  enum Place: Hashable, Sendable {
    case live
    /// Media time behind the live edge.
    case behind(MediaTime)
    case at(WallTime)
    /// From the beginning of the title that is playing.
    case trackStart
  }

  var place = Place.live
  /// Burst; nil for the mount's.
  var burst: MediaTime?
  /// Moves the session before the listener begins, and lets it play; nil where the session goes on as it was. A session
  /// that is new stands at the live edge.
  var seek: Steering?
  /// The listening session that the request belongs to.
  var session: SessionToken?
  /// What a relay that asks has of the log; nil for other listeners, and for a relay that asks anew.
  var resume: RelayResume?
  /// The log that a relay asks for, in its own words; empty for other listeners.
  var via: [LogID] = []
  /// The session that the listener has to earn by listening.
  var earned: SessionToken?
  /// Whether titles were asked for by `Icy-MetaData`.
  private var wantsTitles = false
  /// Whether ICY blocks may stand in Ogg as well.
  private var takesBlocksInOgg = true
  /// In Ogg: whether titles are told by a new link of the chain with other comments.
  private var chainsTitles = false

  /// An invalid parameter: answered 400, naming it.
  struct Refusal: Error, Hashable {
    var field: String
    var message: String

    init(field: String, message: String) { (self.field, self.message) = (field, message) }

    /// Refuses a text that is no moment.
    init(_ field: String, _ text: String, _ error: TimestampError) {
      self.init(field: field, message: "\(field): \"\(text.prefix(64))\" \(error)")
    }
  }

  private static let keys = ["offset", "at", "burst", "titles", "session", "bitrate"]

  /// - Parameter zone: zone of times of day.
  init(_ head: HTTPRequestHead, now: WallTime, in zone: ZoneOffsets) throws(Refusal) {
    let query = head.query
    try QuerySlip.refuse(query, known: Self.keys)
    for key in Self.keys where query.count(of: key) > 1 {
      throw Refusal(field: key, message: "\(key) is given twice; give it once")
    }
    if let text = query["offset"] { place = try Self.offset(text) }
    if let text = query["at"] {
      if query["offset"] != nil {
        throw Refusal(field: "at", message: "offset and at exclude each other; give one of them")
      }
      place =
        text == TrackPlace.start.rawValue ? .trackStart : .at(try Self.moment(text, now, zone))
    }
    // Without a session, `seek` is what some players append.
    if let text = query["seek"], query["session"] != nil {
      if query.count(of: "seek") > 1 {
        throw Refusal(field: "seek", message: "seek is given twice; give it once")
      }
      if query["offset"] != nil || query["at"] != nil {
        throw Refusal(field: "seek", message: "seek excludes offset and at; give one of them")
      }
      seek = try Self.seek(text, now, zone)
    }
    if let text = query["bitrate"], Self.bitrate(text) == nil {
      throw Refusal(field: "bitrate", message: "bitrate is the most kbit/s, such as 64")
    }
    if query["reverse"] != nil {
      throw Refusal(
        field: "reverse",
        message: "a stream plays forwards only; reverse is for files and clips, such as "
          + "/ID/clip?from=-10m&reverse=1")
    }
    if let text = query["burst"] { burst = try Self.burst(text) }
    if let text = query["session"] {
      guard let token = SessionToken(text) else {
        throw Refusal(
          field: "session",
          message: "session is a name of your own: 8 to 64 of A-Z a-z 0-9 - and _")
      }
      session = token
    }
    resume = head.fields[RelayField.resume].flatMap(RelayResume.init)
    via = head.fields[RelayField.via].map(RelayVia.read) ?? []
    wantsTitles = head.fields["icy-metadata"].map(Self.isNonZero) ?? false
    // MPlayer asks for ICY whatever comes, and takes blocks in Ogg for broken pages. Icecast has titles from the links.
    let player = head.fields["user-agent"] ?? ""
    chainsTitles = player.hasPrefix("Icecast")
    takesBlocksInOgg = !player.hasPrefix("MPlayer")
    if let text = query["titles"] {
      guard ["icy", "comments", "none"].contains(text) else {
        throw Refusal(field: "titles", message: "titles is icy, comments (in Ogg) or none")
      }
      (wantsTitles, chainsTitles) = (text == "icy", text == "comments")
      takesBlocksInOgg = true
    }
  }

  /// Returns the bytes of audio between two ICY blocks, of the mount's `metaint`; nil for no blocks.
  func metaint(_ metaint: Int, for codec: Codec?) -> Int? {
    guard wantsTitles, !chainsTitles(in: codec) else { return nil }
    return takesBlocksInOgg || codec?.isOgg != true ? metaint : nil
  }

  func chainsTitles(in codec: Codec?) -> Bool { chainsTitles && codec?.isOgg == true }

  /// kbit/s of a request for a rendition; nil for what is none.
  static func bitrate(_ text: String) -> Int? {
    Int(text, in: 1...10_000)
  }

  static func offset(_ text: String) throws(Refusal) -> Place {
    guard let seconds = DurationText.parse(text) else {
      throw Refusal(
        field: "offset", message: "offset is a time behind live such as 300, 5m or 1h30m")
    }
    // -300 means the same as 300: people write it both ways.
    return seconds == 0 ? .live : .behind(MediaTime(seconds: abs(seconds)))
  }

  private static func seek(
    _ text: String, _ now: WallTime, _ zone: ZoneOffsets
  ) throws(Refusal) -> Steering {
    if text == "live" { return .live }
    if let track = TrackPlace(rawValue: text) { return .track(track) }
    // A plus sign that is not escaped is a space in a query.
    if let sign = text.first, "-+ ".contains(sign) {
      guard let seconds = DurationText.parse(String(text.dropFirst())) else {
        throw Refusal(field: "seek", message: "seek is a time such as -30s or +5m, or a moment")
      }
      let time = MediaTime(seconds: abs(seconds))
      return sign == "-" ? .rewind(time) : .forward(time)
    }
    do throws(TimestampError) {
      return .at(try WallTime(parsing: text, now: now, in: zone))
    } catch {
      var refusal = Refusal("seek", text, error)
      refusal.message += "; or write live, track-start, previous-track, next-track, -30s or +30s"
      throw refusal
    }
  }

  static func moment(
    _ text: String, _ now: WallTime, _ zone: ZoneOffsets
  ) throws(Refusal) -> WallTime {
    do throws(TimestampError) {
      return try WallTime(parsing: text, now: now, in: zone)
    } catch {
      throw Refusal("at", text, error)
    }
  }

  private static func burst(_ text: String) throws(Refusal) -> MediaTime {
    guard let seconds = DurationText.parse(text), (0...60).contains(seconds) else {
      throw Refusal(field: "burst", message: "burst is a time from 0 to 60 s, such as 10s")
    }
    return MediaTime(seconds: seconds)
  }

  /// Whether a header asks for titles. Icecast reads it with `atoi`: any number but 0 does.
  private static func isNonZero(_ text: String) -> Bool {
    let digits = text.drop { $0 == " " || $0 == "+" || $0 == "-" }.prefix {
      $0.isASCII && $0.isNumber
    }
    return digits.contains { $0 != "0" }
  }
}
