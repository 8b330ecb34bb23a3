import Testing
import Wire

@testable import Programmes

/// Inserts and parts by the clock, on plain days and in both nights in which it changes.
@Suite struct ClockTests {
  private static let music = Music.catalogue(40, artists: 40)
  private static let spot = Music.catalogue(1, first: 100, seconds: { _ in 60 })

  private static func at(_ marks: String..., onset: Onset = .soft) -> InsertRule.Timing {
    .at(marks.compactMap { try? MinuteMark($0) }, onset)
  }

  private static func plan(
    _ inserts: [InsertRule] = [], parts: [Programme.Part] = [], music: Catalogue = ClockTests.music,
    order: Order = .sequence
  ) -> Plan {
    var programme = Programme(PlayRules(.play(Music.hot), order: order, inserts: inserts))
    programme.parts = parts
    return Plan(
      programme,
      [
        Music.hot: music, Music.news: spot, Music.jingles: spot,
        Music.gold: Music.catalogue(9, first: 200),
      ], in: Music.berlin)
  }

  /// The moments of one rule in a time, in UTC.
  private static func moments(
    _ rule: InsertRule, _ from: String, hours: Int64
  ) -> [String] {
    let programme = Programme(PlayRules(.play(Music.hot), inserts: [rule]))
    let start = Music.moment(from)
    let agenda = Agenda(
      start..<start + hours * 3_600_000, programme,
      [ResolvedRules(programme.rules, seed: 1, isOwn: false)], in: Music.berlin)
    return agenda.dues.map {
      String(TimestampText.rfc3339($0.at * 1_000_000).dropLast(8).suffix(8))
    }
  }

