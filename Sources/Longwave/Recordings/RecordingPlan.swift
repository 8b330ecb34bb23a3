import Timeshift
import Wire

/// The steps that a station's schedule asks for at a moment, as a value: nothing is done here, and no clock is read.
enum RecordingPlan {
  enum Step: Hashable {
    case begin(RecordingRule, Airing)
    /// The running recording of that number goes on, by another rule or up to another time.
    case change(Int64, RecordingEntry.Schedule)
    /// The running recording of that number ends, since no rule asks for it any more.
    case end(Int64)
  }

  /// How like a rule the one is that a recording was begun by.
  private enum Likeness: CaseIterable {
    case rule, show, kind

    func has(_ schedule: RecordingEntry.Schedule?, _ rule: RecordingRule) -> Bool {
      switch self {
      case .rule: schedule?.rule == rule.key
      case .show: rule.show != nil && schedule?.show == rule.show
      // What administrators alone may hear does not become a show's, which everybody hears.
      case .kind: (schedule?.show == nil) == (rule.show == nil)
      }
    }
  }

  /// Returns what has to be done for a station's schedule.
  ///
  /// - Parameters:
  ///   - entries: the station's recordings, also the ended ones: what was recorded once is not begun again.
  ///   - moment: seconds since 1970.
  ///   - look: when the schedules were last looked at, by today's clock: airings that began and ended since then are
  ///     recorded as far as the log has them; nil when nothing earlier is known.
  static func steps(
    _ rules: [RecordingRule], _ entries: [RecordingEntry], in zone: ZoneOffsets, at moment: Int64,
    since look: Int64? = nil
  ) -> [Step] {
    var wanted: [(rule: RecordingRule, airing: Airing)] = []
    for rule in rules {
      for airing in rule.times.current(at: moment, in: zone) { wanted.append((rule, airing)) }
    }
    var rest = entries.filter { $0.covers(moment) }
    var steps: [Step] = []
    // Unchanged rules come first, then those of the same show, so that a changed rule does not adopt the recording of
    // another one.
    for likeness in Likeness.allCases {
      wanted.removeAll { rule, airing in
        let found = rest.firstIndex {
          $0.schedule?.airing.start == airing.start && likeness.has($0.schedule, rule)
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

  /// Returns airings that began and ended while the process stood still.
  private static func missed(
    _ rules: [RecordingRule], _ entries: [RecordingEntry], in zone: ZoneOffsets, at moment: Int64,
    since look: Int64?
  ) -> [(rule: RecordingRule, airing: Airing)] {
    guard let look else { return [] }
    return rules.flatMap { rule in
      rule.times.over(at: moment, since: look, in: zone).filter { airing in
        !entries.contains {
          $0.schedule?.rule == rule.key && $0.schedule?.airing.start == airing.start
        }
      }.map { (rule, $0) }
    }
  }

  /// Seconds; a clock that was fast by at most this was set right while it recorded a show that is about to begin.
  private static let aheadMax: Int64 = 3600

  private static func isAhead(
    _ entry: RecordingEntry, _ rules: [RecordingRule], _ zone: ZoneOffsets, _ moment: Int64
  ) -> Bool {
    guard let start = entry.schedule?.airing.start,
      (moment + 1...moment + aheadMax).contains(start)
    else { return false }
    return rules.contains { $0.times.current(at: start, in: zone).contains { $0.start == start } }
  }

  /// Returns when the next airing begins, seconds since 1970; nil when none ever does.
  static func nextStart(
    _ rules: [RecordingRule], in zone: ZoneOffsets, after moment: Int64
  ) -> Int64? {
    rules.compactMap { $0.times.next(after: moment, in: zone)?.start }.min()
  }
}

/// A recording that a schedule is going to begin.
package struct PlannedRecording: Hashable, Sendable {
  var station: String
  var rule: RecordingRule
  var airing: Airing
  /// The zone in which the rule's times are meant.
  var zone: ZoneOffsets

  package var json: JSON {
    [
      "station": .string(station), "start": JSON(airing.startTime),
      "end": JSON(airing.endTime), "timeZone": .string(zone.name),
      "days": .array(rule.dayWords.map(JSON.string)),
      "from": .string(ClockText.format(rule.times.from)),
      "to": .string(ClockText.format(rule.times.to)),
      "split": .bool(rule.splits),
      "name": .string(rule.namePattern), "show": JSON(rule.show), "file": .string(file),
    ]
  }

  /// The name of its first file as far as it is known before, without its ending.
  private var file: String {
    RecordingName(pattern: rule.namePattern, station: station, show: rule.show).text(
      at: airing.startTime, title: nil, number: 1, local: zone.local)
  }
}

extension RecordingEntry {
  /// Seconds by which a clock may be put back without having been wrong before.
  private static let correction: Int64 = 60

  /// Whether the schedule does not begin this recording again at `moment`: it runs, or is over for good.
  fileprivate func covers(_ moment: Int64) -> Bool {
    guard let schedule, schedule.airing.end > moment else { return false }
    if state == .recording || isStopped == true { return true }
    if state == .finished, let reason { return reason != Self.unscheduledReason }
    // A recording that ended later than now was ended by a wrong clock.
    return endedAt.map { WallTime(stored: $0).unixSeconds <= moment + Self.correction } ?? true
  }

  /// The rule and the airing that a schedule gave the recording.
  struct Schedule: Codable, Hashable, Sendable {
    /// The key of the rule, `RecordingRule.key`.
    var rule: String
    var days: [String]
    var from: String
    var to: String
    var airing: Airing
    /// The show that is recorded; nil for an entry of `record:`.
    var show: String?
    /// Retention when the recording began; while the rule exists, the rule's own retention counts.
    var keep: RecordingKeep

    init(_ rule: RecordingRule, _ airing: Airing) {
      self.rule = rule.key
      days = rule.dayWords
      from = ClockText.format(rule.times.from)
      to = ClockText.format(rule.times.to)
      self.airing = airing
      show = rule.show
      keep = rule.keep
    }
  }
}

/// A schedule's entry, and the time at which it is on.
extension RecordingEntry.Schedule: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("days", Schema.list(Schema.words(Weekday.allCases.map(\.rawValue)))) {
      $0.days.json
    },
    Shape("from", \.from), Shape("to", \.to), Shape("start", \.airing.startTime),
    Shape("end", \.airing.endTime), Shape("show", \.show),
  ]
}
