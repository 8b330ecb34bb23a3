import Testing
import Timeshift
import Wire

@testable import Longwave

/// Days of recordings to come: values only, nobody looks at a clock.
@Suite struct RecordingCalendarTests {
  private static func seconds(_ text: String) throws -> Int64 {
    try TimestampText.parse(text) / 1_000_000_000
  }

  private static func rule(_ from: String, _ to: String, _ days: Weekday...)
    -> RecordingRule
  {
    var rule = RecordingRule(from: ClockText.parse(from)!, to: ClockText.parse(to)!)
    if !days.isEmpty { rule.times.days = Set(days) }
    return rule
  }

  private static func calendar(
    _ zone: String, now: String, from first: String? = nil, days: Int = 7,
    _ stations: [(id: String, zone: String, rules: [RecordingRule])] = []
  ) throws -> RecordingCalendar {
    let now = try seconds(now)
    var calendar = RecordingCalendar(
      zone: try #require(ZoneOffsets(zone)), now: now, first: try first.map(seconds) ?? now,
      days: days)
    calendar.stations = try stations.map {
      .init(id: $0.id, rules: $0.rules, zone: try #require(ZoneOffsets($0.zone)))
    }
    return calendar
  }

  /// Stations and beginnings, as `jazz 2026-11-26T17:00`.
  private static func told(_ calendar: RecordingCalendar) -> [String] {
    calendar.planned().soonest.map {
      "\($0.station) \($0.airing.startTime.rfc3339.prefix(16))"
    }
  }

  @Test func `days begin at midnight of the zone, and are as long as they are there`() throws {
    // 2026-10-25 has 25 hours in Berlin, and 2026-03-29 has 23.
    let autumn = try Self.calendar("Europe/Berlin", now: "2026-10-24T23:30:00Z", days: 3)
    #expect(autumn.days.map(\.date) == ["2026-10-25", "2026-10-26", "2026-10-27"])
    #expect(autumn.days[0].time.lowerBound == (try Self.seconds("2026-10-24T22:00:00Z")))
    #expect(autumn.days.map(\.time.count) == [25 * 3600, 24 * 3600, 24 * 3600])
    let spring = try Self.calendar("Europe/Berlin", now: "2026-03-28T12:00:00Z", days: 3)
    #expect(spring.days.map(\.time.count) == [24 * 3600, 23 * 3600, 24 * 3600])
    // In Havana midnight itself is skipped: the day begins at one o'clock.
    let havana = try Self.calendar("America/Havana", now: "2026-03-08T12:00:00Z", days: 1)
    #expect(havana.days[0].time.lowerBound == (try Self.seconds("2026-03-08T05:00:00Z")))
    #expect(havana.days[0].time.count == 23 * 3600)
  }

  @Test func `every day's show has its own entry, at its hour also when clocks change`() throws {
    let calendar = try Self.calendar(
      "Europe/Berlin", now: "2026-10-23T12:00:00Z", days: 4,
      [("jazz", "Europe/Berlin", [Self.rule("18:00", "19:30"), Self.rule("09:00", "10:00", .sun)])])
    #expect(
      Self.told(calendar) == [
        "jazz 2026-10-23T16:00", "jazz 2026-10-24T16:00", "jazz 2026-10-25T08:00",
        "jazz 2026-10-25T17:00", "jazz 2026-10-26T17:00",
      ])
  }

  @Test func `a station's own zone counts for its times, not for the days`() throws {
    let calendar = try Self.calendar(
      "Europe/Berlin", now: "2026-11-26T00:00:00Z", days: 1,
      [("west", "America/New_York", [Self.rule("17:30", "18:30")])])
    // 17:30 in New York is 23:30 in Berlin.
    #expect(Self.told(calendar) == ["west 2026-11-26T22:30"])
    #expect(calendar.planned().soonest.map(\.zone.name) == ["America/New_York"])
  }

  @Test func `a show that has begun is no longer to come, one into the first day is told`() throws {
    let stations = [
      (id: "jazz", zone: "+00:00", rules: [Self.rule("23:00", "02:00")])
    ]
    let running = try Self.calendar("+00:00", now: "2026-11-26T23:00:00Z", days: 2, stations)
    #expect(Self.told(running) == ["jazz 2026-11-27T23:00"])
    let next = try Self.calendar(
      "+00:00", now: "2026-11-26T12:00:00Z", from: "2026-11-27T12:00:00Z", days: 1, stations)
    #expect(Self.told(next) == ["jazz 2026-11-26T23:00", "jazz 2026-11-27T23:00"])
    let past = try Self.calendar(
      "+00:00", now: "2026-11-26T12:00:00Z", from: "2026-11-10T12:00:00Z", stations)
    #expect(Self.told(past).isEmpty)
  }

  @Test func `the soonest of too many shows are told, wherever their stations stand`() throws {
    // The later a station stands, the earlier its show.
    let stations = (0..<60).map { number in
      let minute = 59 - number
      return (
        id: "s\(number)", zone: "UTC",
        rules: [Self.rule("10:\(minute < 10 ? "0" : "")\(minute)", "12:00")]
      )
    }
    let calendar = try Self.calendar("UTC", now: "2026-11-26T00:00:00Z", days: 2, stations)
    let (soonest, areMore) = calendar.planned(most: 5)
    #expect(soonest.map(\.station) == ["s59", "s58", "s57", "s56", "s55"])
    #expect(areMore)
    #expect(calendar.planned(most: 120).soonest.count == 120)
    #expect(!calendar.planned(most: 120).areMore)
    #expect(calendar.json["truncated"] == .bool(false))
    #expect(calendar.json.text.contains("{\"date\":\"2026-11-26\""))
  }
}
