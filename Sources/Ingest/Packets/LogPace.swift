import Timeshift

/// Measures how far the appended audio has fallen behind its best place against the clock: a slow line.
///
/// The best place counts less and less, so that an upstream with a slightly slow clock does not count as behind.
struct LogPace {
  /// Seconds a second; audio slower than 1× by less than this has a slow clock, and no slow line.
  private static let decay = 0.05
  /// The longest lag in seconds: servers' queues are no longer.
  private static let lagMax = 30.0

  /// Media time less clock time in seconds, now and at its best.
  private var lead = 0.0
  private var best = 0.0
  private var appendedAt: MonotonicTime?
  /// The last two stops between deliveries of a connection, in seconds, and the seconds without a stop since.
  private var stops = (before: 0.0, last: 0.0)
  private var steady = 0.0
  private var isInterrupted = false
  private static let stopMin = 2.0

  /// The usual stop between two deliveries in seconds, if the last two were alike and recent; else 0.
  var pause: Double {
    let longer = max(stops.before, stops.last)
    return longer <= 1.25 * min(stops.before, stops.last) && steady < 3 * longer
      ? min(longer, Self.lagMax) : 0
  }

  /// The lag in seconds, at most that of a queue.
  var lag: Double { min(Self.lagMax, behind) }

  /// All the lag in seconds, also audio that a stalled relay has not taken.
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
    // A slow clock shows only while audio comes.
    best = max(lead, best - min(passed, Self.stopMin) * Self.decay)
  }

  /// Notes that the connection is lost.
  mutating func interrupted() { isInterrupted = true }

  /// Forgets all measurements: the next audio is not measured by what came before.
  mutating func restart() { self = LogPace() }
}
