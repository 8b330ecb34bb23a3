import Ingest
import Server
import Timeshift
import Wire

/// Tells ingest which stations to pull, and how.
struct StationPulls {
  let stations: StationTable
  let ingest: IngestLoop
  let renditions: RenditionDesk
  let onDemand: OnDemand
  let events: EventHub
  let desk: LogDesk
  /// Called with what a station's upstream says of itself; must not block.
  let tellHeaders: @Sendable (UpstreamHeaders, _ station: String) -> Void
  /// Called when a station's upstream has said goodbye; must not block.
  let tellGoodbye: @Sendable (Goodbye, _ station: String) -> Void

  /// Begins to pull a station into its log, or to make a rendition.
  func begin(_ station: RelayStation) async {
    guard let log = station.ownLog else { return }
    let id = station.id
    if station.definition.renditionOf != nil { return await make(station) }
    let settings = station.definition.upstreamSettings(stations.configuration.upstream)
    let isPaused = station.definition.rests && station.counters.places == 0
    if station.definition.rests { onDemand.demand(of: id).set(isRunning: !isPaused) }
    await ingest.add(station: id, settings: settings, log: log, isPaused: isPaused) {
      [events, desk, tellHeaders, tellGoodbye, counters = station.counters] event in
      events.post(event, station: id, log: log)
      if case .title(let title, _) = event { desk.note(title, of: id, listeners: counters.now) }
      if case .headers(let headers) = event { tellHeaders(headers, id) }
      if case .saidGoodbye(let isLast) = event {
        tellGoodbye(Goodbye(edge: log.edgePosition, at: .now(), isLast: isLast), id)
      }
    }
    if !isPaused { onDemand.pauseWhenUnwanted(id) }
    await onDemand.wake(ifRecorded: id)
  }

  private func make(_ station: RelayStation) async {
    let rests = station.definition.rests
    let isPaused = rests && station.counters.places == 0
    if rests { onDemand.demand(of: station.id).set(isRunning: !isPaused) }
    renditions.begin(station, isPaused: isPaused)
    if isPaused { return await onDemand.wake(ifRecorded: station.id) }
    onDemand.pauseWhenUnwanted(station.id)
    if let original = station.definition.renditionOf { await onDemand.wake(original) }
  }

  /// Tells ingest a station's changed settings, or begins its rendition anew.
  func update(_ definition: StationDefinition) async {
    guard definition.hasOwnLog else { return }
    let settings = definition.upstreamSettings(stations.configuration.upstream)
    if definition.isPulled { await ingest.update(station: definition.id, settings: settings) }
    if definition.rests {
      onDemand.demand(of: definition.id).set(isRunning: true)
      onDemand.pauseWhenUnwanted(definition.id)
    } else {
      onDemand.forget(definition.id)
      await onDemand.resume(definition.id)
    }
    renditions.attend(at: .now())
  }

  func end(_ id: String) async {
    renditions.end(id)
    await ingest.stop(station: id)
    events.ledger.stopped(id)
  }

  /// What is shown of how a station comes in; nil where nothing does.
  func status(of id: String) async -> IngestStatus? {
    if let made = renditions.status(of: id) { return made }
    return await ingest.status(station: id)
  }
}
