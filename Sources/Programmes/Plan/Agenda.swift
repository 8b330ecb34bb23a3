import Wire

/// What the clock brings in some hours: inserts' moments and parts, from rules and a zone.
struct Agenda: Sendable {
  struct Due: Sendable {
    /// Milliseconds since 1970.
    var at: Int64
    var rule: InsertRule
    /// The rule's number of `ResolvedRules`.
    var mark: UInt64
    var occurrence: ProgrammeState.Occurrence
    var onset: Onset

    var within: Int64 { Int64(rule.within) * 1000 }
    /// How much sooner than its moment it may begin.
    var early: Int64 { Agenda.early(onset) }
  }

  struct On: Sendable {
    var part: Int
    /// Milliseconds since 1970.
    var start: Int64
    var end: Int64
  }

  /// A soft border may be as much too early: the music in front of it was chosen for it.
  static let softEarly: Int64 = 20_000
  /// Shorter than this, no item is begun in front of a cut.
  static let hardEarly: Int64 = 1000

  static func early(_ onset: Onset) -> Int64 { onset == .soft ? softEarly : hardEarly }

  /// Milliseconds since 1970.
  let time: Range<Int64>
  /// The soonest first; of one moment, in the order of the rules.
  private(set) var dues: [Due] = []
  /// In the order of the parts, then by their beginnings.
  private(set) var airings: [On] = []

  /// - Parameter rules: those outside of all parts, then those of each part.
  init(_ time: Range<Int64>, _ programme: Programme, _ rules: [ResolvedRules], in zone: ZoneOffsets)
  {
    self.time = time
    let seconds = time.lowerBound / 1000..<time.upperBound / 1000 + 1
    for (index, part) in programme.parts.enumerated() {
      for airing in part.times.airings(during: seconds, in: zone) {
        airings.append(On(part: index, start: airing.start * 1000, end: airing.end * 1000))
      }
    }
    var known: Set<UInt64> = []
    for insert in rules.flatMap(\.inserts) where known.insert(insert.mark).inserted {
      guard case .at(let marks, let onset) = insert.rule.timing else { continue }
      for due in Self.dues(of: insert, marks, onset, seconds, zone) where time.contains(due.at) {
        let part = part(on: due.at)
        if rules[part.map { $0 + 1 } ?? 0].inserts.contains(where: { $0.mark == due.mark }) {
          dues.append(due)
        }
      }
    }
    // Stable, since equal moments keep the order of the rules.
    dues = dues.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
      .map(\.element)
    var seen: Set<ProgrammeState.Occurrence> = []
    dues.removeAll { !seen.insert($0.occurrence).inserted }
  }

  /// Returns the first part that is on at a moment, by the clock alone.
  func part(on moment: Int64) -> Int? {
    airings.first { $0.start <= moment && moment < $0.end }?.part
  }

  /// A moment that the clock shows twice counts the first time. One that it skips is at the change, or does not come if
  /// it is one of every hour.
  private static func dues(
    of insert: ResolvedRules.Insert, _ marks: [MinuteMark], _ onset: Onset, _ seconds: Range<Int64>,
    _ zone: ZoneOffsets
  ) -> [Due] {
    let offsets = [zone.offset(at: seconds.lowerBound), zone.offset(at: seconds.upperBound)]
    // Hours on either side, for a clock that changes there.
    let first = (seconds.lowerBound + Int64(offsets.min()!)) / 3600 - 3
    let last = (seconds.upperBound + Int64(offsets.max()!)) / 3600 + 3
    var found: [Due] = []
    var seen: Set<Int64> = []
    for hour in max(0, first)...max(0, last) {
      for mark in marks where mark.hour.map({ Int64($0) == hour % 24 }) ?? true {
        let local = hour * 3600 + Int64(mark.minute) * 60
        let at = zone.moments(ofLocal: local).lowerBound
        let isShown = at + Int64(zone.offset(at: at)) == local
        let (day, second) = (Int(local / 86_400), Int(local % 86_400))
        guard seconds.contains(at), isShown || mark.hour != nil,
          insert.rule.times?.contains(day: day, second: second) ?? true,
          seen.insert(at).inserted
        else { continue }
        found.append(
          Due(
            at: at * 1000, rule: insert.rule, mark: insert.mark,
            occurrence: .init(rule: insert.source, day: day, minute: second / 60), onset: onset))
      }
    }
    return found
  }
}

extension WeeklyTimes {
  /// Whether they are on at a local time: a day since 1970-01-01, and the seconds of its clock.
  func contains(day: Int, second: Int) -> Bool {
    if to > from {
      return days.contains(Weekday(daysSince1970: day)) && from <= second && second < to
    }
    return days.contains(Weekday(daysSince1970: day)) && from <= second
      || days.contains(Weekday(daysSince1970: day - 1)) && second < to
  }
}

/// The rules of a programme or of one of its parts, with what holds where nothing is said.
struct ResolvedRules: Sendable {
  struct Insert: Sendable {
    var rule: InsertRule
    /// Equal for rules with one source and one timing.
    var mark: UInt64
    /// Equal for rules with one source.
    var source: UInt64
  }

  var order: Order
  var repeats: Repeat
  var separate: Separate
  var inserts: [Insert]
  var wheel: Wheel
  /// The text of the choice.
  var choice: String
  /// Whether a part plays something of its own.
  var isOwn: Bool

  init(_ rules: PlayRules, seed: Int64, isOwn: Bool) {
    (order, repeats) = (rules.order ?? .sequence, rules.repeats ?? .all)
    separate = rules.separation
    let choice = rules.choice ?? .play([])
    self.choice = choice.key
    wheel = Wheel(choice, seed: seed)
    self.isOwn = isOwn
    inserts = (rules.inserts ?? []).map {
      Insert(
        rule: $0, mark: SipHash.of($0.source.text + "\n" + $0.text),
        source: SipHash.of($0.source.text))
    }
  }

  /// The station that is played, of rules that play one.
  var station: String? { wheel.sources.count == 1 ? wheel.sources[0].station : nil }
}
