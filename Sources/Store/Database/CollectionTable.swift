import GRDB
import Settings
import Timeshift
import Wire

/// Collections and their members in the database.
package enum CollectionTable {
  /// The most collections, members of one, members of all, and how deep collections are in others.
  package static let collectionsMax = 1000
  package static let membersMax = 100_000
  static let allMembersMax = 500_000
  package static let depthMax = 8

  static func collection(_ row: Row) -> StoredCollection? {
    guard let id = row.text("id") else { return nil }
    return StoredCollection(
      id: id, name: row.text("name"), rule: row.text("rule"),
      changed: WallTime(milliseconds: row.integer("changed") ?? 0))
  }

  static func collection(_ id: String, _ db: Database) throws -> StoredCollection? {
    try Row.fetchOne(db, sql: "SELECT * FROM collection WHERE id = ?", arguments: [id])
      .flatMap(collection)
  }

  static func required(_ id: String, _ db: Database) throws -> StoredCollection {
    guard let found = try collection(id, db) else { throw CollectionRefusal.unknown(id) }
    return found
  }

  static func touch(_ id: String, _ now: WallTime, _ db: Database) throws {
    try db.execute(
      sql: "UPDATE collection SET changed = ? WHERE id = ?", arguments: [now.milliseconds, id])
  }

  static func requireRoom(for count: Int, in id: String, _ db: Database) throws {
    let own =
      try Int.fetchOne(
        db, sql: "SELECT COUNT(*) FROM member WHERE collection = ?", arguments: [id]) ?? 0
    let all = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM member") ?? 0
    guard count <= membersMax - min(own, membersMax),
      count <= allMembersMax - min(all, allMembersMax)
    else { throw CollectionRefusal.tooManyMembers }
  }

  /// Throws if `parent` is in `child`, or if collections would be in each other too deeply.
  static func refuseCircle(of child: String, in parent: String, _ db: Database) throws {
    /// In which collection each one was found first.
    var found: [String: String] = [child: parent]
    var level: Set<String> = [child]
    var below = 0
    while !level.isEmpty {
      if level.contains(parent) { throw CollectionRefusal.circle(way(from: parent, found)) }
      below += 1
      guard below <= depthMax else { throw CollectionRefusal.tooDeep }
      var next: Set<String> = []
      for name in level.sorted() {
        for inner in try children(of: name, db) {
          if found[inner] == nil { found[inner] = name }
          next.insert(inner)
        }
      }
      level = next
    }
    guard try above(parent, db) + below <= depthMax else {
      throw CollectionRefusal.tooDeep
    }
  }

  /// The way from a collection to itself.
  static func way(from parent: String, _ found: [String: String]) -> [String] {
    var way = [parent]
    while let outer = found[way[0]], way.count <= depthMax {
      way.insert(outer, at: 0)
      if outer == parent { break }
    }
    return way
  }

  static func children(of id: String, _ db: Database) throws -> [String] {
    try Row.fetchAll(
      db, sql: "SELECT DISTINCT child FROM member WHERE collection = ? AND child IS NOT NULL",
      arguments: [id]
    ).compactMap { $0.text("child") }
  }

  /// How many collections there are from the outermost one that holds `id` down to it.
  static func above(_ id: String, _ db: Database) throws -> Int {
    var (level, count): (Set<String>, Int) = ([id], 0)
    while !level.isEmpty, count <= depthMax {
      count += 1
      var next: Set<String> = []
      for name in level {
        next.formUnion(
          try Row.fetchAll(
            db, sql: "SELECT DISTINCT collection FROM member WHERE child = ?", arguments: [name]
          ).compactMap { $0.text("collection") })
      }
      level = next
    }
    return count
  }

  // MARK: Places

  static func place(of member: Int64, in id: String, _ db: Database) throws -> Double {
    guard let place = try MemberTable.place(of: member, in: id, db) else {
      throw CollectionRefusal.unknownMember(member)
    }
    return place
  }

  static func real(_ db: Database, _ sql: String, _ arguments: StatementArguments) throws
    -> Double?
  {
    try Row.fetchOne(db, sql: "SELECT (\(sql)) AS found", arguments: arguments)
      .flatMap { Double.fromDatabaseValue($0.value("found")) }
  }

  /// Returns rising places for new members: a move writes one row, since places are reals.
  static func places(
    _ count: Int, in id: String, before: Int64?, _ db: Database
  ) throws -> [Double] {
    guard let before else {
      let last = try real(db, "SELECT max(place) FROM member WHERE collection = ?", [id]) ?? 0
      return (0..<count).map { last + Double($0 + 1) }
    }
    func between() throws -> (low: Double, step: Double) {
      let high = try place(of: before, in: id, db)
      let low =
        try real(
          db, "SELECT max(place) FROM member WHERE collection = ? AND place < ?", [id, high])
        ?? high - Double(count + 1)
      return (low, (high - low) / Double(count + 1))
    }
    var (low, step) = try between()
    // Beyond that two places might be one.
    if step < 1e-9 * max(1, abs(low)) || !step.isFinite {
      try renumber(id, db)
      (low, step) = try between()
    }
    return (0..<count).map { low + step * Double($0 + 1) }
  }

  static func renumber(_ id: String, _ db: Database) throws {
    let members = try Row.fetchAll(
      db, sql: "SELECT id FROM member WHERE collection = ? ORDER BY place, id", arguments: [id])
    for (index, member) in members.enumerated() {
      try db.execute(
        sql: "UPDATE member SET place = ? WHERE id = ?",
        arguments: [Double(index + 1), member.integer("id")])
    }
  }
}
