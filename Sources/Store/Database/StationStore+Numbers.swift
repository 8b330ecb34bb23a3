import GRDB
import Settings
import Timeshift
import Wire

// How far stations' logs have come in programme time and numbers, for logs that lose their past.
extension StationStore {
  /// Keeps how far logs have come.
  package func keep(numbers notes: [String: NumberNote]) async throws(StoreError) {
    if notes.isEmpty { return }
    try await write("remember the numbers") { db in
      for (station, note) in notes {
        try db.execute(
          sql: """
            INSERT OR REPLACE INTO reached
              (station, programme, number, discontinuities, noted, boot, uptime, final)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
          arguments: [
            station, note.reached.programme.stored, note.reached.number,
            note.reached.discontinuities, note.wall.milliseconds, note.boot?.text,
            note.sinceBoot.nanoseconds, note.isFinal ? 1 : 0,
          ])
      }
    }
  }

  /// Returns how far the logs of these stations had come; rows that cannot be are left out.
  static func numbers(of ids: [String], _ db: Database) throws -> [String: NumberNote] {
    let rows = try Row.fetchAll(db, sql: "SELECT * FROM reached")
    let wanted = Set(ids)
    let pairs = rows.compactMap { row -> (String, NumberNote)? in
      guard let station = row.text("station"), wanted.contains(station),
        let programme = row.integer("programme"),
        let number = row.integer("number"), let discontinuities = row.integer("discontinuities"),
        let reached = NumberStart(
          programme: programme, number: number, discontinuities: discontinuities)
      else { return nil }
      let note = NumberNote(
        reached, wall: WallTime(milliseconds: row.integer("noted") ?? 0),
        sinceBoot: MonotonicTime(nanoseconds: row.integer("uptime") ?? 0),
        boot: row.text("boot").flatMap(BootID.init(text:)), isFinal: row.integer("final") == 1)
      return (station, note)
    }
    return Dictionary(pairs) { first, _ in first }
  }

  /// Stations that are gone and whose numbers are kept, for when they come back.
  private static let goneMax = 1000

  /// Forgets the numbers of stations that have been gone for longest.
  static func forgetNumbers(_ db: Database) throws {
    try db.execute(
      sql: """
        DELETE FROM reached WHERE station IN (
          SELECT station FROM reached WHERE station NOT IN (SELECT station FROM memory)
          ORDER BY noted DESC LIMIT -1 OFFSET ?)
        """, arguments: [goneMax])
  }
}
