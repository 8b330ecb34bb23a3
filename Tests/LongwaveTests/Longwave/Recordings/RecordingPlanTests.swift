import Testing
import Timeshift
import Wire

@testable import Longwave
@testable import Settings

/// What schedules and time make of the recordings there are.
@Suite struct RecordingPlanTests {
  private let zone = ZoneOffsets(fixed: "Z")!
  /// 2026-11-20T00:00:00Z, a Friday.
  private let midnight: Int64 = 1_795_132_800

  private func rule(_ from: Int, _ to: Int, name: String? = nil) -> RecordingRule {
    var rule = RecordingRule(from: from * 3600, to: to * 3600)
    rule.name = name
    return rule
  }

  private func airing(_ from: Int, _ to: Int) -> Airing {
    Airing(start: midnight + Int64(from) * 3600, end: midnight + Int64(to) * 3600)
  }

  private func entry(
    _ id: Int64, _ rule: RecordingRule, _ airing: Airing,
    _ state: RecordingEntry.State = .recording
  ) -> RecordingEntry {
    var entry = RecordingEntry(
      id: id, options: .init(station: "jazz", name: "x"), startedAt: airing.start)
    (entry.state, entry.schedule) = (state, .init(rule, airing))
    return entry
  }

  private func steps(
    _ rules: [RecordingRule], _ entries: [RecordingEntry], at hour: Double,
    since look: Double? = nil
  ) -> [RecordingPlan.Step] {
    RecordingPlan.steps(
      rules, entries, in: zone, at: midnight + Int64(hour * 3600),
      since: look.map { midnight + Int64($0 * 3600) })
  }

  @Test func `a show that nobody looked at is recorded from the log`() {
    let (show, next) = (rule(18, 19), rule(19, 20))
    #expect(steps([show], [], at: 19.5, since: 17.5) == [.begin(show, airing(18, 19))])
    #expect(
      steps([show, next], [], at: 19.5, since: 17.5)
        == [.begin(show, airing(18, 19)), .begin(next, airing(19, 20))])
    #expect(
      steps([next, show], [], at: 23, since: 18).map { $0 } == [.begin(next, airing(19, 20))])
    // It was looked at while it was on, or is there.
    #expect(steps([show], [], at: 19.5, since: 18.5).isEmpty)
    #expect(steps([show], [], at: 19.5).isEmpty)
    for state in RecordingEntry.State.allCases {
      #expect(steps([show], [entry(1, show, airing(18, 19), state)], at: 19.5, since: 17.5).isEmpty)
    }
  }

  @Test func `a show begins in time, once, and not again when it was stopped`() {
    let show = rule(18, 20)
    #expect(steps([show], [], at: 17.9).isEmpty)
    #expect(steps([show], [], at: 18) == [.begin(show, airing(18, 20))])
    // The relay was started late.
    #expect(steps([show], [], at: 19.5) == [.begin(show, airing(18, 20))])
    for state in RecordingEntry.State.allCases {
      #expect(steps([show], [entry(1, show, airing(18, 20), state)], at: 19).isEmpty)
    }
    #expect(steps([show], [], at: 20).isEmpty)
    // Tomorrow's is another one.
    let yesterday = entry(
      1, show, Airing(start: midnight - 21_600, end: midnight - 14_400), .finished)
    #expect(steps([show], [yesterday], at: 18) == [.begin(show, airing(18, 20))])
  }

  @Test func `a changed show keeps its own recording, and a show takes none of administrators`() {
    func show(_ name: String, _ from: Int, _ to: Int, name pattern: String? = nil) -> RecordingRule
    {
      var rule = rule(from, to, name: pattern)
      rule.show = name
      return rule
    }
    let all = ["Gone", "Keys", "Name"].enumerated().map { index, name in
      entry(Int64(index + 1), show(name, 18, 20), airing(18, 20))
    }
    let keys = show("Keys", 18, 20, name: "other")
    let steps = steps([keys, show("New", 18, 20)], all, at: 19)
    let new = RecordingEntry.Schedule(show("New", 18, 20), airing(18, 20))
    #expect(
      steps == [
        .change(2, .init(keys, airing(18, 20))), .change(1, new), .end(3),
      ])
    let plain = rule(18, 20)
    #expect(
      self.steps([keys], [entry(1, plain, airing(18, 20))], at: 19)
        == [.end(1), .begin(keys, airing(18, 20))])
    #expect(
      self.steps([plain], [entry(1, keys, airing(18, 20))], at: 19)
        == [.end(1), .begin(plain, airing(18, 20))])
  }

  @Test func `overlapping shows are recorded each for itself`() {
    let (long, short) = (rule(18, 20), rule(19, 20))
    let running = entry(1, long, airing(18, 20))
    #expect(steps([long, short], [running], at: 19) == [.begin(short, airing(19, 20))])
    let second = rule(18, 20, name: "again")
    #expect(steps([long, second], [running], at: 18.5) == [.begin(second, airing(18, 20))])
  }

  @Test func `a changed schedule leaves alone what it still wants`() {
    let show = rule(18, 20)
    let running = entry(1, show, airing(18, 20))
    #expect(
      steps([rule(18, 21)], [running], at: 19) == [.change(1, .init(rule(18, 21), airing(18, 21)))])
    #expect(steps([], [running], at: 19) == [.end(1)])
    #expect(
      steps([rule(17, 20)], [running], at: 19) == [.end(1), .begin(rule(17, 20), airing(17, 20))])
    // Shortened to what is over.
    #expect(steps([rule(18, 19)], [running], at: 19) == [.end(1)])
    // Which of two was taken away.
    let other = rule(18, 20, name: "again")
    let both = [running, entry(2, other, airing(18, 20))]
    #expect(steps([other], both, at: 19) == [.end(1)])
    #expect(steps([show], both, at: 19) == [.end(2)])
    // One that is over ends by itself.
    #expect(steps([], [running], at: 20).isEmpty)
    var kept = show
    kept.keep.count = 3
    #expect(steps([kept], [running], at: 19) == [.change(1, .init(kept, airing(18, 20)))])
  }

  @Test func `a fast clock that is set right during a show leaves its recording alone`() {
    let show = rule(18, 20)
    let running = entry(1, show, airing(18, 20))
    for hour in [17.97, 17.5, 18, 18.5] { #expect(steps([show], [running], at: hour).isEmpty) }
    // Not for hours, and not without its rule.
    #expect(steps([show], [running], at: 13) == [.end(1)])
    #expect(steps([], [running], at: 17.97) == [.end(1)])
  }

  @Test func `a show that ended by a wrong clock begins again`() {
    let show = rule(18, 20)
    func ended(at hour: Double, _ reason: String? = nil) -> RecordingEntry {
      var entry = entry(1, show, airing(18, 20), .finished)
      entry.endedAt = (midnight + Int64(hour * 3600)) * 1_000_000_000
      entry.reason = reason
      return entry
    }
    let again = [RecordingPlan.Step.begin(show, airing(18, 20))]
    #expect(steps([show], [ended(at: 20.5)], at: 18.1) == again)
    #expect(steps([show], [ended(at: 13, RecordingEntry.unscheduledReason)], at: 18) == again)
    // By a command, or with all it may hold, it is over.
    var stopped = ended(at: 20.5)
    stopped.isStopped = true
    #expect(steps([show], [stopped], at: 18.1).isEmpty)
    #expect(steps([show], [ended(at: 20.5, "it has what max-size allows")], at: 18.1).isEmpty)
    #expect(steps([show], [ended(at: 18.1)], at: 18.1).isEmpty)
  }

  @Test func `recordings by command are left alone by schedules`() {
    let byCommand = RecordingEntry(
      id: 1, options: .init(station: "jazz", name: "x"), startedAt: midnight)
    #expect(steps([], [byCommand], at: 19).isEmpty)
  }

  @Test func `the next start is the soonest of all`() {
    let rules = [rule(18, 20), rule(6, 7)]
    let next = { RecordingPlan.nextStart(rules, in: zone, after: midnight + $0 * 3600) }
    #expect(next(0) == midnight + 6 * 3600 && next(6) == midnight + 18 * 3600)
    #expect(next(18) == midnight + 30 * 3600)
    #expect(RecordingPlan.nextStart([], in: zone, after: midnight) == nil)
  }
}

