import Timeshift

/// Notices a wall clock that is set, by the machine's own clock, which also counts while the machine sleeps.
struct ClockStep {
  /// Seconds; a clock that is slewed is off by less from one second to the next.
  private static let stepMin = 1.0

  private var last: Moment?

  /// Whether the clock was set since the last call; the first call only looks.
  mutating func isSet(at now: Moment) -> Bool {
    defer { last = now }
    guard let last else { return false }
    let gone = now.sinceBoot.seconds(since: last.sinceBoot)
    return abs(now.wall.seconds(since: last.wall) - gone) > Self.stepMin
  }
}
