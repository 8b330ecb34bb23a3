import Foundation
import GRDB

extension StationStore {
  /// Those that ran, and those that run, the oldest first.
  func recordings() async throws(StoreError) -> [RecordingEntry] {
    try await read("read the recordings") { db in
      try Row.fetchAll(db, sql: "SELECT id, entry FROM recording ORDER BY id").compactMap { row in
        guard let id = row.integer("id"), let json = row.text("entry"),
          var entry = try? JSONDecoder().decode(RecordingEntry.self, from: Data(json.utf8))
        else { return nil }
        entry.id = id
        entry.hold()
        return entry
      }
    }
  }

  /// Keeps a new one, and says its number, which is never given twice.
  func add(_ entry: RecordingEntry) async throws(StoreError) -> Int64 {
    let what = "keep a recording"
    // Nobody is answered where a schedule asks, which does so again after a restart.
    if entry.schedule == nil { return try await change(what) { db in try Self.add(entry, db) } }
    return try await write(what) { db in try Self.add(entry, db) }
  }

  private static func add(_ entry: RecordingEntry, _ db: Database) throws -> Int64 {
    let json = String(decoding: try JSONEncoder().encode(entry), as: UTF8.self)
    try db.execute(sql: "INSERT INTO recording (entry) VALUES (?)", arguments: [json])
    return db.lastInsertedRowID
  }

  func save(_ entry: RecordingEntry) async throws(StoreError) {
    try await write("keep a recording") { db in
      let json = String(decoding: try JSONEncoder().encode(entry), as: UTF8.self)
      try db.execute(
        sql: "UPDATE recording SET entry = ? WHERE id = ?", arguments: [json, entry.id])
    }
  }

  func forgetRecording(_ id: Int64) async throws(StoreError) {
    try await write("forget a recording") { db in
      try db.execute(sql: "DELETE FROM recording WHERE id = ?", arguments: [id])
    }
  }
}
