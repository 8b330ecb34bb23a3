import TestSupport
import Testing
import Wire

@testable import Programmes

/// Days of stations that are restarted, reloaded and skipped while clocks change.
@Suite struct LifeTests {
  /// One station's days, and what it promised.
  private struct Life {
    let seed: UInt64
    var random: SplitMix
    var plan: Plan
    var now: Int64
    var first: Int64
    /// Nothing but time has passed since the last item was decided on.
    var isCalm = false
    /// When the first item behind the last disturbance began.
    var calmSince: Int64 = .max
    var played: [Source: [Int64]] = [:]
    var missed: [Source: [Int64]] = [:]
    var turn = 0
    var last: Planned?
    var faults: [String] = []

    init(seed: UInt64) {
      self.seed = seed
      random = SplitMix(seed: seed)
      let night = seed % 2 == 0 ? "2026-10-24T12:00:00Z" : "2026-03-28T12:00:00Z"
      now = Music.moment(night) + Int64.random(in: 0..<36_000_000, using: &random)
      first = now
      let stock = Stock([
        Music.hot: Music.catalogue(150, artists: 50, seconds: Music.songLength),
        Music.gold: Music.catalogue(90, artists: 40, first: 200, seconds: Music.songLength),
        LifeTests.party: Music.catalogue(120, artists: 30, first: 400, seconds: Music.songLength),
        Music.jingles: Music.catalogue(3, first: 600, seconds: { _ in 9 }),
        Music.news: Music.catalogue(1, first: 700, seconds: { _ in 170 }),
        LifeTests.bell: Music.catalogue(1, first: 800, seconds: { _ in 12 }),
      ])
      plan = Plan(
        LifeTests.programme, stock, in: Music.berlin, state: ProgrammeState(seed: Int64(seed)))
    }

    mutating func fault(_ text: String) {
      faults.append("seed \(seed), \(TimestampText.rfc3339(now * 1_000_000)): \(text)")
    }

    mutating func live(items: Int) throws {
      for _ in 0..<items where faults.isEmpty {
        let step = plan.next(at: now)
        note(step)
        guard let item = step.planned, let end = item.end else { return fault("silence") }
        check(item, end)
        last = item
        if !isCalm { calmSince = now }
        isCalm = true
        try happen(item, end)
      }
    }

    private mutating func note(_ step: Step) {
      for missed in step.missed {
        self.missed[missed.rule.source, default: []].append(missed.due)
        if isCalm, missed.due > calmSince { fault("missed \(missed.due)") }
        if now <= missed.due + Int64(missed.rule.within) * 1000 { fault("missed too soon") }
      }
      guard let item = step.planned, let due = item.due, let source = item.source else { return }
      played[source, default: []].append(due)
      if now > due + Int64(item.rule?.within ?? 0) * 1000 { fault("too late") }
      if now < due - 20_000 { fault("too early") }
      // Only what cannot be cut, or came at the same moment, may hold up a hard insert.
      if isCalm, item.isHard, abs(now - due) > 1000, last?.due != due { fault("not on time") }
    }

    private mutating func check(_ item: Planned, _ end: Int64) {
      if item.at != now || end <= now { fault("from \(item.at) to \(end)") }
      func part(_ moment: Int64) -> Int? {
        LifeTests.programme.parts.firstIndex {
          !$0.times.current(at: moment / 1000, in: Music.berlin).isEmpty
        }
      }
      if ![part(now), part(now + 20_000)].contains(item.part) {
        fault("part \(String(describing: item.part))")
      }
      // What plays makes room for a part: a hard one at once, a soft one within its time.
      for (index, rules) in LifeTests.programme.parts.enumerated() {
        guard let next = rules.times.next(after: now / 1000 + 20, in: Music.berlin) else {
          continue
        }
        let start = next.start * 1000
        guard part(start) == index, item.kind != .live else { continue }
        if end > start + (rules.onset == .hard ? 0 : Int64(rules.late) * 1000) {
          fault("plays into part \(index)")
        }
      }
      // The wheel's slots come in turn, whatever comes between.
      guard item.part == nil, [.order, .skip].contains(item.why) else { return }
      if item.source != LifeTests.wheel[turn % 3] { fault("another slot") }
      turn += 1
    }

