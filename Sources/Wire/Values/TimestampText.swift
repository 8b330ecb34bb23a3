/// The reason why a text is no moment.
public enum TimestampError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A number above 10¹¹: Unix time in milliseconds.
  case milliseconds
  /// A date and time without a zone, which name no moment.
  case noZone
  /// A moment before 1970 or after 2200.
  case outsideYears
  case notATime
  /// No time, where a time of day or a duration before now would also have been accepted.
  case notRelativeEither

  public var description: String {
    switch self {
    case .milliseconds: "is Unix time in milliseconds; give seconds"
    case .noZone: "has no time zone; add Z or an offset such as +01:00"
    case .outsideYears: "is outside of the years 1970 to 2200"
    case .notATime: "is not a time such as 2026-11-20T18:00:00Z or Unix seconds"
    case .notRelativeEither:
      "is not a time such as 2026-11-20T18:00:00Z, Unix seconds, 18:00, or -10m before now"
    }
  }
}

/// Moments as text: RFC 3339 and Unix seconds.
public enum TimestampText {
  /// Returns nanoseconds since 1970-01-01T00:00:00Z.
  ///
  /// Accepted are Unix seconds that are not negative, and RFC 3339 with a zone (`Z`, `+01:00`, `-0130`), both with up
  /// to nine decimals. A blank counts as `+`, because form decoding turns `+` into a blank. A leap second counts as the
  /// second before it. Moments outside of 1970 to 2200 are refused.
  public static func parse(_ text: String) throws(TimestampError) -> Int64 {
    let bytes = Array(text.utf8)
    guard bytes.count <= 64 else { throw .notATime }
    if let (whole, fraction) = DecimalText.parts(bytes) {
      return try unixSeconds(whole, fraction)
    }
    var reader = TimestampReader(bytes)
    return try reader.read()
  }

  /// Returns a moment as RFC 3339 in UTC with milliseconds, rounded down.
  public static func rfc3339(_ nanoseconds: Int64) -> String {
    let milliseconds = floorDivide(nanoseconds, 1_000_000)
    let seconds = floorDivide(milliseconds, 1000)
    let (date, time) = split(seconds)
    let day = "\(pad(date.year, 4))-\(pad(date.month, 2))-\(pad(date.day, 2))"
    return "\(day)T\(clock(time)).\(pad(Int(milliseconds - seconds * 1000), 3))Z"
  }

  /// Returns Unix seconds as an HTTP date (IMF-fixdate, RFC 9110 section 5.6.7), clamped to the years 0 to 9999.
  public static func httpDate(_ seconds: Int64) -> String {
    let (date, time) = split(clamped(seconds))
    let weekday = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][date.weekday]
    let month = months[date.month - 1]
    return "\(weekday), \(pad(date.day, 2)) \(month) \(pad(date.year, 4)) \(clock(time)) GMT"
  }

  /// Returns Unix seconds of a date as `httpDate` writes it; nil for anything else, the two obsolete forms included.
  public static func httpDate(_ text: String) -> Int64? {
    // Every part has a fixed place, so all dates have one length, and no part can be longer.
    guard text.utf8.count == httpDateBytes else { return nil }
    let words = text.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
    guard words.count == 6, let month = months.firstIndex(of: words[2]),
      let day = digits(words[1], 2), let year = digits(words[3], 4)
    else { return nil }
    let clock = words[4].utf8.split(separator: UInt8(ascii: ":")).compactMap {
      digits(String(Substring($0)), 2)
    }
    let date = CivilDate(year: year, month: month + 1, day: day)
    guard clock.count == 3, date.isValid else { return nil }
    let seconds =
      Int64(date.daysSince1970) * 86_400 + Int64(clock[0]) * 3600 + Int64(clock[1]) * 60
      + Int64(clock[2])
    return httpDate(seconds) == text ? seconds : nil
  }

  /// The length of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  private static let httpDateBytes = 29

  /// Reads exactly `count` digits.
  private static func digits(_ text: String, _ count: Int) -> Int? {
    text.utf8.count == count && text.utf8.allSatisfy(ASCII.isDigit) ? Int(text) : nil
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Returns Unix seconds as a date in access logs: `20/Nov/2026:18:00:00 +0100`.
  /// - Parameter offset: The offset of the zone in which the date is written, in seconds east of Greenwich.
  public static func commonLog(_ seconds: Int64, offset: Int = 0) -> String {
    let (date, time) = split(
      clamped(seconds).saturatingAdd(max(-offsetMax, min(offsetMax, Int64(offset)))))
    let minutes = Int(offset.magnitude / 60)
    let zone = "\(offset < 0 ? "-" : "+")\(pad(minutes / 60, 2))\(pad(minutes % 60, 2))"
    let day = "\(pad(date.day, 2))/\(months[date.month - 1])/\(pad(date.year, 4))"
    return "\(day):\(clock(time)) \(zone)"
  }

  /// Clamps Unix seconds to the years 0 to 9999.
  private static func clamped(_ seconds: Int64) -> Int64 {
    max(-62_167_219_200, min(253_402_300_799, seconds))
  }

  /// The largest offset of a zone in seconds: a day.
  private static let offsetMax: Int64 = 86_400

  private static func unixSeconds(
    _ whole: [UInt8], _ fraction: [UInt8]
  ) throws(TimestampError) -> Int64 {
    guard fraction.count <= 9 else { throw .notATime }
    let seconds = Int64(String(decoding: whole, as: UTF8.self)) ?? .max
    let nanoseconds = TimestampReader.nanoseconds(fraction)
    guard seconds < 100_000_000_000 || (seconds == 100_000_000_000 && nanoseconds == 0) else {
      throw .milliseconds
    }
    return try moment(seconds: seconds, nanoseconds: nanoseconds)
  }

  /// Returns the moment in nanoseconds; throws outside of the accepted years.
  static func moment(seconds: Int64, nanoseconds: Int64) throws(TimestampError) -> Int64 {
    guard Bounds.unixSeconds.contains(seconds) else { throw .outsideYears }
    return seconds * 1_000_000_000 + nanoseconds
  }

  private static func split(_ seconds: Int64) -> (CivilDate, secondOfDay: Int) {
    let days = floorDivide(seconds, 86_400)
    return (CivilDate(daysSince1970: Int(days)), Int(seconds - days * 86_400))
  }

  private static func clock(_ secondOfDay: Int) -> String {
    let minute = secondOfDay / 60
    return "\(pad(minute / 60, 2)):\(pad(minute % 60, 2)):\(pad(secondOfDay % 60, 2))"
  }

  static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
    value >= 0 ? value / divisor : -((-(value + 1)) / divisor) - 1
  }

  private static func pad(_ value: Int, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
