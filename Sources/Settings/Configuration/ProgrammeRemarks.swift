import Programmes
import Wire

// What is no mistake in a programme's rules, and may not be meant.
extension Configuration {
  /// A station, and what is to be said of its programme.
  package typealias ProgrammeRemark = (station: String, text: String)

  /// What `config check` says of programmes.
  package var programmeRemarks: [ProgrammeRemark] {
    let known = Set(stations.map(\.id))
    return stations.flatMap { station -> [ProgrammeRemark] in
      guard let programme = station.programme else { return [] }
      let strangers = programme.stations.filter { !known.contains($0) }.map {
        "programme: " + KeySuggestion.noStation($0, besides: station.id, among: known)
          + " (one that was added by command counts)"
      }
      return (programme.remarks + strangers).map { (station.id, $0) }
    } + circle
  }

  private var circle: [ProgrammeRemark] {
    let played = stations.map { station in
      (station.id, (station.programme?.stations ?? []) + (station.parent.map { [$0] } ?? []))
    }
    guard let ids = Programme.circle(Dictionary(played) { first, _ in first }),
      let first = ids.first
    else { return [] }
    // A copy in the circle is none without the programme that plays it.
    let programme = stations.first { ids.contains($0.id) && $0.programme != nil }?.id ?? first
    let way = (ids + [first]).joined(separator: ", ")
    return [(programme, "programme: would play itself: \(way); name another station")]
  }
}

extension Programme {
  fileprivate var remarks: [String] {
    overlaps.map { overlap in
      "parts[\(overlap.first)] and parts[\(overlap.second)] overlap, \(Self.words(overlap.hours)); "
        + "the first one counts there"
    }
      + insertsWithoutHour.map { part, rule in
        let place = part.map { "parts[\($0)].insert" } ?? "insert"
        return
          "\(place): \(rule.source.shownText) \(rule.text) lies outside of its hours, and is never played"
      }
  }

  /// Returns hours of a week in words, such as `fri, sat 20:00-22:00`; those of one time of day together.
  private static func words(_ hours: [Range<Int>]) -> String {
    var times: [String] = []
    var days: [String: [String]] = [:]
    for range in hours {
      let day = Weekday.allCases[range.lowerBound / 86_400 % 7].rawValue
      let time =
        ClockText.format(range.lowerBound % 86_400) + "-"
        + ClockText.format(range.upperBound % 86_400)
      if days[time] == nil { times.append(time) }
      days[time, default: []].append(day)
    }
    return times.map { time in
      let names = days[time] ?? []
      return (names.count == 7 ? "daily" : names.joined(separator: ", ")) + " " + time
    }.joined(separator: "; ")
  }
}

extension Source {
  /// The source without what is secret of a URL.
  fileprivate var shownText: String { Self.shown(text) }
}
