import Histogram

/// A histogram of microseconds with three significant digits.
typealias LatencyHistogram = Histogram<UInt64>

extension Histogram<UInt64> {
  /// An empty histogram.
  static var latencies: Self { Self(numberOfSignificantValueDigits: .three) }

  @inline(__always)
  mutating func record(nanoseconds: Int64) { record(UInt64(Swift.max(0, nanoseconds)) / 1000) }

  /// Returns the milliseconds that `percent` of the values do not exceed; nil without any value.
  func milliseconds(at percent: Double) -> Double? {
    totalCount > 0 ? Double(valueAtPercentile(percent)) / 1000 : nil
  }
}
