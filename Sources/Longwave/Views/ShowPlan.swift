import Server
import Timeshift
import Wire

/// The shows of a station as they are on air there. Worked out from times, a zone and a moment, without a clock.
struct ShowPlan: Sendable {
  let shows: [Show]
  /// The zone in which the shows' times are meant.
  let zone: ZoneOffsets
  /// Seconds by which a copy hears its original's shows later.
  var later: Int64 = 0
  /// Whether what is recorded of them is heard again: a copy records none of its original's.
  var isHeardAgain = true

  /// Most airings that are told, those around now.
  private static let (pastMax, comingMax) = (350, 150)
  /// Seconds of past, and of the time to come, whose airings are told.
  private static let (pastReach, reach): (Int64, Int64) = (31 * 86_400, 7 * 86_400)

  /// Returns the airings that a listener may meet: those of the window, and of the next days, the first one first.
  ///
  /// - Parameters:
  ///   - oldest: the window's beginning, seconds since 1970; nil when nothing is kept.
  ///   - now: seconds since 1970.
  func airings(from oldest: Int64?, at now: Int64) -> [StationShows.Airing] {
    let first = max(min(oldest ?? now, now), now - Self.pastReach)
    let all = shows.indices.flatMap { show in
      airings(of: show, during: first..<now + Self.reach)
    }.sorted(by: StationShows.Airing.isEarlier)
    let coming = all.firstIndex { $0.start > now } ?? all.endIndex
    return all[..<coming].suffix(Self.pastMax) + all[coming...].prefix(Self.comingMax)
  }

  private func airings(of show: Int, during time: Range<Int64>) -> [StationShows.Airing] {
    let original = time.lowerBound - later..<time.upperBound - later
    return shows[show].times.airings(during: original, in: zone).map { shown($0, show) }
  }

  private func shown(_ airing: Airing, _ show: Int) -> StationShows.Airing {
    StationShows.Airing(show: show, start: airing.start + later, end: airing.end + later)
  }

  /// Returns what is on air at a moment: of several shows the one that began last.
  func current(at moment: Int64) -> StationSnapshot.Show? {
    let all = shows.indices.flatMap { show in
      shows[show].times.current(at: moment - later, in: zone).map { shown($0, show) }
    }
    return all.max(by: StationShows.Airing.isEarlier).map(named)
  }

  /// Returns what begins next after a moment.
  func next(after moment: Int64) -> StationSnapshot.Show? {
    let all = shows.indices.compactMap { show in
      shows[show].times.next(after: moment - later, in: zone).map { shown($0, show) }
    }
    let first = all.map(\.start).min()
    return all.filter { $0.start == first }.max(by: StationShows.Airing.isEarlier).map(named)
  }

  private func named(_ airing: StationShows.Airing) -> StationSnapshot.Show {
    StationSnapshot.Show(
      name: shows[airing.show].name, start: WallTime(unixSeconds: airing.start),
      end: WallTime(unixSeconds: airing.end))
  }
}

extension StationTable {
  /// Returns the shows of a station: its own, or those of the station that it is a copy or a rendition of.
  func shows(of station: StationDefinition) -> ShowPlan? {
    var (source, later) = (station, 0.0)
    // No station is reached twice: the configuration refuses rings.
    for _ in 0...byID.count {
      if !source.shows.isEmpty {
        return ShowPlan(
          shows: source.shows, zone: zone(of: source), later: Int64(bounded: later.rounded()),
          isHeardAgain: source.id == station.id && station.allowsRecording
            && station.listenerSettings(configuration.listeners).allowsShift)
      }
      guard let parent = source.parent.flatMap({ byID[$0]?.definition }) else { return nil }
      later += source.delay.seconds
      source = parent
    }
    return nil
  }
}
