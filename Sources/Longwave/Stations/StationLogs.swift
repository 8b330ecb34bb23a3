import Glibc
import Store
import Synchronization
import Threads
import Timeshift

/// Opens, closes and removes the stations' logs. A folder that hangs delays others only for a moment: its pending work
/// is done one thing after the other when the folder answers again.
final class StationLogs: Sendable {
  let data: DataDirectory
  let storages: Storages
  let hub: EventHub
  private let files: FileCalls
  private let turns = FolderTurns()
  /// Logs opened to replace logs in memory, but too late for the caller that wanted them.
  private let found = Mutex<[String: PacketLog]>([:])
  private let counts = Mutex((read: 0, all: 0))
  /// Logs that were opened among many, and all that were to be opened so.
  var progress: (read: Int, all: Int) { counts.withLock(\.self) }

  init(
    data: DataDirectory, storages: Storages, hub: EventHub, files: FileCalls = .posix
  ) {
    (self.data, self.storages, self.hub, self.files) = (data, storages, hub, files)
  }

  /// How many logs are recovered at once: the disk is the bottleneck.
  static let openedAtOnce = 4
  /// Seconds that opening a folder may take, while others wait for the change that asks for it; at a start, seconds that
  /// one call may take.
  static let patience = 10.0
  /// Seconds that one call may take before a start goes on with further folders beside it.
  private static let promptness = 1.0
  /// Seconds that opening the folder of a new station may take, which has just been looked at.
  static let newPatience = 3.0
  /// Seconds that closing a folder may take; the next log of that folder is in memory until it is closed.
  static let closingPatience = 1.0

  /// Returns the log of a station. When its folder cannot be used now, the log is in memory only, and an event reports
  /// that. The holder of such a log calls `adoptFolder` until it succeeds.
  ///
  /// - Parameters:
  ///   - seconds: how long the folder may take; nil for no limit, as long as each call comes back.
  ///   - whenSlow: called, maybe several times, where there is no limit and a call does not come back soon.
  func open(
    _ order: LogOrder, share: DiskShare,
    within seconds: Double? = StationLogs.patience, whenSlow: @escaping @Sendable () -> Void = {}
  ) async -> PacketLog {
    let (id, configuration) = (order.id, order.configuration(share))
    guard order.window > 0 else { return PacketLog(memoryOnly: configuration, at: .now()) }
    let directory = data.logPath(station: id)
    let opened =
      if let seconds {
        await open(id, configuration, within: seconds)
      } else {
        await openUnlessItHangs(id, configuration, whenSlow: whenSlow)
      }
    let failure: StorageError
    switch opened {
    case .success(let log): return log
    case .failure(let error): failure = error
    case nil: failure = StorageError(noAnswerFrom: directory)
    }
    hub.post(.failed(failure.description), station: id)
    return PacketLog(
      awaiting: await storage(for: directory), configuration, above: order.told, at: .now(),
      since: failure)
  }

  private typealias Opened = Result<PacketLog, StorageError>

  private func open(
    _ id: String, _ configuration: LogConfiguration, within seconds: Double
  ) async -> Opened? {
    let directory = data.logPath(station: id)
    // Work that is still pending there has been waited for already (`awaitFolders`).
    let patience = turns.isFree(directory) ? seconds : min(seconds, Self.closingPatience)
    return await turns.run(
      in: directory, within: patience, late: { (late: Opened) in _ = late.map { $0.close() } }
    ) { [self] in
      Result { () throws(StorageError) in try open(id, configuration) }
    }
  }

  /// Opens a folder, however much there is to read. Nil when a call does not come back.
  private func openUnlessItHangs(
    _ id: String, _ configuration: LogConfiguration, whenSlow: @escaping @Sendable () -> Void
  ) async -> Opened? {
    let watch = CallWatch()
    return await turns.run(
      in: data.logPath(station: id),
      unless: {
        if watch.hangs(for: Self.promptness, at: .now()) { whenSlow() }
        return watch.hangs(for: Self.patience, at: .now())
      }, late: { (late: Opened) in _ = late.map { $0.close() } }
    ) { [self] in
      Result { () throws(StorageError) in try open(id, configuration, watch) }
    }
  }

  private func open(
    _ id: String, _ configuration: LogConfiguration, _ watch: CallWatch? = nil
  ) throws(StorageError) -> PacketLog {
    let directory = data.logPath(station: id)
    return try PacketLog.open(
      directory: directory, configuration: configuration,
      storage: storages.storage(for: directory, watch: watch), at: .now(), watch: watch,
      report: { [hub] in hub.post($0, station: id) })
  }

  /// Returns the storage of the disk that a folder will be on, as far as that can be seen.
  private func storage(for directory: String) async -> Storage {
    guard turns.isFree(directory) else { return storages.storage(notAnswering: directory) }
    let seen = await turns.run(in: directory, within: Self.closingPatience) { [storages] in
      storages.storage(for: directory)
    }
    return seen ?? storages.storage(notAnswering: directory)
  }

