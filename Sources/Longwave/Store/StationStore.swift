import Foundation
import GRDB
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
}

/// Why the store cannot be used.
package struct StoreError: Error, Sendable, CustomStringConvertible {
  package var description: String

  /// - Parameter path: path of the database.
  init(_ error: any Error, doing what: String, in path: String) {
    var reason = "\(error)"
    var advice: String?
    if let error = error as? DatabaseError {
      advice = DiskAdvice.of(error, at: path)
      if advice != nil {
        reason = "SQLite error \(error.resultCode.rawValue): \(error.message ?? "")"
      }
    } else if let error = error as? POSIXError {
      reason = String(cString: strerror(error.code.rawValue))
      advice = DiskAdvice.of(error.code.rawValue, at: path)
    }
    description = "cannot \(what): \(reason)" + (advice.map { "; \($0)" } ?? "")
  }

  init(_ reason: String, doing what: String) { description = "cannot \(what): \(reason)" }
}

/// The relay's database: the stations added by command, and what is remembered of every station.
///
/// GRDB has one writer and a few readers, each on its own queue; nothing here blocks the caller's thread.
package final class StationStore: Sendable {
  /// The database; in memory while the disk has no room for it.
  let database: Mutex<any DatabaseWriter>
  let path: String
  /// Why the database is in memory; nil when it is on the disk.
  let refusal: Mutex<Refusal?>
  /// The database's files on the disk; nil when it has none.
  let files: Mutex<DatabaseFiles?>
  /// Held while the database moves between memory and disk.
  let moving = Mutex<Void>(())
  /// What was done about files that were deleted or replaced, not reported yet.
  let losses = Mutex<[String]>([])
  /// The rescue of the database that was damaged when this one was opened; nil when it was not damaged.
  let rescue: StoreRescue?

  private init(
    _ path: String, _ database: any DatabaseWriter, rescue: StoreRescue? = nil,
    refusal: Refusal? = nil
  ) {
    self.path = path
    self.database = Mutex(database)
    self.rescue = rescue
    self.refusal = Mutex(refusal)
    files = Mutex(refusal == nil ? DatabaseFiles(path) : nil)
  }

  /// The data folder.
  var data: String { path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "." }

  /// Why the database is in memory, and requests to change it are refused.
  enum Refusal: Sendable {
    case full(String)
    /// Its files were deleted or replaced while they were open, and cannot be written again.
    case lost(String)
  }

  var current: any DatabaseWriter { database.withLock { $0 } }
  /// Why the database is in memory only for now; nil when it is on the disk.
  package var whyInMemory: String? {
    switch refusal.withLock({ $0 }) {
    case .full(let reason), .lost(let reason): reason
    case nil: nil
    }
  }

  /// Opens the database, and brings an older one up to date. A damaged one is set aside, and its rows are copied as far
  /// as they can be read. When the disk is full, the database begins in memory with what is on the disk. Requests to
  /// change it are then refused, and its owner calls `takeDisk` until the disk has room.
  ///
  /// - Parameter patience: seconds that other programs have to release the database.
  package static func open(
    _ path: String, patience: Double = 10
  ) async throws(StoreError) -> StationStore {
    try await Blocking.run { () throws(StoreError) in
      do {
        try SecretFile.guardDatabase(path)
        do {
          return StationStore(path, try openPool(path, patience: patience))
        } catch let error as DatabaseError where StoreRescue.isDamage(error) {
          var rescue = try StoreRescue(settingAside: path)
          try SecretFile.guardDatabase(path)
          let pool = try openPool(path, patience: patience)
          try rescue.takeOver(into: pool)
          return StationStore(path, pool, rescue: rescue)
        }
      } catch  where StoreRoom.isMissing(error, at: path) {
        do {
          return StationStore(path, try StoreRoom.inMemory(path), refusal: .full("\(error)"))
        } catch {
          throw StoreError(error, doing: "open \(path)", in: path)
        }
      } catch {
        throw StoreError(error, doing: "open \(path)", in: path)
      }
    }
  }

  /// Moves to the disk, if it has room by now. False when it has none.
  package func takeDisk() async -> Bool {
    if whyInMemory == nil { return true }
    return await Blocking.run { [self] in moving.withLock { _ in goToDisk() } }
  }

  func goToDisk() -> Bool {
    if whyInMemory == nil { return true }
    guard (try? SecretFile.guardDatabase(path)) != nil, let pool = try? Self.openPool(path) else {
      return false
    }
    do {
      // Requests wait meanwhile, and then go to the disk.
      try current.writeWithoutTransaction { memory in
        try pool.writeWithoutTransaction { disk in try memory.backup(to: disk) }
        files.withLock { $0 = DatabaseFiles(path) }
        database.withLock { $0 = pool }
      }
      refusal.withLock { $0 = nil }
      return true
    } catch {
      try? pool.close()
      return false
    }
  }

  private static func openPool(_ path: String, patience: Double = 10) throws -> DatabasePool {
    var configuration = GRDB.Configuration()
    configuration.busyMode = .timeout(patience)
    configuration.label = "longwave.store"
    configuration.maximumReaderCount = 2
    let pool = try DatabasePool(path: path, configuration: configuration)
    do {
      try StoreRescue.check(pool)
      try StoreSchema.migrator.migrate(pool)
      return pool
    } catch {
      try? pool.close()
      throw error
    }
  }

  /// Writes what is in memory and closes the files. No other call may follow.
  package func close() async {
    try? await writeAgainIfLost()
    _ = await takeDisk()
    await Blocking.run { [database = current] in
      // Readers close last and may not write, so without this the write-ahead log would be left behind.
      if let pool = database as? DatabasePool {
        _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
      }
      // A reader still at work keeps the file open a moment longer; SQLite recovers it at the next start.
      try? database.close()
    }
  }
}

