import GRDB

// Rescue of a damaged database in which tables have wrong names: their rows still exist.
extension StoreRescue {
  /// Returns a copy in memory, in which the tables have the names that they have in `fresh`.
  static func repaired(_ path: String, like fresh: [StoreSchema.Object]) throws -> DatabaseQueue {
    var configuration = GRDB.Configuration()
    configuration.label = "longwave.rescue"
    // SQLite then skips what it does not understand, and allows repairs (sqlite.org/pragma.html).
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA writable_schema = ON") }
    let old = try DatabaseQueue(path: path, configuration: configuration)
    let copy = try DatabaseQueue(configuration: configuration)
    try old.backup(to: copy)
    try old.close()
    try copy.writeWithoutTransaction { db in try repair(db, like: fresh) }
    return copy
  }

  private static func repair(_ db: Database, like fresh: [StoreSchema.Object]) throws {
    let rows = try Row.fetchAll(
      db, sql: "SELECT rowid AS place, type, name, tbl_name, sql FROM sqlite_master")
    let found = rows.map { $0.text("name") ?? "" }
    let lost = fresh.filter { !found.contains($0.name) }
    let strange = found.filter { name in !fresh.contains { $0.name == name } }
    for (row, name) in zip(rows, found) {
      // The only unknown name must be the only missing one.
      let isOnly = lost.count == 1 && strange == [name]
      guard let place = row.integer("place"),
        let known = fresh.first(where: { $0.name == name }) ?? (isOnly ? lost.first : nil)
      else { continue }
      try db.execute(
        sql: "UPDATE sqlite_master SET type = ?, name = ?, tbl_name = ?, sql = ? WHERE rowid = ?",
        arguments: [known.type, known.name, known.table, known.sql, place])
    }
    // Makes SQLite read the schema again.
    try db.execute(sql: "PRAGMA writable_schema = RESET")
    try db.execute(sql: "PRAGMA writable_schema = ON")
  }
}