@Suite struct RecordingRetentionTests {
  private let now: Int64 = 1_795_132_800_000_000_000
  private let day: Int64 = 86_400_000_000_000

  /// One that ended so many days ago, with a file unless it has none.
  private func entry(
    _ id: Int64, days: Int64, station: String = "jazz", rule: RecordingRule? = nil, files: Int = 1,
    _ state: RecordingEntry.State = .finished
  ) -> RecordingEntry {
    var entry = RecordingEntry(
      id: id, options: .init(station: station, name: "x"), startedAt: now - days * day - 3600)
    (entry.state, entry.fileCount) = (state, files)
    if state != .recording { entry.endedAt = now - days * day }
    entry.schedule = rule.map { .init($0, Airing(start: 0, end: 1)) }
    return entry
  }

  private func expired(
    _ entries: [RecordingEntry], seconds: Double? = nil, count: Int? = nil
  ) -> [Int64] {
    RecordingRetention.expired(entries, now: now) { _ in
      RecordingKeep(seconds: seconds, count: count)
    }.map(\.id).sorted()
  }

  @Test func `recordings are kept for ever, so long, so many, or whichever is less`() {
    let entries = (0..<6).map { entry($0, days: $0) }
    #expect(expired(entries).isEmpty)
    #expect(expired(entries, seconds: 3 * 86_400) == [3, 4, 5])
    #expect(expired(entries, count: 2) == [2, 3, 4, 5])
    #expect(expired(entries, seconds: 86_400, count: 4) == [1, 2, 3, 4, 5])
    #expect(expired(entries, seconds: 1e8, count: 4) == [4, 5])
  }

  @Test func `a running recording never expires, and is not counted`() {
    let entries = [entry(1, days: 9, .recording), entry(2, days: 8), entry(3, days: 7)]
    #expect(expired(entries, seconds: 60, count: 1) == [2, 3])
    #expect(expired(entries, count: 2).isEmpty)
  }

  @Test func `every rule and every station keeps its own number of recordings`() {
    let (one, two) = (RecordingRule(from: 0, to: 60), RecordingRule(from: 0, to: 120))
    let entries = [
      entry(1, days: 1, rule: one), entry(2, days: 2, rule: one), entry(3, days: 3, rule: two),
      entry(4, days: 4), entry(5, days: 5, station: "rock"), entry(6, days: 6),
    ]
    #expect(expired(entries, count: 1) == [2, 6])
  }

  @Test func `a recording without files pushes no other out`() {
    let entries = [
      entry(1, days: 1, files: 0), entry(2, days: 2), entry(3, days: 3, files: 0, .failed),
      entry(4, days: 4),
    ]
    #expect(expired(entries, count: 1) == [3, 4])
  }
}
