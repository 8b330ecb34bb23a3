import Logging
import Server
import Store
import Wire

/// Adds, changes, removes, starts and stops stations by command.
struct StationChanges {
  let kit: StationKit
  let rules: StationRules
  private var stations: StationTable { kit.stations }

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
    try await rules.paths.refuseBad(station, since: before, from: origin)
    let format = try await rules.fallbacks.newFormat(of: station)
    let window = before.map(stations.window) ?? 0
    if station.hasOwnLog, window == 0, stations.window(of: station) > 0 {
      await kit.logs.awaitFolders([station.id])
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
    try rules.refuseBad(station, file: looked.fallbackFormat)
    try await RelayError.attempt { try await kit.store.save(station) }
    try await kit.adopt(new: station, within: StationLogs.newPatience)
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
    try rules.refuseBad(changed, file: seen?.fallbackFormat)
    try await RelayError.attempt { try await kit.store.save(changed) }
    await kit.adopt(changed, station.origin, since: stations.configuration)
    await kit.publish()
  }

  /// Makes another station the fallback of one, until the configuration is read again or the relay ends.
  func fallBackForNow(_ id: String, to other: String) async throws(RelayError) {
    var changed = try stations.station(id).definition
    changed.fallback = .station(other)
    try rules.fallbacks.refuseBad(changed, file: nil)
    stations.set(\.definition, of: id, to: changed)
    await kit.serving.publish()
    kit.logger.info("\(id): falls back to \(other), until the configuration is read again")
  }

  func remove(_ id: String) async throws(RelayError) {
    let station = try rules.own(id, to: "removed")
    if let copy = stations.copies(of: id).first { throw RelayError.hasCopy(copy) }
    if let made = stations.renditions(of: id).first { throw RelayError.hasCopy(made.id) }
    try rules.fallbacks.refuseTarget(id)
    try await RelayError.attempt { try await kit.store.remove(id) }
    stations.remove { $0 == id }
    await kit.publish()
    await kit.end(station)
    await kit.loader.keepNumbers(of: [station], areFinal: true)
    if let log = station.ownLog {
      try await RelayError.attempt { try await kit.removeLog(id, log) }
    }
    kit.logger.info("\(id): removed")
  }

  // MARK: Starting and stopping

  func perform(_ command: StationCommand, on id: String) async throws(RelayError) {
    let station = try stations.station(id)
    switch command {
    case .stop: try await setStopped(true, station)
    case .start: try await setStopped(false, station)
    case .restart:
      await kit.fillers.end(station)
      try await setStopped(false, station)
      if !station.isStopped { await kit.fillers.begin(station) }
    }
  }

  /// Stops or starts a station; does nothing when it is stopped or started already.
  private func setStopped(_ isStopped: Bool, _ station: RelayStation) async throws(RelayError) {
    guard station.isStopped != isStopped else { return }
    try await RelayError.attempt {
      try await kit.store.setStopped(isStopped, station: station.id)
    }
    stations.set(\.isStopped, of: station.id, to: isStopped)
    await kit.serving.publish()
    if isStopped {
      await kit.fillers.end(station)
    } else {
      await kit.fillers.begin(station)
    }
  }
}
