/// The tracks of the order: which source is next, and which of its tracks.
extension Planner {
  /// So many of the tracks to come are looked at for one that `separate` allows.
  static let lookAhead = 512

  /// Returns the next track by rules, or the station that they play; nil where all is over, or nothing there.
  mutating func ordered(
    by index: Int, _ part: Agenda.On?, _ state: inout ProgrammeState, at now: Int64, _ pin: Pin?,
    _ step: inout Step
  ) -> Planned? {
    if let station = rules[index].station { return self.station(station, part, at: now, &step) }
    let choice = rules[index].choice
    let why: Planned.Why = state.isSkipped ? .skip : rules[index].isOwn ? .part : .order
    if let again = again(rules[index], &state, at: now) { return again }
    let turn = state.turns[choice] ?? 0
    var tried: Set<Source> = []
    for offset in 0..<Int64(rules[index].wheel.count) {
      let source = rules[index].wheel.source(at: turn + offset)
      // A source that had nothing has nothing at its other turns.
      guard tried.insert(source).inserted else { continue }
      guard let catalogue = stock.catalogues[source], !catalogue.isEmpty else {
        if !step.passedOver.contains(source) { step.passedOver.append(source) }
        continue
      }
      let after = rules[index].wheel.source(at: turn + offset + 1)
      let wish = Wish(index: index, source: source, after: after, now: now, pin: pin)
      guard let pick = pick(wish, catalogue, &state) else {
        step.waiting = .over
        continue
      }
      state.turns[choice] = turn > ProgrammeState.itemMax ? 0 : turn + offset + 1
      (state.repeated, state.repeatedChoice) = (.init(source: source, key: pick.track.key), choice)
      var planned = item(pick.track, source, why, at: now)
      planned.relaxed = pick.relaxed
      return planned
    }
    return nil
  }

  private func station(
    _ station: String, _ part: Agenda.On?, at now: Int64, _ step: inout Step
  ) -> Planned? {
    guard stock.stations.contains(station) else {
      step.waiting = .station
      return nil
    }
    var planned = Planned(kind: .live, source: .station(station), why: .part, at: now)
    planned.isHard = part.map { programme.parts[$0.part].onset == .hard } ?? false
    return planned
  }

  /// The track that `repeat: one` repeats, unless it was left by a command.
  private func again(
    _ rules: ResolvedRules, _ state: inout ProgrammeState, at now: Int64
  ) -> Planned? {
    guard rules.repeats == .one, !state.isSkipped, state.repeatedChoice == rules.choice,
      let last = state.repeated, let track = stock.track(last.key, of: last.source),
      track.isPlayable
    else { return nil }
    return item(track, last.source, .repeat, at: now)
  }

  /// What a track is wanted for.
  struct Wish {
    /// Of `rules`.
    var index: Int
    var source: Source
    /// The source of the track behind it.
    var after: Source
    var now: Int64
    var pin: Pin?
  }

  struct Pick {
    var track: Catalogue.Track
    var relaxed: [Relaxed] = []
  }

  private mutating func pick(
    _ wish: Wish, _ catalogue: Catalogue, _ state: inout ProgrammeState
  ) -> Pick? {
    let separation = Separation(rules[wish.index].separate, state.history, at: wish.now)
    let order = rules[wish.index].order
    let repeats = rules[wish.index].repeats
    let key = Self.place(of: wish.source, order)
    if order == .sequence {
      var place = state.sequences[key] ?? SequencePlace()
      place.settle(in: catalogue)
      if place.candidates(1).isEmpty, repeats != .once { place.begin() }
      let first = place.candidates(1).first
      if let first { place.play(first.fingerprint) }
      state.sequences[key] = place
      return first.map { Pick(track: $0, relaxed: separation.nearness(of: $0).broken) }
    }
    settle(wish.source, order, catalogue, &state)
    if state.cycles[key]?.isOver ?? true {
      guard repeats != .once else { return nil }
      state.cycles[key]?.begin(Self.kind(order), source: SipHash.of(wish.source.text))
    }
    let pick = choose(wish, key, separation, &state)
    if let pick { state.cycles[key]?.play(pick.track.fingerprint) }
    return pick
  }

  private mutating func choose(
    _ wish: Wish, _ key: String, _ separation: Separation, _ state: inout ProgrammeState
  ) -> Pick? {
    guard let cycle = state.cycles[key] else { return nil }
    if let pin = wish.pin, pin.place == key, cycle.isLeft(pin.fingerprint),
      let track = cycle.track(pin.fingerprint)
    {
      return Pick(track: track, relaxed: separation.nearness(of: track).broken)
    }
    if let track = onTime(wish, key, separation, &state) { return Pick(track: track) }
    // Nearly always one of the first will do.
    for most in [16, Self.lookAhead] {
      if let track = cycle.candidates(most).first(where: separation.allows) {
        return Pick(track: track)
      }
    }
    var best: (track: Catalogue.Track, nearness: Separation.Nearness)?
    for track in cycle.candidates(Self.lookAhead) {
      let nearness = separation.nearness(of: track)
      if best.map({ nearness.part > $0.nearness.part }) ?? true { best = (track, nearness) }
    }
    return best.map { Pick(track: $0.track, relaxed: $0.nearness.broken) }
  }

  // MARK: Places

  static func place(of source: Source, _ order: Order) -> String {
    order.rawValue + " " + source.text
  }

  static func kind(_ order: Order) -> Cycle.Kind { order == .newest ? .newest : .shuffle }

  /// Makes the cycle of a source stand in its catalogue.
  func settle(
    _ source: Source, _ order: Order, _ catalogue: Catalogue, _ state: inout ProgrammeState
  ) {
    state.cycles[Self.place(of: source, order), default: Cycle()].settle(
      in: catalogue, Self.kind(order), source: SipHash.of(source.text), seed: seed)
  }

  /// Begins a source anew if all of it was played.
  func rewind(_ source: Source, _ order: Order, _ state: inout ProgrammeState) {
    let key = Self.place(of: source, order)
    guard let catalogue = stock.catalogues[source] else { return }
    if order == .sequence {
      state.sequences[key]?.settle(in: catalogue)
      if state.sequences[key]?.candidates(1).isEmpty ?? false { state.sequences[key]?.begin() }
    } else {
      settle(source, order, catalogue, &state)
      if state.cycles[key]?.isOver ?? false {
        state.cycles[key]?.begin(Self.kind(order), source: SipHash.of(source.text))
      }
    }
  }
}
