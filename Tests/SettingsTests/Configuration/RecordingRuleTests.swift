import Testing
import Wire

@testable import Settings

/// When rules are on: values only, nobody looks at a clock.
@Suite struct RecordingRuleTests {
  private static func rule(
    _ from: String, _ to: String, _ days: Weekday...
  ) -> RecordingRule {
    var rule = RecordingRule(from: ClockText.parse(from)!, to: ClockText.parse(to)!)
    if !days.isEmpty { rule.times.days = Set(days) }
    return rule
  }

  private static func seconds(_ text: String) throws -> Int64 {
    try TimestampText.parse(text) / 1_000_000_000
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var zone: String
    var rule: RecordingRule
    var moment: String
    var start: String
    var end: String
    var testDescription: String { "\(zone) \(ClockText.format(rule.times.from)) at \(moment)" }

    init(_ zone: String, _ rule: RecordingRule, _ moment: String, _ start: String, _ end: String) {
      (self.zone, self.rule, self.moment) = (zone, rule, moment)
      (self.start, self.end) = (start, end)
    }
  }

  private static let berlin = "Europe/Berlin"
  private static let newYork = "America/New_York"

  static let cases: [Case] = [
    // Plain days; 2026-11-20 is a Friday.
    Case(
      berlin, rule("18:00", "19:30"), "2026-11-20T16:59:59Z", "2026-11-20T17:00:00Z",
      "2026-11-20T18:30:00Z"),
    Case(
      berlin, rule("18:00", "19:30"), "2026-11-20T18:29:59Z", "2026-11-20T17:00:00Z",
      "2026-11-20T18:30:00Z"),
    Case(
      berlin, rule("18:00", "19:30"), "2026-11-20T18:30:00Z", "2026-11-21T17:00:00Z",
      "2026-11-21T18:30:00Z"),
    Case(
      newYork, rule("18:00", "19:30", .mon, .wed), "2026-11-20T12:00:00Z", "2026-11-23T23:00:00Z",
      "2026-11-24T00:30:00Z"),
    // A week ahead, on the day itself.
    Case(
      berlin, rule("06:00", "07:00", .fri), "2026-11-20T06:00:00Z", "2026-11-27T05:00:00Z",
      "2026-11-27T06:00:00Z"),
    // Over midnight: the day is the one it begins on.
    Case(
      berlin, rule("23:00", "01:00", .fri), "2026-11-20T23:30:00Z", "2026-11-20T22:00:00Z",
      "2026-11-21T00:00:00Z"),
    Case(
      berlin, rule("23:00", "01:00", .fri), "2026-11-21T00:00:00Z", "2026-11-27T22:00:00Z",
      "2026-11-28T00:00:00Z"),
    Case(
      "+05:30", rule("00:00", "24:00"), "2026-11-20T18:30:00Z", "2026-11-20T18:30:00Z",
      "2026-11-21T18:30:00Z"),
    // Clocks put forward, from 02:00 to 03:00: 02:30 does not exist. From the change, to when it would have been.
    Case(
      berlin, rule("02:30", "04:00"), "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z",
      "2026-03-29T02:00:00Z"),
    Case(
      berlin, rule("01:00", "02:30"), "2026-03-28T12:00:00Z", "2026-03-29T00:00:00Z",
      "2026-03-29T01:30:00Z"),
    Case(
      berlin, rule("02:10", "02:50"), "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z",
      "2026-03-29T01:50:00Z"),
    Case(
      newYork, rule("02:30", "04:00"), "2026-03-07T12:00:00Z", "2026-03-08T07:00:00Z",
      "2026-03-08T08:00:00Z"),
    Case(
      newYork, rule("02:10", "02:50", .sun), "2026-03-07T12:00:00Z", "2026-03-08T07:00:00Z",
      "2026-03-08T07:50:00Z"),
    // Put back, from 03:00 (New York: 02:00) by an hour: 02:30 (01:30) comes twice. From the first, to the second.
    Case(
      berlin, rule("02:30", "04:00"), "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z",
      "2026-10-25T03:00:00Z"),
    Case(
      berlin, rule("01:00", "02:30"), "2026-10-24T12:00:00Z", "2026-10-24T23:00:00Z",
      "2026-10-25T01:30:00Z"),
    Case(
      newYork, rule("01:15", "01:45"), "2026-10-31T12:00:00Z", "2026-11-01T05:15:00Z",
      "2026-11-01T06:45:00Z"),
    Case(
      newYork, rule("00:30", "03:00"), "2026-10-31T12:00:00Z", "2026-11-01T04:30:00Z",
      "2026-11-01T08:00:00Z"),
    // The days around them are as always.
    Case(
      berlin, rule("02:30", "04:00"), "2026-03-29T02:00:00Z", "2026-03-30T00:30:00Z",
      "2026-03-30T02:00:00Z"),
    Case(
      newYork, rule("01:15", "01:45"), "2026-11-01T06:45:00Z", "2026-11-02T06:15:00Z",
      "2026-11-02T06:45:00Z"),
  ]

  @Test(arguments: cases)
  func `the next show is a matter of rule, zone and moment`(example: Case) throws {
    let zone = try #require(ZoneOffsets(example.zone))
    let next = try #require(
      example.rule.times.next(at: try Self.seconds(example.moment), in: zone))
    #expect(
      TimestampText.rfc3339(next.start * 1_000_000_000).replacing(".000Z", with: "Z")
        == example.start)
    #expect(
      TimestampText.rfc3339(next.end * 1_000_000_000).replacing(".000Z", with: "Z") == example.end)
  }

  @Test(arguments: [berlin, newYork, "Australia/Lord_Howe", "Asia/Kathmandu", "+14"])
  func `a daily show is found on every day of a year, from first second to last`(
    name: String
  ) throws {
    let zone = try #require(ZoneOffsets(name))
    let rule = Self.rule("01:59", "02:31")
    let start = try Self.seconds("2026-06-01T12:00:00Z")
    var (moment, found) = (start, 0)
    while let next = rule.times.next(after: moment, in: zone), next.start < start + 365 * 86_400 {
      #expect(rule.times.current(at: next.start, in: zone) == [next])
      #expect(rule.times.current(at: next.end - 1, in: zone) == [next])
      #expect(rule.times.current(at: next.start - 1, in: zone).isEmpty)
      #expect(rule.times.current(at: next.end, in: zone).isEmpty)
      #expect(rule.times.next(at: next.start - 1, in: zone) == next)
      moment = next.end
      found += 1
    }
    #expect(found == 365)
  }

  @Test(arguments: [berlin, newYork])
  func `a show that lasts all day leaves nothing out`(name: String) throws {
    let zone = try #require(ZoneOffsets(name))
    let rule = Self.rule("02:30", "02:30")
    let start = try Self.seconds("2026-03-01T00:00:00Z")
    for minute in stride(from: 0, to: 366 * 1440, by: 10) {
      #expect(!rule.times.current(at: start + Int64(minute) * 60, in: zone).isEmpty)
    }
  }

  @Test(arguments: [
    ("18:00", 64_800), ("6:05", 21_900), ("00:00", 0), ("24:00", 0), ("23:59:30", 86_370),
    ("25:00", nil), ("24:01", nil), ("18", nil), ("18:60", nil), ("18:00:60", nil), ("-1:00", nil),
    ("18:", nil), ("018:00", nil), ("", nil), ("1:2:3:4", nil), ("١٨:٠٠", nil),
  ])
  func `times of day are read, and malformed ones refused`(text: String, seconds: Int?) {
    #expect(ClockText.parse(text) == seconds)
  }
}
