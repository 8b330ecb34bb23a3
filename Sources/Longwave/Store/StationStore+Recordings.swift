import Foundation
import GRDB

extension StationStore {
  /// Returns all recordings, ended and running, the oldest first.
  func recordings() async throws(StoreError) -> [RecordingEntry] {
    try await read("read the recordings") { [data] db in
      try Row.fetchAll(db, sql: "SELECT id, entry FROM recording ORDER BY id").compactMap { row in
        guard let id = row.integer("id"), let json = row.text("entry"),
          var entry = try? JSONDecoder().decode(RecordingEntry.self, from: Data(json.utf8))
        else { return nil }
        entry.id = id
        entry.folder = entry.folder.map { StoredFolder.path($0, in: data) }
        entry.hold()
        return entry
      }
    }
  }

  /// Stores a new recording and returns its number, which is never given twice.
  func add(_ entry: RecordingEntry) async throws(StoreError) -> Int64 {
    let what = "keep a recording"
    // A schedule waits for no answer, and asks again after a restart: it does not need the disk.
    return try await write(what, needsDisk: entry.schedule == nil) { [data] db in
      let json = try Self.json(entry, in: data)
      try db.execute(sql: "INSERT INTO recording (entry) VALUES (?)", arguments: [json])
      return db.lastInsertedRowID
    }
  }

  private static func json(_ entry: RecordingEntry, in data: String) throws -> String {
    var entry = entry
    entry.folder = entry.folder.map { StoredFolder.text($0, in: data) }
    return String(decoding: try JSONEncoder().encode(entry), as: UTF8.self)
  }

  func save(_ entry: RecordingEntry) async throws(StoreError) {
    try await write("keep a recording") { [data] db in
      let json = try Self.json(entry, in: data)
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

/// The stored form of a folder: relative to the data folder if it is inside, so that a copy of the data folder finds
/// its own.
enum StoredFolder {
  static func text(_ path: String, in data: String) -> String {
    let start = data + "/"
    return path.hasPrefix(start) ? String(path.dropFirst(start.count)) : path
  }

  /// Older versions stored whole paths.
  static func path(_ text: String, in data: String) -> String {
    text.utf8.first == UInt8(ascii: "/") ? text : data + "/" + text
  }
}
