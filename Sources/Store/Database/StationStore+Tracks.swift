import Foundation
import GRDB
import Wire

// What people have said of tracks of the library.
extension StationStore {
  /// Returns the tracks that no programme plays.
  package func excludedTracks() async throws(StoreError) -> [TrackKey] {
    try await read("read the notes on tracks") { db in
      try Row.fetchAll(db, sql: "SELECT * FROM trackNote WHERE excluded = 1").compactMap { row in
        Data.fromDatabaseValue(row.value("track")).flatMap { TrackKey(bytes: $0) }
      }
    }
  }

  /// Returns the tracks that collections have by name.
  package func collectedTracks() async throws(StoreError) -> Set<TrackKey> {
    try await read("read the members of collections") { db in
      let rows = try Row.fetchCursor(
        db, sql: "SELECT DISTINCT track FROM member WHERE track IS NOT NULL")
      var tracks: Set<TrackKey> = []
      while let row = try rows.next() {
        let bytes = Data.fromDatabaseValue(row.value("track"))
        if let key = bytes.flatMap({ TrackKey(bytes: $0) }) { tracks.insert(key) }
      }
      return tracks
    }
  }

  /// Keeps a track out of every programme, or lets it in again.
  package func exclude(_ track: TrackKey, _ isExcluded: Bool) async throws(StoreError) {
    try await change("keep a note on a track") { db in
      try db.execute(
        sql: """
          INSERT INTO trackNote(track, excluded) VALUES (:track, :excluded)
          ON CONFLICT (track) DO UPDATE SET excluded = :excluded
          """, arguments: ["track": Data(track.bytes), "excluded": isExcluded ? 1 : nil])
      try db.execute(
        sql: """
          DELETE FROM trackNote
          WHERE excluded IS NULL AND cueIn IS NULL AND cueOut IS NULL AND gain IS NULL
          """)
    }
  }
}
