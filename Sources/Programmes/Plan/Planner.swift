import Wire

/// Decides on one item after the other: rules, music and zone in, items out. What it keeps besides is made of them.
struct Planner: Sendable {
  let programme: Programme
  let zone: ZoneOffsets
  var stock: Stock
  let seed: Int64
  /// Those outside of all parts, then those of each part.
  var rules: [ResolvedRules]
  /// Those of all rules, each once.
  let inserts: [ResolvedRules.Insert]
  var agenda: Agenda

  /// A track that people were told is next.
  struct Pin: Sendable {
    var place: String
    var fingerprint: UInt64
  }

  /// Inserts and parts that were due longer ago are only looked for after a pause.
  private static let back: Int64 = 2 * 3_600_000
  private static let ahead: Int64 = 26 * 3_600_000
  /// What is told as missed after a pause lies at most so far back.
  private static let missedBack: Int64 = 2 * 86_400_000
  static let missedMax = 500

  init(_ programme: Programme, _ stock: Stock, in zone: ZoneOffsets, seed: Int64) {
    (self.programme, self.stock, self.zone, self.seed) = (programme, stock, zone, seed)
    rules =
      [ResolvedRules(programme.rules, seed: seed, isOwn: false)]
      + programme.parts.indices.map { index in
        ResolvedRules(
          programme.rules(in: index), seed: seed,
          isOwn: programme.parts[index].rules.choice != nil)
      }
    var known: Set<UInt64> = []
    inserts = rules.flatMap(\.inserts).filter { known.insert($0.mark).inserted }
    agenda = Agenda(0..<0, programme, rules, in: zone)
  }

  /// Decides on the item that begins at a moment, in milliseconds since 1970.
  mutating func advance(
    _ state: inout ProgrammeState, at moment: Int64, pin: Pin? = nil
  ) -> Step {
    let now = ProgrammeState.moment(moment)
    var step = Step(at: now)
    let part = arrive(&state, at: now, &step)
    state.insertion = nil
    let rules = part.map { $0.part + 1 } ?? 0
    var planned =
      live(at: now)
      ?? dueInsert(&state, at: now)
      ?? queued(&state, at: now, isTimed: true, &step)
      ?? replay(&state, at: now)
      ?? insert(by: rules, &state, at: now, &step)
      ?? queued(&state, at: now, isTimed: false, &step)
      ?? ordered(by: rules, part, &state, at: now, pin, &step)
    if planned != nil {
      planned?.part = part?.part
    } else if rules > 0 {
      // What a part plays is over, or not there.
      planned = ordered(by: 0, nil, &state, at: now, pin, &step)
    }
    guard var planned else {
      step.waiting = step.waiting ?? .empty
      return step
    }
    step.waiting = nil
    if let length = planned.length {
      let overlap = programme.rules(in: planned.part).overlap(of: Double(length) / 1000)
      planned.length = length - Int64(bounded: overlap * 1000)
    }
    if planned.kind == .track, let track = planned.track { count(track, planned, &state) }
    planned.until =
      planned.kind == .live && planned.why == .live
      ? nil : cut(of: planned, at: now, state)
    // An insert comes between; the track behind it is still another one.
    if planned.kind == .track { state.isSkipped = false }
    step.planned = planned
    return step
  }

  // MARK: The clock

  /// Takes note of a moment, and of what was missed until then.
  ///
  /// - Returns: the part that is on.
  mutating func arrive(
    _ state: inout ProgrammeState, at now: Int64, _ step: inout Step
  ) -> Agenda.On? {
    look(at: now)
    settle(&state, at: now)
    miss(&state, at: now, &step)
    let part = part(at: now)
    begin(part, &state)
    return part
  }

  /// Makes the agenda reach from two hours back to some hours ahead.
  mutating func look(at now: Int64, length: Int64 = 0) {
    let end = now.saturatingAdd(max(length, Self.ahead / 4))
    guard now - Self.back < agenda.time.lowerBound || end >= agenda.time.upperBound else { return }
    let time = max(0, now - 2 * Self.back)..<max(end, now + Self.ahead)
    agenda = Agenda(time, programme, rules, in: zone)
  }

  /// Brings what the state knows of the past before `now`, where the clock was put back.
  func settle(_ state: inout ProgrammeState, at now: Int64) {
    state.history.settle(at: now)
    for insert in inserts {
      var mark = state.marks[insert.mark] ?? .init(since: now, last: now)
      mark.since = min(mark.since, now)
      mark.last = min(mark.last, now)
      state.marks[insert.mark] = mark
    }
    state.decided = min(state.decided ?? now, now)
  }

