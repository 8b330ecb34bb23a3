import Timeshift
import Wire

/// One entry of a station's `record:`: on which days, from when to when, and how.
///
/// When it is on is worked out from the rule, a zone and a moment, without a clock: see `next` and `current`.
public struct RecordingRule: Hashable, Sendable {
  /// In the order of the week.
  enum Day: String, Hashable, Sendable, CaseIterable {
    case mon, tue, wed, thu, fri, sat, sun

    /// The day so many days after 1970-01-01, a Thursday.
    init(_ days: Int) { self = Self.allCases[((days + 3) % 7 + 7) % 7] }
  }

  /// Those on which it begins.
  var days = Set(Day.allCases)
  /// Seconds after midnight, on the clock on the wall.
  var from: Int
  /// The next day's, if it is not after `from`.
  var to: Int
  /// nil: the standard pattern.
  var name: String?
  /// As in `RecordingEntry.Options`.
  var splits = false
  var overlap = 0.0
  var appends = false
  var bytesMax: Int64?
  var keep = RecordingKeep()

  init(from: Int, to: Int) {
    self.from = from
    self.to = to
  }
}

/// For how long recordings stay; nil: for ever.
struct RecordingKeep: Codable, Hashable, Sendable {
  /// Seconds since its end.
  var seconds: Double?
  /// So many, the newest.
  var count: Int?
}

/// One time that a rule is on, in seconds since 1970.
struct Airing: Codable, Hashable, Sendable {
  var start: Int64
  var end: Int64

  var startTime: WallTime { WallTime(unixSeconds: start) }
  var endTime: WallTime { WallTime(unixSeconds: end) }
}

extension RecordingRule {
  /// The first time that is not over at `moment`, seconds since 1970; nil: it has no days.
  func next(at moment: Int64, in zone: ZoneOffsets) -> Airing? {
    airings(around: moment, zone).first { $0.end > moment }
  }

  /// The first time that begins after `moment`.
  func next(after moment: Int64, in zone: ZoneOffsets) -> Airing? {
    airings(around: moment, zone).first { $0.start > moment }
  }

  /// Those that are on at `moment`: two, where clocks are put back in one that lasts a whole day.
  func current(at moment: Int64, in zone: ZoneOffsets) -> [Airing] {
    airings(around: moment, zone).filter { $0.start <= moment && moment < $0.end }
  }

  /// Those that began after `look` and are over.
  func over(at moment: Int64, since look: Int64, in zone: ZoneOffsets) -> [Airing] {
    airings(around: moment, zone).filter { $0.start > look && $0.end <= moment }
  }

  /// From the one before the last that may still be on, up to the next week's.
  private func airings(around moment: Int64, _ zone: ZoneOffsets) -> [Airing] {
    let local = moment + Int64(zone.offset(at: moment))
    let today = Int((local - (local % 86_400 + 86_400) % 86_400) / 86_400)
    return (today - 2...today + 8).compactMap { airing(on: $0, zone) }
  }

  /// nil: not on that day, counted from 1970-01-01.
  ///
  /// Where clocks change, what it may mean is recorded: from the earliest moment that `from` can be, to the latest that
  /// `to` can be.
  private func airing(on day: Int, _ zone: ZoneOffsets) -> Airing? {
    guard days.contains(Day(day)) else { return nil }
    let midnight = Int64(day) * 86_400
    let last = midnight + Int64(to) + (to > from ? 0 : 86_400)
    return Airing(
      start: zone.moments(ofLocal: midnight + Int64(from)).lowerBound,
      end: zone.moments(ofLocal: last).upperBound)
  }

  /// Seconds of one, where no clock is changed.
  var seconds: Double { Double(to > from ? to - from : to - from + 86_400) }
}

extension RecordingRule {
  /// As request bodies, the store and, as YAML, files have it: what differs from the defaults.
  var json: JSON {
    var members = own
    if let seconds = keep.seconds { members.append(.init(key: "keep", value: .number(seconds))) }
    if let count = keep.count { members.append(.init(key: "keepCount", value: JSON(count))) }
    return .object(members)
  }

  /// What says which rule it is: how long recordings are kept may change.
  var key: String { JSON.object(own).text }

  var dayWords: [String] { Day.allCases.filter(days.contains).map(\.rawValue) }

  private var own: [JSON.Member] {
    var members: [JSON.Member] = [
      .init(key: "days", value: .array(dayWords.map(JSON.string))),
      .init(key: "from", value: .string(ClockText.format(from))),
      .init(key: "to", value: .string(ClockText.format(to))),
    ]
    if let name { members.append(.init(key: "name", value: .string(name))) }
    if splits { members.append(.init(key: "split", value: .bool(true))) }
    if overlap > 0 { members.append(.init(key: "overlap", value: .number(overlap))) }
    if appends { members.append(.init(key: "append", value: .bool(true))) }
    if let bytesMax {
      members.append(.init(key: "maxSize", value: .string(SizeText.format(UInt64(bytesMax)))))
    }
    return members
  }
}
