import Ingest
import Server
import Wire

/// Tells ingest which stations to pull, and how.
struct StationPulls {
  let stations: StationTable
  let ingest: IngestLoop
  let onDemand: OnDemand
  let events: EventHub
  let desk: LogDesk
  /// Called with what a station's upstream says of itself; must not block.
  let tellHeaders: @Sendable (UpstreamHeaders, _ station: String) -> Void

  /// Begins to pull a station into its log.
  func begin(_ station: RelayStation) async {
    guard let log = station.ownLog else { return }
    let id = station.id
    let settings = station.definition.upstreamSettings(stations.configuration.upstream)
    let isPaused = station.definition.rests && station.counters.places == 0
    if station.definition.rests { onDemand.demand(of: id).set(isRunning: !isPaused) }
    await ingest.add(station: id, settings: settings, log: log, isPaused: isPaused) {
      [events, desk, tellHeaders, counters = station.counters] event in
      events.post(event, station: id, log: log)
      if case .title(let title, _) = event { desk.note(title, of: id, listeners: counters.now) }
      if case .headers(let headers) = event { tellHeaders(headers, id) }
    }
    if !isPaused { onDemand.pauseWhenUnwanted(id) }
    await onDemand.wake(ifRecorded: id)
  }

  /// Tells ingest a station's changed settings.
  func update(_ definition: StationDefinition) async {
    guard definition.isPulled else { return }
    await ingest.update(
      station: definition.id,
      settings: definition.upstreamSettings(stations.configuration.upstream))
    if definition.rests {
      onDemand.demand(of: definition.id).set(isRunning: true)
      onDemand.pauseWhenUnwanted(definition.id)
    } else {
      onDemand.forget(definition.id)
      await ingest.resume(station: definition.id)
    }
  }

  func end(_ id: String) async { await ingest.stop(station: id) }
}