  /// Whether a station's folder answers within `seconds`; a folder with pending work counts as hanging and is not
  /// asked.
  func answers(_ id: String, within seconds: Double = 1) async -> Bool {
    let directory = data.logPath(station: id)
    guard turns.isFree(directory) else { return false }
    return await turns.run(in: directory, within: seconds) { [files] in
      _ = files.list(directory)
      return true
    } ?? false
  }

  /// Waits until folders that are about to be opened answer, for `patience` at most; each that does not is opened in
  /// memory. Called before the turnstile, since others wait for whoever is behind it.
  func awaitFolders(_ ids: [String]) async {
    let end = MonotonicTime.now().adding(Self.patience)
    await forEach(ids) { [self] id, _ in
      let directory = data.logPath(station: id)
      await turns.run(in: directory, within: Self.left(until: end)) { [files] in
        _ = files.list(directory)
      }
    }
  }

  enum FolderAnswer {
    /// The folder still cannot be used.
    case unusable
    /// The log has moved to the folder.
    case taken
    /// Another log, opened in the folder, has to replace this one (`PacketLog.adoptFolder`).
    case other(PacketLog)
  }

  /// Moves a log that is in memory to its folder.
  func adoptFolder(
    _ log: PacketLog, as order: LogOrder, share: DiskShare
  ) async -> FolderAnswer {
    let id = order.id
    if let other = popFound(id) { return .other(other) }
    let directory = data.logPath(station: id)
    let configuration = order.configuration(share)
    let taken = await turns.run(
      in: directory, within: Self.patience,
      late: { [hub] in if $0 == true { hub.post(.restored, station: id) } }
    ) { [hub] () -> Bool? in
      try? log.adoptFolder(
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

  private func popFound(_ id: String) -> PacketLog? {
    found.withLock { $0.removeValue(forKey: id) }
  }

  /// Opens the logs of many stations, a few at a time.
  ///
  /// - Parameter seconds: how long all of them may take together; nil for no limit, as long as each call comes back.
  func open(
    _ wanted: [LogOrder], share: DiskShare, within seconds: Double?
  ) async -> [String: PacketLog] {
    let end = seconds.map { MonotonicTime.now().adding($0) }
    counts.withLock { $0.all += wanted.count }
    let logs = await forEach(wanted) { [self] order, leave in
      let log = await open(
        order, share: share, within: end.map(Self.left), whenSlow: leave)
      counts.withLock { $0.read += 1 }
      return (order.id, log)
    }
    return Dictionary(logs) { first, _ in first }
  }

  /// Does the same for many folders, a few at a time.
  ///
  /// - Parameter work: gets an item and what to call when its folder hangs: the next one then begins beside it.
  @discardableResult
  private func forEach<Item: Sendable, Value: Sendable>(
    _ items: [Item],
    _ work: @escaping @Sendable (Item, @escaping @Sendable () -> Void) async -> Value
  ) async -> [Value] {
    let turnstile = Turnstile(Self.openedAtOnce)
    return await withTaskGroup(of: Value.self) { group in
      for item in items {
        await turnstile.enter()
        group.addTask {
          let hasLeft = Atomic<Bool>(false)
          let leave: @Sendable () -> Void = {
            if !hasLeft.exchange(true, ordering: .relaxed) { turnstile.leave() }
          }
          defer { leave() }
          return await work(item, leave)
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  /// Returns the seconds left, but at least 0.1: a folder that does not hang needs a moment for a new log.
  private static func left(until end: MonotonicTime) -> Double {
    max(0.1, end.seconds(since: .now()))
  }

  /// Closes logs. A log whose disk hangs is closed when the disk answers again, and keeps no other one waiting for more
  /// than `closingPatience`.
  func close(
    _ closing: [(id: String, log: PacketLog)], within seconds: Double = closingPatience
  ) async {
    let end = MonotonicTime.now().adding(seconds)
    for (id, log) in closing {
      let left = end.seconds(since: .now())
      await turns.run(
        in: data.logPath(station: id), within: max(0, min(left, Self.closingPatience))
      ) { [self] in
        popFound(id)?.close()
        log.close()
      }
    }
  }

  /// Closes a log, if it is open, and deletes its files.
  ///
  /// - Returns: false when that is done only after its disk answers again.
  func remove(_ id: String, _ log: PacketLog?) async throws(StorageError) -> Bool {
    let directory = data.logPath(station: id)
    let removed = await turns.run(
      in: directory, within: Self.closingPatience,
      late: { [hub] (result: Result<Void, StorageError>) in
        if case .failure(let error) = result { hub.post(.failed(error.description), station: id) }
      }
    ) { [self] in
      popFound(id)?.close()
      log?.close()
      return Result { () throws(StorageError) in try PacketLog.remove(directory: directory) }
    }
    try removed?.get()
    return removed != nil
  }

  /// The folders in which something is still to be done.
  var busyFolders: [String] { turns.busy }

  /// Ends the storages. Blocks until all pending closes are done; a disk that hangs is the last.
  func stop() {
    storages.stop()
    while !turns.isIdle { usleep(10_000) }
  }
}
