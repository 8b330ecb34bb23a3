import Foundation
import GRDB
import Settings
import Synchronization
import Threads
import Timeshift

/// What a relay remembers of a station, besides its definition and its audio.
package struct StationMemory: Hashable, Sendable {
  /// The number of the station on SHOUTcast's pages; never given twice.
  package var sid: Int
  /// Whether a command has stopped the station; kept over restarts.
  package var isStopped = false
  /// Listeners since the station was added.
  package var listenersTotal: UInt64 = 0
  /// The highest position of its log that was ever given out, as of the last minute.
  package var position: UInt64 = 0
  /// The highest number with which a playlist of it began, as of the last minute.
  package var listed: Int64 = 0
  /// How far its log had come in numbers, as of the last minute or of its end; nil if that is not known.
  package var numbers: NumberNote?
}

/// Why the store cannot be used.
package struct StoreError: Error, Sendable, CustomStringConvertible {
  package var description: String
  /// Whether the disk has not answered.
  package private(set) var isSilence = false

  /// - Parameter path: path of the database.
  init(_ error: any Error, doing what: String, in path: String) {
    self.init(Self.reason(error, in: path), doing: what)
  }

  init(_ reason: String, doing what: String) { description = "cannot \(what): \(reason)" }

  init(_ refusal: StationStore.Refusal, doing what: String, in path: String) {
    switch refusal {
    case .full:
      let full = DatabaseError(
        resultCode: .SQLITE_FULL, message: "the disk had no room for the database at the start")
      self.init(full, doing: what, in: path)
    case .silent(let reason):
      self.init(reason, doing: what)
      isSilence = true
    case .lost(let reason), .failed(let reason), .taken(let reason):
      self.init(reason, doing: what)
    }
  }

  /// Returns what went wrong and, where the disk is the cause, what to do.
  static func reason(_ error: any Error, in path: String) -> String {
    var reason = "\(error)"
    var advice: String?
    if let error = error as? DatabaseError {
      advice = DiskAdvice.of(error, at: path)
      if advice != nil {
        // A backup's error has no text of its own: SQLite's says "not an error" there.
        let text = error.message.flatMap { $0 == "not an error" ? nil : $0 }
        reason =
          "SQLite error \(error.resultCode.rawValue)" + (text.map { ": \($0)" } ?? "")
      }
    } else if let error = error as? POSIXError {
      reason = String(cString: strerror(error.code.rawValue))
      advice = DiskAdvice.of(error.code.rawValue, at: path)
    }
    return reason + (advice.map { "; \($0)" } ?? "")
  }
}

