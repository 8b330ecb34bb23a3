import Timeshift
import Wire

/// The piece of the window that is wanted as a file, by air time.
struct ClipRequest: Hashable, Sendable {
  var from: WallTime
  /// End of the piece, which is not part of it.
  var to: WallTime

  /// Reads `from` and `to`: moments, times before `now` or times of day in `zone`. Without `to` the clip goes up to
  /// now.
  init(
    _ query: HTTPQuery, now: WallTime, in zone: ZoneOffsets
  ) throws(StreamRequest.Refusal) {
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
    do {
      return try WallTime(parsing: text, now: now, in: zone)
    } catch {
      throw .init(field: key, message: "\(key) \(error)")
    }
  }
}
