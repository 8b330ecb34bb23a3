import Foundation
import GRDB
import Glibc

/// A database that is damaged is set aside, and what can still be read of it is taken over into a new one, so that the
/// relay starts.
struct StoreRescue: Hashable, Sendable, CustomStringConvertible {
  /// Where the damaged one is from now on, beside the new one.
  private(set) var path: String
  /// What was taken over.
  private(set) var rows = 0
  /// Tables of which something could not be read.
  private(set) var damaged: [String] = []

  /// As many damaged ones are kept.
  private static let keptMax = 100
  /// SQLite's companions of a database.
  private static let companions = ["", "-wal", "-shm"]

  /// Gives a damaged database, which nobody has open, another name.
  init(settingAside database: String) throws { path = try Self.setAside(database, as: "bad") }

  /// Gives a database and its companions another name, with this ending. Returns it.
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

  private struct SystemFailure: Error, CustomStringConvertible {
    var text: String
    var description: String { text }
  }

  private static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Those that lie in a data folder.
  static func damaged(in data: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: data)) ?? []
    return names.filter { $0.hasPrefix("longwave.db.") && $0.hasSuffix(".bad") }.sorted()
      .map { "\(data)/\($0)" }
  }

  /// Whether a database that says so is damaged: everything else may pass, and leaves it where it is.
  static func isDamage(_ error: DatabaseError) -> Bool {
    [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
  }

  /// Throws `SQLITE_CORRUPT` where a page is not what SQLite wrote, or a table not what we made.
  static func check(_ database: some DatabaseReader) throws {
    let found = try database.read { db in try String.fetchOne(db, sql: "PRAGMA quick_check(1)") }
    if found != "ok" { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: found) }
    do {
      try StoreSchema.check(database)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
      // A name that SQLite does not find.
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: error.message)
    }
  }

  /// Takes over all rows that can be read, from both ends of each table.
  mutating func takeOver(into fresh: some DatabaseWriter) throws {
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

  /// Rows up to the first that cannot be read.
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

  /// True: it was not there yet.
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

  var description: String {
    let lost =
      damaged.isEmpty
      ? "nothing is missing" : "not all could be read of: \(damaged.joined(separator: ", "))"
    return
      "the database was damaged and is now \(path); \(rows) rows of it were taken over, \(lost)"
  }
}
