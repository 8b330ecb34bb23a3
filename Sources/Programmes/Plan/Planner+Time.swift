import Wire

/// Backtiming: tracks in front of a soft border are exchanged so that it falls on its moment.
extension Planner {
  /// Of so many tracks to come, those that may be exchanged.
  static let exchanged = 64

  /// A moment on which a border between two items is wanted.
  private struct Border {
    /// Milliseconds since 1970.
    var at: Int64
    /// Milliseconds by which it may be late without anything being missed.
    var slack: Int64
  }

  /// Returns the track with which, alone or before one more, the next soft border is on time; nil: any will do, or none.
  mutating func onTime(
    _ wish: Wish, _ key: String, _ separation: Separation, _ state: inout ProgrammeState
  ) -> Catalogue.Track? {
    guard rules[wish.index].order == .shuffle, let border = border(behind: wish.now, state) else {
      return nil
    }
    let room = border.at - wish.now
    let joined = programme.rules(in: wish.index == 0 ? nil : wish.index - 1)
    // What is behind it begins as much earlier as a fade lasts.
    func length(_ track: Catalogue.Track) -> Int64 {
      track.milliseconds - Int64(bounded: joined.overlap(of: track.seconds) * 1000)
    }
    let tracks = exchangeable(key, separation, state)
    guard let first = tracks.first else { return nil }
    let between = between(wish, length, &state)
    let followers = followers(wish, key, tracks, separation, &state)
    // The border is further away than the next two tracks: nothing need be exchanged yet.
    let second = followers.first { $0.key != first.key }
    guard length(first) + between + (second.map(length) ?? 0) >= room - Agenda.softEarly else {
      return nil
    }
    for track in tracks {
      if isOnTime(length(track) - room) { return track }
      let rest = room - length(track) - between
      let fits = followers.contains {
        isOnTime(length($0) - rest) && $0.key != track.key
          && separation.allows(track, then: $0)
      }
      if fits { return track }
    }
    // Nothing is on time: at least nothing should be missed.
    guard length(first) > room + border.slack else { return nil }
    return tracks.filter { length($0) >= room }.min { length($0) < length($1) }
  }

  private func isOnTime(_ difference: Int64) -> Bool { abs(difference) <= Agenda.softEarly }

  /// Tracks of exact lengths that `separate` allows.
  private func exchangeable(
    _ key: String, _ separation: Separation, _ state: ProgrammeState
  ) -> [Catalogue.Track] {
    state.cycles[key]?.candidates(Self.exchanged).filter { $0.isExact && separation.allows($0) }
      ?? []
  }

  /// What may come behind the next track: a wheel's next slot is another source.
  private func followers(
    _ wish: Wish, _ key: String, _ tracks: [Catalogue.Track], _ separation: Separation,
    _ state: inout ProgrammeState
  ) -> [Catalogue.Track] {
    guard wish.after != wish.source else { return tracks }
    guard let catalogue = stock.catalogues[wish.after] else { return [] }
    settle(wish.after, rules[wish.index].order, catalogue, &state)
    return exchangeable(
      Self.place(of: wish.after, rules[wish.index].order), separation, state)
  }

  /// The length of inserts that are due behind one more track.
  private func between(
    _ wish: Wish, _ length: (Catalogue.Track) -> Int64, _ state: inout ProgrammeState
  ) -> Int64 {
    rules[wish.index].inserts.reduce(0) { sum, insert in
      guard var mark = state.marks[insert.mark] else { return sum }
      mark.tracks += 1
      guard isDue(insert.rule, mark, at: wish.now),
        let catalogue = stock.catalogues[insert.rule.source], let place = catalogue.byDate.first
      else { return sum }
      return sum + length(catalogue.tracks[Int(place)])
    }
  }

  /// The next soft border that is wanted, unless something cuts what plays before it.
  private func border(behind now: Int64, _ state: ProgrammeState) -> Border? {
    var found: Border?
    var cut = Int64.max
    func add(_ moment: Int64, _ slack: Int64) {
      guard moment > now + Agenda.softEarly, moment < found?.at ?? .max else { return }
      found = Border(at: moment, slack: slack)
    }
    for due in agenda.dues where due.at > now + Agenda.softEarly {
      guard stock.has(due.rule.source), isOpen(due, state) else { continue }
      if due.onset == .soft { add(due.at, due.within) } else { cut = due.at }
      // The soonest comes first.
      break
    }
    for on in agenda.airings {
      let part = programme.parts[on.part]
      if on.start > now, agenda.part(on: on.start) == on.part,
        agenda.part(on: on.start - 1) != on.part
      {
        if part.onset == .soft {
          add(on.start, Int64(part.late) * 1000)
        } else {
          cut = min(cut, on.start)
        }
      }
      if on.start - Agenda.softEarly <= now { add(on.end, .max / 2) }
    }
    for entry in state.queue { if let due = entry.due { add(due, .max / 2) } }
    return found.flatMap { $0.at < cut ? $0 : nil }
  }
}
