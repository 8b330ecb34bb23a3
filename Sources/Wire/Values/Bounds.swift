/// What numbers from outside are held to where they are read; sums of a few such numbers fit 64 bits.
public enum Bounds {
  /// The years 1970 to 2200, in nanoseconds since 1970.
  public static let moments: ClosedRange<Int64> = 0...7_289_654_399_999_999_999
  /// The same in seconds.
  public static let unixSeconds: ClosedRange<Int64> = 0...7_289_654_399
  /// Durations, in seconds: up to ten years.
  public static let durations: ClosedRange<Double> = 0...DurationText.secondsMax
  /// kbit/s: uncompressed audio of many channels has less.
  public static let bitrates = 1...100_000
  /// Hz: twice what the fastest converters have.
  public static let sampleRates = 1...768_000
  /// What Vorbis can say, of all codecs the most.
  public static let channels = 1...255
  /// Upstreams of one station.
  public static let upstreamsMax = 64
}

extension FixedWidthInteger {
  /// A number cut to a whole one and held to `range`. What is no number is the one nearest to 0.
  ///
  /// `Int(_: Double)` ends the process for what it cannot hold; so a number from outside comes this way.
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

  /// The sum, held to what the type has.
  @inlinable
  public func saturatingAdd(_ other: Self) -> Self {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? (other < 0 ? .min : .max) : sum
  }

  /// The difference, held to what the type has.
  @inlinable
  public func saturatingSubtract(_ other: Self) -> Self {
    let (difference, overflows) = subtractingReportingOverflow(other)
    return overflows ? (other < 0 ? .max : .min) : difference
  }

  /// The product, held to what the type has.
  @inlinable
  public func saturatingMultiply(_ other: Self) -> Self {
    let (product, overflows) = multipliedReportingOverflow(by: other)
    return overflows ? ((self < 0) == (other < 0) ? .max : .min) : product
  }
}

extension Int64 {
  /// A duration as whole nanoseconds, held to ten years either way; what is no number is 0.
  @inlinable
  public init(nanosecondsIn seconds: Double) {
    // 10 × 365.25 days.
    self.init(bounded: seconds * 1e9, in: -315_576_000_000_000_000...315_576_000_000_000_000)
  }
}

extension Int {
  /// The digits of a number from outside, if it is within `range`.
  public init?(_ text: some StringProtocol, in range: ClosedRange<Int>) {
    guard let value = Int(text), range.contains(value) else { return nil }
    self = value
  }
}
