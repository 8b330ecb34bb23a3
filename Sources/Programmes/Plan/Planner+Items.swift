import Wire

/// What comes between the tracks of the order: other stations, inserts, the queue, tracks played again.
extension Planner {
  func live(at now: Int64) -> Planned? {
    guard let live = programme.live, stock.stations.contains(live.station) else { return nil }
    var planned = Planned(kind: .live, source: .station(live.station), why: .live, at: now)
    planned.isHard = live.onset == .hard
    return planned
  }

  // MARK: Inserts

  /// The first insert by the clock whose moment has come.
  mutating func dueInsert(_ state: inout ProgrammeState, at now: Int64) -> Planned? {
    for due in agenda.dues where due.at - due.early <= now && now <= due.at + due.within {
      guard isOpen(due, state), let track = insertTrack(due.rule.source, &state) else { continue }
      state.decide(due.occurrence)
      state.insertion = .init(
        source: due.rule.source, key: track.key, occurrence: due.occurrence)
      var planned = insert(due.rule, track, at: now)
      (planned.isHard, planned.due) = (due.onset == .hard, due.at)
      return planned
    }
    return nil
  }

  /// The first insert that is due by tracks or by time since the last one. At least one track lies between.
  mutating func insert(
    by index: Int, _ state: inout ProgrammeState, at now: Int64, _ step: inout Step
  ) -> Planned? {
    for insert in rules[index].inserts {
      guard let mark = state.marks[insert.mark], isDue(insert.rule, mark, at: now) else { continue }
      state.marks[insert.mark]?.tracks = 0
      state.marks[insert.mark]?.last = now
      guard let track = insertTrack(insert.rule.source, &state) else {
        step.passedOver.append(insert.rule.source)
        continue
      }
      state.insertion = .init(
        source: insert.rule.source, key: track.key, rule: insert.mark, mark: mark)
      return self.insert(insert.rule, track, at: now)
    }
    return nil
  }

  func isDue(_ rule: InsertRule, _ mark: ProgrammeState.RuleMark, at now: Int64) -> Bool {
    switch rule.timing {
    case .at: return false
    case .everyTracks(let count): guard mark.tracks >= count else { return false }
    case .every(let interval):
      guard mark.tracks > 0, now - mark.last >= Int64(interval) * 1000 else { return false }
    }
    guard let times = rule.times else { return true }
    let day = zone.day(at: now / 1000)
    let local = now / 1000 + Int64(zone.offset(at: now / 1000))
    return times.contains(day: day, second: Int(local - Int64(day) * 86_400))
  }

  private func insert(_ rule: InsertRule, _ track: Catalogue.Track, at now: Int64) -> Planned {
    var planned = Planned(
      kind: .insert, source: rule.source, track: track, why: .insert, at: now)
    (planned.rule, planned.length) = (rule, track.milliseconds)
    return planned
  }

  /// Returns what comes next of an insert's source: of a URL the newest, else each in turn.
  private func insertTrack(_ source: Source, _ state: inout ProgrammeState) -> Catalogue.Track? {
    guard let catalogue = stock.catalogues[source], let newest = catalogue.byDate.first else {
      return nil
    }
    if case .url = source { return catalogue.tracks[Int(newest)] }
    let key = "insert " + source.text
    var place = state.sequences[key] ?? SequencePlace()
    place.settle(in: catalogue)
    if place.candidates(1).isEmpty { place.begin() }
    guard let track = place.candidates(1).first else { return nil }
    place.play(track.fingerprint)
    state.sequences[key] = place
    return track
  }

  // MARK: The queue

  mutating func queued(
    _ state: inout ProgrammeState, at now: Int64, isTimed: Bool, _ step: inout Step
  ) -> Planned? {
    var index = 0
    while index < state.queue.count {
      let entry = state.queue[index]
      guard (entry.due != nil) == isTimed, entry.due.map({ $0 - Agenda.softEarly <= now }) ?? true,
        let catalogue = entry.source.map({ stock.catalogues[$0] }) ?? stock.queued
      else {
        index += 1
        continue
      }
      // Where the queue's own tracks are is found out again and again: one that is away may come back.
      if entry.source == nil, let key = entry.key, catalogue.track(key) == nil {
        step.away.append(entry.item)
        index += 1
        continue
      }
      guard let (track, done) = next(of: entry, in: catalogue) else {
        // A source of which something was played is over; anything else is not there any more.
        if entry.done == 0 { step.gone.append(entry.item) }
        state.queue.remove(at: index)
        continue
      }
      var planned = item(track, entry.source, .queue, at: now)
      (planned.item, planned.due) = (entry.item, entry.due)
      if entry.key == nil, next(of: entry, in: catalogue, from: done) != nil {
        state.queue[index].done = done
        state.queue[index].item = state.number()
      } else {
        state.queue.remove(at: index)
      }
      return planned
    }
    return nil
  }

  /// Returns the entry's next track, and the place behind it.
  private func next(
    of entry: ProgrammeState.Queued, in catalogue: Catalogue, from done: Int? = nil
  ) -> (Catalogue.Track, Int)? {
    if let key = entry.key {
      return catalogue.track(key).flatMap { $0.isPlayable ? ($0, 0) : nil }
    }
    let rest = catalogue.tracks.indices.dropFirst(done ?? entry.done)
    return rest.first { catalogue.tracks[$0].isPlayable }.map { (catalogue.tracks[$0], $0 + 1) }
  }

  // MARK: Played again

  mutating func replay(_ state: inout ProgrammeState, at now: Int64) -> Planned? {
    var index = 0
    while index < state.replays.count {
      let past = state.replays[index]
      // What a source has is waited for, as after a start.
      if !stock.knows(past.source) {
        index += 1
        continue
      }
      state.replays.remove(at: index)
      if let track = stock.track(past.key, of: past.source), track.isPlayable {
        return item(track, past.source, .previous, at: now)
      }
    }
    return nil
  }

  func item(
    _ track: Catalogue.Track, _ source: Source?, _ why: Planned.Why, at now: Int64
  ) -> Planned {
    var planned = Planned(kind: .track, source: source, track: track, why: why, at: now)
    planned.length = track.milliseconds
    return planned
  }
}
