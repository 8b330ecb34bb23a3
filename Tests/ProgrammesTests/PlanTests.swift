import Testing
import Wire

@testable import Programmes

/// What follows what: orders, wheels, repeats; and that nothing spins.
@Suite struct PlanTests {
  private static let five = Music.catalogue(5)

  private static func numbers(_ items: [Planned]) -> [Int?] {
    items.map { item in (0..<200).first { Music.key($0) == item.track?.key } }
  }

  @Test func `a source is played in its own order, again and again`() {
    var plan = Plan(Programme(playing: Music.hot), [Music.hot: Self.five])
    let items = plan.items(7)
    #expect(Self.numbers(items) == [0, 1, 2, 3, 4, 0, 1])
    #expect(items.map(\.item) == [1, 2, 3, 4, 5, 6, 7])
    #expect(items.map(\.at) == (0..<7).map { $0 * 240_000 })
    #expect(items.allSatisfy { $0.why == .order && $0.kind == .track && $0.until == nil })
  }

  @Test func `without repeat a source is over, and goes on with what is added`() {
    let programme = Programme(PlayRules(.play(Music.hot), repeats: .once))
    var plan = Plan(programme, [Music.hot: Self.five])
    let steps = plan.steps(6)
    #expect(Self.numbers(steps.compactMap(\.planned)) == [0, 1, 2, 3, 4])
    #expect(steps[5].waiting == .over)
    plan.use(Stock([Music.hot: Music.catalogue(6)]))
    #expect(Self.numbers(plan.items(1)) == [5])
  }

  @Test func `one track is repeated until it is left`() {
    let programme = Programme(PlayRules(.play(Music.hot), repeats: .one))
    var plan = Plan(programme, [Music.hot: Self.five])
    let items = plan.items(3)
    #expect(Self.numbers(items) == [0, 0, 0])
    #expect(items.map(\.why) == [.order, .repeat, .repeat])
    plan.skip()
    let rest = plan.items(2)
    #expect(Self.numbers(rest) == [1, 1])
    #expect(rest.map(\.why) == [.skip, .repeat])
  }

  @Test func `a track that is left is left, though an insert comes first`() {
    let rules = PlayRules(
      .play(Music.hot), repeats: .one, inserts: [InsertRule(Music.jingles, .everyTracks(1))])
    var plan = Plan(
      Programme(rules), [Music.hot: Self.five, Music.jingles: Music.catalogue(1, first: 100)])
    #expect(Self.numbers(plan.items(1)) == [0])
    plan.skip()
    #expect(Self.numbers(plan.items(2, from: 60_000)) == [100, 1])
  }

  @Test func `a part that goes on at its own border cuts nothing`() throws {
    let part = Programme.Part(
      WeeklyTimes(from: 0, to: 0), PlayRules(.play(Music.gold)), onset: .hard)
    let programme = Programme(PlayRules(.play(Music.hot)), parts: [part])
    var plan = Plan(
      programme, [Music.hot: Self.five, Music.gold: Catalogue([Music.track(1, 7200)])])
    let item = try #require(plan.next(at: Music.moment("2026-05-04T23:00:00Z")).planned)
    #expect(item.part == 0 && item.until == nil)
  }

  @Test func `a part that is over by then cuts nothing, however late it may begin`() throws {
    let part = Programme.Part(
      WeeklyTimes(from: 20 * 3600, to: 21 * 3600), PlayRules(.play(Music.gold)), late: 7200)
    let programme = Programme(PlayRules(.play(Music.hot)), parts: [part])
    var plan = Plan(
      programme, [Music.hot: Catalogue([Music.track(1, 12_600)]), Music.gold: Self.five])
    let item = try #require(plan.next(at: Music.moment("2026-05-04T19:00:00Z")).planned)
    #expect(item.part == nil && item.until == nil)
  }

  @Test func `rules that are gone are no danger to an item that was shown by them`() {
    let part = Programme.Part(WeeklyTimes(from: 0, to: 0), PlayRules(order: .shuffle))
    let rules = PlayRules(.play(Music.hot))
    var plan = Plan(Programme(rules, parts: [part]), [Music.hot: Self.five])
    let shown = plan.upcoming(from: 0)
    plan.use(Programme(rules))
    #expect(plan.progress(in: 7) == plan.progress(in: nil))
    _ = plan.skip(item: shown[1].item)
    #expect(!plan.items(3).isEmpty)
  }

  @Test func `a wheel takes from each source in turn`() {
    let programme = Programme(
      PlayRules(.wheel([.init(Music.hot), .init(Music.gold, count: 2)])))
    var plan = Plan(
      programme, [Music.hot: Self.five, Music.gold: Music.catalogue(3, first: 100)])
    #expect(Self.numbers(plan.items(7)) == [0, 100, 101, 1, 102, 100, 2])
  }

