import Foundation
import GRDB

// Secrets of the relay's own, which are made once.
extension StationStore {
  /// Bytes of a secret.
  private static let secretBytes = 32

  /// Returns the secret of a name; it is made when it is asked for first, and where the stored one cannot be.
  package func secret(_ name: String) async throws(StoreError) -> [UInt8] {
    let fresh = (0..<Self.secretBytes).map { _ in UInt8.random(in: 0...255) }
    return try await write("keep a secret") { db in
      let row = try Row.fetchOne(
        db, sql: "SELECT value FROM secret WHERE name = ?", arguments: [name])
      let known = row.flatMap { Data.fromDatabaseValue($0.value("value")) }
      if let known, known.count == Self.secretBytes { return Array(known) }
      try db.execute(
        sql: "INSERT OR REPLACE INTO secret (name, value) VALUES (?, ?)",
        arguments: [name, Data(fresh)])
      return fresh
    }
  }
}
