import Timeshift

/// Keeps the live edge from running away from real time when an upstream sends faster than it plays.
///
/// A bucket of seconds: packets fill it, time empties it, and it does not go below empty, so that what was lost while
/// the upstream was away is no credit.
struct LeadBrake {
  /// Time empties the bucket this much faster than 1×, or an upstream whose clock is a little fast would fill it in
  /// weeks (50 ppm: 4.3 s a day) and be stopped for nothing. A file gains 17 s a day by it.
  static let drain = 1.0002

  /// More bytes than this are a second, whatever they say: packets of 32 KB that claim a sample each would never fill
  /// it. FLAC of eight channels at 192 kHz is below 5 MB/s.
  static let bytesPerSecondMax = 8_000_000.0

  /// More packets than these are a second, whatever they say: a page of one sample costs the same work as one of a
  /// second. Nobody's audio comes in pieces of a millisecond; Opus' shortest packets are of 2.5.
  static let packetsPerSecondMax = 1000.0

  /// Seconds.
  var leadMax: Double
  private var lead = 0.0
  private var readAt: MonotonicTime?

  init(leadMax: Double) {
    self.leadMax = leadMax
  }

  mutating func appended(seconds: Double, bytes: Int, at now: MonotonicTime) {
    let least = max(Double(bytes) / Self.bytesPerSecondMax, 1 / Self.packetsPerSecondMax)
    lead = lead(at: now) + max(seconds, least)
    readAt = now
  }

  func lead(at now: MonotonicTime) -> Double {
    guard let readAt else { return 0 }
    return max(0, lead - now.seconds(since: readAt) * Self.drain)
  }

  /// How long the transfer is to pause, with `held` seconds arrived but not appended. nil: not at all.
  func pause(held: Double = 0, at now: MonotonicTime) -> Double? {
    let over = lead(at: now) + held - leadMax
    // A quarter of a second at least, so that it goes on in pieces worth a wake-up.
    return over > 0 ? max(over, 0.25) : nil
  }
}
