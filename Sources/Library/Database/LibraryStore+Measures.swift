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
        func number(_ column: String, _ bounds: ClosedRange<Double>) -> Double? {
          row.real(column).flatMap { bounds.contains($0) ? $0 : nil }
        }
        found[key] = TrackMeasure(
          loudness: number("loudness", -200...200), truePeak: number("truePeak", -200...200),
          cueIn: number("cueIn", 0...1e9), cueOut: number("cueOut", 0...1e9))
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