extension StationStore {
  /// Returns the stations added by command, in the order of adding, as the stored JSON.
  package func definitions() async throws(StoreError) -> [(id: String, json: String)] {
    try await read("read the stations") { db in
      try Row.fetchAll(db, sql: "SELECT id, definition FROM station ORDER BY number")
        .map { (id: $0.text("id") ?? "", json: $0.text("definition") ?? "") }
    }
  }

  /// Returns the stations added or changed since `time`, the newest one in any case; all of them when `time` is nil.
  func stations(suspectedSince time: WallTime?) async throws(StoreError) -> [LeftOutStation] {
    let rows = try await read("read the stations") { db in
      try Row.fetchAll(db, sql: "SELECT * FROM station ORDER BY number").map { row in
        (
          station: LeftOutStation(
            id: row.text("id") ?? "", json: row.text("definition") ?? ""),
          changed: row.integer("changed") ?? row.integer("created") ?? .max
        )
      }
    }
    guard let time, let newest = rows.map(\.changed).max() else { return rows.map(\.station) }
    return rows.filter { $0.changed >= min(newest, time.milliseconds) }.map(\.station)
  }

  /// Adds a station, with what is remembered of it, or replaces its definition.
  package func save(_ station: StationDefinition) async throws(StoreError) {
    let json = station.json.text
    // Both or nothing: a station that is only half stored would be loaded at the next start.
    try await change("store \(station.id)") { [id = station.id] db in
      try db.execute(
        sql: """
          INSERT INTO station (id, definition, created) VALUES (:id, :json, :now)
          ON CONFLICT (id) DO UPDATE SET definition = excluded.definition, changed = :now
          """, arguments: ["id": id, "json": json, "now": Moment.now().wall.milliseconds])
      _ = try Self.memory(of: [id], db)
    }
  }

  /// Deletes a station, and everything remembered of it.
  package func remove(_ id: String) async throws(StoreError) {
    try await change("remove \(id)") { db in
      try db.execute(sql: "DELETE FROM station WHERE id = ?", arguments: [id])
      try db.execute(sql: "DELETE FROM memory WHERE station = ?", arguments: [id])
    }
  }
}

