import Timeshift
import Wire

/// What somebody did to the wall clock, seen by the monotonic one.
struct ClockSteps {
  private var lead: Int64?

  /// By how many nanoseconds it was set forward since the last look; 0: by no more than a second.
  mutating func step(to now: Moment) -> Int64 {
    let step = now.clockLead.saturatingSubtract(lead ?? now.clockLead)
    lead = now.clockLead
    return step.magnitude > 1_000_000_000 ? step : 0
  }
}

// A wall clock that is set while something is recorded.
extension RecordingWork {
  /// Nanoseconds that are no correction any more: such a step may be taken back at once.
  private static let leap: UInt64 = 60_000_000_000
  /// Seconds that the clock has to stay as it is before something ends by it.
  private static let trustSeconds = 30.0

  /// Seconds: looked at less often, it is this process that was not there.
  private static let lookMax = 5.0

  func followClock(_ now: Moment) {
    let isLate = lookedAt.map { now.monotonic.seconds(since: $0) > Self.lookMax }
    // One that begins may begin behind a standstill.
    if isLate ?? (entry.place == nil) { lateAt = now.monotonic }
    lookedAt = now.monotonic
    let step = clock.step(to: now)
    if step.magnitude > Self.leap { leaptAt = now.monotonic }
    isClockTrusted = leaptAt.map { now.monotonic.seconds(since: $0) >= Self.trustSeconds } ?? true
    guard entry.options.isSpan == true, let until = entry.options.until else { return }
    stepAhead = stepAhead.saturatingAdd(step)
    // Put back, the log's times follow with its next packets: what it has now may be later than the new end.
    if stepAhead < 0, reader.air(at: reader.edge.media) > now.wall.adding(seconds: 1) { return }
    let moved = WallTime(stored: until).adding(nanoseconds: stepAhead).stored
    (entry.options.until, synced.options.until) = (moved, moved)
    stepAhead = 0
  }

  /// How late an upstream may be with what was on air before the end, seconds.
  private static let patience = 10.0

  func isOverdue(_ now: WallTime) -> Bool {
    guard let until = endTime, mayEnd, !wasLate else { return false }
    let end = until.adding(nanoseconds: stepAhead)
    return now.seconds(since: end) >= Self.patience
  }

  /// What came while nobody was there may still wait in the kernel.
  private var wasLate: Bool {
    guard let lookedAt, let lateAt else { return false }
    return lookedAt.seconds(since: lateAt) < Self.patience
  }

  /// What is as long as it is asked to be does not ask what time it is.
  var mayEnd: Bool { isClockTrusted || entry.options.isSpan == true }
}
