import Longwave
import Server

/// The figures about stations and listeners that are public. They are copied at most once a second, however many
/// requests there are, because the cost grows with stations and listeners. Administrators get current figures instead.
final class PublicFigures: Sendable {
  private let relay: any RelayControl
  private let keptStations = Kept<[StationSnapshot]>()
  private let keptMonitored = Kept<MonitoredStations>()
  private let keptStatus = Kept<IcecastStatusTemplate>()
  private let keptFigures = Kept<RelayFigures>()
  private let keptMetrics = Kept<RelayMetrics>()
  private let keptObstacles = Kept<[String]>()
  /// The histories of up to 128 stations, with up to a thousand titles each.
  private let histories = KeptByKey<String, Result<[HistoryEntry], RelayError>>(keysMax: 128)
  /// The timelines of up to 128 stations, with up to three thousand titles each.
  private let timelines = KeptByKey<String, Result<StationTimeline, RelayError>>(keysMax: 128)
  /// The loudness of up to 128 stations: a byte a second, shared with their logs.
  private let waveforms = KeptByKey<String, Result<StationWaveform, RelayError>>(keysMax: 128)
  /// What listeners of up to 128 stations went back to: a byte a minute.
  private let replays = KeptByKey<String, Result<StationReplays, RelayError>>(keysMax: 128)
  /// The shows of up to 128 stations, with up to five hundred airings each.
  private let shows = KeptByKey<String, Result<StationShows, RelayError>>(keysMax: 128)
  /// What up to 128 programmes play.
  private let programmes = KeptByKey<String, Result<ProgrammeSnapshot, RelayError>>(keysMax: 128)

  init(of relay: any RelayControl) { self.relay = relay }

  func stations() async -> Versioned<[StationSnapshot]> {
    await keptStations.versioned { [relay] in await relay.stationSnapshots() }
  }

  func monitored() async -> Versioned<MonitoredStations> {
    await keptMonitored.versioned { [self] in
      MonitoredStations(await stations().value, await relay.audience(), withUnlisted: false)
    }
  }

  func status() async -> Versioned<IcecastStatusTemplate> {
    await keptStatus.versioned { [self] in
      IcecastStatusTemplate(await monitored().value.list, await figures().value)
    }
  }

  func figures() async -> Versioned<RelayFigures> {
    await keptFigures.versioned { [relay] in await relay.figures() }
  }

  func metrics() async -> Versioned<RelayMetrics> {
    await keptMetrics.versioned { [relay] in await relay.metrics() }
  }

  func obstacles() async -> [String] {
    await keptObstacles.value { [relay] in await relay.obstacles() }
  }

  /// Returns a station's history, with all titles that a request may ask for.
  func history(of station: String) async throws -> Versioned<[HistoryEntry]> {
    try await kept(histories, of: station) { relay throws(RelayError) in
      try await relay.history(of: station, limit: HistoryEntry.keptMax)
    }
  }

  /// Returns a station's timeline with all its titles and gaps.
  func timeline(of station: String) async throws -> Versioned<StationTimeline> {
    try await kept(timelines, of: station) { relay throws(RelayError) in
      try await relay.timeline(of: station)
    }
  }

  func waveform(of station: String) async throws -> Versioned<StationWaveform> {
    try await kept(waveforms, of: station) { relay throws(RelayError) in
      try await relay.waveform(of: station)
    }
  }

  func replayed(of station: String) async throws -> Versioned<StationReplays> {
    try await kept(replays, of: station) { relay throws(RelayError) in
      try await relay.replayed(of: station)
    }
  }

  func shows(of station: String) async throws -> Versioned<StationShows> {
    try await kept(shows, of: station) { relay throws(RelayError) in
      try await relay.shows(of: station)
    }
  }

  func programme(of station: String) async throws -> Versioned<ProgrammeSnapshot> {
    try await kept(programmes, of: station) { relay throws(RelayError) in
      try await relay.programme(of: station)
    }
  }

  private func kept<Value>(
    _ values: KeptByKey<String, Result<Value, RelayError>>, of station: String,
    _ make: @escaping @Sendable (any RelayControl) async throws(RelayError) -> Value
  ) async throws -> Versioned<Value> {
    // Only existing stations are looked up; else every invented name would be kept.
    _ = try await relay.stationSnapshot(station)
    let kept = await values.versioned(station) { [relay] in
      do throws(RelayError) {
        return .success(try await make(relay))
      } catch {
        return .failure(error)
      }
    }
    return Versioned(value: try kept.value.get(), version: kept.version)
  }

  /// Drops all kept values after a change, so that the change shows at once.
  func forget() {
    keptStations.forget()
    keptMonitored.forget()
    keptStatus.forget()
    keptFigures.forget()
    keptMetrics.forget()
    keptObstacles.forget()
    histories.forget()
    timelines.forget()
    waveforms.forget()
    replays.forget()
    shows.forget()
    programmes.forget()
  }
}
