import Foundation
import GRDB
import Synchronization
import Timeshift
import Wire

// Collections: what people made of the music, and what they want kept of it.
extension StationStore {
  /// Returns all collections by their ids.
  package func collections() async throws(StoreError) -> [StoredCollection] {
    try await read("read the collections") { db in
      try Row.fetchAll(db, sql: "SELECT * FROM collection ORDER BY id").compactMap(
        CollectionTable.collection)
    }
  }

  package func collection(_ id: String) async throws(StoreError) -> StoredCollection? {
    try await read("read a collection") { db in try CollectionTable.collection(id, db) }
  }

  /// Returns the lists that each collection is a member of.
  package func collectionsAround() async throws(StoreError) -> [String: Set<String>] {
    try await read("read which collections are in others") { db in
      let rows = try Row.fetchAll(
        db, sql: "SELECT DISTINCT collection, child FROM member WHERE child IS NOT NULL")
      return rows.reduce(into: [:]) { around, row in
        guard let outer = row.text("collection"), let inner = row.text("child") else { return }
        around[inner, default: []].insert(outer)
      }
    }
  }

  /// Stores a new collection.
  ///
  /// - Parameter rule: nil of a list.
  package func addCollection(
    _ id: String, name: String?, rule: String?, at now: WallTime
  ) async throws -> StoredCollection {
    try await refusable("keep a collection") { db in
      if try CollectionTable.collection(id, db) != nil { throw CollectionRefusal.exists(id) }
      let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM collection") ?? 0
      guard count < CollectionTable.collectionsMax else {
        throw CollectionRefusal.tooManyCollections
      }
      try db.execute(
        sql: """
          INSERT INTO collection (id, name, kind, rule, created, changed)
          VALUES (:id, :name, :kind, :rule, :now, :now)
          """,
        arguments: [
          "id": id, "name": name, "kind": rule == nil ? "list" : "rule", "rule": rule,
          "now": now.milliseconds,
        ])
      return StoredCollection(id: id, name: name, rule: rule, changed: now)
    }
  }

  /// Gives a collection another name, or another rule in place of its own.
  package func changeCollection(
    _ id: String, name: String??, rule: String?, at now: WallTime
  ) async throws {
    try await refusable("change a collection") { db in
      _ = try CollectionTable.required(id, db)
      if let name {
        try db.execute(
          sql: "UPDATE collection SET name = ? WHERE id = ?", arguments: [name, id])
      }
      if let rule {
        try db.execute(
          sql: "UPDATE collection SET rule = ? WHERE id = ?", arguments: [rule, id])
      }
      try CollectionTable.touch(id, now, db)
    }
  }

  package func removeCollection(_ id: String) async throws {
    try await refusable("remove a collection") { db in
      _ = try CollectionTable.required(id, db)
      try db.execute(sql: "DELETE FROM member WHERE collection = ?", arguments: [id])
      try db.execute(sql: "DELETE FROM collection WHERE id = ?", arguments: [id])
    }
  }

  /// Adds members in their order, in front of one of the list or at its end.
  ///
  /// - Parameter older: tracks that were members before and are no longer.
  /// - Returns: their ids.
  @discardableResult
  package func addMembers(
    _ members: [StoredMember], to id: String, before: Int64? = nil,
    replacing older: Set<TrackKey> = [], at now: WallTime
  ) async throws -> [Int64] {
    try await refusable("add to \(id)") { db in
      _ = try CollectionTable.required(id, db)
      // One of them may be the one that they come in front of.
      let places = try CollectionTable.places(members.count, in: id, before: before, db)
      for key in older {
        try db.execute(
          sql: "DELETE FROM member WHERE collection = ? AND track = ?",
          arguments: [id, Data(key.bytes)])
      }
      try CollectionTable.requireRoom(for: members.count, in: id, db)
      for case .collection(let child) in Set(members.map(\.content)) {
        _ = try CollectionTable.required(child, db)
        try CollectionTable.refuseCircle(of: child, in: id, db)
      }
      var ids: [Int64] = []
      let insert = try db.makeStatement(
        sql: """
          INSERT INTO member (collection, place, track, child, url, title, artist, seconds, path)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
          """)
      for (member, place) in zip(members, places) {
        var (track, child, url): (Data?, String?, String?)
        switch member.content {
        case .track(let key): track = Data(key.bytes)
        case .collection(let name): child = name
        case .url(let address): url = address
        }
        try insert.execute(arguments: [
          id, place, track, child, url, member.title, member.artist, member.seconds,
          member.path.map { Data($0) },
        ])
        ids.append(db.lastInsertedRowID)
      }
      try CollectionTable.touch(id, now, db)
      return ids
    }
  }

  package func removeMember(_ member: Int64, of id: String, at now: WallTime) async throws {
    try await refusable("remove from \(id)") { db in
      _ = try CollectionTable.required(id, db)
      try db.execute(
        sql: "DELETE FROM member WHERE id = ? AND collection = ?", arguments: [member, id])
      guard db.changesCount > 0 else { throw CollectionRefusal.unknownMember(member) }
      try CollectionTable.touch(id, now, db)
    }
  }

  /// Moves a member in front of another, or to the end.
  package func moveMember(
    _ member: Int64, of id: String, before: Int64?, at now: WallTime
  ) async throws {
    try await refusable("move in \(id)") { db in
      _ = try CollectionTable.required(id, db)
      _ = try CollectionTable.place(of: member, in: id, db)
      if member == before { return }
      let place = try CollectionTable.places(1, in: id, before: before, db)[0]
      try db.execute(
        sql: "UPDATE member SET place = ? WHERE id = ?", arguments: [place, member])
      try CollectionTable.touch(id, now, db)
    }
  }

  /// Makes a change that may be refused; a refusal comes out as itself.
  private func refusable<Value: Sendable>(
    _ what: String, _ work: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await change(what) { [self] db -> Result<Value, CollectionRefusal> in
      collectionChanges.add(1, ordering: .relaxed)
      do {
        var value: Value?
        // What was done before a refusal is taken back.
        try db.inSavepoint {
          value = try work(db)
          return .commit
        }
        guard let value else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
        return .success(value)
      } catch let refusal as CollectionRefusal {
        return .failure(refusal)
      }
    }.get()
  }
}
