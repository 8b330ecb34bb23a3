/// Media time in the units that HLS has. All of them are whole numbers, so that a text is the same for ever.
enum HLSTime {
  /// Flicks of 1/705,600,000 s, in which the log counts.
  static let perSecond: Int64 = 705_600_000

  /// The clock of MPEG-2 transport streams: 33 bits at 90 kHz (RFC 8216 §3.4).
  static func clock(_ media: Int64) -> UInt64 {
    UInt64(bitPattern: TimestampText.floorDivide(media, perSecond / 90_000)) & (1 << 33 - 1)
  }

  /// The samples before a time that is not negative, at `rate` Hz (`Bounds.sampleRates`).
  static func samples(before media: Int64, rate: Int) -> Int64 {
    let (whole, rest) = max(0, media).quotientAndRemainder(dividingBy: perSecond)
    return whole * Int64(rate) + rest * Int64(rate) / perSecond
  }

  /// The time in units of 10 µs, rounded: five decimals of a second.
  static func hundredThousandths(_ media: Int64) -> Int64 { rounded(media, perSecond / 100_000) }

  static func milliseconds(_ media: Int64) -> Int64 { rounded(media, perSecond / 1000) }

  /// The time in nanoseconds, rounded down; one is 441/625 flicks.
  static func nanoseconds(_ media: Int64) -> Int64 {
    let (whole, rest) = media.quotientAndRemainder(dividingBy: 441)
    return whole.saturatingMultiply(625).saturatingAdd(rest * 625 / 441)
  }

  private static func rounded(_ media: Int64, _ unit: Int64) -> Int64 {
    TimestampText.floorDivide(media.saturatingAdd(unit / 2), unit)
  }
}
