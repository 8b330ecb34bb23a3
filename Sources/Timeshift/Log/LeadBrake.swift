/// Keeps the live edge from running away from real time when audio comes faster than it plays.
///
/// Counts seconds in a bucket: packets fill it, time empties it. It does not go below empty, so that time lost while
/// the upstream was away is no credit.
///
/// On a live connection, missing audio may come after all: while the relay stood still, it waited in the kernel. It
/// brings the log to where it was, and nothing is ahead. So on such a connection the bucket goes below empty, and
/// slowly comes back.
package struct LeadBrake {
  /// Time empties the bucket this much faster than 1×. Otherwise an upstream whose clock is a little fast would fill it
  /// in weeks (50 ppm: 4.3 s a day) and be stopped for nothing. A file gains 17 s a day by this.
  package static let drain = 1.0002

  /// This many bytes count as a second at least: packets of 32 KB that claim one sample each would never fill the
  /// bucket.
  ///
  /// FLAC of eight channels at 192 kHz stays below 5 MB/s.
  static let bytesPerSecondMax = 8_000_000.0

  /// This many packets count as a second at least: a page of one sample costs as much work as one of a second.
  ///
  /// No real audio comes in pieces of a millisecond; Opus's shortest packets last 2.5 ms.
  static let packetsPerSecondMax = 1000.0

  /// The part of missing time that is given up per second: a source that dropped audio sends it no more.
  static let forgetting = 0.01

  /// The seconds that the log may be ahead of real time.
  package var leadMax: Double
  private let drain: Double
  /// The seconds in the bucket; negative for missing audio.
  private var lead = 0.0
  /// Whether missing audio may still come.
  private var mayCatchUp = false
  private var readAt: MonotonicTime?

  /// - Parameter drain: how fast time empties the bucket; 1 for a source without a clock of its own.
  package init(leadMax: Double, drain: Double = Self.drain) {
    (self.leadMax, self.drain) = (leadMax, drain)
  }

  /// Begins another connection: audio that the last one did not bring is lost.
  package mutating func connectionBegins() {
    (lead, mayCatchUp) = (max(0, lead), false)
  }

  package mutating func appended(
    seconds: Double, bytes: Int, isLive: Bool = false, at now: MonotonicTime
  ) {
    let least = max(Double(bytes) / Self.bytesPerSecondMax, 1 / Self.packetsPerSecondMax)
    lead = lead(at: now) + max(seconds, least)
    readAt = now
    mayCatchUp = isLive
  }

  package func lead(at now: MonotonicTime) -> Double {
    let (left, passed) = left(at: now)
    return left >= 0 ? left : mayCatchUp ? min(0, left + passed * Self.forgetting) : 0
  }

  /// Seconds that real time has gone on since the bucket was empty.
  package func behind(at now: MonotonicTime) -> Double { max(0, -left(at: now).seconds) }

  private func left(at now: MonotonicTime) -> (seconds: Double, passed: Double) {
    // The clock of a restored machine may have been put back.
    let passed = readAt.map { max(0, now.seconds(since: $0)) } ?? 0
    return (lead - passed * drain, passed)
  }

  /// How long the source must pause, in seconds, with `held` seconds arrived but not appended. Nil for no pause.
  ///
  /// - Parameter least: the shortest pause in seconds, so that each piece is worth a wake-up.
  package func pause(
    held: Double = 0, least: Double = 0.25, at now: MonotonicTime
  ) -> Double? {
    let over = lead(at: now) + held - leadMax
    return over > 0 ? max(over, least) : nil
  }
}
