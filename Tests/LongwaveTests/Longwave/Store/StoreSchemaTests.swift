import Foundation
import GRDB
import Reactor
import TestSupport
import Testing
import Wire

@testable import Longwave
@testable import LongwaveAPI
@testable import Store

/// Databases whose tables are not called any more what they were.
@Suite struct StoreSchemaTests {
  private let folder = TemporaryDirectory()
  private var path: String { folder.path + "/longwave.db" }

  private func station(_ id: String) -> StationDefinition {
    StationDefinition(id: id, upstream: ["http://example.org/\(id)"])
  }

  /// Some of everything.
  private func fill() async throws {
    let store = try await StationStore.open(path)
    for id in ["one", "two"] { try await store.save(station(id)) }
    _ = try await store.memory(of: ["one", "two"])
    try await store.setStopped(true, station: "two")
    let range = try #require(AddressRange("10.9.9.9"))
    _ = try await store.ban(range, from: Sample.time, until: nil, reason: "noise")
    var options = RecordingEntry.Options(station: "one", name: "show")
    options.until = 1
    _ = try await store.add(RecordingEntry(id: 0, options: options, startedAt: 1))
    try await store.write("a session") { db in
      try db.execute(sql: "INSERT INTO session VALUES ('token', 'one', 5, 6, 1, 7)")
    }
    await store.close()
  }

  private func requireAll(_ store: StationStore) async throws {
    #expect(try await store.definitions().map(\.id) == ["one", "two"])
    #expect(try await store.memory(of: ["one", "two"])["two"]?.isStopped == true)
    #expect(try await store.bans(now: Sample.time).map(\.reason) == ["noise"])
    #expect(try await store.recordings().map(\.options.name) == ["show"])
    let seen = try await store.read("a session") { db in
      try Int.fetchOne(db, sql: "SELECT seen FROM session WHERE token = 'token'")
    }
    #expect(seen == 7)
  }

  /// A byte of the database: where a text begins behind another one, and so much further on.
  struct Flip: Sendable, CustomTestStringConvertible {
    var (after, text): (String, String)
    var (offset, bit): (Int, UInt8) = (0, 0)
    var testDescription: String { "\(after) \(text) \(offset).\(bit)" }

    init(_ text: String, behind after: String = "", at offset: Int = 0, bit: UInt8 = 0) {
      (self.text, self.after, self.offset, self.bit) = (text, after, offset, bit)
    }
  }

  @Test(arguments: [
    Flip("1 stations"), Flip("3 sessions", at: 2), Flip("6 positions", at: 10, bit: 1),
    Flip(", changed INTE", at: 3), Flip("range TEXT", at: 1),
    Flip("definition TEXT", behind: "CREATE TABLE station", at: 9),
    Flip("position INTEGER", behind: "CREATE TABLE session", at: 1),
    Flip("entry", behind: "CREATE TABLE recording", at: 1),
    Flip("AUTOINCREMENT", behind: "CREATE TABLE station", at: 3, bit: 1),
    Flip("CREATE TABLE memory", at: 14), Flip("CREATE TABLE ban", at: 2),
    Flip("tablebanban", at: 6), Flip("tablebanban", at: 9),
    Flip("CREATE TABLE grdb_migrations", at: 15), Flip("identifier TEXT", at: 2),
  ])
  func `a bit that is flipped in the schema costs nothing`(flip: Flip) async throws {
    try await fill()
    var bytes = folder.read("longwave.db")
    let after = bytes.firstRange(of: Array(flip.after.utf8))?.upperBound ?? 0
    let place = try #require(bytes[after...].firstRange(of: Array(flip.text.utf8))).lowerBound
    bytes[place + flip.offset] ^= 1 << flip.bit
    folder.write("longwave.db", bytes)
    let store = try await StationStore.open(path)
    let rescue = try #require(store.rescue)
    #expect(rescue.damaged == [] && "\(rescue)".contains("nothing is missing"))
    try await requireAll(store)
    try await store.save(station("three"))
    await store.close()
    let again = try await StationStore.open(path)
    #expect(again.rescue == nil)
    #expect(try await again.definitions().map(\.id) == ["one", "two", "three"])
    await again.close()
  }

  @Test func `a flipped bit of the schema lets the store open and work, whichever it is`()
    async throws
  {
    try await fill()
    let whole = folder.read("longwave.db")
    var random = SplitMix(seed: 7)
    for _ in 0..<60 {
      var bytes = whole
      // Behind the file's own head, the first page is the schema.
      let place = Int.random(in: 100..<4096, using: &random)
      bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      for name in folder.names where name.hasPrefix("longwave.db") {
        try FileManager.default.removeItem(atPath: folder.path + "/" + name)
      }
      folder.write("longwave.db", bytes)
      let store = try await StationStore.open(path)
      try await store.save(station("three"))
      #expect(try await store.definitions().map(\.id).contains("three"), "\(place)")
      _ = try await store.bans(now: Sample.time)
      _ = try await store.memory(of: ["one"])
      _ = try await store.sessions()
      _ = try await store.recordings()
      await store.close()
    }
  }

  @Test func `additions by others and by newer versions are no damage`() async throws {
    try await fill()
    for (change, text) in [
      ("CREATE INDEX mine ON ban (reason)", "somebody's index"),
      ("INSERT INTO grdb_migrations VALUES ('99 more')", "a newer one"),
      ("ALTER TABLE ban ADD COLUMN more INTEGER", "and its column"),
    ] {
      let store = try await StationStore.open(path)
      try await store.write(text) { try $0.execute(sql: change) }
      await store.close()
      let again = try await StationStore.open(path)
      #expect(again.rescue == nil, "\(text)")
      try await requireAll(again)
      await again.close()
    }
  }

  @Test(arguments: 1...5)
  func `an older version's database is no damage`(steps: Int) async throws {
    let database = try DatabaseQueue(path: path)
    let migrator = StoreSchema.migrator
    try migrator.migrate(database, upTo: migrator.migrations[steps - 1])
    try await database.write { db in
      try db.execute(
        sql: "INSERT INTO station (id, definition, created) VALUES ('one', '{}', 1)")
    }
    try database.close()
    let store = try await StationStore.open(path)
    #expect(store.rescue == nil)
    #expect(try await store.definitions().map(\.id) == ["one"])
    await store.close()
  }
}
