import Timeshift
import Wire

/// What a station's schedule asks for at a moment, as a value: nothing is done here, and no clock is looked at.
enum RecordingPlan {
  enum Step: Hashable {
    case begin(RecordingRule, Airing)
    /// A running one of that number goes on, by another rule or up to another time.
    case change(Int64, RecordingEntry.Schedule)
    /// A running one that no rule asks for any more.
    case end(Int64)
  }

  /// - Parameters:
  ///   - entries: the station's recordings, also those that have ended: what was recorded once is not begun again.
  ///   - moment: seconds since 1970.
  ///   - look: when the schedules were last looked at, by today's clock: what began and ended since then is recorded as
  ///     far as the log has it; nil: nothing is known of before.
  static func steps(
    _ rules: [RecordingRule], _ entries: [RecordingEntry], in zone: ZoneOffsets, at moment: Int64,
    since look: Int64? = nil
  ) -> [Step] {
    var wanted: [(rule: RecordingRule, airing: Airing)] = []
    for rule in rules {
      for airing in rule.current(at: moment, in: zone) { wanted.append((rule, airing)) }
    }
    var rest = entries.filter { $0.covers(moment) }
    var steps: [Step] = []
    // Those that are as they were first, so that a changed rule does not take the recording of another one.
    for isSame in [true, false] {
      wanted.removeAll { rule, airing in
        let found = rest.firstIndex {
          $0.schedule?.airing.start == airing.start && (!isSame || $0.schedule?.rule == rule.key)
        }
        guard let found else { return false }
        let entry = rest.remove(at: found)
        let schedule = RecordingEntry.Schedule(rule, airing)
        if entry.state == .recording, entry.schedule != schedule {
          steps.append(.change(entry.id, schedule))
        }
        return true
      }
    }
    steps += rest.filter {
      $0.state == .recording && $0.stop == nil && !isAhead($0, rules, zone, moment)
    }.map { .end($0.id) }
    return steps
      + (missed(rules, entries, in: zone, at: moment, since: look) + wanted).map {
        .begin($0.rule, $0.airing)
      }
  }

  /// What began and ended while nobody was there: the process stood still.
  private static func missed(
    _ rules: [RecordingRule], _ entries: [RecordingEntry], in zone: ZoneOffsets, at moment: Int64,
    since look: Int64?
  ) -> [(rule: RecordingRule, airing: Airing)] {
    guard let look else { return [] }
    return rules.flatMap { rule in
      rule.over(at: moment, since: look, in: zone).filter { airing in
        !entries.contains {
          $0.schedule?.rule == rule.key && $0.schedule?.airing.start == airing.start
        }
      }.map { (rule, $0) }
    }
  }

  /// Seconds: a clock that was fast by no more was set right while the show was recorded, which is about to begin.
  private static let aheadMax: Int64 = 3600

  private static func isAhead(
    _ entry: RecordingEntry, _ rules: [RecordingRule], _ zone: ZoneOffsets, _ moment: Int64
  ) -> Bool {
    guard let start = entry.schedule?.airing.start,
      (moment + 1...moment + aheadMax).contains(start)
    else { return false }
    return rules.contains { $0.current(at: start, in: zone).contains { $0.start == start } }
  }

  /// When the next one begins, seconds since 1970; nil: none ever does.
  static func nextStart(
    _ rules: [RecordingRule], in zone: ZoneOffsets, after moment: Int64
  ) -> Int64? {
    rules.compactMap { $0.next(after: moment, in: zone)?.start }.min()
  }
}

/// A recording to come.
struct PlannedRecording: Hashable, Sendable {
  var station: String
  var rule: RecordingRule
  var airing: Airing

  var json: JSON {
    [
      "station": .string(station), "start": JSON(airing.startTime),
      "end": JSON(airing.endTime),
      "days": .array(rule.dayWords.map(JSON.string)),
      "from": .string(ClockText.format(rule.from)), "to": .string(ClockText.format(rule.to)),
      "split": .bool(rule.splits),
      "name": .string(rule.name ?? RecordingName.standard(splits: rule.splits)),
    ]
  }
}

extension RecordingEntry {
  /// Seconds that a clock is put back by without having been wrong before.
  private static let correction: Int64 = 60

  /// Whether what its schedule asks for at `moment` is not begun again: it runs, or is over for good.
  fileprivate func covers(_ moment: Int64) -> Bool {
    guard let schedule, schedule.airing.end > moment else { return false }
    if state == .recording || isStopped == true { return true }
    if state == .finished, let reason { return reason != Self.unscheduledReason }
    // One that ended later than now ended by a clock that was wrong.
    return endedAt.map { WallTime(stored: $0).unixSeconds <= moment + Self.correction } ?? true
  }

  /// What a schedule told it.
  struct Schedule: Codable, Hashable, Sendable {
    /// `RecordingRule.key`
    var rule: String
    var days: [String]
    var from: String
    var to: String
    var airing: Airing
    /// As it was when it began; its rule's, while there is that rule, counts.
    var keep: RecordingKeep

    init(_ rule: RecordingRule, _ airing: Airing) {
      self.rule = rule.key
      days = rule.dayWords
      from = ClockText.format(rule.from)
      to = ClockText.format(rule.to)
      self.airing = airing
      keep = rule.keep
    }

    var json: JSON {
      [
        "days": .array(days.map(JSON.string)), "from": .string(from), "to": .string(to),
        "start": JSON(airing.startTime), "end": JSON(airing.endTime),
      ]
    }
  }
}
