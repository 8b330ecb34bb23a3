import Timeshift

/// Limits what an upstream sends besides its audio (tags, comments, pictures, titles, damage) to more than any real one
/// sends.
///
/// A bucket of bytes: incoming bytes fill it, packets found in them empty it again, and so does time. While it is full,
/// the transfer pauses. Nothing is discarded, and the audio has a lead meanwhile.
struct BesidesBrake {
  /// The bucket's size: two pictures of the greatest size in FLAC, in one burst.
  static let bytesMax = 32.0 * 1024 * 1024
  /// The bytes that drain per second. A picture of 10 MB before each song of three minutes is a twentieth of it.
  static let drain = 1024.0 * 1024
  /// The bytes that a text counts besides its own: 1,000 texts a second are more than any upstream sends.
  static let textBytes = 1024

  private var bytes = 0.0
  private var countedAt: MonotonicTime?

  /// Counts bytes. `count` is negative when bytes counted before turn out to be a packet.
  mutating func received(_ count: Int, at now: MonotonicTime) {
    bytes = max(0, left(at: now) + Double(count))
    countedAt = now
  }

  private func left(at now: MonotonicTime) -> Double {
    guard let countedAt else { return 0 }
    return max(0, bytes - now.seconds(since: countedAt) * Self.drain)
  }

  /// The seconds for which the transfer must pause; nil for no pause.
  func pause(at now: MonotonicTime) -> Double? {
    let over = left(at: now) - Self.bytesMax
    return over > 0 ? max(over / Self.drain, 0.25) : nil
  }
}
