import GRDB
import Server
import Timeshift
import Wire

extension StationStore {
  package func sessions() async throws(StoreError) -> [SessionToken: SessionRecord] {
    let rows = try await read("read the sessions") { db in
      try Row.fetchAll(db, sql: "SELECT * FROM session").compactMap { row in
        row.text("token").flatMap { SessionToken($0) }.map { ($0, Self.record(row)) }
      }
    }
    return Dictionary(rows) { _, last in last }
  }

  private static func record(_ row: Row) -> SessionRecord {
    var place = SessionRecord.Place.live
    if let position = row.integer("position"), let air = row.integer("air") {
      place = .packet(at: UInt64(clamping: position), air: WallTime(stored: air), log: nil)
    }
    return SessionRecord(
      station: row.text("station") ?? "", place: place, isPaused: row.integer("paused") == 1,
      lastSeen: WallTime(stored: row.integer("seen") ?? 0))
  }

  package func forgetSessions() async throws(StoreError) {
    try await change("forget the sessions") { try $0.execute(sql: "DELETE FROM session") }
  }

  /// Writes the sessions that differ from `before`.
  package func keep(
    _ sessions: [SessionToken: SessionRecord], before: [SessionToken: SessionRecord]
  ) async throws(StoreError) {
    try await write("keep the sessions") { db in
      for token in before.keys where sessions[token] == nil {
        try db.execute(sql: "DELETE FROM session WHERE token = ?", arguments: [token.text])
      }
      for (token, record) in sessions where before[token] != record {
        var position: Int64?
        var air: Int64?
        if case .packet(let at, let moment, _) = record.place {
          (position, air) = (Int64(clamping: at), moment.stored)
        }
        try db.execute(
          sql: """
            INSERT OR REPLACE INTO session (token, station, position, air, paused, seen)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
          arguments: [
            token.text, record.station, position, air, record.isPaused,
            record.lastSeen.stored,
          ])
      }
    }
  }
}