extension StationStore {
  /// Returns what is remembered of these stations; unknown ones get their `sid` in this order.
  package func memory(of ids: [String]) async throws(StoreError) -> [String: StationMemory] {
    try await write("read what is remembered") { db in try Self.memory(of: ids, db) }
  }

  private static func memory(
    of ids: [String], _ db: Database
  ) throws -> [String: StationMemory] {
    for id in ids {
      // Not ON CONFLICT DO NOTHING, which uses up a number each time.
      try db.execute(
        sql: """
          INSERT INTO memory (station)
          SELECT :id WHERE NOT EXISTS (SELECT 1 FROM memory WHERE station = :id)
          """, arguments: ["id": id])
    }
    let rows = try Row.fetchAll(db, sql: "SELECT * FROM memory")
    let pairs = rows.map { row in
      (
        row.text("station") ?? "",
        StationMemory(
          sid: Int(clamping: row.integer("sid") ?? 0), isStopped: row.integer("stopped") == 1,
          listenersTotal: UInt64(clamping: row.integer("listenersTotal") ?? 0),
          position: UInt64(clamping: row.integer("position") ?? 0))
      )
    }
    return Dictionary(pairs) { first, _ in first }.filter { ids.contains($0.key) }
  }

  package func setStopped(_ isStopped: Bool, station id: String) async throws(StoreError) {
    try await change("remember that \(id) is \(isStopped ? "stopped" : "started")") { db in
      try db.execute(
        sql: """
          INSERT INTO memory (station, stopped) VALUES (?, ?)
          ON CONFLICT (station) DO UPDATE SET stopped = excluded.stopped
          """, arguments: [id, isStopped])
    }
  }

  /// Stores the number of listeners that each station has had in all.
  package func setListenersTotal(_ totals: [String: UInt64]) async throws(StoreError) {
    try await write("remember the listeners") { db in
      for (id, total) in totals {
        try db.execute(
          sql: "UPDATE memory SET listenersTotal = ? WHERE station = ?",
          arguments: [Int64(clamping: total), id])
      }
    }
  }

  /// Stores how far each station's log has come; a position never goes back.
  func setPositions(_ positions: [String: UInt64]) async throws(StoreError) {
    try await write("remember the positions") { db in
      for (id, position) in positions {
        try db.execute(
          sql: "UPDATE memory SET position = max(position, ?) WHERE station = ?",
          arguments: [Int64(clamping: position), id])
      }
    }
  }
}

extension StationStore {
  func read<Value: Sendable>(
    _ what: String, _ work: @escaping @Sendable (Database) throws -> Value
  ) async throws(StoreError) -> Value {
    while true {
      let reader = current
      do {
        return try await reader.read(work)
      } catch {
        // A database that has moved meanwhile is closed.
        if reader === current { throw StoreError(error, doing: what, in: path) }
      }
    }
  }

  /// Makes a requested change, which has to reach the disk.
  func change<Value: Sendable>(
    _ what: String, _ work: @escaping @Sendable (Database) throws -> Value
  ) async throws(StoreError) -> Value {
    try await write(what, needsDisk: true, work)
  }

  /// Throws while the database is in memory: an answered change has to survive the process.
  func requireDisk(_ what: String) throws(StoreError) {
    switch refusal.withLock({ $0 }) {
    case nil: return
    case .lost(let reason): throw StoreError(reason, doing: what)
    case .full:
      let full = DatabaseError(
        resultCode: .SQLITE_FULL, message: "the disk had no room for the database at the start")
      throw StoreError(full, doing: what, in: path)
    }
  }

  func write<Value: Sendable>(
    _ what: String, needsDisk: Bool = false,
    _ work: @escaping @Sendable (Database) throws -> Value
  ) async throws(StoreError) -> Value {
    while true {
      if needsDisk { try requireDisk(what) }
      let writer = current
      do {
        let done = try await writer.write { [self] db -> Value? in
          // The database has moved while this waited, or is about to move.
          guard writer === current, !isLost else { return nil }
          return try work(db)
        }
        if let done { return done }
        try await writeAgainIfLost()
      } catch {
        if writer === current { throw StoreError(error, doing: what, in: path) }
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
