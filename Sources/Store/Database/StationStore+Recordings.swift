import GRDB

// Entries of recordings, as the JSON that their owner makes of them.
extension StationStore {
  /// Returns what `decode` makes of all recordings, ended and running, the oldest first.
  package func recordings<Entry: Sendable>(
    _ decode: @escaping @Sendable (_ id: Int64, _ json: String) -> Entry?
  ) async throws(StoreError) -> [Entry] {
    try await read("read the recordings") { db in
      try Row.fetchAll(db, sql: "SELECT id, entry FROM recording ORDER BY id").compactMap { row in
        guard let id = row.integer("id"), let json = row.text("entry") else { return nil }
        return decode(id, json)
      }
    }
  }

  /// Stores a new recording and returns its number, which is never given twice.
  package func addRecording(
    needsDisk: Bool, _ json: @escaping @Sendable () throws -> String
  ) async throws(StoreError) -> Int64 {
    try await write("keep a recording", needsDisk: needsDisk) { db in
      try db.execute(sql: "INSERT INTO recording (entry) VALUES (?)", arguments: [try json()])
      return db.lastInsertedRowID
    }
  }

  package func saveRecording(
    _ id: Int64, _ json: @escaping @Sendable () throws -> String
  ) async throws(StoreError) {
    try await write("keep a recording") { db in
      try db.execute(
        sql: "UPDATE recording SET entry = ? WHERE id = ?", arguments: [try json(), id])
    }
  }

  package func forgetRecording(_ id: Int64) async throws(StoreError) {
    try await write("forget a recording") { db in
      try db.execute(sql: "DELETE FROM recording WHERE id = ?", arguments: [id])
    }
  }
}
