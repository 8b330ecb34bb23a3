import Testing
import Wire

@testable import Programmes

/// Dry runs.
@Suite struct RehearsalTests {
  private static func plan() -> Plan {
    let programme = Programme(
      PlayRules(
        .play(Music.hot), order: .shuffle,
        inserts: [
          InsertRule(Music.jingles, .everyTracks(4)),
          InsertRule(Music.news, .at([MinuteMark(hour: nil, minute: 0)!], .soft)),
        ]),
      parts: [
        .init(
          WeeklyTimes(days: [.fri, .sat], from: 20 * 3600, to: 2 * 3600),
          PlayRules(.play(Music.gold)))
      ])
    return Plan(
      programme,
      [
        Music.hot: Music.catalogue(1800, artists: 60, seconds: Music.songLength),
        Music.gold: Music.catalogue(400, artists: 90, first: 5000, seconds: Music.songLength),
        Music.jingles: Music.catalogue(3, first: 9000, seconds: { _ in 8 }),
        Music.news: Music.catalogue(1, first: 9100, seconds: { _ in 180 }),
      ], in: Music.berlin)
  }

  @Test func `a year is rehearsed in seconds, and changes nothing`() {
    let plan = Self.plan()
    let start = Music.moment("2026-01-01T00:00:00Z")
    let clock = ContinuousClock()
    var year: Rehearsal?
    let time = clock.measure { year = Rehearsal(plan, from: start, seconds: Rehearsal.secondsMax) }
    guard let year else { return }
    print("\(year.count) items in \(time); \(year.missed.count) missed, relaxed \(year.relaxed)")
    #expect(year.count > 131_000)
    #expect(year.items.count == Rehearsal.itemsMax && year.isTruncated)
    #expect(year.silent == 0)
    #expect(zip(year.items, year.items.dropFirst()).allSatisfy { $0.end == $1.at })
    #expect(plan.state.item == 0)
    // Most hours have their news.
    #expect(year.missed.count < 50)
  }

  @Test func `what is over before its time is played, and not told`() {
    let plan = Self.plan()
    let start = Music.moment("2026-01-01T00:00:00Z")
    let whole = Rehearsal(plan, from: start, seconds: 86_400)
    let from = start + 43_200_000
    let later = Rehearsal(plan, from: from, seconds: 43_200, since: start)
    #expect(later.items == whole.items.filter { $0.end! > from })
    #expect(later.items.count > 100 && later.count == later.items.count)
    var asked = 0
    let left = Rehearsal(plan, from: start, seconds: Rehearsal.secondsMax) {
      asked += 1
      return asked < 3
    }
    #expect(asked == 3 && left.isTruncated && left.count < 3000)
  }

  @Test func `a rehearsal is what plays`() {
    var plan = Self.plan()
    let start = Music.moment("2026-11-20T18:00:00Z")
    let day = Rehearsal(plan, from: start, seconds: 86_400)
    #expect(day.items.count > 300 && !day.isTruncated)
    #expect(plan.items(day.items.count, from: start) == day.items)
  }

  @Test func `time without music is counted, until something comes`() {
    let part = Programme.Part(
      WeeklyTimes(from: 6 * 3600, to: 7 * 3600), PlayRules(.play(Music.gold), repeats: .all))
    var programme = Programme(PlayRules(.play(Music.hot), repeats: .once))
    programme.parts = [part]
    let plan = Plan(
      programme, [Music.hot: Music.catalogue(15), Music.gold: Music.catalogue(5, first: 100)])
    let day = Rehearsal(plan, from: 0, seconds: 86_400)
    // An hour of music at midnight, and the part.
    #expect(day.count == 30)
    #expect(day.silent == 22 * 3_600_000)
  }
}
