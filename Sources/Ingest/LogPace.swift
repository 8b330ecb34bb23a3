import Timeshift

/// How far the audio that is appended has fallen behind where it once was against the clock: a slow line.
///
/// The best place counts less and less, so that an upstream whose clock is a little slow is not behind for that.
struct LogPace {
  /// Seconds a second: less than 1× by this is a slow clock, and no line that is behind.
  private static let decay = 0.05
  /// Queues of servers are no longer.
  private static let lagMax = 30.0

  /// Media less time, at the last packet; where that stood best.
  private var lead = 0.0
  private var best = 0.0
  private var appendedAt: MonotonicTime?

  var lag: Double { min(Self.lagMax, max(0, best - lead)) }

  mutating func appended(seconds: Double, at now: MonotonicTime) {
    let passed = appendedAt.map { max(0, now.seconds(since: $0)) } ?? 0
    appendedAt = now
    lead += seconds - passed
    best = max(lead, best - passed * Self.decay)
  }

  /// What comes next is not measured by what came before.
  mutating func restart() { self = LogPace() }
}
