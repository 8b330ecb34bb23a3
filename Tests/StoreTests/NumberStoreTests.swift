import Foundation
import GRDB
import Settings
import TestSupport
import Testing
import Timeshift

@testable import Store

/// What the database keeps for HLS: how far logs have come in numbers, and the relay's own secret.
@Suite struct NumberStoreTests {
  private let folder = TemporaryDirectory()
  private var path: String { folder.path + "/longwave.db" }

  private func note(_ number: Int64, isFinal: Bool = false) -> NumberNote {
    NumberNote(
      NumberStart(programme: MediaTime(seconds: 12.5), number: number, discontinuities: 4),
      wall: WallTime(milliseconds: 1_795_197_600_123), sinceBoot: MonotonicTime(nanoseconds: 77),
      boot: BootID(text: "0123456789abcdef0123456789abcdef"), isFinal: isFinal)
  }

  private func numbers(_ store: StationStore, _ id: String) async throws -> NumberNote? {
    try await store.memory(of: [id])[id]?.numbers
  }

  @Test func `numbers are kept over restarts, and when their station is removed`() async throws {
    var store = try await StationStore.open(path)
    try await store.save(StationDefinition(id: "a", upstream: ["http://a/"]))
    #expect(try await numbers(store, "a") == nil)
    try await store.keep(numbers: ["a": note(5), "b": note(6, isFinal: true)])
    try await store.keep(numbers: ["a": note(7)])
    try await store.keep(numbers: [:])
    await store.close()
    store = try await StationStore.open(path)
    #expect(try await numbers(store, "a") == note(7))
    #expect(try await numbers(store, "b") == note(6, isFinal: true))
    try await store.remove("a")
    try await store.save(StationDefinition(id: "a", upstream: ["http://a/"]))
    #expect(try await numbers(store, "a") == note(7))
    await store.close()
  }

  @Test func `of stations that are gone the newest thousand are remembered`() async throws {
    let store = try await StationStore.open(path)
    _ = try await store.memory(of: ["here"])
    var notes = ["here": note(1)]
    for index in 0..<1200 {
      notes["s\(index)"] = NumberNote(
        note(1).reached, wall: WallTime(milliseconds: 2000 + Int64(index)),
        sinceBoot: MonotonicTime(nanoseconds: 0), boot: nil, isFinal: true)
    }
    try await store.keep(numbers: notes)
    try await store.remove("none")
    let kept = try await store.read("numbers") { db in
      try String.fetchAll(db, sql: "SELECT station FROM reached")
    }
    #expect(kept.count == 1001 && kept.contains("here"))
    #expect(kept.contains("s1199") && kept.contains("s200") && !kept.contains("s199"))
    await store.close()
  }

  @Test func `nonsense in the table is no number, and harms no other row`() async throws {
    try await StationStore.open(path).close()
    let odd: [DatabaseValue] =
      [Int64.min, -1, 1 << 60, .max].map(\.databaseValue)
      + ["x".databaseValue, 1e300.databaseValue, Data([1, 2]).databaseValue]
    let good: [DatabaseValue] =
      [1, 2, 3, 4].map(\.databaseValue) + ["x".databaseValue] + [5, 0].map(\.databaseValue)
    let database = try DatabaseQueue(path: path)
    try await database.write { db in
      func insert(_ station: String, _ values: [DatabaseValue]) throws {
        try db.execute(
          sql: "INSERT INTO reached VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
          arguments: StatementArguments([station.databaseValue] + values))
      }
      for (index, value) in odd.enumerated() {
        for place in 0...2 {
          var values = good
          values[place] = value
          try insert("s\(index)-\(place)", values)
        }
        // Of the time alone nothing is said: the number is known.
        try insert("t\(index)", good[..<3] + [value, value, value, value])
      }
    }
    try database.close()
    let store = try await StationStore.open(path)
    let ids = odd.indices.flatMap { index in (0...2).map { "s\(index)-\($0)" } }
    let memory = try await store.memory(of: ids)
    #expect(memory.count == ids.count)
    for id in ids { #expect(memory[id]?.numbers == nil, "\(id)") }
    for index in odd.indices {
      let note = try #require(try await numbers(store, "t\(index)"))
      #expect(note.reached.number == 2)
      let start = note.start(at: .now())
      #expect(start.number >= 2 && start.number < 1 << 31)
    }
    await store.close()
  }

  @Test func `a secret is made once, and kept over restarts`() async throws {
    var store = try await StationStore.open(path)
    let secret = try await store.secret("hls")
    #expect(secret.count == 32 && Set(secret).count > 8)
    #expect(try await store.secret("hls") == secret)
    #expect(try await store.secret("other") != secret)
    await store.close()
    store = try await StationStore.open(path)
    #expect(try await store.secret("hls") == secret)
    await store.close()
  }

  @Test func `a secret that is damaged is replaced by another one`() async throws {
    try await StationStore.open(path).close()
    let database = try DatabaseQueue(path: path)
    for value in ["short".databaseValue, Data(count: 31).databaseValue, 7.databaseValue] {
      try await database.write { db in
        try db.execute(
          sql: "INSERT OR REPLACE INTO secret VALUES ('hls', ?)", arguments: [value])
      }
      let store = try await StationStore.open(path)
      let secret = try await store.secret("hls")
      #expect(secret.count == 32)
      #expect(try await store.secret("hls") == secret)
      await store.close()
    }
    try database.close()
  }
}
