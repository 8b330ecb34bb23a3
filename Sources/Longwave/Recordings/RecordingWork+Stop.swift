import Timeshift
import Wire

// A recording that is stopped ends where the log was then: what it has not got by then, it takes from the window.
extension RecordingWork {
  /// Seconds within which the log's end is still the one that was meant.
  private static let soon = 1.0

  /// Tells it where it ends. A disk that it waits for is tried at once.
  func stop(_ stop: RecordingEntry.Stop, at now: Moment) {
    var stop = stop
    reader.refresh()
    let isSoon = now.wall.seconds(since: WallTime(stored: stop.air)).magnitude < Self.soon
    if stop.place == nil, isSoon { stop.place = place(reader.edge) }
    (entry.stop, synced.stop) = (stop, stop)
    end = stop.place?.point
    if retryAt != nil { retryAt = now.monotonic }
  }

  /// When it ends; nil: not by time.
  var endTime: WallTime? {
    let stopped = end == nil ? entry.stop?.air : nil
    return [entry.options.until, stopped].compactMap(\.self).min().map { WallTime(stored: $0) }
  }

  /// What it was to begin with has not come.
  var isStoppedBefore: Bool { entry.stop != nil && cursor == nil }

  /// What it was to have up to now, and does not get any more, is missing.
  func giveUp(at now: Moment) {
    reader.refresh()
    guard let cursor, let goal = goal(true, now.wall) else { return }
    entry.missedSeconds += max(0, (goal.point.media - cursor.media).seconds)
  }
}
