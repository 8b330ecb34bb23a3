import Server
import Timeshift
import Wire

/// What listeners of the stations went back to. It is in memory only, so that a restart forgets it.
///
/// The difference of two answers would show what one listener does. So a minute is told once three people have heard it
/// later than live, in steps, and anew only when a minute has passed.
///
/// Not Sendable: only the relay's actor has it.
final class KeptReplays {
  private struct Station {
    /// Another log counts its media time from the start.
    let log: PacketLog
    var history = ReplayHistory()
    var told: StationReplays
    /// The number of the clock's minute in which it was made.
    var minute: Int64
  }

  private var stations: [String: Station] = [:]

  /// Adds who listens to what now.
  ///
  /// - Parameter minute: number of the clock's minute.
  func keep(_ sample: ReplaySample, of all: [RelayStation], minute: Int64) {
    var kept: [String: Station] = [:]
    for station in all {
      guard let log = station.log else { continue }
      let seen = sample.stations[station.id] ?? [:]
      let before = stations[station.id].flatMap { $0.log === log ? $0 : nil }
      // Where nobody goes back, nothing is kept or looked at.
      if before == nil, seen.isEmpty { continue }
      var now =
        before
        ?? Station(
          log: log, told: StationReplays(station: station.id),
          minute: minute.saturatingSubtract(1))
      now.history.keep(seen, in: Self.minutes(of: station, log))
      if minute > now.minute {
        now.told = now.history.told(of: station.id)
        now.minute = minute
      }
      // What is told outlives its minutes until the clock's minute has passed.
      if now.history.isEmpty, now.told.data.isEmpty { continue }
      kept[station.id] = now
    }
    stations = kept
  }

  /// Returns what is told of a station: nothing while too few have gone back.
  func told(of station: RelayStation) -> StationReplays {
    guard let kept = stations[station.id], kept.log === station.log else {
      return StationReplays(station: station.id)
    }
    return kept.told
  }

  private static func minutes(of station: RelayStation, _ log: PacketLog) -> ClosedRange<Int64> {
    let shown =
      station.delay == .zero ? log.snapshot() : log.snapshot(delay: station.delay, at: .now())
    let first = ReplaySample.minute(of: shown.oldest.media)
    return first...max(first, ReplaySample.minute(of: shown.edge.media))
  }
}
