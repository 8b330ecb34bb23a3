import Timeshift
import Wire

/// The recordings that schedules are going to begin on some days, worked out from rules, zones and a moment.
///
/// Each time that a rule is on has its own entry. Working this out takes long with many stations: `json` is made where
/// nobody waits for it.
package struct RecordingCalendar: Sendable {
  /// A station's rules, and the zone of their times.
  struct Station: Sendable {
    var id: String
    var rules: [RecordingRule]
    var zone: ZoneOffsets
  }

  struct Day: Hashable, Sendable {
    /// As in 2026-11-26.
    var date: String
    /// Seconds since 1970; a day is 23 to 25 hours long when clocks change.
    var time: Range<Int64>
  }

  /// Most days of a calendar: a month.
  package static let daysMax = 31
  /// Seconds from now within which a calendar begins: a year.
  package static let reach = 366 * 86_400.0
  /// Most recordings that are told: more than anybody reads, in half a megabyte.
  static let plannedMax = 2000

  /// The zone of the days.
  let zone: ZoneOffsets
  /// What begins later than this is to come; seconds since 1970.
  let now: Int64
  let days: [Day]
  var stations: [Station] = []

  /// - Parameter first: a moment on the first day.
  package init(zone: ZoneOffsets, now: Int64, first: Int64, days count: Int) {
    (self.zone, self.now) = (zone, now)
    let first = zone.day(at: first)
    days = (first..<first + count).map { day in
      let midnight = WallTime(unixSeconds: Int64(day) * 86_400)
      let end = zone.beginning(ofDay: day + 1)
      return Day(
        date: String(midnight.rfc3339.prefix(10)), time: zone.beginning(ofDay: day)..<end)
    }
  }

  /// Returns the first `most` recordings to come, the soonest first, and whether there are more.
  func planned(most: Int = plannedMax) -> (soonest: [PlannedRecording], areMore: Bool) {
    guard let first = days.first?.time.lowerBound, let last = days.last?.time.upperBound else {
      return ([], false)
    }
    var found: [Found] = []
    var areMore = false
    func keepSoonest() {
      found.sort { ($0.airing.start, $0.place, $0.rule) < ($1.airing.start, $1.place, $1.rule) }
      areMore = areMore || found.count > most
      found.removeLast(max(0, found.count - most))
    }
    for (place, station) in stations.enumerated() {
      for (rule, entry) in station.rules.enumerated() {
        for airing in entry.times.airings(during: first..<last, in: station.zone)
        where airing.start > now {
          found.append(Found(airing: airing, place: place, rule: rule))
        }
        // Sorted now and then, so that many stations take no more memory than a few.
        if found.count > 2 * most + Self.daysMax { keepSoonest() }
      }
    }
    keepSoonest()
    return (found.map(recording), areMore)
  }

  private struct Found {
    var airing: Airing
    /// Places of the station and of its rule.
    var place: Int
    var rule: Int
  }

  private func recording(_ found: Found) -> PlannedRecording {
    let station = stations[found.place]
    return PlannedRecording(
      station: station.id, rule: station.rules[found.rule], airing: found.airing,
      zone: station.zone)
  }

  package var json: JSON {
    let (soonest, areMore) = planned()
    return [
      "timeZone": ["name": .string(zone.name), "seconds": JSON(zone.offset(at: now))],
      "days": .array(
        days.map {
          [
            "date": .string($0.date), "start": JSON(WallTime(unixSeconds: $0.time.lowerBound)),
            "end": JSON(WallTime(unixSeconds: $0.time.upperBound)),
          ]
        }),
      "planned": .array(soonest.map(\.json)), "truncated": .bool(areMore),
    ]
  }
}
