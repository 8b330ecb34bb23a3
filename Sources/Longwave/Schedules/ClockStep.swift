import Timeshift

/// Notices a wall clock that is set, by the machine's own clock, which also counts while the machine sleeps.
struct ClockStep {
  /// Seconds; a clock that is slewed is off by less from one second to the next.
  private static let stepMin = 1.0

  private var last: Moment?

  /// Returns the seconds by which the clock was set since the last call; nil: it was not. The first call only looks.
  mutating func seconds(at now: Moment) -> Double? {
    defer { last = now }
    guard let last else { return nil }
    let gone = now.sinceBoot.seconds(since: last.sinceBoot)
    let step = now.wall.seconds(since: last.wall) - gone
    return abs(step) > Self.stepMin ? step : nil
  }
}
