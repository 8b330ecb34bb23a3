import GRDB

// A damaged database whose tables are not called what they were: their rows are there all the same.
extension StoreRescue {
  /// A copy in memory, in which the tables are called what they are in `fresh`.
  static func repaired(_ path: String, like fresh: [StoreSchema.Object]) throws -> DatabaseQueue {
    var configuration = GRDB.Configuration()
    configuration.label = "longwave.rescue"
    // SQLite steps over what it does not understand then, and lets it be put right (sqlite.org/pragma.html).
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
      // One that nobody knows is the one that is nowhere.
      let isOnly = lost.count == 1 && strange == [name]
      guard let place = row.integer("place"),
        let known = fresh.first(where: { $0.name == name }) ?? (isOnly ? lost.first : nil)
      else { continue }
      try db.execute(
        sql: "UPDATE sqlite_master SET type = ?, name = ?, tbl_name = ?, sql = ? WHERE rowid = ?",
        arguments: [known.type, known.name, known.table, known.sql, place])
    }
    // Read anew.
    try db.execute(sql: "PRAGMA writable_schema = RESET")
    try db.execute(sql: "PRAGMA writable_schema = ON")
  }
}
