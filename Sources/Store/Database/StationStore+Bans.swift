import GRDB
import Reactor
import Settings
import Timeshift
import Wire

extension StationStore {
  /// Returns the bans that have not ended, in the order of adding, and deletes those that have.
  package func bans(now: WallTime) async throws(StoreError) -> [BanRecord] {
    try await write("read the bans") { db in
      try db.execute(sql: "DELETE FROM ban WHERE until <= ?", arguments: [now.milliseconds])
      return try Row.fetchAll(db, sql: "SELECT * FROM ban ORDER BY id").compactMap { row in
        guard let id = row.integer("id"), let range = row.text("range").flatMap(AddressRange.init)
        else { return nil }
        return BanRecord(
          id: id, range: range, createdAt: WallTime(milliseconds: row.integer("created") ?? 0),
          until: row.integer("until").map(WallTime.init(milliseconds:)), reason: row.text("reason"))
      }
    }
  }

  /// Stores a ban, in place of one on the same addresses, and returns its number.
  package func ban(
    _ range: AddressRange, from now: WallTime, until: WallTime?, reason: String?
  ) async throws(StoreError) -> Int64 {
    try await change("keep a ban") { db in
      try db.execute(sql: "DELETE FROM ban WHERE range = ?", arguments: [range.description])
      try db.execute(
        sql: "INSERT INTO ban (range, created, until, reason) VALUES (?, ?, ?, ?)",
        arguments: [range.description, now.milliseconds, until?.milliseconds, reason])
      return db.lastInsertedRowID
    }
  }

  package func liftBan(_ id: Int64) async throws(StoreError) {
    try await change("lift a ban") { db in
      try db.execute(sql: "DELETE FROM ban WHERE id = ?", arguments: [id])
    }
  }
}
