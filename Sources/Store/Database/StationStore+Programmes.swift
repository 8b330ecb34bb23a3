import GRDB
import Timeshift

extension StationStore {
  /// Returns how far a station's programme has come, as it was kept; nil if nothing was.
  package func programme(of station: String) async throws(StoreError) -> String? {
    try await read("read how far \(station) has come") { db in
      try Row.fetchOne(
        db, sql: "SELECT state FROM programme WHERE station = ?", arguments: [station])?
        .text("state")
    }
  }

  /// Keeps how far a station's programme has come.
  package func keep(programme state: String, of station: String) async throws(StoreError) {
    try await write("remember how far \(station) has come") { db in
      try db.execute(
        sql: """
          INSERT INTO programme (station, state, changed) VALUES (:id, :state, :now)
          ON CONFLICT (station) DO UPDATE SET state = excluded.state, changed = :now
          """, arguments: ["id": station, "state": state, "now": Moment.now().wall.milliseconds])
    }
  }
}
