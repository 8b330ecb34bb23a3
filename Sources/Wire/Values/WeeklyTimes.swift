/// Days in the order of the week.
public enum Weekday: String, Hashable, Sendable, CaseIterable {
  case mon, tue, wed, thu, fri, sat, sun

  /// Makes the day that is `days` days after 1970-01-01, a Thursday.
  public init(daysSince1970 days: Int) { self = Self.allCases[((days % 7) + 10) % 7] }
}

/// One time that weekly times are on, in seconds since 1970.
public struct Airing: Codable, Hashable, Sendable {
  public var start: Int64
  public var end: Int64

  public init(start: Int64, end: Int64) {
    (self.start, self.end) = (start, end)
  }
}

/// Hours that come every week: on which days, from when to when, in local time.
///
/// Airings are worked out from the times, a zone and a moment, without a clock.
public struct WeeklyTimes: Hashable, Sendable {
  /// Days on which an airing begins.
  public var days: Set<Weekday>
  /// Beginning in seconds after midnight, local time.
  public var from: Int
  /// End in seconds after midnight, local time; on the next day if it is not after `from`.
  public var to: Int

  public init(days: Set<Weekday> = Set(Weekday.allCases), from: Int = 0, to: Int = 0) {
    (self.days, self.from, self.to) = (days, from, to)
  }

  /// Seconds of an airing when no clock changes.
  public var seconds: Int { to > from ? to - from : to - from + 86_400 }
}

extension WeeklyTimes {
  /// Returns the first airing that is not over at `moment`, seconds since 1970; nil when there are no days.
  public func next(at moment: Int64, in zone: ZoneOffsets) -> Airing? {
    airings(around: moment, zone).first { $0.end > moment }
  }

  /// Returns the first airing that begins after `moment`.
  public func next(after moment: Int64, in zone: ZoneOffsets) -> Airing? {
    airings(around: moment, zone).first { $0.start > moment }
  }

  /// Returns the airings at `moment`: two, when clocks are put back during an airing that lasts a whole day.
  public func current(at moment: Int64, in zone: ZoneOffsets) -> [Airing] {
    airings(around: moment, zone).filter { $0.start <= moment && moment < $0.end }
  }

  /// Returns the airings that began after `look` and are over.
  public func over(at moment: Int64, since look: Int64, in zone: ZoneOffsets) -> [Airing] {
    airings(around: moment, zone).filter { $0.start > look && $0.end <= moment }
  }

  /// Returns the airings that are on at some moment of a time, the first one first.
  public func airings(during time: Range<Int64>, in zone: ZoneOffsets) -> [Airing] {
    let last = zone.day(at: time.upperBound)
    return (zone.day(at: time.lowerBound) - 2...last).compactMap { airing(on: $0, zone) }
      .filter { $0.start < time.upperBound && $0.end > time.lowerBound }
  }

  /// Returns the airings from two days before `moment`, which may still be on, up to the next week's.
  private func airings(around moment: Int64, _ zone: ZoneOffsets) -> [Airing] {
    let today = zone.day(at: moment)
    return (today - 2...today + 8).compactMap { airing(on: $0, zone) }
  }

  /// Returns the airing on a day, counted from 1970-01-01; nil when there is none.
  ///
  /// When clocks change, everything that the times may mean is part of it: from the earliest moment that `from` can be,
  /// to the latest that `to` can be.
  private func airing(on day: Int, _ zone: ZoneOffsets) -> Airing? {
    guard days.contains(Weekday(daysSince1970: day)) else { return nil }
    let midnight = Int64(day) * 86_400
    let last = midnight + Int64(to) + (to > from ? 0 : 86_400)
    return Airing(
      start: zone.moments(ofLocal: midnight + Int64(from)).lowerBound,
      end: zone.moments(ofLocal: last).upperBound)
  }
}

extension WeeklyTimes {
  /// Seconds of a week.
  private static let week = 7 * 86_400

  /// Returns when both are on in a week without changes of the clock, in seconds since Monday 0:00, the first one first.
  ///
  /// A time that ends on the next Monday has an upper bound beyond the week.
  public func overlaps(with other: WeeklyTimes) -> [Range<Int>] {
    var found: [Range<Int>] = []
    for one in hours {
      for two in other.hours {
        for shift in [-Self.week, 0, Self.week] {
          let both = one.clamped(to: two.lowerBound + shift..<two.upperBound + shift)
          guard !both.isEmpty else { continue }
          let start = both.lowerBound % Self.week
          found.append(start..<start + both.count)
        }
      }
    }
    return found.sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
  }

  private var hours: [Range<Int>] {
    Weekday.allCases.enumerated().filter { days.contains($1) }.map { index, _ in
      index * 86_400 + from..<index * 86_400 + from + seconds
    }
  }
}

extension ZoneOffsets {
  /// Returns the day on which a moment is here, counted from 1970-01-01.
  public func day(at moment: Int64) -> Int {
    let local = moment + Int64(offset(at: moment))
    return Int((local - (local % 86_400 + 86_400) % 86_400) / 86_400)
  }

  /// Returns when a day begins here, in seconds since 1970.
  public func beginning(ofDay day: Int) -> Int64 {
    moments(ofLocal: Int64(day) * 86_400).lowerBound
  }
}
