import TestSupport
import Testing

@testable import Wire

struct ValuesTimestampTextTests {
  private static let second: Int64 = 1_000_000_000
  /// 2026-11-20T18:00:00Z
  private static let evening: Int64 = 1_795_197_600 * second

  @Test(
    arguments: [
      ("2026-11-20T18:00:00Z", evening), ("2026-11-20t18:00:00z", evening),
      ("2026-11-20 18:00:00Z", evening), ("2026-11-20T19:00:00+01:00", evening),
      ("2026-11-20T19:00:00 01:00", evening), ("2026-11-20T16:30:00-0130", evening),
      ("2026-11-20T18:00:00.5Z", evening + 500_000_000),
      ("2026-11-20T18:00:00.123456789Z", evening + 123_456_789),
      ("2026-11-21T00:00:00+06:00", evening), ("2026-11-20T18:00:00-00:00", evening),
      ("1795197600", evening), ("1795197600.25", evening + 250_000_000),
      ("1970-01-01T00:00:00Z", 0), ("0", 0),
      ("2016-12-31T23:59:60Z", 1_483_228_799 * second),
      ("2024-02-29T00:00:00Z", 1_709_164_800 * second),
      ("2000-02-29T12:00:00Z", 951_825_600 * second),
      ("2200-12-31T23:59:59Z", 7_289_654_399 * second), ("7289654399", 7_289_654_399 * second),
    ] as [(String, Int64)])
  func `moments are read in RFC 3339 and in seconds since 1970`(text: String, nanoseconds: Int64)
    throws
  {
    #expect(try TimestampText.parse(text) == nanoseconds)
  }

  @Test(
    arguments: [
      ("1795197600000", .milliseconds), ("100000000001", .milliseconds),
      ("100000000000.5", .milliseconds), ("99999999999999999999999999", .milliseconds),
      ("1969-12-31T23:59:59Z", .outsideYears), ("1600-01-01T00:00:00Z", .outsideYears),
      ("0000-01-01T00:00:00Z", .outsideYears), ("2201-01-01T00:00:00Z", .outsideYears),
      ("9999-12-31T23:59:59Z", .outsideYears), ("7289654400", .outsideYears),
      ("100000000000", .outsideYears), ("1970-01-01T00:00:00+14:00", .outsideYears),
      ("2026-11-20T18:00:00", .noZone), ("2026-11-20T18:00:00.5", .noZone),
      ("", .notATime), ("now", .notATime), ("-300", .notATime), ("2026-11-20", .notATime),
      ("2026-11-20T18:00Z", .notATime), ("2026-02-29T00:00:00Z", .notATime),
      ("1900-02-29T00:00:00Z", .notATime), ("2026-13-01T00:00:00Z", .notATime),
      ("2026-00-01T00:00:00Z", .notATime), ("2026-04-31T00:00:00Z", .notATime),
      ("2026-11-00T00:00:00Z", .notATime), ("2026-11-20T24:00:00Z", .notATime),
      ("2026-11-20T18:60:00Z", .notATime), ("2026-11-20T18:00:61Z", .notATime),
      ("2026-11-20T18:00:00.Z", .notATime), ("2026-11-20T18:00:00.1234567890Z", .notATime),
      ("2026-11-20T18:00:00+1:00", .notATime), ("2026-11-20T18:00:00+24:00", .notATime),
      ("2026-11-20T18:00:00+01:60", .notATime), ("2026-11-20T18:00:00+01", .notATime),
      ("2026-11-20T18:00:00Zx", .notATime), ("2026-11-20T18:00:00 CET", .notATime),
      ("2026-11-20T18:00:00+01:00x", .notATime), ("1e9", .notATime), ("1.", .notATime),
      ("1.1234567890", .notATime), ("٢٠٢٦-11-20T18:00:00Z", .notATime),
    ] as [(String, TimestampError)])
  func `a malformed moment is refused with the reason`(text: String, error: TimestampError) {
    #expect(throws: error) { try TimestampText.parse(text) }
  }

