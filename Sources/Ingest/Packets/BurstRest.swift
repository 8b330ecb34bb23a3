import Timeshift

/// Measures the rest of a burst that a slow line brings after the verdict. The log had it in another encoding, and it
/// is heard again.
struct BurstRest {
  private var burst: Burst
  /// The burst's length that the verdict counted, in seconds.
  private let told: Double
  private let pauseMax: Double

  /// - Parameters:
  ///   - lap: how much of the burst the log had at the verdict, in seconds; negative if it did not reach back to the
  ///     log's end.
  ///   - pauseMax: the seconds without growth after which the burst is over.
  init(_ burst: Burst, lap: Double, pauseMax: Double) {
    self.burst = burst
    told = burst.lead - min(0, lap)
    self.pauseMax = pauseMax
  }

  mutating func arrive(seconds: Double, at now: MonotonicTime) {
    burst.arrive(seconds: seconds, at: now)
  }

  func isOver(at now: MonotonicTime) -> Bool { burst.quiet(at: now) >= pauseMax }

  /// The seconds heard again. A burst longer than `burstMax` counts as none.
  func heardAgain(burstMax: Double) -> Double {
    burst.lead > burstMax ? 0 : max(0, burst.lead - told)
  }
}
