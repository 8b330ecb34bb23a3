import GRDB
import Settings
import Timeshift
import Wire

extension StationStore {
  /// Returns the stations added by command, in the order of adding, as the stored JSON.
  package func definitions() async throws(StoreError) -> [(id: String, json: String)] {
    try await read("read the stations") { db in
      try Row.fetchAll(db, sql: "SELECT id, definition FROM station ORDER BY number")
        .map { (id: $0.text("id") ?? "", json: $0.text("definition") ?? "") }
    }
  }

  /// Returns the stations added or changed since `time`, the newest one in any case; all of them when `time` is nil.
  package func stations(
    suspectedSince time: WallTime?
  ) async throws(StoreError) -> [LeftOutStation] {
    let rows = try await read("read the stations") { db in
      try Row.fetchAll(db, sql: "SELECT * FROM station ORDER BY number").map { row in
        (
          station: LeftOutStation(
            id: row.text("id") ?? "", json: row.text("definition") ?? ""),
          changed: row.integer("changed") ?? row.integer("created") ?? .max
        )
      }
    }
    guard let time, let newest = rows.map(\.changed).max() else { return rows.map(\.station) }
    return rows.filter { $0.changed >= min(newest, time.milliseconds) }.map(\.station)
  }

  /// Adds a station, with what is remembered of it, or replaces its definition.
  package func save(_ station: StationDefinition) async throws(StoreError) {
    let json = station.json.text
    // Both or nothing: a station that is only half stored would be loaded at the next start.
    try await change("store \(station.id)") { [id = station.id] db in
      try db.execute(
        sql: """
          INSERT INTO station (id, definition, created) VALUES (:id, :json, :now)
          ON CONFLICT (id) DO UPDATE SET definition = excluded.definition, changed = :now
          """, arguments: ["id": id, "json": json, "now": Moment.now().wall.milliseconds])
      _ = try Self.memory(of: [id], db)
    }
  }

  /// Deletes a station, and what is remembered of it but its numbers.
  package func remove(_ id: String) async throws(StoreError) {
    try await change("remove \(id)") { db in
      try db.execute(sql: "DELETE FROM station WHERE id = ?", arguments: [id])
      try db.execute(sql: "DELETE FROM memory WHERE station = ?", arguments: [id])
      try db.execute(sql: "DELETE FROM programme WHERE station = ?", arguments: [id])
      // Its numbers stay, for when it comes back.
      try Self.forgetNumbers(db)
    }
  }
}

extension StationStore {
  /// Returns what is remembered of these stations; unknown ones get their `sid` in this order.
  package func memory(of ids: [String]) async throws(StoreError) -> [String: StationMemory] {
    try await write("read what is remembered") { db in try Self.memory(of: ids, db) }
  }

  private static func memory(
    of ids: [String], _ db: Database
  ) throws -> [String: StationMemory] {
    for id in ids {
      // Not ON CONFLICT DO NOTHING, which uses up a number each time.
      try db.execute(
        sql: """
          INSERT INTO memory (station)
          SELECT :id WHERE NOT EXISTS (SELECT 1 FROM memory WHERE station = :id)
          """, arguments: ["id": id])
    }
    let numbers = try Self.numbers(of: ids, db)
    let rows = try Row.fetchAll(db, sql: "SELECT * FROM memory")
    let pairs = rows.map { row in
      (
        row.text("station") ?? "",
        StationMemory(
          sid: Int(clamping: row.integer("sid") ?? 0), isStopped: row.integer("stopped") == 1,
          listenersTotal: UInt64(clamping: row.integer("listenersTotal") ?? 0),
          position: UInt64(clamping: row.integer("position") ?? 0),
          listed: max(0, row.integer("listed") ?? 0),
          numbers: row.text("station").flatMap { numbers[$0] })
      )
    }
    return Dictionary(pairs) { first, _ in first }.filter { ids.contains($0.key) }
  }

  package func setStopped(_ isStopped: Bool, station id: String) async throws(StoreError) {
    try await change("remember that \(id) is \(isStopped ? "stopped" : "started")") { db in
      try db.execute(
        sql: """
          INSERT INTO memory (station, stopped) VALUES (?, ?)
          ON CONFLICT (station) DO UPDATE SET stopped = excluded.stopped
          """, arguments: [id, isStopped])
    }
  }

  /// Stores the number of listeners that each station has had in all.
  package func setListenersTotal(_ totals: [String: UInt64]) async throws(StoreError) {
    try await write("remember the listeners") { db in
      for (id, total) in totals {
        try db.execute(
          sql: "UPDATE memory SET listenersTotal = ? WHERE station = ?",
          arguments: [Int64(clamping: total), id])
      }
    }
  }

  /// Stores the number with which playlists of each station begin; it never goes back.
  package func setListed(_ numbers: [String: Int64]) async throws(StoreError) {
    try await raise("listed", to: numbers)
  }

  /// Stores how far each station's log has come; a position never goes back.
  package func setPositions(_ positions: [String: UInt64]) async throws(StoreError) {
    try await raise("position", to: positions.mapValues { Int64(clamping: $0) })
  }

  private func raise(_ column: String, to values: [String: Int64]) async throws(StoreError) {
    if values.isEmpty { return }
    try await write("remember the stations' \(column)") { db in
      for (id, value) in values {
        try db.execute(
          sql: "UPDATE memory SET \(column) = max(\(column), ?) WHERE station = ?",
          arguments: [value, id])
      }
    }
  }
}

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
