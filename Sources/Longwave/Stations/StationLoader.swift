import Logging
import Server
import Store
import Timeshift

/// Loads the stations of the file and of the store into the relay.
struct StationLoader {
  let stations: StationTable
  let leftOut: LeftOutStations
  let store: StationStore
  let logs: StationLogs
  /// Whether stations that were stopped by command are started too.
  let startsStopped: Bool
  var logger: Logger

  typealias Wanted = (definition: StationDefinition, origin: RelayStation.Origin)

  /// Opens the stations of the configuration and the store, however long their disks take.
  ///
  /// - Parameter data: the data folder.
  func loadAll(data: String) async throws(StoreError) {
    let stored = try await stored()
    let added = stored.compactMap { try? $0.definition.get() }
    let refused = PathRules(stations.configuration, data: data).problems(of: added)
    let wanted = wanted(stored, of: stations.configuration, besides: refused)
    try await load(wanted, within: nil)
  }

  /// Opens stations and appends them to the existing ones.
  ///
  /// - Parameter seconds: how long all folders may take together; nil for no limit.
  func load(
    _ wanted: [Wanted], within seconds: Double? = StationLogs.patience
  ) async throws(StoreError) {
    await put(try await open(wanted, within: seconds))
  }

  func put(_ opened: [RelayStation]) async {
    stations.append(opened)
    for station in opened { leftOut.remove(station.id) }
    await keepPositions(of: opened.ownLogs.map(\.id))
    await keepNumbers(of: opened, areFinal: false)
  }

  /// Opens the logs of stations and reads what the store remembers of them, which may take as long as disks are waited
  /// for. The stations stay invisible until `put`.
  func open(
    _ wanted: [Wanted], within seconds: Double? = StationLogs.patience
  ) async throws(StoreError) -> [RelayStation] {
    let memory = try await store.memory(of: wanted.map(\.definition.id))
    let withLog = wanted.map(\.definition).filter(\.hasOwnLog)
    let opened = await logs.open(
      orders(withLog, among: wanted.map(\.definition), memory),
      share: stations.diskShare(stations.ownLogCount + withLog.count), within: seconds)
    return wanted.compactMap { definition, origin in
      guard let memory = memory[definition.id] else { return nil }
      var log = opened[definition.id]
      if !definition.hasOwnLog, let original = definition.parent {
        log = opened[original] ?? stations[original]?.log
        if log == nil {
          logOrphan(definition.id, of: original)
          return nil
        }
      }
      var station = RelayStation(
        definition: definition, origin: origin, log: log,
        counters: MountCounters(
          total: Int(clamping: memory.listenersTotal), listed: memory.listed), sid: memory.sid,
        isStopped: memory.isStopped && !startsStopped)
      station.headers = definition.parent.flatMap { stations[$0]?.headers }
      return station
    }
  }

  /// Returns what the logs of these stations are to be opened as.
  private func orders(
    _ withLog: [StationDefinition], among all: [StationDefinition],
    _ memory: [String: StationMemory]
  ) -> [LogOrder] {
    let known = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
    let now = Moment.now()
    return withLog.map { station in
      let original = station.parent.flatMap { known[$0] ?? stations[$0]?.definition }
      var order = stations.logOrder(of: station, original: original)
      order.told = memory[station.id]?.position ?? 0
      order.goOn(from: memory[station.id]?.numbers, at: now)
      return order
    }
  }

  // MARK: Which ones

  typealias Stored = (id: String, definition: Result<StationDefinition, RelayError>)

  /// Returns the definitions of stations added by command; a definition that cannot be read is a failure.
  func stored() async throws(StoreError) -> [Stored] {
    try await store.definitions().filter { !leftOut.contains($0.id) }.map { stored in
      let definition = Result { () throws(RelayError) in
        guard let json = JSON.parse(Array(stored.json.utf8)) else { throw RelayError.badJSON }
        return try StationBody.stored(json)
      }
      return (stored.id, definition)
    }
  }

  /// Returns the file's stations, then those added by command. The file's station wins when both have an id.
  ///
  /// - Parameter refused: problems with the paths of stations added by command, by id.
  func wanted(
    _ added: [Stored], of configuration: Configuration,
    besides refused: [String: PathRules.Problem]
  ) -> [Wanted] {
    var wanted = configuration.stations.map { definition in
      (definition: definition, origin: origin(of: definition.id, in: configuration))
    }
    let own = Set(configuration.stations.map(\.id))
    for (id, stored) in added {
      if own.contains(id) {
        logger.warning("\(id): in the file and added by command; the file's is used")
        continue
      }
      do throws(RelayError) {
        let station = try stored.get()
        if let problem = refused[id] { throw RelayError.badField(problem.key, problem.message) }
        wanted.append((definition: station, origin: .command))
      } catch {
        logger.error("\(id): stored, but left out: \(error)")
      }
    }
    return withoutOrphans(wanted)
  }

  /// Leaves out copies and renditions whose original is gone or serves files. They stay in the store until the
  /// original is back.
  private func withoutOrphans(_ wanted: [Wanted]) -> [Wanted] {
    let streams = Set(
      wanted.lazy.map(\.definition).filter { $0.kind.noOriginal == nil }.map(\.id))
    return wanted.filter { item in
      guard let original = item.definition.parent, !streams.contains(original) else {
        return true
      }
      logOrphan(item.definition.id, of: original)
      return false
    }
  }

  private func logOrphan(_ id: String, of original: String) {
    logger.error("\(id): left out: of: \(original) names no station with a stream")
  }

  private func origin(of id: String, in configuration: Configuration) -> RelayStation.Origin {
    guard let file = configuration.file else { return .start }
    return .file(file, line: configuration.stationLines[id] ?? 1)
  }

  // MARK: What is remembered over restarts

  /// Stores the edge positions of logs that have no folder yet, before any position of them is given out.
  private func keepPositions(of ids: [String]) async {
    let positions = stations.byID.filter { ids.contains($0.key) }.compactMapValues { station in
      station.ownLog.flatMap { $0.isAwaitingFolder ? $0.edgePosition : nil }
    }
    if positions.isEmpty { return }
    do {
      try await store.setPositions(positions)
    } catch {
      logger.error("\(error)")
    }
  }

  /// Stores how far the logs of these stations have come in numbers.
  ///
  /// - Parameter areFinal: whether nothing comes behind them any more.
  func keepNumbers(of stations: some Collection<RelayStation>, areFinal: Bool) async {
    let now = Moment.now()
    let notes = stations.compactMap { station -> (String, NumberNote)? in
      guard let log = station.ownLog,
        let note = NumberNote(of: log, at: now, isFinal: areFinal)
      else { return nil }
      return (station.id, note)
    }
    do {
      try await store.keep(numbers: Dictionary(notes) { first, _ in first })
    } catch {
      logger.error("\(error)")
    }
  }

  /// - Parameter areFinal: whether nothing comes into the stations' logs any more.
  func keepTotals(areFinal: Bool = false) async {
    await keepNumbers(of: stations.byID.values, areFinal: areFinal)
    let totals = stations.byID.mapValues { UInt64(clamping: $0.counters.total) }
    let positions = stations.byID.compactMapValues { $0.ownLog?.edgePosition }
    let listed = stations.byID.mapValues { $0.counters.listed }.filter { $0.value > 0 }
    do {
      try await store.setListenersTotal(totals)
      try await store.setPositions(positions)
      try await store.setListed(listed)
    } catch {
      logger.error("\(error)")
    }
  }
}
