import Logging
import Server
import Timeshift

// How the stations of the file and those of the store become those of the relay.
extension Relay {
  func loadStations() async throws(StoreError) {
    let stored = try await storedStations()
    let added = stored.compactMap { try? $0.definition.get() }
    let refused = PathRules(configuration, data: dataPath).problems(of: added)
    try await load(wantedStations(stored, besides: refused))
  }

  /// Opens stations and puts them behind those there are.
  func load(_ wanted: [WantedStation]) async throws(StoreError) {
    await put(try await open(wanted))
  }

  func put(_ opened: [RelayStation]) async {
    for station in opened {
      order.append(station.id)
      stations[station.id] = station
    }
    await keepPositions(of: opened.ownLogs.map(\.id))
  }

  /// Stations with what is remembered of them and their logs, which may take as long as disks are waited for. Until they
  /// are put where others are, nobody sees them.
  func open(_ wanted: [WantedStation]) async throws(StoreError) -> [RelayStation] {
    let memory = try await store.memory(of: wanted.map(\.definition.id))
    let pulled = wanted.map(\.definition).filter(\.isPulled)
    let opened = await logs.open(
      pulled.map { ($0.id, configuration.window(of: $0), memory[$0.id]?.position ?? 0) },
      share: diskShare(pulledCount + pulled.count),
      within: server == nil ? nil : StationLogs.patience)
    return wanted.compactMap { definition, origin in
      guard let memory = memory[definition.id] else { return nil }
      let log: PacketLog?
      switch definition.source {
      case .upstream: log = opened[definition.id]
      case .copy(let original, _):
        log = opened[original] ?? stations[original]?.log
        if log == nil {
          logger.error("\(definition.id): left out: of: \(original) names no station with a stream")
          return nil
        }
      case .files: log = nil
      }
      return RelayStation(
        definition: definition, origin: origin, log: log,
        counters: MountCounters(total: Int(clamping: memory.listenersTotal)), sid: memory.sid,
        isStopped: memory.isStopped && !options.startsStopped)
    }
  }

  /// Before anybody is told a position of a log that has no folder yet.
  func keepPositions(of ids: [String]) async {
    let positions = stations.filter { ids.contains($0.key) }.compactMapValues { station in
      station.ownLog.flatMap { $0.isAwaitingFolder ? $0.edgePosition : nil }
    }
    if positions.isEmpty { return }
    do {
      try await store.setPositions(positions)
    } catch {
      logger.error("\(error)")
    }
  }

  typealias WantedStation = (definition: StationDefinition, origin: RelayStation.Origin)

  /// The file's stations, then those added by command. The file's wins where both have an id.
  ///
  /// - Parameter refused: what is wrong with the paths of those that were added by command.
  func wantedStations(
    _ added: [StoredStation], besides refused: [String: PathRules.Problem]
  ) -> [WantedStation] {
    var wanted = configuration.stations.map { definition in
      (definition: definition, origin: origin(of: definition.id))
    }
    let own = Set(configuration.stations.map(\.id))
    for (id, stored) in added {
      if own.contains(id) {
        logger.warning("\(id): in the file and added by command; the file's is used")
        continue
      }
      do throws(APIError) {
        let station = try stored.get()
        if let problem = refused[id] { throw APIError.badField(problem.key, problem.message) }
        wanted.append((definition: station, origin: .command))
      } catch {
        logger.error("\(id): stored, but left out: \(error.message)")
      }
    }
    return wanted
  }

  typealias StoredStation = (id: String, definition: Result<StationDefinition, APIError>)

  /// Those added by command, as far as they can be read.
  func storedStations() async throws(StoreError) -> [StoredStation] {
    try await store.definitions().filter { !isLeftOut($0.id) }.map { stored in
      let definition = Result { () throws(APIError) in
        guard let json = JSON.parse(Array(stored.json.utf8)) else { throw APIError.badJSON }
        return try StationBody.stored(json)
      }
      return (stored.id, definition)
    }
  }

  private func origin(of id: String) -> RelayStation.Origin {
    guard let file = configuration.file else { return .start }
    return .file(file, line: configuration.stationLines[id] ?? 1)
  }

  /// Shares the disk anew after a station came, went or changed: a window that gets less gives its oldest up.
  func shareDisk() {
    let share = diskShare(pulledCount)
    for station in stations.values {
      guard let log = station.ownLog else { continue }
      let kept = share.configuration(window: configuration.window(of: station.definition))
      log.retain(kept.retention, bytes: kept.retentionBytes, reserve: kept.reserve)
    }
  }

  /// How many have a log of their own.
  var pulledCount: Int { stations.values.count { $0.isPulled } }

  /// What one of `count` stations gets of the disk.
  func diskShare(_ count: Int) -> DiskShare {
    DiskShare(
      bytes: configuration.timeshift.diskLimit / UInt64(max(1, count)),
      reserve: configuration.timeshift.diskReserve)
  }
}
