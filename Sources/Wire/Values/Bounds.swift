/// Limits for numbers from outside, applied where the numbers are read. Sums of a few such numbers fit 64 bits.
public enum Bounds {
  /// The years 1970 to 2200, in nanoseconds since 1970.
  public static let moments: ClosedRange<Int64> = 0...7_289_654_399_999_999_999
  /// The years 1970 to 2200, in seconds since 1970.
  public static let unixSeconds: ClosedRange<Int64> = 0...7_289_654_399
  /// Durations in seconds, up to ten years.
  public static let durations: ClosedRange<Double> = 0...DurationText.secondsMax
  /// Bitrates in kbit/s; even uncompressed audio of many channels has less.
  public static let bitrates = 1...100_000
  /// Sample rates in Hz, up to twice the rate of the fastest converters.
  public static let sampleRates = 1...768_000
  /// Numbers of channels; 255 is Vorbis's limit, the highest of all codecs.
  public static let channels = 1...255
  /// The most samples of a file: ten years at 768 kHz.
  public static let samples: Int64 = 242_000_000_000_000
  /// The most upstreams of one station.
  public static let upstreamsMax = 64
}

extension FixedWidthInteger {
  /// Truncates a number to a whole one and clamps it to `range`; NaN becomes the number nearest to 0.
  ///
  /// `Int(_: Double)` ends the process for a number that it cannot hold, so numbers from outside must come through
  /// here.
  @inlinable
  public init(bounded value: Double, in range: ClosedRange<Self> = Self.min...Self.max) {
    if value >= Double(range.upperBound) {
      self = range.upperBound
    } else if value > Double(range.lowerBound) {
      self = Self(value)
    } else if value.isNaN {
      self = Swift.min(Swift.max(0, range.lowerBound), range.upperBound)
    } else {
      self = range.lowerBound
    }
  }

  /// Returns the sum, clamped to the range of the type.
  @inlinable
  public func saturatingAdd(_ other: Self) -> Self {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? (other < 0 ? .min : .max) : sum
  }

  /// Returns the difference, clamped to the range of the type.
  @inlinable
  public func saturatingSubtract(_ other: Self) -> Self {
    let (difference, overflows) = subtractingReportingOverflow(other)
    return overflows ? (other < 0 ? .max : .min) : difference
  }

  /// Returns the product, clamped to the range of the type.
  @inlinable
  public func saturatingMultiply(_ other: Self) -> Self {
    let (product, overflows) = multipliedReportingOverflow(by: other)
    return overflows ? ((self < 0) == (other < 0) ? .max : .min) : product
  }
}

extension Int64 {
  /// Converts a duration to whole nanoseconds, clamped to ten years either way; NaN becomes 0.
  @inlinable
  public init(nanosecondsIn seconds: Double) {
    // Ten years are 10 × 365.25 days.
    self.init(bounded: seconds * 1e9, in: -315_576_000_000_000_000...315_576_000_000_000_000)
  }
}

extension Int {
  /// Reads the digits of a number from outside; nil unless the number is within `range`.
  public init?(_ text: some StringProtocol, in range: ClosedRange<Int>) {
    guard let value = Int(text), range.contains(value) else { return nil }
    self = value
  }
}
