import Glibc
import Synchronization
import Timeshift

/// Opens, closes and removes the stations' logs. A folder that hangs keeps nobody waiting for longer than a moment: what
/// was to be done there is done when it comes back, one thing after the other.
final class StationLogs: Sendable {
  let data: DataDirectory
  let storages: Storages
  let hub: EventHub
  private let files: FileCalls
  private let turns = FolderTurns()
  /// Opened in the place of logs in memory, later than anybody waited for it.
  private let found = Mutex<[String: PacketLog]>([:])

  init(
    data: DataDirectory, storages: Storages, hub: EventHub, files: FileCalls = .posix
  ) {
    (self.data, self.storages, self.hub, self.files) = (data, storages, hub, files)
  }

  /// How many are recovered at once: the disk is the bottleneck.
  static let openedAtOnce = 4
  /// Seconds that a folder is given to be opened, while others wait for the change that asks for it.
  static let patience = 10.0
  /// The same to let go of it: whoever comes next is in memory until it has.
  static let closingPatience = 1.0

  /// The log of a station, of `window` seconds; in memory only where its folder cannot be used now, which is told.
  /// Whoever holds such a log calls `takeFolder` until it can.
  ///
  /// - Parameters:
  ///   - told: the highest position that anybody was told.
  ///   - seconds: that the folder is given; nil: as many as it needs, if it answers at all.
  func open(
    _ id: String, window: Double, told: UInt64, share: DiskShare,
    within seconds: Double? = StationLogs.patience
  ) async -> PacketLog {
    let configuration = share.configuration(window: window)
    guard window > 0 else { return PacketLog(memoryOnly: configuration, at: .now()) }
    let directory = data.logPath(station: id)
    var opened: Result<PacketLog, StorageError>?
    let isAsked = if seconds == nil { await answers(id, within: Self.patience) } else { true }
    if isAsked {
      opened = await turns.run(
        in: directory, within: seconds, late: { _ = $0.map { $0.close() } }
      ) { [self] in
        Result { () throws(StorageError) in try open(id, configuration) }
      }
    }
    let failure: StorageError
    switch opened {
    case .success(let log): return log
    case .failure(let error): failure = error
    case nil: failure = StorageError(noAnswerFrom: directory)
    }
    hub.post(.failed(failure.description), station: id)
    return PacketLog(
      awaiting: await storage(for: directory), configuration, above: told, at: .now(),
      since: failure)
  }

  private func open(
    _ id: String, _ configuration: LogConfiguration
  ) throws(StorageError) -> PacketLog {
    let directory = data.logPath(station: id)
    return try PacketLog.open(
      directory: directory, configuration: configuration,
      storage: storages.storage(for: directory), at: .now(),
      report: { [hub] in hub.post($0, station: id) })
  }

  /// Of the disk that a folder will be on, as far as that can be seen.
  private func storage(for directory: String) async -> Storage {
    guard turns.isFree(directory) else { return storages.storage(notAnswering: directory) }
    let seen = await turns.run(in: directory, within: Self.closingPatience) { [storages] in
      storages.storage(for: directory)
    }
    return seen ?? storages.storage(notAnswering: directory)
  }

  /// Whether a station's folder answers at all: one that hangs is not waited for.
  func answers(_ id: String, within seconds: Double = 1) async -> Bool {
    let directory = data.logPath(station: id)
    guard turns.isFree(directory) else { return false }
    return await turns.run(in: directory, within: seconds) { [files] in
      _ = files.list(directory)
      return true
    } ?? false
  }

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
    if let other = takeFound(id) { return .other(other) }
    let directory = data.logPath(station: id)
    let configuration = share.configuration(window: window)
    let taken = await turns.run(
      in: directory, within: Self.patience,
      late: { [hub] in if $0 == true { hub.post(.restored, station: id) } }
    ) { [hub] () -> Bool? in
      try? log.takeFolder(
        directory, configuration: configuration, at: .now(),
        report: { hub.post($0, station: id) })
    }
    guard case .some(.some(let isTaken)) = taken else { return .unusable }
    return isTaken ? .taken : await reopen(id, configuration).map { .other($0) } ?? .unusable
  }

  private func reopen(_ id: String, _ configuration: LogConfiguration) async -> PacketLog? {
    let opened = await turns.run(
      in: data.logPath(station: id), within: Self.patience,
      late: { [self] log in found.withLock { $0[id] = log } }
    ) { [self] in try? open(id, configuration) }
    return opened ?? nil
  }

  private func takeFound(_ id: String) -> PacketLog? {
    found.withLock { $0.removeValue(forKey: id) }
  }

  /// The logs of many stations, a few at a time.
  ///
  /// - Parameter seconds: that all of them are given together; nil: as many as they need.
  func open(
    _ wanted: [(id: String, window: Double, told: UInt64)], share: DiskShare,
    within seconds: Double?
  ) async -> [String: PacketLog] {
    let end = seconds.map { MonotonicTime.now().adding($0) }
    return await withTaskGroup(of: (String, PacketLog).self) { group in
      var logs: [String: PacketLog] = [:]
      for (index, station) in wanted.enumerated() {
        if index >= Self.openedAtOnce, let (id, log) = await group.next() { logs[id] = log }
        group.addTask { [self] in
          (
            station.id,
            await open(
              station.id, window: station.window, told: station.told, share: share,
              within: end.map(Self.left))
          )
        }
      }
      for await (id, log) in group { logs[id] = log }
      return logs
    }
  }

  /// At least a moment, which a folder that does not hang needs for a new log.
  private static func left(until end: MonotonicTime) -> Double {
    max(0.1, end.seconds(since: .now()))
  }

  /// Closes logs. One whose disk hangs is closed when that comes back.
  func close(
    _ closing: [(id: String, log: PacketLog)], within seconds: Double = closingPatience
  ) async {
    let end = MonotonicTime.now().adding(seconds)
    for (id, log) in closing {
      await turns.run(
        in: data.logPath(station: id), within: max(0, end.seconds(since: .now()))
      ) { [self] in
        takeFound(id)?.close()
        log.close()
      }
    }
  }

  /// Closes a log, if it is open, and deletes its files.
  ///
  /// - Returns: false: that is done when its disk comes back.
  func remove(_ id: String, _ log: PacketLog?) async throws(StorageError) -> Bool {
    let directory = data.logPath(station: id)
    let removed = await turns.run(
      in: directory, within: Self.closingPatience,
      late: { [hub] (result: Result<Void, StorageError>) in
        if case .failure(let error) = result { hub.post(.failed(error.description), station: id) }
      }
    ) { [self] in
      takeFound(id)?.close()
      log?.close()
      return Result { () throws(StorageError) in try PacketLog.remove(directory: directory) }
    }
    try removed?.get()
    return removed != nil
  }

  /// Ends the storages. Blocks: all that was to be closed is closed then, a disk that hangs last.
  func stop() {
    storages.stop()
    while !turns.isIdle { usleep(10_000) }
  }
}
