import Histogram

/// Of microseconds, three digits of each.
typealias LatencyHistogram = Histogram<UInt64>

extension Histogram<UInt64> {
  /// Without any value.
  static var latencies: Self { Self(numberOfSignificantValueDigits: .three) }

  @inline(__always)
  mutating func record(nanoseconds: Int64) { record(UInt64(Swift.max(0, nanoseconds)) / 1000) }

  /// Milliseconds that `percent` of the values do not exceed; nil without any value.
  func milliseconds(at percent: Double) -> Double? {
    totalCount > 0 ? Double(valueAtPercentile(percent)) / 1000 : nil
  }
}
