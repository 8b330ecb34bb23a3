import Logging
import Server
import Timeshift
import Wire

/// Adds, changes and removes stations by command.
struct StationChanges {
  let stations: StationTable
  let rules: StationRules
  let paths: StationPaths
  let fallbackRules: FallbackRules
  let store: StationStore
  let loader: StationLoader
  let fillers: Fillers
  let onDemand: OnDemand
  let windows: StationWindows
  let recordings: RecordingDesk
  let serving: Serving
  let logger: Logger

  /// A definition whose files and folders on this machine have been looked at.
  struct Looked: Sendable {
    var definition: StationDefinition
    /// Format of the file that the station falls back to, if that file is a new one.
    var fallbackFormat: AudioFormat?
  }

  // MARK: Looking, which may wait for disks

  func look(
    atNew station: StationDefinition, from origin: Peer
  ) async throws(RelayError) -> Looked {
    let station = try station.validated()
    try rules.refuseTaken(station)
    return try await look(at: station, since: nil, from: origin)
  }

  /// Looks at what a station would be after a change.
  func look(
    at id: String, by patch: JSON, from origin: Peer
  ) async throws(RelayError) -> Looked {
    let station = try rules.own(id, to: "changed").definition
    let changed = try StationBody.patched(station, with: patch)
    return try await look(at: changed, since: station, from: origin)
  }

  private func look(
    at station: StationDefinition, since before: StationDefinition?, from origin: Peer
  ) async throws(RelayError) -> Looked {
    if let refusal = station.kind.refusal { throw refusal }
    try await paths.refuseBad(station, since: before, from: origin)
    let format = try await fallbackRules.newFormat(of: station)
    let window = before.map(stations.window) ?? 0
    if station.hasOwnLog, window == 0, stations.window(of: station) > 0 {
      await loader.logs.awaitFolders([station.id])
    }
    return Looked(definition: station, fallbackFormat: format)
  }

  // MARK: Changing

  func add(_ looked: Looked) async throws(RelayError) {
    let station = looked.definition
    guard stations.order.count < ConfigurationLimits.stationsMax else {
      throw RelayError.tooManyStations(stations.order.count)
    }
    try rules.refuseTaken(station)
    try rules.refuseBadCopy(station)
    try fallbackRules.refuseBad(station, file: looked.fallbackFormat)
    do throws(StoreError) {
      try await store.save(station)
      try await loader.load(
        [(definition: station, origin: .command)], within: StationLogs.newPatience)
    } catch {
      throw RelayError.failed(by: error)
    }
    stations.shareDisk()
    await serving.publish()
    if let added = stations[station.id] { await fillers.begin(added) }
  }

  /// - Parameter seen: the changed definition as it was looked at before the relay had time for the change.
  func change(
    _ id: String, by patch: JSON, seen: Looked?, from origin: Peer
  ) async throws(RelayError) {
    let station = try rules.own(id, to: "changed")
    let changed = try StationBody.patched(station.definition, with: patch)
    var seen = seen
    if seen?.definition != changed {
      // Another command has changed the station meanwhile.
      seen = try await look(at: id, by: patch, from: origin)
    }
    try rules.refuseTakenPaths(changed)
    try rules.refuseBadCopy(changed)
    try fallbackRules.refuseBad(changed, file: seen?.fallbackFormat)
    do throws(StoreError) {
      try await store.save(changed)
    } catch {
      throw RelayError.failed(by: error)
    }
    await takeOver(changed, since: station)
  }

  /// Makes another station the fallback of one, until the configuration is read again or the relay ends.
  func fallBackForNow(_ id: String, to other: String) async throws(RelayError) {
    var changed = try stations.station(id).definition
    changed.fallback = .station(other)
    try fallbackRules.refuseBad(changed, file: nil)
    stations.set(\.definition, of: id, to: changed)
    await serving.publish()
    logger.info("\(id): falls back to \(other), until the configuration is read again")
  }

  private func takeOver(_ changed: StationDefinition, since station: RelayStation) async {
    let id = station.id
    stations.set(\.definition, of: id, to: changed)
    if let original = changed.original {
      stations.followLog(of: original)
      if original != station.definition.original { await windows.moveRecordings(of: id) }
    }
    let isRenewed =
      changed.hasOwnLog
      && (stations.window(of: station.definition) == 0) != (stations.window(of: changed) == 0)
    if isRenewed { await windows.openAnotherLog(of: id) }
    stations.shareDisk()
    await serving.publish()
    if !station.isStopped { await fillers.update(id) }
  }

  func remove(_ id: String) async throws(RelayError) {
    let station = try rules.own(id, to: "removed")
    if let copy = stations.copies(of: id).first { throw RelayError.hasCopy(copy) }
    if let made = stations.renditions(of: id).first { throw RelayError.hasCopy(made.id) }
    try fallbackRules.refuseTarget(id)
    do throws(StoreError) {
      try await store.remove(id)
    } catch {
      throw RelayError.failed(by: error)
    }
    do {
      stations.takeOut { $0 == id }
      onDemand.forget(id)
      stations.shareDisk()
      await serving.publish()
      await fillers.end(station)
      await recordings.stop(station: id)
      if let log = station.ownLog { try await windows.remove(id, log) }
    } catch {
      throw RelayError.failed(by: error)
    }
    logger.info("\(id): removed")
  }
}