  @Test func `a slot without tracks is passed over and told`() {
    let programme = Programme(
      PlayRules(.wheel([.init(Music.hot), .init(Music.jingles), .init(Music.gold)])))
    var plan = Plan(
      programme,
      [
        Music.hot: Self.five, Music.gold: Music.catalogue(3, first: 100),
        Music.jingles: Catalogue([]),
      ])
    let steps = plan.steps(4)
    #expect(Self.numbers(steps.compactMap(\.planned)) == [0, 100, 1, 101])
    #expect(steps.map(\.passedOver) == [[], [Music.jingles], [], [Music.jingles]])
  }

  @Test func `weighted sources come as often as they weigh`() {
    let programme = Programme(
      PlayRules(.play([.init(Music.hot, weight: 3), .init(Music.gold)]), order: .shuffle))
    var plan = Plan(
      programme,
      [
        Music.hot: Music.catalogue(20, artists: 20),
        Music.gold: Music.catalogue(20, artists: 20, first: 100),
      ])
    let items = plan.items(40)
    #expect(items.count { $0.source == Music.hot } == 30)
    #expect(items.count { $0.source == Music.gold } == 10)
  }

  @Test func `separation is against all that the station played, from whatever source`() {
    let hot = Catalogue([Music.track(0, artist: "a"), Music.track(1, artist: "b")])
    let gold = Catalogue([Music.track(2, artist: "a"), Music.track(3, artist: "c")])
    let programme = Programme(
      PlayRules(.wheel([.init(Music.hot), .init(Music.gold)]), order: .shuffle))
    for seed in 0..<20 as Range<Int64> {
      var plan = Plan(
        programme, Stock([Music.hot: hot, Music.gold: gold]), in: .utc, state: .init(seed: seed))
      let items = plan.items(2)
      #expect(items[0].track?.artist != items[1].track?.artist)
      #expect(items[1].relaxed.isEmpty)
    }
  }

  @Test func `where separation cannot be kept, what is longest away comes, and is told`() {
    let catalogue = Catalogue((0..<4).map { Music.track($0, artist: $0 == 0 ? "rare" : "one") })
    let programme = Programme(PlayRules(.play(Music.hot), order: .shuffle))
    var plan = Plan(programme, [Music.hot: catalogue])
    let items = plan.items(5)
    #expect(items.dropFirst().contains { $0.relaxed.contains(.artist) })
    #expect(items.count == 5)
    // The second cycle begins with what was played first.
    #expect(items[4].track?.key == items[0].track?.key)
    #expect(items[4].relaxed.contains(.title))
  }

  @Test func `titles are equal by artist and title, whatever the file`() {
    let catalogue = Catalogue(
      (0..<6).map { Music.track($0, artist: "artist \($0 / 2)", title: $0 < 2 ? "same" : "t\($0)") }
    )
    let programme = Programme(
      PlayRules(
        .play(Music.hot), order: .shuffle, separate: Separate(artist: 0, title: 600, album: 0)))
    for seed in 0..<20 as Range<Int64> {
      var plan = Plan(
        programme, Stock([Music.hot: catalogue]), in: .utc, state: .init(seed: seed))
      let places = plan.items(6).enumerated().filter {
        $1.track?.title == catalogue.tracks[0].title
      }
      .map(\.offset)
      #expect(places.count == 2 && places[1] - places[0] >= 3, "seed \(seed)")
    }
  }

  // MARK: Nothing spins

  struct Idle: Sendable {
    var what: String
    var programme: Programme
    var waiting: Step.Waiting
  }

  static let idles = [
    Idle(what: "an empty source", programme: Programme(playing: Music.gold), waiting: .empty),
    Idle(
      what: "a source that is not there", programme: Programme(playing: Music.news), waiting: .empty
    ),
    Idle(
      what: "one empty track, repeated",
      programme: Programme(PlayRules(.play(Music.jingles), repeats: .one)), waiting: .empty),
    Idle(
      what: "a wheel of empty sources",
      programme: Programme(
        PlayRules(.wheel([.init(Music.gold, count: 20), .init(Music.jingles)]), order: .shuffle)),
      waiting: .empty),
    Idle(
      what: "inserts behind each track of nothing",
      programme: Programme(
        PlayRules(.play(Music.gold), inserts: [InsertRule(Music.gold, .everyTracks(1))])),
      waiting: .empty),
    Idle(
      what: "a station that does not play",
      programme: Programme(playing: .station("studio")), waiting: .station),
    Idle(what: "no choice at all", programme: Programme(PlayRules()), waiting: .empty),
  ]

