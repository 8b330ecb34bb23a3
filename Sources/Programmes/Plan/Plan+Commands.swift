import Wire

/// What people do to a programme. Each change counts from the next item on.
extension Plan {
  public enum Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    case queueFull

    public var description: String {
      "the queue has \(ProgrammeState.queueMax) items; wait, or take some out with unqueue"
    }
  }

  /// Says that what plays is left for the next item. `next` follows at once; it answers with what was shown as next.
  public mutating func skip() {
    // Only a repeated track is another one now.
    change { state, _ in state.isSkipped = true }
  }

  /// Takes an item out that was shown as one to come; false if there is none with that number.
  @discardableResult
  public mutating func skip(item: Int64) -> Bool {
    let isQueued = unqueue([item]) == 1
    guard let planned = withdraw(item) else { return isQueued }
    return isQueued || change { state, planner in planner.drop(planned, &state) }
  }

  /// Plays the track before the one that is playing, or that one again, if it has played for more than 3 s.
  ///
  /// - Parameter seconds: How long the track has played; nil: an insert or another station plays.
  /// - Returns: Whether there is one.
  @discardableResult
  public mutating func previous(after seconds: Double?) -> Bool {
    change { state, _ in
      guard let last = state.past.popLast() else { return false }
      state.replays.insert(last, at: 0)
      if let seconds, seconds <= 3, let before = state.past.popLast() {
        state.replays.insert(before, at: 0)
      }
      state.replays = Array(state.replays.prefix(ProgrammeState.pastMax))
      return true
    }
  }

  /// Plays a track or an insert again that was decided on last, and of which nothing was heard; another one is left as it
  /// is.
  public mutating func takeBack(_ track: TrackKey) {
    change { state, _ in
      if let insertion = state.insertion {
        if insertion.key == track { state.giveBack(insertion) }
        return
      }
      guard state.past.last?.key == track, let last = state.past.popLast() else { return }
      state.replays.insert(last, at: 0)
    }
  }

  /// Queues tracks and sources, in their order; all or none.
  ///
  /// - Parameter isNext: Whether they come before all that is queued.
  /// - Returns: The items' numbers.
  @discardableResult
  public mutating func queue(
    _ entries: [ProgrammeState.Queued], isNext: Bool = false
  ) throws(Refusal) -> [Int64] {
    guard state.queue.count + entries.count <= ProgrammeState.queueMax else { throw .queueFull }
    return change { state, _ in
      let numbered = entries.map { entry in
        var entry = entry
        entry.item = state.number()
        entry.due = entry.due.map(ProgrammeState.moment)
        return entry
      }
      state.queue.insert(contentsOf: numbered, at: isNext ? 0 : state.queue.count)
      return numbered.map(\.item)
    }
  }

  /// Takes items out of the queue; returns how many there were.
  @discardableResult
  public mutating func unqueue(_ items: Set<Int64>) -> Int {
    change { state, _ in
      let before = state.queue.count
      state.queue.removeAll { items.contains($0.item) }
      return before - state.queue.count
    }
  }

  /// Empties the queue, and what `previous` has put in front.
  public mutating func clear() {
    change { state, _ in (state.queue, state.replays) = ([], []) }
  }

  /// Begins a new cycle of everything that is shuffled.
  public mutating func reshuffle() {
    forget()
    change { state, planner in
      let shuffled = planner.programme.sources.map { ($0, Planner.place(of: $0, .shuffle)) }
      for (source, place) in shuffled {
        state.cycles[place]?.begin(.shuffle, source: SipHash.of(source.text))
      }
    }
  }
}

extension Planner {
  /// Counts an item as played, or as over, that was shown and is not to come.
  func drop(_ planned: Planned, _ state: inout ProgrammeState) -> Bool {
    guard let track = planned.track else { return false }
    switch planned.why {
    case .insert:
      guard let rule = planned.rule else { return false }
      if let due = agenda.dues.first(where: { $0.rule == rule && $0.at == planned.due }) {
        state.decide(due.occurrence)
      } else if let mark = inserts.first(where: { $0.rule == rule })?.mark {
        state.marks[mark]?.tracks = 0
        state.marks[mark]?.last = planned.at
      }
      return true
    case .previous:
      let place = state.replays.firstIndex { $0.key == track.key && $0.source == planned.source }
      place.map { _ = state.replays.remove(at: $0) }
      return place != nil
    case .order, .part, .skip, .repeat:
      guard let source = planned.source else { return false }
      if planned.why == .repeat {
        state.repeated = nil
        return true
      }
      let order = programme.rules(in: planned.part).order ?? .sequence
      let key = Self.place(of: source, order)
      if order == .sequence {
        state.sequences[key, default: SequencePlace()].skip(track.fingerprint)
        return true
      }
      if let catalogue = stock.catalogues[source] { settle(source, order, catalogue, &state) }
      return state.cycles[key]?.play(track.fingerprint) ?? false
    case .queue, .live: return false
    }
  }
}
