import Ingest
import Logging
import Server
import Timeshift
import Wire

extension Relay: RelayControl {
  public func definitions() async -> [JSON] {
    order.compactMap { stations[$0]?.definition.json }
      + leftOut.compactMap { JSON.parse(Array($0.json.utf8)) }
  }

  public func add(_ station: StationDefinition) async throws(APIError) -> StationSnapshot {
    try await add(station, from: .unixSocket)
  }

  public func add(
    _ station: StationDefinition, from origin: APIRequest.Origin
  ) async throws(APIError) -> StationSnapshot {
    try refuseTaken(station)
    // A disk that hangs keeps waiting who names it, and nobody else.
    try await refusePaths(of: station, since: nil, from: origin)
    let fallbackFormat = try await newFallbackFormat(of: station)
    await turnstile.enter()
    defer { turnstile.leave() }
    guard order.count < ConfigurationLimits.stationsMax else {
      throw APIError(
        409, "too-many-stations",
        "There are \(order.count) stations, as many as a relay has; remove one of them first.")
    }
    try refuseTaken(station)
    try refuseBadCopy(station)
    try refuseBadFallback(station, file: fallbackFormat)
    let id = station.id
    do throws(StoreError) {
      try await store.save(station)
      try await load([(definition: station, origin: .command)])
      shareDisk()
      await publish()
      if let added = stations[id] { await pull(added) }
    } catch {
      throw APIError.failed(error)
    }
    await followSchedules()
    logger.info("\(id): added")
    return try await stationSnapshot(id)
  }

  public func change(_ id: String, by patch: JSON) async throws(APIError) -> StationSnapshot {
    try await change(id, by: patch, from: .unixSocket)
  }

  public func change(
    _ id: String, by patch: JSON, from origin: APIRequest.Origin
  ) async throws(APIError) -> StationSnapshot {
    // As in `add`.
    var seen = isLeftOut(id) ? nil : try await look(at: id, by: patch, from: origin)
    await turnstile.enter()
    defer { turnstile.leave() }
    if isLeftOut(id) { return try await changeLeftOut(id, by: patch, from: origin) }
    let station = try ownStation(id, to: "changed")
    let changed = try StationBody.patched(station.definition, with: patch)
    if seen?.definition != changed {
      // Somebody else has changed it meanwhile.
      seen = try await look(at: id, by: patch, from: origin)
    }
    try refuseTakenPaths(changed)
    try refuseBadCopy(changed)
    try refuseBadFallback(changed, file: seen?.fallbackFormat)
    do throws(StoreError) {
      try await store.save(changed)
    } catch {
      throw APIError.failed(error)
    }
    stations[id]?.definition = changed
    if let original = changed.original {
      follow(original)
      if original != station.definition.original { await moveRecordings(of: id) }
    }
    let isRenewed =
      changed.isPulled
      && (configuration.window(of: station.definition) == 0)
        != (configuration.window(of: changed) == 0)
    if isRenewed { await openAnotherLog(of: id) }
    shareDisk()
    await publish()
    if !station.isStopped {
      await update(changed)
    }
    await followSchedules()
    logger.info("\(id): changed")
    return try await stationSnapshot(id)
  }

  /// What a station would be, with all that it names on this machine looked at.
  private func look(
    at id: String, by patch: JSON, from origin: APIRequest.Origin
  ) async throws(APIError) -> (definition: StationDefinition, fallbackFormat: AudioFormat?) {
    let station = try ownStation(id, to: "changed")
    let changed = try StationBody.patched(station.definition, with: patch)
    try await refusePaths(of: changed, since: station.definition, from: origin)
    return (changed, try await newFallbackFormat(of: changed))
  }

  public func remove(_ id: String) async throws(APIError) {
    await turnstile.enter()
    defer { turnstile.leave() }
    if isLeftOut(id) { return try await removeLeftOut(id) }
    let station = try ownStation(id, to: "removed")
    if let copy = copies(of: id).first {
      throw APIError(
        409, "station-in-use", "\"\(copy)\" is this station, later; remove it first.", field: "id")
    }
    try refuseFallbackTarget(id)
    do {
      try await store.remove(id)
      stations[id] = nil
      forgetDemand(of: id)
      order.removeAll { $0 == id }
      shareDisk()
      await publish()
      await ingest.stop(station: id)
      await recordingDesk.stop(station: id)
      if let log = station.ownLog { try await removeWindow(of: id, log) }
    } catch {
      throw APIError.failed("\(error)")
    }
    logger.info("\(id): removed")
  }