  @Test(arguments: idles)
  func `where nothing can be played, the plan ends and says why`(idle: Idle) {
    let silent = Catalogue([Music.track(0, 0), Music.track(1, -5), Music.track(2, .nan)])
    var plan = Plan(idle.programme, [Music.gold: Catalogue([]), Music.jingles: silent])
    let step = plan.next(at: 0)
    #expect(step.planned == nil, "\(idle.what)")
    #expect(step.waiting == idle.waiting, "\(idle.what)")
    #expect(plan.upcoming(from: 0).isEmpty)
    let day = Rehearsal(plan, from: 0, seconds: 86_400)
    #expect(day.count == 0 && day.silent == 86_400_000)
  }

  @Test func `an insert of an empty source is passed over, told, and not tried at each border`() {
    let rules = PlayRules(
      .play(Music.hot), inserts: [InsertRule(Music.jingles, .everyTracks(3))])
    var plan = Plan(Programme(rules), [Music.hot: Self.five, Music.jingles: Catalogue([])])
    let steps = plan.steps(10)
    #expect(steps.allSatisfy { $0.planned?.kind == .track })
    #expect(steps.map { $0.passedOver.count } == [0, 0, 0, 1, 0, 0, 1, 0, 0, 1])
  }

  @Test func `tracks without sound are never begun`() {
    let tracks = [Music.track(0, 0), Music.track(1), Music.track(2, 0.05), Music.track(3)]
    for order in Order.allCases {
      var plan = Plan(Programme(playing: Music.hot, order: order), [Music.hot: Catalogue(tracks)])
      #expect(Set(plan.items(6).keys) == [Music.key(1), Music.key(3)])
    }
  }

  @Test func `an insert longer than its interval still lets a track in between`() {
    let rules = PlayRules(
      .play(Music.hot), inserts: [InsertRule(Music.jingles, .every(seconds: 60))])
    var plan = Plan(
      Programme(rules), [Music.hot: Self.five, Music.jingles: Music.catalogue(1, first: 100)])
    #expect(plan.items(6).map(\.kind) == [.track, .insert, .track, .insert, .track, .insert])
  }

  // MARK: What is shown

  @Test func `what is shown as to come is what plays, with the same numbers`() {
    let rules = PlayRules(
      .wheel([.init(Music.hot), .init(Music.gold)]), order: .shuffle,
      inserts: [InsertRule(Music.jingles, .everyTracks(2))])
    var plan = Plan(
      Programme(rules),
      [
        Music.hot: Music.catalogue(9, artists: 4), Music.gold: Music.catalogue(5, first: 100),
        Music.jingles: Music.catalogue(2, first: 50, seconds: { _ in 8 }),
      ])
    var now: Int64 = 0
    for round in 0..<40 {
      let shown = plan.upcoming(from: now, count: 1 + round % 12)
      let item = plan.next(at: now).planned
      #expect(item?.item == shown.first?.item && item?.track == shown.first?.track)
      // The border itself may be a little off.
      now = (item?.end ?? 0) + Int64(round % 3) * 700 - 700
      let again = plan.upcoming(from: now)
      #expect(
        zip(again, shown.dropFirst()).allSatisfy { $0.item == $1.item && $0.track == $1.track })
    }
  }

  @Test(arguments: Order.allCases)
  func `a plan says how far it is through its sources`(order: Order) {
    let programme = Programme(
      PlayRules(.wheel([.init(Music.hot), .init(Music.gold)]), order: order))
    var plan = Plan(programme, [Music.hot: Self.five, Music.gold: Music.catalogue(3, first: 100)])
    #expect(plan.progress(in: nil) == .init(cycle: 1, left: 8, total: 8))
    _ = plan.items(5)
    #expect(plan.progress(in: nil) == .init(cycle: 1, left: 3, total: 8))
    _ = plan.items(3)
    #expect(plan.progress(in: nil) == .init(cycle: 1, left: 3, total: 8))
    _ = plan.items(3)
    #expect(plan.progress(in: nil) == .init(cycle: 2, left: 5, total: 8))
    plan.use(Stock())
    #expect(plan.progress(in: nil) == .init(cycle: 1, left: 0, total: 0))
  }

  @Test func `showing what comes changes nothing`() {
    let catalogue = Music.catalogue(30, artists: 7)
    let programme = Programme(playing: Music.hot, order: .shuffle)
    var (one, two) = (
      Plan(programme, [Music.hot: catalogue]), Plan(programme, [Music.hot: catalogue])
    )
    var now: Int64 = 0
    for _ in 0..<70 {
      _ = one.upcoming(from: now)
      let (shown, plain) = (one.next(at: now).planned, two.next(at: now).planned)
      #expect(shown?.track == plain?.track)
      now = plain?.end ?? 0
    }
  }
}
