import Foundation
import GRDB
import Wire

// What was measured of tracks: by their content, so that it outlives their files.
extension LibraryStore {
  /// Returns all measures, in bounds. A track that cannot be decoded has an empty one.
  public func measures() throws(LibraryError) -> [TrackKey: TrackMeasure] {
    try read { db in
      var found: [TrackKey: TrackMeasure] = [:]
      let rows = try Row.fetchCursor(db, sql: "SELECT * FROM measure")
      while let row = try rows.next() {
        guard let key = TrackKey(bytes: row.bytes("track") ?? []) else { continue }
        let (decibels, seconds) = (-200.0...200, 0...1e9)
        found[key] = TrackMeasure(
          loudness: row.real("loudness", in: decibels),
          truePeak: row.real("truePeak", in: decibels), cueIn: row.real("cueIn", in: seconds),
          cueOut: row.real("cueOut", in: seconds))
      }
      return found
    }
  }

  public func keep(_ measures: [TrackKey: TrackMeasure]) throws(LibraryError) {
    try write { db in
      let statement = try db.cachedStatement(
        sql: "INSERT OR REPLACE INTO measure VALUES (?, ?, ?, ?, ?)")
      for (key, measure) in measures {
        try statement.execute(arguments: [
          Data(key.bytes), measure.loudness, measure.truePeak, measure.cueIn, measure.cueOut,
        ])
      }
    }
  }
}
