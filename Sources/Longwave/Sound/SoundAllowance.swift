import Timeshift

/// How much sound may come of packets: twice what they last by their log, and two seconds.
///
/// A decoder that reads a stream differently than its log does would otherwise fill memory, and make clocks run fast.
struct SoundAllowance {
  /// Seconds that are left over for a link's ends, of which a part is not heard: of Opus up to 1.4 s.
  private static let reserve = 2.0
  private static let factor = 2.0

  private var left = Self.reserve

  /// - Parameter length: What the next packet lasts.
  /// - Returns: Seconds of sound that it may become.
  mutating func seconds(for length: MediaTime) -> Double {
    left = min(left, Self.reserve) + Self.factor * max(0, length.seconds)
    return max(0, left)
  }

  mutating func spend(_ seconds: Double) { left -= seconds }
}
