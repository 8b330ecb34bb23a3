import Timeshift

/// Opens and removes the stations' logs, on threads that may block.
struct StationLogs: Sendable {
  let data: DataDirectory
  let storages: Storages
  let hub: EventHub
  private let probe = FolderProbe()

  init(data: DataDirectory, storages: Storages, hub: EventHub) {
    (self.data, self.storages, self.hub) = (data, storages, hub)
  }

  /// How many are recovered at once: the disk is the bottleneck.
  static let openedAtOnce = 4

  /// Of a station without one: nothing comes into it.
  static var none: PacketLog { PacketLog(memoryOnly: LogConfiguration(), at: .now()) }

  /// The log of a station, of `window` seconds; in memory only where its folder cannot be used now, which is told.
  /// Whoever holds such a log calls `takeFolder` until it can.
  ///
  /// - Parameter told: the highest position that anybody was told.
  func open(
    _ id: String, window: Double, told: UInt64, share: DiskShare
  ) async -> PacketLog {
    do throws(StorageError) {
      return try await tryOpen(id, window: window, share: share)
    } catch {
      hub.post(.failed(error.description), station: id)
      // Of the disk that the folder will be on, as far as that can be seen.
      let storage = await Blocking.run { [self] in
        storages.storage(for: data.logPath(station: id))
      }
      return PacketLog(
        awaiting: storage, share.configuration(window: window), above: told, at: .now(),
        since: error)
    }
  }

  /// Whether a station's folder answers at all: one that hangs is not waited for.
  func answers(_ id: String) async -> Bool { await probe.answers(data.logPath(station: id)) }

  enum FolderAnswer {
    /// It still cannot be used.
    case unusable
    /// The log is in it from now on.
    case taken
    /// Another log has to be opened in it (`PacketLog.takeFolder`).
    case other(PacketLog)
  }

  /// Takes a log that is in memory to its folder.
  func takeFolder(
    _ id: String, _ log: PacketLog, window: Double, share: DiskShare
  ) async -> FolderAnswer {
    let isTaken = try? await Blocking.run { [self] () throws(StorageError) in
      try log.takeFolder(
        data.logPath(station: id), configuration: share.configuration(window: window), at: .now(),
        report: { [hub] in hub.post($0, station: id) })
    }
    guard let isTaken else { return .unusable }
    if isTaken { return .taken }
    return await reopen(id, window: window, share: share).map { .other($0) } ?? .unusable
  }

  private func reopen(_ id: String, window: Double, share: DiskShare) async -> PacketLog? {
    try? await tryOpen(id, window: window, share: share)
  }

  private func tryOpen(
    _ id: String, window: Double, share: DiskShare
  ) async throws(StorageError) -> PacketLog {
    let configuration = share.configuration(window: window)
    guard window > 0 else { return PacketLog(memoryOnly: configuration, at: .now()) }
    return try await Blocking.run { [self] () throws(StorageError) in
      let directory = data.logPath(station: id)
      return try PacketLog.open(
        directory: directory, configuration: configuration,
        storage: storages.storage(for: directory), at: .now(),
        report: { [hub] in hub.post($0, station: id) })
    }
  }

  /// The logs of many stations, a few at a time.
  func open(
    _ wanted: [(id: String, window: Double, told: UInt64)], share: DiskShare
  ) async -> [String: PacketLog] {
    await withTaskGroup(of: (String, PacketLog).self) { group in
      var logs: [String: PacketLog] = [:]
      for (index, station) in wanted.enumerated() {
        if index >= Self.openedAtOnce, let (id, log) = await group.next() { logs[id] = log }
        group.addTask {
          (
            station.id,
            await open(station.id, window: station.window, told: station.told, share: share)
          )
        }
      }
      for await (id, log) in group { logs[id] = log }
      return logs
    }
  }

  func close(_ log: PacketLog) async {
    await Blocking.run { log.close() }
  }

  /// Closes a log, if it is open, and deletes its files.
  func remove(_ id: String, _ log: PacketLog?) async throws(StorageError) {
    try await Blocking.run { [data] () throws(StorageError) in
      log?.close()
      try PacketLog.remove(directory: data.logPath(station: id))
    }
  }
}
