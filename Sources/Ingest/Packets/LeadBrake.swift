import Timeshift

/// Keeps the live edge from running away from real time when an upstream sends faster than it plays.
///
/// A bucket of seconds: packets fill it, time empties it, and it does not go below empty, so that what was lost while
/// the upstream was away is no credit.
///
/// What a live connection has not brought may come after all: while we stood still, it waited in the kernel. With it the
/// log is where it was, and nothing is ahead. So on such a connection the bucket goes below empty, and slowly comes back.
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

  /// So much of what is missing is no longer waited for, in a second of time: whoever dropped it sends it no more.
  static let forgetting = 0.01

  /// Seconds.
  var leadMax: Double
  /// Negative: so much is missing.
  private var lead = 0.0
  /// Whether what is missing may come yet.
  private var mayCatchUp = false
  private var readAt: MonotonicTime?

  init(leadMax: Double) {
    self.leadMax = leadMax
  }

  /// Another connection: what the one before has not brought nobody has.
  mutating func connectionBegins() {
    (lead, mayCatchUp) = (max(0, lead), false)
  }

  mutating func appended(
    seconds: Double, bytes: Int, isLive: Bool = false, at now: MonotonicTime
  ) {
    let least = max(Double(bytes) / Self.bytesPerSecondMax, 1 / Self.packetsPerSecondMax)
    lead = lead(at: now) + max(seconds, least)
    readAt = now
    mayCatchUp = isLive
  }

  func lead(at now: MonotonicTime) -> Double {
    guard let readAt else { return 0 }
    let passed = now.seconds(since: readAt)
    let left = lead - passed * Self.drain
    return left >= 0 ? left : mayCatchUp ? min(0, left + passed * Self.forgetting) : 0
  }

  /// How long the transfer is to pause, with `held` seconds arrived but not appended. nil: not at all.
  func pause(held: Double = 0, at now: MonotonicTime) -> Double? {
    let over = lead(at: now) + held - leadMax
    // A quarter of a second at least, so that it goes on in pieces worth a wake-up.
    return over > 0 ? max(over, 0.25) : nil
  }
}
