import Foundation
import GRDB
import Settings
import Wire

// What people have said of tracks of the library.
extension StationStore {
  /// Returns all notes.
  package func trackNotes() async throws(StoreError) -> [TrackKey: TrackNote] {
    try await read("read the notes on tracks") { db in try Self.notes(db) }
  }

  /// Returns the notes in the database of a data folder, which another process may have open, as far as they can be read.
  /// Nothing is written. Blocks.
  package static func trackNotes(in data: String) -> [TrackKey: TrackNote] {
    let path = data + "/longwave.db"
    let companions = ["-wal", "-shm"].count { FileManager.default.fileExists(atPath: path + $0) }
    // SQLite would make files beside one that nobody has open, and what is left of one may have to be mended first.
    guard companions != 1 else { return [:] }
    let place =
      companions == 0 ? "file:\(PercentEncoding.path(Array(path.utf8)))?immutable=1" : path
    var configuration = GRDB.Configuration()
    configuration.readonly = true
    guard let database = try? DatabaseQueue(path: place, configuration: configuration) else {
      return [:]
    }
    return (try? database.read { db in try notes(db) }) ?? [:]
  }

  private static func notes(_ db: Database) throws -> [TrackKey: TrackNote] {
    var notes: [TrackKey: TrackNote] = [:]
    for row in try Row.fetchAll(db, sql: "SELECT * FROM trackNote") {
      guard let key = row.track("track") else { continue }
      let cues = 0...TrackCue.secondsMax
      notes[key] = TrackNote(
        isExcluded: row.integer("excluded") == 1,
        gain: row.real("gain", in: TrackGain.gains),
        cueIn: row.real("cueIn", in: cues), cueOut: row.real("cueOut", in: cues))
    }
    return notes
  }

  /// Returns the tracks that collections have by name.
  package func collectedTracks() async throws(StoreError) -> Set<TrackKey> {
    try await read("read the members of collections") { db in
      let rows = try Row.fetchCursor(
        db, sql: "SELECT DISTINCT track FROM member WHERE track IS NOT NULL")
      var tracks: Set<TrackKey> = []
      while let row = try rows.next() {
        if let key = row.track("track") { tracks.insert(key) }
      }
      return tracks
    }
  }

  package func keep(_ note: TrackNote, of track: TrackKey) async throws(StoreError) {
    try await change("keep a note on a track") { db in
      try db.execute(
        sql: """
          INSERT INTO trackNote(track, excluded, gain, cueIn, cueOut)
          VALUES (:track, :excluded, :gain, :cueIn, :cueOut)
          ON CONFLICT (track) DO UPDATE
          SET excluded = :excluded, gain = :gain, cueIn = :cueIn, cueOut = :cueOut
          """,
        arguments: [
          "track": Data(track.bytes), "excluded": note.isExcluded ? 1 : nil, "gain": note.gain,
          "cueIn": note.cueIn, "cueOut": note.cueOut,
        ])
      try db.execute(
        sql: """
          DELETE FROM trackNote
          WHERE excluded IS NULL AND cueIn IS NULL AND cueOut IS NULL AND gain IS NULL
          """)
    }
  }
}
