import Longwave
import Wire

/// The burst of Icecast, which counts bytes, as that of a station, which counts seconds.
enum IcecastBurst {
  /// kbit/s that audio has.
  private static let bitrates = 1...10_000

  /// Returns the whole seconds of so many bytes at the usual bitrate, unless another is known, and at most the longest
  /// burst. Nil where the text is no number of bytes.
  static func seconds(bytes: String, bitrate: String? = nil) -> Double? {
    // Whole numbers only, as in Icecast: "inf" and "nan" are numbers to Double.
    guard let bytes = Int(bytes), bytes >= 0 else { return nil }
    let known = bitrate.flatMap { Int($0) }.flatMap { bitrates.contains($0) ? Double($0) : nil }
    let seconds = Double(bytes) * 8 / ((known ?? ConfigurationReport.bitrateAssumed) * 1000)
    let range = ConfigurationLimits.burst
    return min(max(seconds.rounded(), range.lowerBound), range.upperBound)
  }
}
