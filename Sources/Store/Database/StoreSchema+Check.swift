import GRDB

// A check of pages alone misses a bit that a disk has flipped in a table's definition, or in the name of a step.
extension StoreSchema {
  /// An entry of `sqlite_master` for a table or an index.
  struct Object: Hashable {
    var type, name, table: String
    /// The statement that made it; nil when SQLite made it itself.
    var sql: String?
  }

  static func objects(_ db: Database) throws -> [Object] {
    try Row.fetchAll(db, sql: "SELECT type, name, tbl_name, sql FROM sqlite_master").map { row in
      Object(
        type: row.text("type") ?? "", name: row.text("name") ?? "",
        table: row.text("tbl_name") ?? "", sql: row.text("sql"))
    }
  }

  /// Throws `SQLITE_CORRUPT` when the tables differ from what the database's completed steps make. Other tables in it
  /// are not checked, nor those of a newer version.
  static func check(_ database: some DatabaseReader) throws {
    let (found, done) = try database.read { db in (Set(try objects(db)), try doneSteps(db)) }
    let steps = migrator.migrations
    if isNewer(done, than: steps) { return }
    let expected = try made(by: steps.prefix(done.count))
    let names = Set(try made(by: steps[...]).map(\.name))
    guard done == Set(steps.prefix(done.count)),
      found.filter({ names.contains($0.name) }) == expected
    else {
      throw DatabaseError(
        resultCode: .SQLITE_CORRUPT, message: "its tables are not what they were made as")
    }
  }

  private static func doneSteps(_ db: Database) throws -> Set<String> {
    guard try db.tableExists("grdb_migrations") else { return [] }
    let rows = try Row.fetchAll(db, sql: "SELECT * FROM grdb_migrations")
    return Set(rows.map { $0.text("identifier") ?? "" })
  }

  /// Whether a newer version has completed further steps: steps are numbered.
  private static func isNewer(_ done: Set<String>, than steps: [String]) -> Bool {
    let more = done.subtracting(steps)
    func number(_ step: String) -> Int { Int(step.prefix { $0.isNumber }) ?? 0 }
    let last = steps.last.map(number) ?? 0
    return !more.isEmpty && done.isSuperset(of: steps) && more.allSatisfy { number($0) > last }
  }

  private static func made(by steps: ArraySlice<String>) throws -> Set<Object> {
    guard let last = steps.last else { return [] }
    let fresh = try DatabaseQueue()
    try migrator.migrate(fresh, upTo: last)
    return Set(try fresh.read(objects))
  }
}
