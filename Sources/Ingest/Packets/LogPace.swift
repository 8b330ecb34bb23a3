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
  /// How long the last two stops between deliveries of a connection were, and for how long there was none since, seconds.
  private var stops = (before: 0.0, last: 0.0)
  private var steady = 0.0
  private var isInterrupted = false
  private static let stopMin = 2.0

  /// How long it stops between two deliveries, seconds: the last two times alike, and lately. Else nothing.
  var pause: Double {
    let longer = max(stops.before, stops.last)
    return longer <= 1.25 * min(stops.before, stops.last) && steady < 3 * longer
      ? min(longer, Self.lagMax) : 0
  }

  /// Seconds of a queue.
  var lag: Double { min(Self.lagMax, behind) }

  /// All of it: also what a relay that stood still has not taken.
  var behind: Double { max(0, best - lead) }

  mutating func appended(seconds: Double, at now: MonotonicTime) {
    let passed = appendedAt.map { max(0, now.seconds(since: $0)) } ?? 0
    appendedAt = now
    if passed >= Self.stopMin, !isInterrupted {
      stops = (stops.last, passed)
      steady = 0
    } else {
      steady += passed
    }
    isInterrupted = false
    lead += seconds - passed
    // A clock that is slow shows while audio comes.
    best = max(lead, best - min(passed, Self.stopMin) * Self.decay)
  }

  /// The connection is lost.
  mutating func interrupted() { isInterrupted = true }

  /// What comes next is not measured by what came before.
  mutating func restart() { self = LogPace() }
}