  @Test func `minutes of every hour come each hour that the clock shows, a doubled hour's once`() {
    let rule = InsertRule(Music.news, Self.at(":00", ":30"))
    // Put forward: 02:00 and 02:30 are not shown.
    #expect(
      Self.moments(rule, "2026-03-29T00:00:00Z", hours: 3) == [
        "29T00:00", "29T00:30", "29T01:00", "29T01:30", "29T02:00", "29T02:30",
      ])
    // Put back: 02:00 and 02:30 are shown at 00:00 and 00:30, and again an hour later.
    #expect(
      Self.moments(rule, "2026-10-24T23:00:00Z", hours: 4) == [
        "24T23:00", "24T23:30", "25T00:00", "25T00:30", "25T02:00", "25T02:30",
      ])
  }

  @Test func `a time of day comes each day: at the change, if the clock skips it`() {
    let rule = InsertRule(Music.news, Self.at("02:30", "12:00"))
    #expect(
      Self.moments(rule, "2026-03-28T00:00:00Z", hours: 72) == [
        "28T01:30", "28T11:00", "29T01:00", "29T10:00", "30T00:30", "30T10:00",
      ])
    #expect(
      Self.moments(rule, "2026-10-24T00:00:00Z", hours: 72) == [
        "24T00:30", "24T10:00", "25T00:30", "25T11:00", "26T01:30", "26T11:00",
      ])
  }

  @Test func `an insert has the hours and days of its rule`() {
    let rule = InsertRule(
      Music.news, Self.at(":00"),
      times: WeeklyTimes(days: [.fri, .sat], from: 22 * 3600, to: 2 * 3600))
    // 2026-11-20 is a Friday; in Berlin it is an hour later.
    #expect(
      Self.moments(rule, "2026-11-20T12:00:00Z", hours: 72) == [
        "20T21:00", "20T22:00", "20T23:00", "21T00:00", "21T21:00", "21T22:00", "21T23:00",
        "22T00:00",
      ])
  }

  // MARK: Inserts

  private static let noon = Music.moment("2026-11-20T11:00:00Z")

  @Test func `a soft insert comes at the first border behind its moment`() {
    var plan = Self.plan([InsertRule(Music.news, Self.at(":10"))])
    let items = plan.items(5, from: Self.noon)
    // Tracks of four minutes: the border is at 12:12.
    #expect(items.map(\.kind) == [.track, .track, .track, .insert, .track])
    #expect(items[3].at == Self.noon + 720_000)
    #expect(items[3].due == Self.noon + 600_000)
    #expect(items.allSatisfy { $0.until == nil })
  }

  @Test func `a hard insert cuts what plays, which does not come back`() {
    var plan = Self.plan([InsertRule(Music.news, Self.at(":10", onset: .hard))])
    let items = plan.items(5, from: Self.noon)
    #expect(items.map(\.kind) == [.track, .track, .track, .insert, .track])
    #expect(items[2].until == Self.noon + 600_000)
    #expect(items[3].at == Self.noon + 600_000 && items[3].isHard)
    #expect(items.filter { $0.kind == .track }.keys == (0..<4).map(Music.key))
  }

  @Test func `what comes later than within is missed, and told once`() {
    let long = Music.catalogue(3, seconds: { _ in 1500 })
    var plan = Self.plan([InsertRule(Music.news, Self.at(":10"), within: 200)], music: long)
    let steps = plan.steps(5, from: Self.noon)
    #expect(steps.allSatisfy { $0.planned?.kind == .track })
    #expect(
      steps.map { $0.missed.map(\.due) } == [
        [], [Self.noon + 600_000], [], [Self.noon + 4_200_000], [],
      ])
    #expect(steps[1].missed[0].reason == .late)
  }

  @Test
  func `an insert without anything to play is missed as empty, one fetched in time is played`() {
    var plan = Self.plan([InsertRule(Music.news, Self.at(":10"), within: 600)])
    var stock = plan.stock
    stock.catalogues[Music.news] = Catalogue([])
    plan.use(stock)
    var steps = plan.steps(8, from: Self.noon)
    #expect(steps.flatMap(\.missed).map(\.reason) == [.empty])
    stock.catalogues[Music.news] = nil
    plan.use(stock)
    // What was not looked through yet may have something.
    let hour = Self.noon + 3_600_000
    #expect(plan.steps(8, from: hour).flatMap(\.missed).map(\.reason) == [.unknown])
    #expect(steps.allSatisfy { $0.planned?.kind == .track })
    plan = Self.plan([InsertRule(Music.news, Self.at(":10"), within: 600)])
    plan.use(stock)
    steps = plan.steps(4, from: Self.noon)
    stock.catalogues[Music.news] = Self.spot
    plan.use(stock)
    #expect(plan.next(at: Self.noon + 960_000).planned?.kind == .insert)
  }

  @Test func `inserts behind tracks count tracks only`() {
    var plan = Self.plan(
      [
        InsertRule(Music.jingles, .everyTracks(2)), InsertRule(Music.news, Self.at(":00")),
      ])
    let items = plan.items(8, from: Self.noon)
    #expect(
      items.map(\.source) == [
        Music.news, Music.hot, Music.hot, Music.jingles, Music.hot, Music.hot, Music.jingles,
        Music.hot,
      ])
    // 12:00 is the moment at which the rule becomes known; what was due before is none of its.
    #expect(items[0].due == Self.noon)
  }

  @Test func `a rule that is new does not make up for what was due before`() {
    var plan = Self.plan()
    _ = plan.items(2, from: Self.noon - 240_000)
    var programme = plan.programme
    programme.rules.inserts = [InsertRule(Music.news, Self.at(":00"), within: 3600)]
    plan.use(programme)
    #expect(plan.next(at: Self.noon + 240_000).planned?.kind == .track)
  }

  // MARK: Parts

  private static func part(
    _ from: String, _ to: String, _ rules: PlayRules = PlayRules(.play(Music.gold)),
    onset: Onset = .soft, late: Int = 600
  ) -> Programme.Part {
    Programme.Part(
      WeeklyTimes(from: ClockText.parse(from)!, to: ClockText.parse(to)!), rules, onset: onset,
      late: late)
  }

  @Test func `a part begins at the border behind its moment, and ends at one`() {
    var plan = Self.plan(parts: [Self.part("12:10", "12:30")])
    let items = plan.items(9, from: Self.noon)
    #expect(items.map(\.part) == [nil, nil, nil, 0, 0, 0, 0, 0, nil])
    #expect(items[3].at == Self.noon + 720_000 && items[3].why == .part)
    #expect(plan.part(at: items[4].at)?.until == Self.noon + 1_800_000)
    #expect(plan.part(at: items[0].at) == nil)
    #expect(items.map(\.source).suffix(2) == [Music.gold, Music.hot])
  }

  @Test func `a soft part waits no longer than it may be late, a hard one not at all`() {
    let long = Music.catalogue(3, seconds: { _ in 3000 })
    for (onset, cut) in [(Onset.soft, 720_000), (.hard, 600_000)] as [(Onset, Int64)] {
      var plan = Self.plan(
        parts: [Self.part("12:10", "12:30", onset: onset, late: 120)], music: long)
      let items = plan.items(2, from: Self.noon)
      #expect(items[0].until == Self.noon + cut)
      #expect(items[1].part == 0 && items[1].at == Self.noon + cut)
    }
  }

  @Test func `the first part that is on counts`() {
    var plan = Self.plan(parts: [
      Self.part("12:00", "12:08", PlayRules(.play(Music.jingles))), Self.part("12:00", "12:20"),
    ])
    #expect(plan.items(10, from: Self.noon).prefix(9).map(\.part) == [0, 0, 0, 0, 0, 0, 0, 0, 1])
  }

  @Test func `a part whose music is over hands back, and has it again the next day`() {
    let rules = PlayRules(.play(Music.gold), repeats: .once)
    var plan = Self.plan(parts: [Self.part("12:00", "13:00", rules)])
    var items = plan.items(11, from: Self.noon)
    #expect(items.map(\.source) == Array(repeating: Music.gold, count: 9) + [Music.hot, Music.hot])
    #expect(items.map(\.part).suffix(3) == [0, nil, nil])
    items = plan.items(2, from: Self.noon + 86_400_000)
    #expect(items.map(\.source) == [Music.gold, Music.gold])
  }

  @Test func `a part that changes only how things are played goes on in the same order`() {
    var plan = Self.plan(parts: [Self.part("12:00", "12:10", PlayRules(join: .fade))])
    let items = plan.items(5, from: Self.noon - 480_000)
    #expect(items.keys == (0..<5).map(Music.key))
    #expect(items.map(\.part) == [nil, nil, 0, 0, 0])
    #expect(items.allSatisfy { $0.why == .order })
  }

  @Test func `a part over a change of the clock is one, from its first hour to its last`() {
    // 02:00 to 03:00 lasts two hours in that night.
    var plan = Self.plan(parts: [Self.part("02:00", "03:00")])
    let start = Music.moment("2026-10-25T00:00:00Z")
    let items = plan.items(40, from: start - 480_000)
    #expect(items.count { $0.part == 0 } == 30)
    #expect(items.first { $0.part == 0 }?.at == start)
    // In spring it begins at the change, and lasts as long as it would have.
    let spring = Music.moment("2026-03-29T01:00:00Z")
    plan = Self.plan(parts: [Self.part("02:00", "03:00")])
    #expect(plan.items(40, from: spring - 480_000).first { $0.part == 0 }?.at == nil)
    plan = Self.plan(parts: [Self.part("02:00", "03:30")])
    #expect(plan.items(40, from: spring - 480_000).first { $0.part == 0 }?.at == spring)
  }

  // MARK: Other stations

  @Test func `a part of another station lasts until its end, if that station plays`() {
    let church = PlayRules(.play(.station("church")))
    var plan = Self.plan(parts: [Self.part("12:10", "13:00", church, onset: .hard)])
    var items = plan.items(4, from: Self.noon)
    #expect(items.allSatisfy { $0.source == Music.hot && $0.until == nil })
    var stock = plan.stock
    stock.stations = ["church"]
    plan.use(stock)
    items = plan.items(5, from: Self.noon)
    #expect(items.map(\.kind) == [.track, .track, .track, .live, .track])
    #expect(items[2].until == Self.noon + 600_000)
    #expect(items[3].until == Self.noon + 3_600_000 && items[3].length == nil)
    #expect(plan.onset(of: "church", at: Self.noon + 900_000) == .hard)
    #expect(plan.onset(of: "church", at: Self.noon) == nil)
  }

  @Test func `live is played before everything, for as long as its station plays`() {
    var plan = Self.plan([InsertRule(Music.news, Self.at(":00"))])
    var programme = plan.programme
    programme.live = Programme.Live("studio", onset: .soft)
    plan.use(programme)
    #expect(plan.onset(of: "studio", at: Self.noon) == .soft)
    #expect(plan.onset(of: "other", at: Self.noon) == nil)
    var stock = plan.stock
    stock.stations = ["studio"]
    plan.use(stock)
    let live = plan.next(at: Self.noon - 60_000).planned
    #expect(live?.why == .live && live?.end == nil)
    #expect(plan.upcoming(from: Self.noon).map(\.kind) == [.live])
    plan.use(Stock(stock.catalogues))
    // The news was due while the studio was on air, and is too late by now.
    let step = plan.next(at: Self.noon + 900_000)
    #expect(step.planned?.kind == .track)
    #expect(step.missed.map(\.due) == [Self.noon])
  }

  // MARK: After a pause

  @Test func `what was due while the station was away is made up within its time, or told once`()
    throws
  {
    let rule = InsertRule(Music.news, Self.at(":00"), within: 600)
    var plan = Self.plan([rule])
    _ = plan.items(2, from: Self.noon - 3_600_000 + 60_000)
    let state = try plan.state.stored()
    var soon = Plan(plan.programme, plan.stock, in: Music.berlin, state: state)
    #expect(soon.cut(since: Self.noon - 120_000, at: Self.noon + 1) == nil)
    #expect(soon.next(at: Self.noon + 500_000).planned?.kind == .insert)
    // Five days: told of the last two.
    var late = Plan(plan.programme, plan.stock, in: Music.berlin, state: state)
    let days = late.next(at: Self.noon + 5 * 86_400_000 + 900_000)
    #expect(days.planned?.kind == .track)
    #expect(days.missed.count == 48)
    // What is older is one stretch of time.
    let last = Self.noon + 3 * 86_400_000 + 900_000
    #expect(days.unlisted?.upperBound == last && days.unlisted?.lowerBound ?? last < Self.noon)
    #expect(soon.next(at: Self.noon + 700_000).unlisted == nil)
    #expect(late.next(at: Self.noon + 5 * 86_400_000 + 960_000).missed.isEmpty)
  }

  @Test func `a hard insert that is overdue cuts what goes on after a restart`() throws {
    var plan = Self.plan([InsertRule(Music.news, Self.at(":00", onset: .hard), within: 300)])
    let first = plan.items(1, from: Self.noon - 120_000)[0]
    #expect(first.until == Self.noon)
    var again = Plan(plan.programme, plan.stock, in: Music.berlin, state: try plan.state.stored())
    #expect(again.cut(since: first.at, at: Self.noon + 60_000) == Self.noon + 60_000)
    #expect(again.cut(since: first.at, at: Self.noon + 400_000) == Self.noon + 3_600_000)
  }

  @Test func `what comes behind an item's own end cuts nothing`() {
    var plan = Self.plan([InsertRule(Music.news, Self.at(":00", onset: .hard), within: 300)])
    let (now, moment) = (Self.noon - 600_000, Self.noon)
    _ = plan.next(at: now)
    #expect(plan.cut(since: now, at: now) == moment)
    #expect(plan.cut(since: now, at: now, end: moment + 1) == moment)
    #expect(plan.cut(since: now, at: now, end: moment) == nil)
  }

  @Test func `inserts between the new time and the old one come when the clock is put back`() {
    var plan = Self.plan([InsertRule(Music.news, Self.at(":00", onset: .hard), within: 300)])
    let now = Self.noon + 600_000
    _ = plan.next(at: now)
    let back = now - 3_600_000 - 900_000
    plan.settle(at: back)
    // The hour before had no insert yet.
    #expect(plan.cut(since: back, at: back) == Self.noon - 3_600_000)
  }

  @Test func `music of a part that is on is waited for until something is known of it`() {
    let times = WeeklyTimes(days: Set(Weekday.allCases), from: 0, to: 86_399)
    var plan = Self.plan(parts: [
      Programme.Part(times, PlayRules(.play(Music.gold)), onset: .soft)
    ])
    var waits = [plan.awaitsPart(at: Self.noon)]
    let all = plan.stock.catalogues
    plan.use(Stock(all.filter { $0.key != Music.gold }))
    waits.append(plan.awaitsPart(at: Self.noon))
    plan.use(Stock(all.merging([Music.gold: Catalogue([])]) { $1 }))
    waits.append(plan.awaitsPart(at: Self.noon))
    #expect(waits == [false, true, false])
  }

  @Test func `a clock that is put back does not play an insert twice`() {
    var plan = Self.plan([InsertRule(Music.news, Self.at(":00"))])
    let start = Self.noon - 3000
    #expect(plan.next(at: start).planned?.kind == .insert)
    #expect(plan.next(at: start - 1_800_000).planned?.kind == .track)
    let again = plan.items(9, from: start - 1_800_000 + 240_000)
    #expect(again.allSatisfy { $0.kind == .track })
    // The next hour has its own.
    #expect(plan.items(20, from: start + 600_000).count { $0.kind == .insert } == 1)
  }

  // MARK: Backtiming

  @Test(arguments: [Join.gapless, .fade])
  func `music that can be exchanged ends at the full hour`(join: Join) throws {
    let songs = Music.catalogue(900, artists: 300, seconds: Music.songLength)
    let day = WeeklyTimes(from: 20 * 3600, to: 22 * 3600)
    var plan = Self.plan(
      [InsertRule(Music.news, Self.at(":00")), InsertRule(Music.jingles, .everyTracks(4))],
      parts: [Programme.Part(day, PlayRules(separate: .ofShuffle))], music: songs, order: .shuffle)
    var programme = plan.programme
    (programme.rules.join, programme.rules.fade) = (join, 12)
    plan.use(programme)
    var (now, off, left): (Int64, [Int64], [Int]) = (Self.noon, [], [])
    for _ in 0..<3000 {
      let item = try #require(plan.next(at: now).planned)
      #expect(item.relaxed.isEmpty)
      // At the end of a cycle, there is nothing to exchange.
      if let due = item.due, left.suffix(3).allSatisfy({ $0 > Planner.exchanged }) {
        off.append(item.at - due)
      }
      left.append(plan.state.cycles["shuffle hot"]?.left ?? 0)
      now = item.end ?? now
    }
    let worst = off.map(abs).max() ?? .max
    print("\(off.count) inserts, the worst \(worst) ms beside its time")
    #expect(off.count > 130)
    #expect(worst <= 20_000)
  }

  @Test func `estimated lengths are no basis for being on time`() {
    let songs = Catalogue(
      (0..<900).map { Music.track($0, Music.songLength($0), artist: "\($0 % 300)", isExact: false) }
    )
    let rules = [InsertRule(Music.news, Self.at(":00"))]
    var (guessed, plain) = (
      Self.plan(rules, music: songs, order: .shuffle), Self.plan(music: songs, order: .shuffle)
    )
    let tracks = guessed.items(200, from: Self.noon).filter { $0.kind == .track }
    #expect(tracks.keys == Array(plain.items(200, from: Self.noon).keys.prefix(tracks.count)))
  }
}
