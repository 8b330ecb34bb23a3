import Foundation
import GRDB
import Glibc

/// Sets a damaged database aside, and copies what can still be read of it into a new one, so that the relay starts.
package struct StoreRescue: Hashable, Sendable, CustomStringConvertible {
  /// Path of the damaged database, beside the new one.
  private(set) var path: String
  /// Number of rows that were copied.
  private(set) var rows = 0
  /// Tables of which some rows could not be read.
  private(set) var damaged: [String] = []

  /// Most databases that are kept aside.
  private static let keptMax = 100
  /// Endings of the files that belong to one database of SQLite.
  private static let companions = ["", "-wal", "-shm"]

  /// Renames a damaged database, which must not be open.
  init(settingAside database: String) throws { path = try Self.setAside(database, as: "bad") }

  /// Renames a database and its companions with this ending. Returns the new path.
  static func setAside(_ database: String, as ending: String) throws -> String {
    let names = (1...keptMax).map { "\(database).\($0).\(ending)" }
    guard let free = names.first(where: { !exists($0) }) else {
      throw SystemFailure(text: "\(names.count) of them lie beside it; remove some")
    }
    for companion in companions where exists(database + companion) {
      guard rename(database + companion, free + companion) == 0 else {
        throw SystemFailure(
          text: "cannot rename \(database + companion): \(String(cString: strerror(errno)))")
      }
    }
    return free
  }

  /// Deletes a database that could not be finished.
  static func remove(_ database: String) {
    for companion in companions { unlink(database + companion) }
  }

  /// Gives a database that was set aside its name again, in place of one that could not be finished there.
  static func putBack(_ aside: String, as database: String) {
    remove(database)
    for companion in companions {
      if exists(aside + companion) { rename(aside + companion, database + companion) }
    }
  }

  private struct SystemFailure: Error, CustomStringConvertible {
    var text: String
    var description: String { text }
  }

  private static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Returns the damaged databases in a data folder.
  package static func damaged(in data: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: data)) ?? []
    return names.filter { $0.hasPrefix("longwave.db.") && $0.hasSuffix(".bad") }.sorted()
      .map { "\(data)/\($0)" }
  }

  /// Whether the error means a damaged database. Every other error may pass, and leaves the database where it is.
  static func isDamage(_ error: DatabaseError) -> Bool {
    [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
  }

  /// Throws `SQLITE_CORRUPT` when a page is not what SQLite wrote, or a table is not what Longwave made.
  static func check(_ database: some DatabaseReader) throws {
    let found = try database.read { db in try String.fetchOne(db, sql: "PRAGMA quick_check(1)") }
    if found != "ok" { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: found) }
    do {
      try StoreSchema.check(database)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
      // SQLite did not find a name.
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: error.message)
    }
  }

  /// Copies all rows that can be read, from both ends of each table.
  mutating func copyRows(into fresh: some DatabaseWriter) throws {
    let tables = try fresh.read { db in
      try String.fetchAll(
        db,
        sql: """
          SELECT name FROM sqlite_master WHERE type = 'table'
          AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'grdb%' ORDER BY name
          """)
    }
    let old = try? Self.repaired(path, like: fresh.read(StoreSchema.objects))
    for table in tables {
      let columns = try fresh.read { db in try db.columns(in: table).map(\.name) }
      for order in ["ASC", "DESC"] {
        let rows = old.map { Self.rows(of: table, order, in: $0) } ?? (found: [], isWhole: false)
        try fresh.write { db in
          for row in rows.found {
            self.rows += try Self.insert(row, into: table, columns, db) ? 1 : 0
          }
        }
        if rows.isWhole { break }
        if !damaged.contains(table) { damaged.append(table) }
      }
    }
    try? old?.close()
  }

  /// Returns the rows up to the first that cannot be read.
  private static func rows(
    of table: String, _ order: String, in old: DatabaseQueue
  ) -> (found: [Row], isWhole: Bool) {
    var found: [Row] = []
    let isWhole = try? old.read { db in
      let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM \(table) ORDER BY 1 \(order)")
      while let row = try cursor.next() { found.append(row.copy()) }
      return true
    }
    return (found, isWhole ?? false)
  }

  /// Inserts a row. True when it was not there yet.
  private static func insert(
    _ row: Row, into table: String, _ columns: [String], _ db: Database
  ) throws -> Bool {
    let known = columns.filter { row.hasColumn($0) }
    if known.isEmpty { return false }
    let places = known.map { _ in "?" }.joined(separator: ", ")
    try db.execute(
      sql: "INSERT OR IGNORE INTO \(table) (\(known.joined(separator: ", "))) VALUES (\(places))",
      arguments: StatementArguments(known.map(row.value)))
    return db.changesCount > 0
  }

  package var description: String {
    let lost =
      damaged.isEmpty
      ? "nothing is missing" : "not all could be read of: \(damaged.joined(separator: ", "))"
    return
      "the database was damaged and is now \(path); \(rows) rows of it were taken over, \(lost)"
  }
}
