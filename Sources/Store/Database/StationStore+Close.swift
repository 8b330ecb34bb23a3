import GRDB
import Synchronization

// The database's end. What a program has done to its files while they were open may show only when they are read anew.
extension StationStore {
  /// Closes the database, and writes it again where it lacks what memory has. On the disk's thread.
  func closeDisk() {
    guard closePool(), refusal == nil, !hasAll else { return }
    let loss = "\(path) was changed by another program while it was open"
    try? writeAll(told: "the database \(loss): it is written again as it was")
    closePool()
  }

  /// Returns whether one was open.
  @discardableResult private func closePool() -> Bool {
    let disk = state.withLock { state in
      defer { state.disk = nil }
      return state.disk
    }
    guard let disk else { return false }
    // Readers close last and may not write, so without this the write-ahead log would be left behind.
    _ = try? disk.pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    // A reader still at work keeps the file open a moment longer; SQLite recovers it at the next start.
    try? disk.pool.close()
    withExtendedLifetime(disk) {}
    return true
  }

  /// Whether the database that is closed is whole, and has as many rows as memory in each table. One that cannot be
  /// looked at, for another reason than damage, counts as whole.
  private var hasAll: Bool {
    do {
      let closed = try DatabaseQueue(path: path)
      defer { try? closed.close() }
      try StoreRescue.check(closed)
      return try closed.read(Self.rowCounts) == memory.read(Self.rowCounts)
    } catch let error as DatabaseError {
      return !StoreRescue.isDamage(error)
    } catch {
      return true
    }
  }

  private static func rowCounts(_ db: Database) throws -> [String: Int] {
    let tables = try String.fetchAll(
      db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    return try tables.reduce(into: [:]) { counts, table in
      counts[table] = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \"\(table)\"")
    }
  }
}
