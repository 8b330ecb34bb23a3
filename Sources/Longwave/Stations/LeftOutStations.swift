import Ingest
import Logging
import Server
import Store
import Timeshift
import Wire

/// Stations added by command that a start leaves out, after the relay has died soon after several starts in a row.
///
/// Not Sendable: only the relay's actor has it.
final class LeftOutStations {
  /// Nil when nothing is left out.
  let safeMode: SafeMode?
  private let store: StationStore
  private let logger: Logger
  private var all: [LeftOutStation] = []

  init(_ safeMode: SafeMode?, store: StationStore, logger: Logger) {
    (self.safeMode, self.store, self.logger) = (safeMode, store, logger)
  }

  /// Reads which stations are left out, and logs them as critical.
  func load() async throws(StoreError) {
    guard let safeMode else { return }
    all = try await store.stations(suspectedSince: safeMode.stationsSince)
    let ids = all.map(\.id).joined(separator: ", ")
    logger.critical(
      """
      started \(safeMode.text). \
      Left out: \(all.isEmpty ? "no station" : "the stations \(ids)"). Nothing is deleted. \
      longwave station start ID tries a station again, station edit and station remove repair it; \
      record stop ID and listener forget take off recordings and sessions; an orderly restart tries \
      everything again
      """)
  }

  /// The text that `/readyz` and `longwave stats` show to everybody; nil when nothing is left out.
  var text: String? {
    let listed = all.filter(isListed).map(\.id)
    let others = all.count - listed.count
    let named = listed + (others > 0 ? ["\(others) not listed"] : [])
    return safeMode.map { mode in
      "started \(mode.text)"
        + (named.isEmpty ? "" : "; left out: \(named.joined(separator: ", "))")
    }
  }

  func contains(_ id: String) -> Bool { all.contains { $0.id == id } }

  /// The definitions of the stations left out, as far as they are valid JSON.
  var definitions: [JSON] { all.compactMap { JSON.parse(Array($0.json.utf8)) } }

  /// Mounts of the stations left out, so that listeners find them stopped, not gone.
  var mounts: [Mount] {
    all.map { station in
      var mount = Mount(station: station.id, content: .nothing, isStopped: true)
      mount.isListed = isListed(station)
      return mount
    }
  }

  var snapshots: [StationSnapshot] { all.map(snapshot) }

  func snapshot(_ id: String) -> StationSnapshot? {
    all.first { $0.id == id }.map(snapshot)
  }

  /// Whether everybody may know of a station. A rendition may not: its original may be one that nobody knows of.
  private func isListed(_ station: LeftOutStation) -> Bool {
    let definition = JSON.parse(Array(station.json.utf8))
    let isRendition = (definition?["encode"] ?? .null) != .null
    return definition?["listed"] != .bool(false) && !isRendition
  }

  /// Returns what lists show of a station. Its definition may be what the relay does not survive, so all else is left.
  private func snapshot(_ station: LeftOutStation) -> StationSnapshot {
    var shown = StationSnapshot(id: station.id, sid: 0, name: station.id, state: .stopped)
    shown.isListed = isListed(station)
    shown.stateReason =
      "left out of this start, since the relay died at its last starts; start it to try it again"
    return shown
  }

  /// Returns the stored definition of a station that is left out.
  func definition(of id: String) throws(RelayError) -> StationDefinition {
    guard let stored = all.first(where: { $0.id == id }),
      let json = JSON.parse(Array(stored.json.utf8))
    else { throw RelayError.badJSON }
    return try StationBody.stored(json)
  }

  /// Changes the definition of a station that is left out; the station stays left out.
  func change(_ changed: StationDefinition) async throws(RelayError) {
    try await RelayError.attempt { try await store.save(changed) }
    guard let index = all.firstIndex(where: { $0.id == changed.id }) else { return }
    all[index].json = changed.json.text
    logger.info("\(changed.id): changed, and still left out")
  }

  func stop(_ id: String) async throws(RelayError) {
    try await RelayError.attempt { try await store.setStopped(true, station: id) }
  }

  /// Removes a station from those left out.
  func remove(_ id: String) { all.removeAll { $0.id == id } }
}
