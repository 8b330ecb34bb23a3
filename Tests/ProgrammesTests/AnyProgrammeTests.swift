import TestSupport
import Testing
import Wire

@testable import Programmes

/// Programmes that nobody would write.
@Suite struct AnyProgrammeTests {
  private struct Maker {
    var random: SplitMix

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func maybe<Value>(_ make: (inout Maker) -> Value) -> Value? {
      number(0...1) == 0 ? nil : make(&self)
    }

    mutating func source() -> Source {
      switch number(0...5) {
      case 0: .collection("none")
      case 1: Music.news
      default: .collection("c\(number(0...3))")
      }
    }

    mutating func choice() -> Choice {
      switch number(0...3) {
      case 0: .play(.station("s\(number(0...1))"))
      case 1: .wheel((0..<number(1...4)).map { _ in .init(source(), count: number(1...3)) })
      case 2: .play((0..<number(1...4)).map { _ in .init(source(), weight: number(1...100)) })
      default: .play(source())
      }
    }

    mutating func times() -> WeeklyTimes {
      WeeklyTimes(
        days: Set(Weekday.allCases.filter { _ in number(0...2) > 0 }),
        from: number(0...1439) * 60, to: number(0...1439) * 60)
    }

    mutating func insert() -> InsertRule {
      let onset = number(0...1) == 0 ? Onset.soft : .hard
      let timing: InsertRule.Timing =
        switch number(0...3) {
        case 0: .everyTracks(number(1...4))
        case 1: .every(seconds: number(60...4000))
        default:
          .at(
            (0..<number(1...5)).map { _ in
              MinuteMark(hour: maybe { $0.number(0...23) }, minute: number(0...59))!
            }, onset)
        }
      return InsertRule(source(), timing, times: maybe { $0.times() }, within: number(1...3600))
    }

    mutating func rules(isPart: Bool) -> PlayRules {
      var rules = PlayRules(isPart ? maybe { $0.choice() } : choice())
      rules.order = maybe { Order.allCases[$0.number(0...2)] }
      rules.repeats = maybe { Repeat.allCases[$0.number(0...2)] }
      rules.separate = maybe {
        Separate(artist: $0.number(0...9000), title: $0.number(0...9000), album: 0)
      }
      rules.inserts = maybe { maker in (0..<maker.number(0...3)).map { _ in maker.insert() } }
      rules.join = .cut
      return rules
    }

    mutating func programme() -> Programme {
      var programme = Programme(rules(isPart: false))
      programme.parts = (0..<number(0...3)).map { _ in
        Programme.Part(
          times(), rules(isPart: true), onset: number(0...1) == 0 ? .soft : .hard,
          late: number(0...1200))
      }
      if number(0...3) == 0 { programme.live = .init("s1") }
      return programme
    }

    mutating func stock() -> Stock {
      var stock = Stock()
      for index in 0...3 where number(0...4) > 0 {
        stock.catalogues[.collection("c\(index)")] = Catalogue(
          (0..<number(0...12)).map { _ in
            let track = number(0...30)
            return Music.track(
              track, Double(number(0...9000)) / Double(number(1...40)),
              artist: number(0...3) == 0 ? "" : "artist \(number(0...4))",
              isExact: track % 3 > 0, added: Int64(track))
          })
      }
      stock.catalogues[Music.news] = maybe { maker in
        Music.catalogue(maker.number(0...2), first: 100, seconds: { _ in 180 })
      }
      stock.stations = Set(["s0", "s1"].filter { _ in number(0...3) == 0 })
      return stock
    }
  }

  /// Plays a programme for some items, with changes in between; returns what is wrong.
  private static func play(_ seed: UInt64) throws -> String? {
    var maker = Maker(random: SplitMix(seed: seed))
    let programme = maker.programme()
    try programme.validate()
    var plan = Plan(
      programme, maker.stock(), in: Music.berlin, state: ProgrammeState(seed: Int64(seed)))
    var now = Music.moment("2026-03-28T20:00:00Z") + Int64(maker.number(0...40_000)) * 1000
    var numbers: Set<Int64> = []
    for _ in 0..<60 {
      let shown = maker.number(0...3) == 0 ? plan.upcoming(from: now) : []
      let step = plan.next(at: now)
      if let item = step.planned {
        guard item.at == now, item.end ?? .max > now else { return "no length: \(item)" }
        guard numbers.insert(item.item).inserted else { return "number \(item.item) twice" }
        guard item.kind == .live || item.track?.isPlayable == true else { return "silent: \(item)" }
        if let next = shown.first, next != item { return "shown \(next), played \(item)" }
        now = item.end ?? now + 1_000_000
      } else {
        guard step.waiting != nil else { return "nothing, and not why" }
        now += 60_000
      }
      switch maker.number(0...19) {
      case 0: plan.use(maker.stock())
      case 1: plan.use(maker.programme())
      case 2:
        plan = Plan(plan.programme, plan.stock, in: plan.zone, state: try plan.state.stored())
      case 3:
        plan.skip()
        now -= Int64(maker.number(0...100)) * 1000
      case 4: plan.previous(after: Double(maker.number(0...5)))
      case 5:
        try plan.queue(
          [.init(source: maker.source()), .init(key: Music.key(maker.number(0...40)))],
          isNext: maker.number(0...1) == 0)
      case 6: if let last = plan.upcoming(from: now).last { plan.skip(item: last.item) }
      case 7: now += Int64(maker.number(-90_000...90_000)) * 1000
      default: break
      }
    }
    return nil
  }

  @Test func `any programme plays on or says why it does not`() throws {
    for seed in 0..<1500 as Range<UInt64> {
      if let fault = try Self.play(seed) {
        Issue.record("seed \(seed): \(fault)")
        return
      }
    }
  }
}