  /// Notes which inserts by the clock can no longer be within their time.
  private func miss(_ state: inout ProgrammeState, at now: Int64, _ step: inout Step) {
    let decided = state.decided ?? now
    let first = max(now - Self.missedBack, decided - Int64(InsertRule.withins.upperBound) * 1000)
    var dues = agenda.dues[...].prefix { $0.at <= now }
    if first < agenda.time.lowerBound {
      dues = Agenda(max(0, first)..<agenda.time.lowerBound, programme, rules, in: zone).dues + dues
    }
    for due in dues {
      guard due.at + due.within < now, due.at + due.within >= decided, isOpen(due, state) else {
        continue
      }
      state.decide(due.occurrence)
      step.missed.append(
        .init(rule: due.rule, due: due.at, reason: reason(due.rule.source)))
    }
    let known = now - Self.missedBack
    let isTimed = inserts.contains { if case .at = $0.rule.timing { true } else { false } }
    if isTimed, decided < known { step.unlisted = decided..<known }
    if step.missed.count > Self.missedMax {
      step.missed.removeFirst(step.missed.count - Self.missedMax)
      if let first = step.missed.first?.due { step.unlisted = min(decided, first)..<first }
    }
    state.decided = now
    state.forget(before: zone.day(at: now / 1000) - 2)
  }

  private func reason(_ source: Source) -> Step.Missed.Reason {
    if stock.has(source) { return .late }
    return source.station == nil && !stock.knows(source) ? .unknown : .empty
  }

  /// Whether an insert is still to be played or told as missed.
  func isOpen(_ due: Agenda.Due, _ state: ProgrammeState) -> Bool {
    due.at >= state.marks[due.mark]?.since ?? .max && !state.isDone(due.occurrence)
  }

  /// The part that is on for an item that begins at a moment.
  func part(at now: Int64) -> Agenda.On? {
    agenda.airings.first { on in
      let early = Agenda.early(programme.parts[on.part].onset)
      // A part so short that both borders might be early keeps its end.
      let ending = on.end - on.start > 4 * Agenda.softEarly ? Agenda.softEarly : 0
      return on.start - early <= now && now < on.end - ending
    }
  }

  /// Takes note of a part that begins: music that was over, and is not repeated, plays once more.
  private mutating func begin(_ part: Agenda.On?, _ state: inout ProgrammeState) {
    guard let part, state.airing != part.start else { return }
    state.airing = part.start
    let rules = rules[part.part + 1]
    guard rules.isOwn, rules.repeats == .once else { return }
    for source in rules.wheel.sources { rewind(source, rules.order, &state) }
  }

  // MARK: Counting

  private func count(
    _ track: Catalogue.Track, _ planned: Planned, _ state: inout ProgrammeState
  ) {
    state.history.add(track, at: planned.at)
    state.remember(.init(source: planned.source, key: track.key))
    for insert in inserts {
      guard let known = state.marks[insert.mark]?.tracks else { continue }
      state.marks[insert.mark]?.tracks = min(known + 1, InsertRule.tracks.upperBound)
    }
  }

  // MARK: Cuts

  /// When something that is hard, or would be too late, cuts an item; nil: nothing does.
  private mutating func cut(of planned: Planned, at now: Int64, _ state: ProgrammeState) -> Int64? {
    look(at: now, length: planned.length ?? 0)
    let end = planned.length.map { now + $0 }
    let cut = firstCut(since: now, at: now, isEndless: end == nil, state)
    guard let cut, end.map({ cut < $0 }) ?? true else { return nil }
    return cut
  }

  /// Returns the first moment, not before `now`, at which something cuts an item that began at `since`.
  func firstCut(
    since: Int64, at now: Int64, isEndless: Bool, _ state: ProgrammeState
  ) -> Int64? {
    var found: Int64?
    func add(_ moment: Int64) { found = min(found ?? .max, max(moment, now)) }
    // What was due when the item began has had its turn.
    for due in agenda.dues where due.onset == .hard && due.at > since + due.early {
      guard due.at + due.within >= now else { continue }
      guard stock.has(due.rule.source), isOpen(due, state) else { continue }
      add(due.at)
      break
    }
    for on in agenda.airings {
      let part = programme.parts[on.part]
      let late = part.onset == .hard || isEndless ? 0 : Int64(part.late) * 1000
      if on.start > since + Agenda.early(part.onset), on.end > now,
        agenda.part(on: on.start) == on.part, agenda.part(on: on.start - 1) != on.part,
        rules[on.part + 1].wheel.sources.contains(where: stock.has)
      {
        // A part that is over by then has nothing to begin.
        if on.start + late < on.end { add(on.start + late) }
      }
    }
    // A station has no border of its own.
    if isEndless, let on = self.part(at: since) { add(on.end) }
    return found
  }
}
