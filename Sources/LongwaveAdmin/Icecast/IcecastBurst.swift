import Longwave
import Wire

/// The burst of Icecast, which counts bytes, as that of a station, which counts seconds.
enum IcecastBurst {
  /// Returns the whole seconds of so many bytes, at the usual bitrate unless another is known; nil for no number.
  static func seconds(bytes: String, bitrate: Double? = nil) -> Double? {
    guard let bytes = Double(bytes), bytes >= 0 else { return nil }
    let known = bitrate.flatMap { $0 >= 1 ? $0 : nil } ?? ConfigurationReport.bitrateAssumed
    let seconds = bytes * 8 / (known * 1000)
    let range = ConfigurationLimits.burst
    return min(max(seconds.rounded(), range.lowerBound), range.upperBound)
  }
}
