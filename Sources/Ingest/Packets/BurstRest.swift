import Timeshift

/// What comes of a burst after the verdict, where a slow line brings it: the log had it in another encoding, and it is heard
/// again.
struct BurstRest {
  private var burst: Burst
  /// How long it is as far as the verdict has told, seconds.
  private let told: Double
  private let pauseMax: Double

  /// - Parameters:
  ///   - lap: how much of it the log had at the verdict, seconds; negative: it did not reach back to the log's end.
  ///   - pauseMax: seconds without growth after which it is over.
  init(_ burst: Burst, lap: Double, pauseMax: Double) {
    self.burst = burst
    told = burst.lead - min(0, lap)
    self.pauseMax = pauseMax
  }

  mutating func arrive(seconds: Double, at now: MonotonicTime) {
    burst.arrive(seconds: seconds, at: now)
  }

  func isOver(at now: MonotonicTime) -> Bool { burst.quiet(at: now) >= pauseMax }

  /// Seconds. `burstMax`: what is longer is none.
  func heardAgain(burstMax: Double) -> Double {
    burst.lead > burstMax ? 0 : max(0, burst.lead - told)
  }
}
