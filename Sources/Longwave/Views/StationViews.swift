import Ingest
import Server
import Threads
import Timeshift
import Wire

/// Copies out what is shown of the stations.
struct StationViews {
  let stations: StationTable
  let leftOut: LeftOutStations
  let fallbacks: Fallbacks
  let ingest: IngestLoop

  /// The definitions of the stations, in their order, secrets included.
  var definitions: [JSON] { stations.inOrder.map(\.definition.json) + leftOut.definitions }

  func snapshots() async -> [StationSnapshot] {
    var all: [StationSnapshot] = []
    for id in stations.order {
      guard let station = stations[id] else { continue }
      all.append(await snapshot(of: station))
    }
    return all + leftOut.snapshots
  }

  func snapshot(_ id: String) async throws(RelayError) -> StationSnapshot {
    if let shown = leftOut.snapshot(id) { return shown }
    return await snapshot(of: try stations.station(id))
  }

  private func snapshot(of station: RelayStation) async -> StationSnapshot {
    var shown = station.snapshot(await ingest.status(station: station.id))
    let settings = station.definition.listenerSettings(stations.configuration.listeners)
    // Rights are about streams; files are offered as a whole.
    if station.definition.files == nil {
      shown.rights = StationSnapshot.Rights(
        shift: settings.allowsShift,
        offsetMax: settings.allowsShift ? settings.offsetMax?.seconds : nil,
        clip: settings.givesClips, record: station.definition.allowsRecording)
    }
    shown.fallback = fallbacks.setting(of: station.id)
    return shown
  }

  /// Returns the titles of a station, newest first.
  func history(of id: String, limit: Int) async throws(RelayError) -> [HistoryEntry] {
    let station = try stations.station(id)
    // Older titles may have to be read from the disk.
    return await Blocking.run {
      guard let log = station.log else { return [] }
      let now = Moment.now()
      // The edge is read after the marks, so that no title ends before it began.
      if station.definition.hasOwnLog {
        let marks = log.titles(limit: .max)
        return HistoryEntry.list(
          marks, oldest: log.oldest.position, edge: log.edge, limit: limit)
      }
      let marks = log.titles(limit: .max, delay: station.delay, at: now)
      let edge = log.snapshot(delay: station.delay, at: now).edge
      return HistoryEntry.list(marks, oldest: log.oldest.position, edge: edge, limit: limit)
    }
  }

  /// Why the relay is not ready, in words.
  var obstacles: [String] {
    let leftOut = leftOut.text.map { [$0] } ?? []
    return leftOut
      + stations.order.compactMap { id in
        guard case .failed(let reason) = stations[id]?.log?.snapshot().storage else { return nil }
        return "\(id): disk: \(reason)"
      }
  }

  /// Returns the files that a station serves, for administrators and, if the station needs no password, for everybody.
  func files(of id: String, isAdmin: Bool) throws(RelayError) -> FileSource {
    let definition = try stations.station(id).definition
    guard let source = definition.files else { throw RelayError.noFiles(id) }
    if definition.auth != nil, !isAdmin { throw RelayError.filesForAdministrators(id) }
    return source
  }
}
