import Timeshift

/// Keeps an upstream from sending more besides its audio than any has: tags, comments, pictures, titles, damage.
///
/// A bucket of bytes: what comes fills it, packets found in it empty it again, and so does time. When it is full, the
/// transfer pauses; nothing is thrown away, and the audio has a lead meanwhile.
struct BesidesBrake {
  /// Two pictures of the greatest size that FLAC has, in one burst.
  static let bytesMax = 32.0 * 1024 * 1024
  /// A second. A picture of 10 MB before each song of three minutes is a twentieth of it.
  static let drain = 1024.0 * 1024
  /// What a text to be read counts besides its bytes: 1,000 a second are more than anybody sends.
  static let textBytes = 1024

  private var bytes = 0.0
  private var countedAt: MonotonicTime?

  /// `count`: negative where a packet is whole now that was counted before.
  mutating func received(_ count: Int, at now: MonotonicTime) {
    bytes = max(0, left(at: now) + Double(count))
    countedAt = now
  }

  private func left(at now: MonotonicTime) -> Double {
    guard let countedAt else { return 0 }
    return max(0, bytes - now.seconds(since: countedAt) * Self.drain)
  }

  /// Seconds that the transfer is to pause; nil: not at all.
  func pause(at now: MonotonicTime) -> Double? {
    let over = left(at: now) - Self.bytesMax
    return over > 0 ? max(over / Self.drain, 0.25) : nil
  }
}
