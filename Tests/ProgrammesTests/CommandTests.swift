import Testing
import Wire

@testable import Programmes

/// What people do to a programme, and what plays then.
@Suite struct CommandTests {
  private static func plan(_ order: Order = .sequence, count: Int = 9) -> Plan {
    Plan(
      Programme(playing: Music.hot, order: order),
      Stock(
        [
          Music.hot: Music.catalogue(count, artists: count),
          Music.gold: Music.catalogue(3, first: 100),
        ],
        queued: Music.catalogue(5, first: 200)), in: .utc, state: ProgrammeState(seed: 7))
  }

  @Test(arguments: Order.allCases)
  func `next plays what was shown as next, whenever it is said`(order: Order) {
    var plan = Self.plan(order)
    var now: Int64 = 0
    _ = plan.next(at: now)
    for round in 0..<30 as Range<Int64> {
      let shown = plan.upcoming(from: now + 240_000)
      plan.skip()
      now += 20_000 + round * 7000
      let item = plan.next(at: now).planned
      #expect(item?.track == shown.first?.track && item?.item == shown.first?.item)
      #expect(item?.why == .skip)
    }
  }

  @Test func `next twice is two items`() {
    var plan = Self.plan(.shuffle)
    _ = plan.next(at: 0)
    let shown = plan.upcoming(from: 240_000)
    plan.skip()
    let first = plan.next(at: 10_000).planned
    plan.skip()
    let second = plan.next(at: 10_500).planned
    #expect([first?.track, second?.track] == [shown[0].track, shown[1].track])
  }

  @Test(arguments: Order.allCases)
  func `an item to come is skipped, and the others stay`(order: Order) {
    var plan = Self.plan(order)
    _ = plan.next(at: 0)
    let shown = plan.upcoming(from: 240_000, count: 5)
    #expect(plan.skip(item: shown[2].item) == true)
    #expect(plan.skip(item: shown[2].item) == false)
    #expect(plan.skip(item: 4711) == false)
    let rest = plan.upcoming(from: 240_000, count: 4)
    #expect(rest.keys == [shown[0], shown[1], shown[3], shown[4]].keys)
    #expect(rest.map(\.item) == [shown[0].item, shown[1].item, shown[3].item, shown[4].item])
    #expect(plan.items(4, from: 240_000).keys == rest.keys)
  }

  @Test func `previous plays a track, though an insert is due`() {
    let rules = PlayRules(
      .play(Music.hot), inserts: [InsertRule(Music.gold, .everyTracks(1))])
    var plan = Plan(
      Programme(rules), [Music.hot: Music.catalogue(9), Music.gold: Music.catalogue(3, first: 100)])
    let first = plan.next(at: 0).planned
    let isThere = plan.previous(after: 60)
    #expect(isThere)
    let again = plan.next(at: 60_000).planned
    #expect(again?.track == first?.track && again?.why == .previous)
    let insert = plan.next(at: 300_000).planned
    #expect(insert?.kind == .insert)
  }

  @Test func `an insert to come is skipped once`() {
    var plan = Self.plan()
    var programme = plan.programme
    programme.rules.inserts = [
      InsertRule(Music.gold, .at([MinuteMark(hour: nil, minute: 10)!], .soft)),
      InsertRule(.collection("none"), .everyTracks(2)),
    ]
    plan.use(programme)
    _ = plan.next(at: 0)
    let shown = plan.upcoming(from: 240_000, count: 4)
    #expect(shown.map(\.kind) == [.track, .track, .insert, .track])
    #expect(plan.skip(item: shown[2].item) == true)
    #expect(plan.upcoming(from: 240_000, count: 4).allSatisfy { $0.kind == .track })
    // The next hour's comes.
    #expect(plan.items(20, from: 240_000).count { $0.kind == .insert } == 1)
  }

  @Test func `previous plays the track before, or this one again, and then goes on`() {
    var plan = Self.plan()
    _ = plan.items(3)
    #expect(plan.previous(after: 2) == true)
    #expect(plan.items(4).keys == [1, 2, 3, 4].map(Music.key))
    #expect(plan.previous(after: 100) == true)
    #expect(plan.items(2).keys == [4, 5].map(Music.key))
  }