  /// Closes its log and deletes its files.
  func removeWindow(of id: String, _ log: PacketLog?) async throws(StorageError) {
    if try await logs.remove(id, log) { return }
    logger.warning("\(id): its folder does not answer; its files are deleted when it does")
  }

  public func perform(
    _ command: StationCommand, on id: String
  ) async throws(APIError) -> StationSnapshot {
    await turnstile.enter()
    defer { turnstile.leave() }
    if isLeftOut(id) {
      if command == .stop { return try await stopLeftOut(id) }
      try await takeUp(id)
    }
    guard let station = stations[id] else { throw APIError.unknownStation(id) }
    switch command {
    case .stop: try await setStopped(true, station)
    case .start: try await setStopped(false, station)
    case .restart:
      await ingest.stop(station: id)
      try await setStopped(false, station)
      if !station.isStopped { await pull(station) }
    }
    return try await stationSnapshot(id)
  }

  /// What is so already is left as it is.
  private func setStopped(_ isStopped: Bool, _ station: RelayStation) async throws(APIError) {
    guard station.isStopped != isStopped else { return }
    do throws(StoreError) {
      try await store.setStopped(isStopped, station: station.id)
    } catch {
      throw APIError.failed(error)
    }
    stations[station.id]?.isStopped = isStopped
    await publish()
    if isStopped {
      await ingest.stop(station: station.id)
    } else {
      await pull(station)
    }
  }

  public func announce(_ title: Title, on id: String) async throws(APIError) {
    guard let station = stations[id] else { throw APIError.unknownStation(id) }
    switch station.definition.source {
    case .upstream: break
    case .copy(let original, _):
      throw APIError(
        409, "delayed-station", "\"\(id)\" is \"\(original)\", later; announce it there.")
    case .files:
      throw APIError(409, "station-of-files", "\"\(id)\" serves files; they say what they are.")
    }
    guard await ingest.announce(title, station: id) else {
      throw APIError(409, "station-stopped", "The station \"\(id)\" is stopped; start it first.")
    }
  }

  public func move(_ listener: UInt64, to station: String) async throws(APIError) {
    guard stations[station] != nil else { throw APIError.unknownStation(station) }
    await wanted(station)
    defer { for id in order { pauseWhenUnwanted(id) } }
    switch await server?.move(listener: listener, to: station) {
    case .moved: break
    case .unknownListener, nil: throw APIError.unknownListener("\(listener)")
    case .nothingToPlay:
      throw APIError(409, "nothing-to-play", "The station \"\(station)\" has nothing to play now.")
    case .otherCodec:
      throw APIError(
        409, "other-codec",
        "The player of listener \(listener) was set up for another codec than \"\(station)\" has.")
    }
  }

  public func kick(_ listener: UInt64) async -> Bool {
    await server?.kick(listener: listener) ?? false
  }
}

extension Relay {
  private func ownStation(_ id: String, to verb: String) throws(APIError) -> RelayStation {
    guard let station = stations[id] else { throw APIError.unknownStation(id) }
    guard let place = station.origin.place else { return station }
    throw APIError(
      409, "station-of-file", "\(id) is \(place): it cannot be \(verb) by command.", field: "id")
  }

  private func refuseTaken(_ station: StationDefinition) throws(APIError) {
    if let taken = stations[station.id] {
      let place = taken.origin.place.map { ", \($0)" } ?? ""
      throw APIError(
        409, "station-exists", "There is a station \"\(station.id)\" already\(place).",
        field: "id")
    }
    if isLeftOut(station.id) {
      throw APIError(
        409, "station-exists",
        "There is a station \"\(station.id)\", which was left out of this start; remove it first.",
        field: "id")
    }
    try refuseTakenPaths(station)
  }

  func refuseTakenPaths(_ station: StationDefinition) throws(APIError) {
    for other in stations.values where other.id != station.id {
      let paths = other.definition.paths
      if let path = station.paths.first(where: paths.contains) {
        throw APIError(
          409, "mount-exists", "\(path) leads to the station \"\(other.id)\" already.",
          field: "mounts")
      }
    }
  }
}
