import Foundation
import Store

extension StationStore {
  /// Returns all recordings, ended and running, the oldest first.
  func recordings() async throws(StoreError) -> [RecordingEntry] {
    try await recordings { [data] id, json in
      guard var entry = try? JSONDecoder().decode(RecordingEntry.self, from: Data(json.utf8))
      else { return nil }
      entry.id = id
      entry.folder = entry.folder.map { StoredFolder.path($0, in: data) }
      entry.hold()
      return entry
    }
  }

  /// Stores a new recording and returns its number, which is never given twice.
  func add(_ entry: RecordingEntry) async throws(StoreError) -> Int64 {
    // A schedule waits for no answer, and asks again after a restart: it does not need the disk.
    try await addRecording(needsDisk: entry.schedule == nil) { [data] in
      try Self.json(entry, in: data)
    }
  }

  func save(_ entry: RecordingEntry) async throws(StoreError) {
    try await saveRecording(entry.id) { [data] in try Self.json(entry, in: data) }
  }

  private static func json(_ entry: RecordingEntry, in data: String) throws -> String {
    var entry = entry
    entry.folder = entry.folder.map { StoredFolder.text($0, in: data) }
    return String(decoding: try JSONEncoder().encode(entry), as: UTF8.self)
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
