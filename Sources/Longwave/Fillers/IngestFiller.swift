import Ingest
import Server
import Timeshift

/// Has stations pulled by the ingest loop.
struct IngestFiller: Filler {
  let stations: StationTable
  let ingest: IngestLoop
  let events: EventHub
  let logFiles: LogFiles
  /// Called with what a station's upstream says of itself; must not block.
  let tellHeaders: @Sendable (UpstreamHeaders, _ station: String) -> Void
  /// Called when a station's upstream has said goodbye; must not block.
  let tellGoodbye: @Sendable (Goodbye, _ station: String) -> Void

  func begin(_ station: RelayStation, isPaused: Bool) async {
    guard let log = station.ownLog else { return }
    let id = station.id
    let counters = station.counters
    await ingest.add(
      station: id, settings: settings(of: station), log: log, isPaused: isPaused,
      isAwaited: { counters.isAwaited(at: .now()) }
    ) { [events, logFiles, tellHeaders, tellGoodbye] event in
      events.post(event, station: id, log: log)
      if case .title(let title, _) = event { logFiles.note(title, of: id, listeners: counters.now) }
      if case .headers(let headers) = event { tellHeaders(headers, id) }
      if case .saidGoodbye(let isLast) = event {
        tellGoodbye(Goodbye(edge: log.edgePosition, at: .now(), isLast: isLast), id)
      }
    }
  }

  func update(_ station: RelayStation) async {
    await ingest.update(station: station.id, settings: settings(of: station))
  }

  func pause(_ id: String) async { await ingest.pause(station: id) }

  func resume(_ id: String) async { await ingest.resume(station: id) }

  func end(_ id: String) async { await ingest.stop(station: id) }

  func status(of id: String) async -> IngestStatus? { await ingest.status(station: id) }

  private func settings(of station: RelayStation) -> UpstreamSettings {
    station.definition.upstreamSettings(stations.configuration.upstream)
  }
}
