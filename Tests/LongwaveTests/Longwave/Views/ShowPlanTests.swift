import TestSupport
import Testing
import Timeshift
import Wire

@testable import Longwave
@testable import Settings

/// When shows are on air: values only, nobody looks at a clock.
@Suite struct ShowPlanTests {
  private static func seconds(_ text: String) throws -> Int64 {
    try TimestampText.parse(text) / 1_000_000_000
  }

  private static func show(
    _ name: String, _ from: String, _ to: String, _ days: Weekday...
  ) -> Show {
    var show = Show()
    show.name = name
    show.times = WeeklyTimes(from: ClockText.parse(from)!, to: ClockText.parse(to)!)
    if !days.isEmpty { show.times.days = Set(days) }
    return show
  }

  private static func plan(_ shows: [Show], later: Int64 = 0) throws -> ShowPlan {
    ShowPlan(shows: shows, zone: try #require(ZoneOffsets("Europe/Oslo")), later: later)
  }

  private static func told(_ show: StationSnapshot.Show?) -> String {
    show.map { "\($0.name) \($0.start.rfc3339.prefix(16)) \($0.end.rfc3339.prefix(16))" } ?? "-"
  }

  @Test func `what is on air is the show that began last, and the next one is told`() throws {
    let plan = try Self.plan([
      Self.show("Night", "22:00", "06:00"), Self.show("News", "00:00", "00:10"),
      Self.show("Market", "10:00", "12:00", .sat),
    ])
    let midnight = try Self.seconds("2026-11-27T23:05:00Z")
    #expect(Self.told(plan.current(at: midnight)) == "News 2026-11-27T23:00 2026-11-27T23:10")
    #expect(
      Self.told(plan.current(at: midnight + 600)) == "Night 2026-11-27T21:00 2026-11-28T05:00")
    #expect(Self.told(plan.next(after: midnight)) == "Market 2026-11-28T09:00 2026-11-28T11:00")
    #expect(Self.told(plan.current(at: midnight + 8 * 3600)) == "-")
    // The end is no part of it, and the beginning is.
    let end = try Self.seconds("2026-11-28T05:00:00Z")
    #expect(Self.told(plan.current(at: end)) == "-")
    #expect(Self.told(plan.current(at: end - 1)).hasPrefix("Night"))
  }

  @Test func `of shows that begin at once the shortest counts, and is told last`() throws {
    let plan = try Self.plan([
      Self.show("News", "10:00", "10:05"), Self.show("Morning", "10:00", "12:00"),
      Self.show("Also", "10:00", "10:05"),
    ])
    let ten = try Self.seconds("2026-11-27T09:00:00Z")
    #expect(plan.current(at: ten)?.name == "News")
    #expect(plan.next(after: ten - 60)?.name == "News")
    #expect(plan.airings(from: ten, at: ten).prefix(3).map(\.show) == [1, 2, 0])
  }

  @Test(arguments: ["2026-03-27T12:00:00Z", "2026-10-23T12:00:00Z"], [0, 8 * 3600] as [Int64])
  func `airings are those of the recordings' rules, later by a copy's delay, when clocks change`(
    from: String, later: Int64
  ) throws {
    var random = SplitMix(seed: UInt64(later) + 7)
    let first = try Self.seconds(from)
    let shows = (0..<20).map { index in
      var show = Self.show("Show \(index)", "00:00", "00:00")
      show.times = WeeklyTimes(
        days: Set(Weekday.allCases.filter { _ in Bool.random(using: &random) }),
        from: Int.random(in: 0..<1440, using: &random) * 60,
        to: Int.random(in: 0..<1440, using: &random) * 60)
      show.recording = RecordingRule(from: 0, to: 0)
      return show
    }
    let plan = try Self.plan(shows, later: later)
    let told = plan.airings(from: first, at: first)
    let wanted = try shows.enumerated().flatMap { index, show in
      let rule = try #require(show.rule)
      #expect(rule.times == show.times && rule.show == show.name)
      return rule.times.airings(
        during: first - later..<first - later + 7 * 86_400, in: plan.zone
      ).map {
        StationShows.Airing(show: index, start: $0.start + later, end: $0.end + later)
      }
    }.sorted(by: StationShows.Airing.isEarlier)
    #expect(told == Array(wanted.prefix(told.count)))
    #expect(told.count >= min(wanted.count, 100))
    for moment in stride(from: first, to: first + 7 * 86_400, by: 1777) {
      let on = wanted.filter { $0.start <= moment && moment < $0.end }
      #expect(plan.current(at: moment)?.start.unixSeconds == on.map(\.start).max())
    }
  }

  @Test func `a month of many shows is told around now, and no more of it`() throws {
    let now = try Self.seconds("2026-11-30T12:00:00Z")
    let shows = (0..<Show.countMax).map {
      Self.show("Show \($0)", "\($0 % 24):00", "\($0 % 24):30")
    }
    let told = try Self.plan(shows).airings(from: 0, at: now)
    #expect(told.count == 500)
    #expect(told.count { $0.start > now } == 150)
    #expect(told == told.sorted(by: StationShows.Airing.isEarlier))
  }

  @Test func `a list of recordings is bounded in bytes, the newest are told`() {
    let all = (0..<200).compactMap { number in
      var entry = RecordingEntry(
        id: Int64(number), options: .init(station: "jazz", name: "n"), startedAt: 0)
      var rule = RecordingRule(from: 0, to: 3600)
      rule.show = "Late"
      entry.schedule = RecordingEntry.Schedule(rule, Airing(start: 0, end: 3600))
      entry.firstAir = 0
      entry.files = [.init(name: "a.mp3", bytes: 1, seconds: 1)]
      entry.titles = (0..<RecordingEntry.chaptersMax).map {
        .init(seconds: Double($0), title: String(repeating: "t", count: 200))
      }
      return RecordedShow(entry)
    }
    #expect(all.count == 200)
    let told = StationShows.told(of: all)
    #expect(told.first?.id == 0 && told.count < 10)
    #expect(told.reduce(0) { $0 + $1.json.bytes.count } < 600_000)
  }
}