  @Test func `previous twice goes two tracks back, and ends at the first`() {
    var plan = Self.plan()
    _ = plan.items(3)
    #expect(plan.previous(after: 1) == true)
    let item = plan.next(at: 720_000).planned
    #expect(item?.why == .previous && item?.item == 4)
    #expect(plan.previous(after: 1) == true)
    #expect(plan.items(4).keys == [0, 1, 2, 3].map(Music.key))
    plan = Self.plan()
    #expect(plan.previous(after: 1) == false)
    _ = plan.next(at: 0)
    #expect(plan.previous(after: 1) == true)
    #expect(plan.items(2).keys == [0, 1].map(Music.key))
  }

  @Test func `a track of which nothing was heard comes again, and no other one`() {
    var plan = Self.plan()
    _ = plan.items(3)
    plan.takeBack(Music.key(1))
    plan.takeBack(Music.key(2))
    #expect(plan.items(2).keys == [2, 3].map(Music.key))
  }

  @Test func `what is to come again waits until its source is known, as after a start`() {
    var plan = Self.plan()
    _ = plan.items(3)
    plan.takeBack(Music.key(2))
    let stock = plan.stock
    var again = Plan(plan.programme, Stock(), in: plan.zone, state: plan.state)
    #expect(again.next(at: 900_000).planned == nil)
    again.use(stock)
    #expect(again.items(2).keys == [2, 3].map(Music.key))
    // Of a source that is named no more, nothing comes again.
    let other = Programme(PlayRules(.play(Music.gold)))
    let replaced = Plan(other, Stock(), in: plan.zone, state: plan.state)
    #expect(replaced.state.replays.isEmpty)
  }

  @Test(arguments: [
    InsertRule.Timing.everyTracks(2), .every(seconds: 400),
    .at([MinuteMark(hour: nil, minute: 10)!], .soft),
  ])
  func `an insert of which nothing was heard comes again, the same one`(
    timing: InsertRule.Timing
  ) throws {
    var plan = Self.plan()
    var programme = plan.programme
    programme.rules.inserts = [InsertRule(Music.gold, timing)]
    plan.use(programme)
    var (now, last): (Int64, Planned?) = (0, nil)
    for _ in 0..<20 where last?.kind != .insert {
      last = plan.next(at: now).planned
      now = try #require(last?.end)
    }
    let insert = try #require(last)
    #expect(insert.kind == .insert)
    // As after a kill: only what was written down is known.
    plan = Plan(programme, plan.stock, in: .utc, state: try plan.state.stored())
    plan.takeBack(Music.key(5))
    plan.takeBack(try #require(insert.track?.key))
    let again = plan.next(at: insert.at + 500).planned
    #expect(again?.kind == .insert && again?.track == insert.track && again?.item != insert.item)
    #expect(plan.next(at: now).planned?.kind == .track)
  }

  @Test(
    arguments: [
      (Join.fade, nil, 240.0, 4.0), (.fade, 7.5, 240, 7.5), (.fade, 7.5, 6, 2), (.fade, 2, -1, 0),
      (.gapless, 7.5, 240, 0), (.cut, 7.5, 240, 0),
    ] as [(Join, Double?, Double, Double)])
  func `a fade begins the next item early, by a third of an item at most`(
    join: Join, fade: Double?, seconds: Double, overlap: Double
  ) {
    let rules = PlayRules(.play(Music.hot), join: join, fade: fade)
    #expect(rules.overlap(of: seconds) == overlap)
    let stock = Stock([Music.hot: Catalogue([Music.track(1, 240)])])
    var plan = Plan(
      Programme(rules), stock, in: Music.berlin, state: ProgrammeState(seed: 1))
    let length = plan.next(at: 0).planned?.length
    #expect(length == 240_000 - Int64(rules.overlap(of: 240) * 1000))
  }

  // MARK: The queue

  @Test func `what is queued comes in its order, next before end`() throws {
    var plan = Self.plan()
    _ = plan.next(at: 0)
    let items = try plan.queue([.init(key: Music.key(200)), .init(key: Music.key(201))])
    let soon = try plan.queue([.init(source: Music.hot, key: Music.key(7))], isNext: true)
    let shown = plan.upcoming(from: 240_000, count: 5)
    #expect(shown.keys == [7, 200, 201, 1, 2].map(Music.key))
    #expect(shown.prefix(3).map(\.item) == soon + items)
    #expect(shown.map(\.why) == [.queue, .queue, .queue, .order, .order])
    #expect(plan.unqueue([items[0], 4711]) == 1)
    #expect(plan.skip(item: items[1]) == true)
    #expect(plan.items(2, from: 240_000).keys == [7, 1].map(Music.key))
    #expect(plan.state.queue.isEmpty)
  }

  @Test func `a queued source is played whole, each track with a number of its own`() throws {
    var plan = Self.plan()
    let first = try plan.queue([.init(source: Music.gold), .init(key: Music.key(200))])
    let items = plan.items(5)
    #expect(items.keys == [100, 101, 102, 200, 0].map(Music.key))
    #expect(items[0].item == first[0] && items[3].item == first[1])
    #expect(Set(items.map(\.item)).count == 5)
  }

  @Test func `a time in the queue is the first border at or behind it`() throws {
    var plan = Self.plan()
    try plan.queue([.init(key: Music.key(200), due: 600_000), .init(key: Music.key(201))])
    let items = plan.items(6)
    #expect(items.keys == [201, 0, 1, 200, 2, 3].map(Music.key))
    #expect(items[3].due == 600_000)
  }

  @Test func `what is not there yet is waited for, what is gone is told`() throws {
    var plan = Self.plan()
    let items = try plan.queue([
      .init(source: Music.news), .init(source: Music.hot, key: Music.key(999)),
      .init(key: Music.key(999)),
    ])
    let step = plan.next(at: 0)
    #expect(step.planned?.track?.key == Music.key(0))
    #expect(step.gone == [items[1]])
    // A track of the queue's own may be in a folder that is away.
    #expect(step.away == [items[2]])
    #expect(plan.state.queue.map(\.item) == [items[0], items[2]])
    var stock = plan.stock
    stock.catalogues[Music.news] = Music.catalogue(1, first: 300)
    plan.use(stock)
    #expect(plan.items(2, from: 240_000).keys == [300, 1].map(Music.key))
  }

  @Test func `a full queue takes none of what is too much, and is emptied`() throws {
    var plan = Self.plan()
    let many = Array(
      repeating: ProgrammeState.Queued(key: Music.key(200)), count: ProgrammeState.queueMax - 1)
    try plan.queue(many)
    #expect(throws: Plan.Refusal.queueFull) {
      try plan.queue([.init(key: Music.key(200)), .init(key: Music.key(201))])
    }
    #expect(plan.state.queue.count == ProgrammeState.queueMax - 1)
    plan.clear()
    #expect(plan.items(1).keys == [Music.key(0)])
  }