/// The relay's database: the stations added by command, and what is remembered of every station.
///
/// All rows are in memory too: reads never wait for a disk, and what a disk has lost is written to what comes back.
/// What is done on the disk is done in turn on a thread of its own (`FolderTurns`), and waited for `patience` long.
package final class StationStore: Sendable {
  /// All rows. Written after the disk, or without it while there is a refusal.
  let memory: DatabaseQueue
  let path: String
  /// Seconds that the disk has to answer.
  let patience: Double
  let state: Mutex<State>
  let turns = FolderTurns()
  /// What the disk's thread has waited for memory.
  let memoryWaits = MemoryWaits()
  /// Counts changes of collections; counted in the queue of memory before each.
  let collectionChanges = Atomic(0)
  /// Throws when the data folder is another relay's. Called on the disk's thread.
  private let claim: @Sendable () throws -> Void
  /// The rescue of the database that was damaged when this one was opened; nil when it was not damaged.
  package let rescue: StoreRescue?

  struct State: Sendable {
    /// The database on the disk; nil when none is open.
    var disk: Disk?
    /// Why the disk lacks rows, or may lack some; nil when it has all.
    var refusal: Refusal?
    /// Whether the refusal is on `losses`.
    var isTold = false
    /// Whether a refusal that was told has ended, and that was not reported yet.
    var isRestored = false
    /// Number of changes that were made in memory only.
    var changes: UInt64 = 0
    /// What was open before and was lost; the newest last.
    var former: [DatabaseFiles] = []
    /// What happened to the database, not reported yet.
    var losses: [String] = []
  }

  struct Disk: Sendable {
    var pool: DatabasePool
    var files: DatabaseFiles
    var sight: DatabaseSight
  }

  /// Why the disk lacks rows, and requests to change it are refused.
  enum Refusal: Sendable {
    case full(String)
    /// Its files were deleted or replaced while they were open, and cannot be written again.
    case lost(String)
    /// The disk refused a write.
    case failed(String)
    /// The disk has not answered.
    case silent(String)
    /// Another relay has the data folder.
    case taken(String)

    var reason: String {
      switch self {
      case .full(let reason), .lost(let reason), .failed(let reason), .silent(let reason),
        .taken(let reason):
        reason
      }
    }
  }

  /// - Parameter pool: nil when the database is in memory only.
  private init(
    _ path: String, _ memory: DatabaseQueue, _ pool: DatabasePool?, rescue: StoreRescue? = nil,
    refusal: Refusal? = nil, _ options: Options
  ) {
    (self.path, self.memory, self.rescue) = (path, memory, rescue)
    (patience, claim) = (options.silence, options.claim)
    let files = DatabaseFiles(path)
    var state = State(
      disk: pool.map { Disk(pool: $0, files: files, sight: DatabaseSight(path)) }, refusal: refusal)
    // A database in memory only at the start is told by the relay.
    state.isTold = refusal != nil
    if pool == nil { state.former = [files] }
    self.state = Mutex(state)
  }

  /// What a test, or the relay, wants of a store.
  package struct Options: Sendable {
    /// Seconds that other programs have to release the database; fewer than the disk has to answer.
    package var patience = SilentPath.patience - 1
    /// Seconds that the disk has to answer.
    package var silence = SilentPath.patience
    /// Throws when the data folder is another relay's; may wait for the disk.
    package var claim: @Sendable () throws -> Void = {}

    package init() {}
  }

  /// The data folder.
  package var data: String { DiskAdvice.folder(of: path) }

  var refusal: Refusal? { state.withLock(\.refusal) }
  /// Why the disk lacks rows; nil when it has all.
  package var whyInMemory: String? { refusal?.reason }

  /// Opens the database, and brings an older one up to date. A damaged one is set aside, and its rows are copied as far
  /// as they can be read. When the disk is full, the database begins in memory with what is on the disk. Requests to
  /// change it are then refused, and its owner calls `moveToDisk` until the disk has room.
  package static func open(
    _ path: String, _ options: Options = Options()
  ) async throws(StoreError) -> StationStore {
    try await Blocking.run { () throws(StoreError) in
      do {
        try SecretFile.guardDatabase(path)
        do {
          let pool = try openPool(path, patience: options.patience)
          return StationStore(path, try inMemory(pool), pool, options)
        } catch let error as DatabaseError where StoreRescue.isDamage(error) {
          var rescue = try StoreRescue(settingAside: path)
          try SecretFile.guardDatabase(path)
          let pool = try openPool(path, patience: options.patience)
          try rescue.copyRows(into: pool)
          return StationStore(path, try inMemory(pool), pool, rescue: rescue, options)
        }
      } catch  where StoreRoom.isMissing(error, at: path) {
        do {
          let memory = try StoreRoom.inMemory(path)
          return StationStore(path, memory, nil, refusal: .full("\(error)"), options)
        } catch {
          throw StoreError(error, doing: "open \(path)", in: path)
        }
      } catch {
        throw StoreError(error, doing: "open \(path)", in: path)
      }
    }
  }

  private static func inMemory(_ pool: DatabasePool) throws -> DatabaseQueue {
    let memory = try DatabaseQueue()
    try pool.backup(to: memory)
    return memory
  }

  static func openPool(
    _ path: String, patience: Double = Options().patience
  ) throws -> DatabasePool {
    var configuration = GRDB.Configuration()
    configuration.busyMode = .timeout(patience)
    configuration.label = "longwave.store"
    configuration.maximumReaderCount = 2
    let pool = try DatabasePool(path: path, configuration: configuration)
    do {
      try StoreRescue.check(pool)
      try StoreSchema.migrator.migrate(pool)
      DatabaseMark.set(in: pool)
      return pool
    } catch {
      try? pool.close()
      throw error
    }
  }

  /// Whether the folder is this relay's. On the disk's thread.
  func isClaimed() -> Bool {
    do {
      try claim()
      return true
    } catch {
      giveUp(because: "\(error)")
      return false
    }
  }

  /// Writes to the disk what it lacks and closes the files. No other call may follow.
  package func close() async {
    _ = await moveToDisk()
    if isSilent { return }
    await onDisk { [self] in closeDisk() }
  }
}

extension StationStore {
  func read<Value: Sendable>(
    _ what: String, _ work: @escaping @Sendable (Database) throws -> Value
  ) async throws(StoreError) -> Value {
    do {
      return try await memory.read(work)
    } catch {
      throw StoreError(error, doing: what, in: path)
    }
  }

  /// Makes a requested change, which has to reach the disk.
  func change<Value: Sendable>(
    _ what: String, _ work: @escaping @Sendable (Database) throws -> Value
  ) async throws(StoreError) -> Value {
    try await write(what, needsDisk: true, work)
  }

  /// Throws while the disk lacks rows: an answered change has to survive the process.
  package func requireDisk(_ what: String) throws(StoreError) {
    if let refusal { throw StoreError(refusal, doing: what, in: path) }
  }

  /// - Parameter needsDisk: whether it throws where the disk does not take the change. Else the change is made in
  ///   memory, and the disk gets it when it can.
  func write<Value: Sendable>(
    _ what: String, needsDisk: Bool = false,
    _ work: @escaping @Sendable (Database) throws -> Value
  ) async throws(StoreError) -> Value {
    while true {
      if !needsDisk, refusal != nil {
        if let done = try await writeInMemory(what, work) { return done }
        continue
      }
      // Another call would wait behind the one that hangs.
      if isSilent { try requireDisk(what) }
      switch await writeOnDisk(work) {
      case .done(let value): return value
      case .refused(let error): throw StoreError(error, doing: what, in: path)
      case .noDisk(let refusal):
        if needsDisk { throw StoreError(refusal, doing: what, in: path) }
      }
    }
  }
}

extension StationStore {
  /// Returns the version of SQLite; nil when it does not answer.
  package static func libraryVersion() -> String? {
    try? DatabaseQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") }
  }
}
