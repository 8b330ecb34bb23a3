import Timeshift
import Wire

/// Detects steps of the wall clock by the monotonic clock.
struct ClockSteps {
  private var lead: Int64?

  /// Returns by how many nanoseconds the clock was set forward since the last look; 0 for steps of up to a second.
  mutating func step(to now: Moment) -> Int64 {
    let step = now.clockLead.saturatingSubtract(lead ?? now.clockLead)
    lead = now.clockLead
    return step.magnitude > 1_000_000_000 ? step : 0
  }
}

/// How a recording treats a wall clock that is set while it runs, and a process that stood still.
struct RecordingClock {
  /// Nanoseconds beyond which a step is no correction: such a step may be taken back at once.
  private static let leap: UInt64 = 60_000_000_000
  /// Seconds that the clock has to stay as it is before a recording ends by it.
  private static let trustSeconds = 30.0
  /// Seconds between two looks; after a longer pause, this process stood still.
  private static let lookMax = 5.0
  /// Seconds that an upstream may be late with what was on air before the end.
  private static let patience = 10.0

  private var steps = ClockSteps()
  /// The last look, and the last look after a standstill or a start.
  private var (lookedAt, lateAt): (MonotonicTime?, MonotonicTime?)
  /// When the clock was set by more than a correction.
  private var leaptAt: MonotonicTime?
  /// Nanoseconds by which an end that was given as a length has still to be moved.
  private var stepAhead: Int64 = 0
  private(set) var isTrusted = true

  /// Looks at the clocks and notes steps and standstills.
  ///
  /// The first look may come after a standstill, or after a restart that was long under way.
  ///
  /// - Returns: nanoseconds by which the clock was set forward.
  mutating func look(at now: Moment) -> Int64 {
    let isLate = lookedAt.map { now.monotonic.seconds(since: $0) > Self.lookMax }
    if isLate ?? true { lateAt = now.monotonic }
    lookedAt = now.monotonic
    let step = steps.step(to: now)
    if step.magnitude > Self.leap { leaptAt = now.monotonic }
    isTrusted = leaptAt.map { now.monotonic.seconds(since: $0) >= Self.trustSeconds } ?? true
    return step
  }

  /// Returns where an end that was given as a length moves; nil while the move waits for the log.
  ///
  /// - Parameter edgeAir: when the log's newest packet was on air.
  mutating func moved(
    _ until: WallTime, by step: Int64, edgeAir: WallTime, at now: WallTime
  ) -> WallTime? {
    stepAhead = stepAhead.saturatingAdd(step)
    // When the clock was put back, the log's times follow with its next packets: its newest may be later than the new
    // end.
    if stepAhead < 0, edgeAir > now.adding(seconds: 1) { return nil }
    defer { stepAhead = 0 }
    return until.adding(nanoseconds: stepAhead)
  }

  /// Whether what was on air before an end should have come long ago.
  func isOverdue(_ until: WallTime, at now: WallTime) -> Bool {
    guard !wasLate else { return false }
    return now.seconds(since: until.adding(nanoseconds: stepAhead)) >= Self.patience
  }

  /// Whether an upstream is sending its past at once: until it has, the log's end looks later than it was on air.
  func isInBurst(of reader: LogReader) -> Bool {
    lookedAt.map { reader.isInBurst(at: $0) } ?? false
  }

  /// Whether a standstill ended a short time ago, or the relay has just started. Audio of that time may still wait in
  /// the kernel, or come with an upstream's burst.
  private var wasLate: Bool {
    guard let lookedAt, let lateAt else { return false }
    return lookedAt.seconds(since: lateAt) < Self.patience
  }
}
