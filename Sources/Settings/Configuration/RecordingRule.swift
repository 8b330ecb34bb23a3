import Timeshift
import Wire

/// One entry of a station's `record:`: on which days, from when to when, and how.
///
/// A rule's times are worked out from the rule, a zone and a moment, without a clock: see `next` and `current`.
public struct RecordingRule: Hashable, Sendable {
  /// Days in the order of the week.
  package enum Day: String, Hashable, Sendable, CaseIterable {
    case mon, tue, wed, thu, fri, sat, sun

    /// Makes the day that is `days` days after 1970-01-01, a Thursday.
    init(_ days: Int) { self = Self.allCases[((days + 3) % 7 + 7) % 7] }
  }

  /// Days on which the recording begins.
  package var days = Set(Day.allCases)
  /// Beginning in seconds after midnight, local time.
  package var from: Int
  /// End in seconds after midnight, local time; on the next day if it is not after `from`.
  package var to: Int
  /// Pattern for file names; nil for the standard pattern.
  package var name: String?
  /// As in `RecordingEntry.Options`.
  package var splits = false
  package var overlap = 0.0
  package var appends = false
  package var bytesMax: Int64?
  package var keep = RecordingKeep()

  package init(from: Int, to: Int) {
    self.from = from
    self.to = to
  }
}

/// How long recordings stay; both nil when they stay for ever.
package struct RecordingKeep: Codable, Hashable, Sendable {
  /// Seconds since a recording's end.
  package var seconds: Double?
  /// Number of the newest recordings that stay.
  package var count: Int?

  package init(seconds: Double? = nil, count: Int? = nil) {
    (self.seconds, self.count) = (seconds, count)
  }
}

/// One time that a rule is on, in seconds since 1970.
package struct Airing: Codable, Hashable, Sendable {
  package var start: Int64
  package var end: Int64

  package var startTime: WallTime { WallTime(unixSeconds: start) }
  package var endTime: WallTime { WallTime(unixSeconds: end) }
}

extension RecordingRule {
  /// Returns the first airing that is not over at `moment`, seconds since 1970; nil when the rule has no days.
  func next(at moment: Int64, in zone: ZoneOffsets) -> Airing? {
    airings(around: moment, zone).first { $0.end > moment }
  }

  /// Returns the first airing that begins after `moment`.
  package func next(after moment: Int64, in zone: ZoneOffsets) -> Airing? {
    airings(around: moment, zone).first { $0.start > moment }
  }

  /// Returns the airings at `moment`: two, when clocks are put back during an airing that lasts a whole day.
  package func current(at moment: Int64, in zone: ZoneOffsets) -> [Airing] {
    airings(around: moment, zone).filter { $0.start <= moment && moment < $0.end }
  }

  /// Returns the airings that began after `look` and are over.
  package func over(at moment: Int64, since look: Int64, in zone: ZoneOffsets) -> [Airing] {
    airings(around: moment, zone).filter { $0.start > look && $0.end <= moment }
  }

  /// Returns the airings that are on at some moment of a time, the first one first.
  package func airings(during time: Range<Int64>, in zone: ZoneOffsets) -> [Airing] {
    let last = zone.day(at: time.upperBound)
    return (zone.day(at: time.lowerBound) - 2...last).compactMap { airing(on: $0, zone) }
      .filter { $0.start < time.upperBound && $0.end > time.lowerBound }
  }

  /// Returns the airings from two days before `moment`, which may still be on, up to the next week's.
  private func airings(around moment: Int64, _ zone: ZoneOffsets) -> [Airing] {
    let today = zone.day(at: moment)
    return (today - 2...today + 8).compactMap { airing(on: $0, zone) }
  }

  /// Returns the airing on a day, counted from 1970-01-01; nil when the rule has none.
  ///
  /// When clocks change, everything that the times may mean is recorded: from the earliest moment that `from` can be,
  /// to the latest that `to` can be.
  private func airing(on day: Int, _ zone: ZoneOffsets) -> Airing? {
    guard days.contains(Day(day)) else { return nil }
    let midnight = Int64(day) * 86_400
    let last = midnight + Int64(to) + (to > from ? 0 : 86_400)
    return Airing(
      start: zone.moments(ofLocal: midnight + Int64(from)).lowerBound,
      end: zone.moments(ofLocal: last).upperBound)
  }

  /// Seconds of an airing when no clock changes.
  package var seconds: Double { Double(to > from ? to - from : to - from + 86_400) }
}

extension RecordingRule {
  /// The rule as request bodies, the store and, as YAML, files have it: what differs from the defaults.
  var json: JSON { Self.rows.written(self) }

  /// Text that identifies the rule; how long recordings are kept is no part of it, and may change.
  package var key: String { Self.ownRows.written(self).text }

  package var dayWords: [String] { Day.allCases.filter(days.contains).map(\.rawValue) }
}

extension ZoneOffsets {
  /// Returns the day on which a moment is here, counted from 1970-01-01.
  package func day(at moment: Int64) -> Int {
    let local = moment + Int64(offset(at: moment))
    return Int((local - (local % 86_400 + 86_400) % 86_400) / 86_400)
  }

  /// Returns when a day begins here, in seconds since 1970.
  package func beginning(ofDay day: Int) -> Int64 {
    moments(ofLocal: Int64(day) * 86_400).lowerBound
  }
}

extension [KeyRow<RecordingRule>] {
  fileprivate func written(_ rule: RecordingRule) -> JSON {
    .object(members(of: rule).filter { $0.value != .null })
  }
}