    private mutating func happen(_ item: Planned, _ end: Int64) throws {
      let whole = end - now
      switch Int.random(in: 0..<30, using: &random) {
      case 0:
        // Away for up to three hours, within an item.
        now += Int64.random(in: 0...whole, using: &random)
        plan = Plan(plan.programme, plan.stock, in: Music.berlin, state: try plan.state.stored())
        now += Int64.random(in: 0...10_800_000, using: &random)
        isCalm = false
      case 1:
        now += Int64.random(in: 0...whole, using: &random)
        plan.use(plan.programme)
        plan.skip()
        isCalm = false
      case 2:
        // The clock is set; what plays does not notice.
        now = end + Int64.random(in: -7_200_000...7_200_000, using: &random)
        isCalm = false
      case 3, 4:
        let shown = plan.upcoming(from: end)
        now = end
        if let next = shown.first, plan.upcoming(from: end).first != next { fault("shows another") }
      case 5:
        plan.use(plan.programme)
        plan.use(plan.stock)
        now = end
      default: now = end
      }
      first = min(first, now)
    }

    /// Compares what was played and missed with the moments that the clock has shown.
    mutating func settle() {
      let decided = plan.state.decided ?? now
      for (source, marks, within) in LifeTests.rules {
        let all = (played[source] ?? []) + (missed[source] ?? [])
        if Set(all).count != all.count { fault("\(source.text) twice") }
        let due = LifeTests.moments(marks, from: first, to: decided - within * 1000)
        let left = due.filter { !all.contains($0) }
        if !left.isEmpty { fault("\(source.text) not at \(left)") }
      }
    }
  }

  private static let party = Source.collection("party")
  private static let bell = Source.collection("bell")
  private static let wheel = [Music.hot, Music.hot, Music.gold]

  /// Sources of inserts, their minutes of the hour, and the seconds within which they come.
  private static let rules: [(Source, [Int], Int64)] = [
    (Music.news, [0], 600), (bell, [20, 50], 60),
  ]

  private static let programme = Programme(
    PlayRules(
      .wheel([.init(Music.hot, count: 2), .init(Music.gold)]), order: .shuffle,
      inserts: [
        InsertRule(Music.jingles, .everyTracks(3)),
        InsertRule(Music.news, .at([MinuteMark(hour: nil, minute: 0)!], .soft), within: 600),
        InsertRule(
          bell, .at([20, 50].map { MinuteMark(hour: nil, minute: $0)! }, .hard), within: 60),
      ]),
    parts: [
      .init(WeeklyTimes(from: 2 * 3600 + 1800, to: 4 * 3600), PlayRules(.play(party)), late: 120),
      .init(
        WeeklyTimes(from: 20 * 3600, to: 3 * 3600), PlayRules(.play(party), order: .sequence),
        onset: .hard),
    ])

  /// The first moments, minute by minute, at which the local clock shows one of some minutes.
  private static func moments(_ minutes: [Int], from: Int64, to: Int64) -> [Int64] {
    guard from < to else { return [] }
    var shown: Set<Int64> = []
    // From a day before, since a local time counts when it is shown first.
    return stride(from: from / 60_000 - 1440, through: to / 60_000, by: 1).compactMap { minute in
      let local = minute * 60 + Int64(Music.berlin.offset(at: minute * 60))
      guard minutes.contains(Int(local / 60 % 60)), shown.insert(local).inserted else { return nil }
      let moment = minute * 60_000
      return moment >= from && moment < to ? moment : nil
    }
  }

  @Test func `each insert comes once or is told as missed, through restarts, skips and clocks`()
    throws
  {
    var (played, missed) = (0, 0)
    for seed in 0..<100 as Range<UInt64> {
      var life = Life(seed: seed)
      try life.live(items: 500)
      life.settle()
      if let fault = life.faults.first {
        Issue.record("\(fault)")
        return
      }
      played += life.played.values.reduce(0) { $0 + $1.count }
      missed += life.missed.values.reduce(0) { $0 + $1.count }
    }
    print("\(played) inserts were played, \(missed) told as missed")
    // Most of what was missed was due while a station was away.
    #expect(played > 3000 && missed > 1000)
  }
}