  @Test func `a moment cut anywhere is refused`() {
    let text = "2026-11-20T18:00:00.5+01:00"
    // Up to four digits alone are Unix seconds.
    for length in 5..<text.count {
      #expect(throws: TimestampError.self) {
        try TimestampText.parse(String(text.prefix(length)))
      }
    }
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (evening, "2026-11-20T18:00:00.000Z"),
      (evening + 999_999_999, "2026-11-20T18:00:00.999Z"), (-1, "1969-12-31T23:59:59.999Z"),
      (-second, "1969-12-31T23:59:59.000Z"), (.max, "2262-04-11T23:47:16.854Z"),
      (.min, "1677-09-21T00:12:43.145Z"), (951_868_799 * second, "2000-02-29T23:59:59.000Z"),
    ] as [(Int64, String)])
  func `moments are written in UTC with milliseconds`(nanoseconds: Int64, text: String) {
    #expect(TimestampText.rfc3339(nanoseconds) == text)
  }

  @Test(
    arguments: [
      (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
      (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (1_795_197_600, "Fri, 20 Nov 2026 18:00:00 GMT"),
      (.max, "Fri, 31 Dec 9999 23:59:59 GMT"), (.min, "Sat, 01 Jan 0000 00:00:00 GMT"),
    ] as [(Int64, String)])
  func `HTTP dates are in the one form of RFC 9110`(seconds: Int64, text: String) {
    #expect(TimestampText.httpDate(seconds) == text)
  }

  @Test func `every day of eight centuries follows the one before`() {
    var previous = CivilDate(year: 1599, month: 12, day: 31)
    let first = CivilDate(year: 1600, month: 1, day: 1).daysSince1970
    #expect(first == -135_140)
    for days in first..<(first + 2 * 146_097) {
      let date = CivilDate(daysSince1970: days)
      let follows =
        date.day == previous.day + 1
        ? date.month == previous.month && date.year == previous.year
        : date.day == 1 && (date.month == previous.month + 1 || date.month == 1)
      if !follows || date.daysSince1970 != days || !date.isValid {
        Issue.record("day \(days) is \(date), after \(previous)")
      }
      previous = date
    }
    #expect(previous == CivilDate(year: 2399, month: 12, day: 31))
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func `a written moment is read again as it was`(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    for _ in 0..<200 {
      let nanoseconds = Int64.random(in: Bounds.moments, using: &random) / 1_000_000 * 1_000_000
      #expect(try TimestampText.parse(TimestampText.rfc3339(nanoseconds)) == nanoseconds)
    }
  }

  /// Summer time from 2027-03-28T01:00:00Z on: 02:30 is on no clock that day; and till 2026-10-25, when it is twice.
  private static let berlin = ZoneOffsets(
    name: "Berlin",
    changes: [
      .init(from: .min, offset: 7200), .init(from: 1_792_890_000, offset: 3600),
      .init(from: 1_806_195_600, offset: 7200),
    ])

  @Test(
    arguments: [
      ("18:00", "2026-11-20T17:00:00Z", "2026-11-20T17:00:00Z"),
      ("18:00", "2026-11-20T16:59:59Z", "2026-11-19T17:00:00Z"),
      ("6:05:30", "2026-11-20T18:00:00Z", "2026-11-20T05:05:30Z"),
      ("00:00", "2026-11-20T22:59:59Z", "2026-11-19T23:00:00Z"),
      ("24:00", "2026-11-20T23:00:00Z", "2026-11-20T23:00:00Z"),
      ("23:59", "2026-11-20T23:00:00Z", "2026-11-20T22:59:00Z"),
      ("12:00", "2026-10-25T09:00:00Z", "2026-10-24T10:00:00Z"),
      ("12:00", "2027-03-28T10:30:00Z", "2027-03-28T10:00:00Z"),
      ("02:30", "2027-03-29T00:00:00Z", "2027-03-28T01:30:00Z"),
      ("-10m", "2026-11-20T18:00:00Z", "2026-11-20T17:50:00Z"),
      ("1795197600", "2026-11-20T19:00:00Z", "2026-11-20T18:00:00Z"),
    ])
  func `a time of day is the last time a clock there showed it`(
    text: String, now: String, moment: String
  ) throws {
    let now = try TimestampText.parse(now)
    let found = try TimestampText.parse(text, now: now, in: Self.berlin)
    #expect(found == (try TimestampText.parse(moment)), "\(TimestampText.rfc3339(found))")
  }

  @Test(arguments: ["25:00", "18:60", "noon", "18h", "-", "1:2:3:4"])
  func `a malformed time of day is refused, naming both forms that would do`(text: String) {
    #expect(throws: TimestampError.notRelativeEither) {
      try TimestampText.parse(text, now: Self.evening, in: Self.berlin)
    }
  }

  @Test(arguments: [Int64.min, -1, 0, 3600, .max])
  func `a time of day never traps, whatever the clock shows`(now: Int64) {
    for text in ["18:00", "00:00", "-10m"] {
      _ = try? TimestampText.parse(text, now: now, in: Self.berlin)
    }
  }
}

@Suite struct HTTPDateTests {
  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ("Sat, 29 Feb 2020 23:59:59 GMT", 1_583_020_799), ("Sun, 29 Feb 2021 00:00:00 GMT", nil),
    ("Mon, 06 Nov 1994 08:49:37 GMT", nil), ("Sunday, 06-Nov-94 08:49:37 GMT", nil),
    ("Sun Nov  6 08:49:37 1994", nil), ("Sun, 06 Nov 1994 08:49:37 CET", nil),
    ("Sun, 06 Nov 1994 24:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:49 GMT", nil), ("", nil),
  ])
  func `dates of HTTP are read as they are written`(text: String, seconds: Int64?) {
    #expect(TimestampText.httpDate(text) == seconds)
  }

  @Test(
    arguments: [
      "9223372036854775807", "-9223372036854775808", "106751991167300", "9999999999999999", "-1",
      "99", "0", "+1", "1e9",
    ])
  func `numbers out of place in an HTTP date are refused, not trapped on`(number: String) {
    let words = ["Sun,", "06", "Nov", "1994", "08", "49", "37", "GMT"]
    for place in words.indices {
      var text = words
      text[place] = number
      let clock = text[4...6].joined(separator: ":")
      let date = (text[..<4] + [clock, text[7]]).joined(separator: " ")
      #expect(TimestampText.httpDate(date) == nil)
      #expect(throws: TimestampError.self) { try TimestampText.parse(date) }
    }
  }

  @Test func `extreme moments are written with a year of four digits`() {
    for seconds in [Int64.min, .min + 1, -1, 0, .max - 1, .max] {
      for offset in [Int.min, -86_400, 0, 50_400, .max] {
        #expect(TimestampText.commonLog(seconds, offset: offset).utf8.count >= 26)
      }
      #expect(TimestampText.httpDate(seconds).utf8.count == 29)
      #expect(!TimestampText.rfc3339(seconds).isEmpty)
    }
  }

  @Test func `extreme years, months and days are reckoned without a trap`() {
    for part in [Int.min, .min + 1, -1, 0, 1, .max - 1, .max] {
      for date in [
        CivilDate(year: part, month: 1, day: 1), CivilDate(year: 2000, month: part, day: 1),
        CivilDate(year: 2000, month: 1, day: part), CivilDate(daysSince1970: part),
      ] {
        _ = (date.daysSince1970, date.weekday, date.isValid)
      }
    }
  }
}
