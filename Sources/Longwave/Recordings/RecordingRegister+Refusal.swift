import Server
import Timeshift
import Wire

// Refusals of recordings that are not possible any more.
extension RecordingRegister {
  /// Refuses a recording whose end is past and no longer in the window.
  static func refuseGone(
    _ options: RecordingEntry.Options, from station: RelayStation
  ) throws(RelayError) {
    guard let log = station.log, let until = options.until.map({ WallTime(stored: $0) }) else {
      return
    }
    let now = Moment.now()
    let window = log.snapshot(delay: station.delay, at: now)
    let isEmpty = window.edge.position == window.oldest.position
    guard until < now.wall, isEmpty || until <= window.oldestAir else { return }
    throw RelayError.outOfWindow(station.id, oldest: isEmpty ? nil : window.oldestAir)
  }
}