  // MARK: Changes

  @Test func `reshuffling begins a new cycle in another order`() {
    var plan = Self.plan(.shuffle, count: 30)
    _ = plan.items(10)
    let before = plan.upcoming(from: 2_400_000, count: 20).keys
    plan.reshuffle()
    let after = plan.items(30, from: 2_400_000).keys
    #expect(Set(after).count == 30)
    #expect(Array(after.prefix(20)) != before)
  }

  @Test func `changed rules count from the next item on`() {
    var plan = Self.plan(count: 30)
    _ = plan.items(2)
    plan.use(Programme(playing: Music.gold))
    #expect(plan.items(2).keys == [100, 101].map(Music.key))
    // What was played of a source is known when it comes again.
    plan.use(Programme(playing: Music.hot))
    #expect(plan.items(1).keys == [Music.key(2)])
  }

  @Test func `an item never has another's number, whatever is changed`() throws {
    var plan = Self.plan(.shuffle, count: 40)
    var (seen, now): (Set<Int64>, Int64) = ([], 0)
    for round in 0..<200 {
      _ = plan.upcoming(from: now)
      switch round % 7 {
      case 0: plan.skip()
      case 1: try plan.queue([.init(source: Music.gold)], isNext: round % 2 == 0)
      case 2: plan.previous(after: 1)
      case 3: plan = Plan(plan.programme, plan.stock, in: .utc, state: try plan.state.stored())
      case 4: plan.use(plan.stock)
      case 5: plan.skip(item: plan.upcoming(from: now)[1].item)
      default: plan.reshuffle()
      }
      let item = try #require(plan.next(at: now).planned)
      #expect(seen.insert(item.item).inserted, "round \(round)")
      now += 100_000
    }
  }
}
