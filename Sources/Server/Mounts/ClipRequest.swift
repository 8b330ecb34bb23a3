import Timeshift
import Wire

/// The piece of the window that is wanted as a file, by air time.
struct ClipRequest: Hashable, Sendable {
  var from: WallTime
  /// End of the piece, which is not part of it.
  var to: WallTime
  /// Whether it is played backwards.
  var isReversed: Bool

  /// Reads `from`, `to` and `reverse`. Times are moments, times before `now` or times of day in `zone`; without `to`
  /// the clip goes up to now.
  init(
    _ query: HTTPQuery, now: WallTime, in zone: ZoneOffsets
  ) throws(StreamRequest.Refusal) {
    try QuerySlip.refuse(query, known: ["from", "to", "reverse"])
    if query["bitrate"] != nil {
      throw .init(
        field: "bitrate",
        message: "a clip has the bitrate of its station; ask for a clip of a rendition")
    }
    isReversed = try ReverseParameter.read(query)
    for key in ["from", "to"] where query.count(of: key) > 1 {
      throw .init(field: key, message: "\(key) is given twice; give it once")
    }
    guard let text = query["from"] else {
      throw .init(
        field: "from", message: "from is missing: say where the clip begins, such as from=-10m")
    }
    from = try Self.moment(text, "from", now, zone)
    to = now
    guard let text = query["to"] else { return }
    to = try Self.moment(text, "to", now, zone)
    if to <= from { throw .init(field: "to", message: "to has to be later than from") }
  }

  private static func moment(
    _ text: String, _ key: String, _ now: WallTime, _ zone: ZoneOffsets
  ) throws(StreamRequest.Refusal) -> WallTime {
    do throws(TimestampError) {
      return try WallTime(parsing: text, now: now, in: zone)
    } catch {
      throw .init(key, text, error)
    }
  }
}

extension StreamRequest.Refusal {
  static let reversedPlaylist = Self(
    field: "reverse", message: "a playlist plays forwards only; leave out reverse")
}

/// The parameter `reverse`, which clips and files have.
enum ReverseParameter {
  static func read(_ query: HTTPQuery) throws(StreamRequest.Refusal) -> Bool {
    if query.count(of: "reverse") > 1 {
      throw .init(field: "reverse", message: "reverse is given twice; give it once")
    }
    guard let text = query["reverse"] else { return false }
    guard ["0", "1"].contains(text) else {
      throw .init(field: "reverse", message: "reverse is 1, from the end to the beginning, or 0")
    }
    return text == "1"
  }
}
