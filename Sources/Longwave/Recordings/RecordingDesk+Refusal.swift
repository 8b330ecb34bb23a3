import Server
import Timeshift
import Wire

// What cannot be recorded any more.
extension RecordingDesk {
  /// What is over already has to be in the window.
  static func refuseGone(
    _ options: RecordingEntry.Options, from station: RelayStation
  ) throws(APIError) {
    guard let log = station.log, let until = options.until.map({ WallTime(stored: $0) }) else {
      return
    }
    let now = Moment.now()
    let window = log.snapshot(delay: station.delay, at: now)
    let isEmpty = window.edge.position == window.oldest.position
    guard until < now.wall, isEmpty || until <= window.oldestAir else { return }
    throw APIError(
      409, "out-of-window",
      "The window of \"\(station.id)\" has nothing of that time: "
        + (isEmpty ? "it is empty." : "it begins at \(window.oldestAir.rfc3339)."),
      field: "from")
  }
}
