import Testing
import Wire

@testable import Programmes

/// Items that were decided on, and of which nothing was heard.
@Suite struct PutBackTests {
  private static func plan(_ order: Order = .sequence) -> Plan {
    let rules = PlayRules(
      .play(Music.hot), order: order,
      inserts: [
        InsertRule(Music.gold, .everyTracks(3)),
        InsertRule(Music.jingles, .at([MinuteMark(hour: nil, minute: 30)!], .soft)),
      ])
    return Plan(
      Programme(rules),
      Stock([
        Music.hot: Music.catalogue(9, artists: 9), Music.gold: Music.catalogue(3, first: 100),
        Music.jingles: Music.catalogue(2, first: 200, seconds: { _ in 8 }),
      ]), in: .utc, state: ProgrammeState(seed: 7))
  }

  @Test(arguments: Order.allCases)
  func `an item that was put back comes again, and what was shown behind it`(order: Order) throws {
    var (plan, other) = (Self.plan(order), Self.plan(order))
    let queued = [3, 4].map { ProgrammeState.Queued(source: Music.hot, key: Music.key($0)) }
    try plan.queue(queued)
    try other.queue(queued)
    var now: Int64 = 0
    var kinds: Set<Planned.Why> = []
    for round in 0..<60 {
      let shown = plan.upcoming(from: now, count: 4)
      #expect(other.upcoming(from: now, count: 4) == shown)
      let first = plan.propose(at: now).planned
      if round % 3 == 0 { _ = plan.upcoming(from: try #require(first?.end), count: 4) }
      plan.putBack()
      plan.putBack()
      let again = plan.propose(at: now)
      let plain = other.next(at: now)
      #expect(again.planned == first && again == plain, "round \(round)")
      kinds.insert(try #require(first?.why))
      now = try #require(first?.end)
    }
    #expect(kinds == [.order, .queue, .insert])
    #expect(plan.items(10, from: now).keys == other.items(10, from: now).keys)
  }

  @Test func `what was told with an item is not told again behind it`() throws {
    var plan = Self.plan()
    _ = plan.next(at: 0)
    let items = try plan.queue([.init(source: Music.hot, key: Music.key(999))])
    // Two hours later, the insert of the first half hour is missed.
    let step = plan.propose(at: 7_200_000)
    #expect(step.gone == items && step.missed.count == 2)
    plan.putBack()
    let again = plan.propose(at: 7_200_000)
    #expect(again.planned == step.planned && again.gone.isEmpty && again.missed.isEmpty)
  }

  @Test func `a state without an item that has not begun has it as the next one`() throws {
    var plan = Self.plan(.shuffle)
    let played = try #require(plan.items(4).first?.track)
    let waiting = try #require(plan.propose(at: 960_000).planned)
    let queued = try plan.queue([.init(source: Music.hot, key: played.key)])
    let state = try plan.stateWithoutProposed.stored()
    var again = Plan(plan.programme, plan.stock, in: .utc, state: state)
    let items = again.items(2, from: 960_000)
    // What is queued comes before the order.
    #expect(items.map(\.track) == [played, waiting.track])
    #expect(items[0].item == queued[0] && items[1].item > queued[0])
  }

  @Test func `what was commanded meanwhile holds when an item is put back`() throws {
    var plan = Self.plan()
    _ = plan.next(at: 0)
    let waiting = try #require(plan.propose(at: 240_000).planned)
    let shown = plan.upcoming(from: 480_000, count: 3)
    let queued = try plan.queue([.init(source: Music.hot, key: Music.key(8))])
    let isSkipped = plan.skip(item: shown[1].item)
    #expect(isSkipped)
    plan.putBack()
    let coming = plan.items(3, from: 240_000)
    #expect(coming.keys == [8, 1, 2].map(Music.key))
    #expect(coming.map(\.item) == [queued[0], waiting.item, shown[0].item])
    #expect(plan.state.queue.isEmpty)
  }
}
