import Foundation
import Settings
import TestSupport
import Testing

@testable import Store

/// Databases that a disk has damaged.
@Suite struct StoreRescueTests {
  private let folder = TemporaryDirectory()
  private var path: String { folder.path + "/longwave.db" }

  /// A database of 200 stations that fill many pages, and what is remembered of them.
  private func fill() async throws -> [String] {
    let ids = (100..<300).map { "station-\($0)" }
    let store = try await StationStore.open(path)
    for id in ids {
      let text = String(repeating: id, count: 100)
      try await store.save(
        StationDefinition(id: id, name: text, upstream: ["http://example.org/\(id)"]))
    }
    _ = try await store.memory(of: ids)
    try await store.setStopped(true, station: ids[7])
    await store.close()
    return ids
  }

  private func damage(_ change: (inout [UInt8]) -> Void) {
    var bytes = folder.read("longwave.db")
    change(&bytes)
    folder.write("longwave.db", bytes)
  }

  @Test func `a database whose first page is damaged is set aside, and a new one begins`()
    async throws
  {
    let ids = try await fill()
    damage { bytes in for index in 0..<100 { bytes[index] = 0x5A } }
    let damaged = folder.read("longwave.db")
    let store = try await StationStore.open(path)
    let rescue = try #require(store.rescue)
    #expect(rescue.path == path + ".1.bad" && rescue.rows == 0)
    let tables = ["ban", "collection", "member", "memory", "programme", "reached", "recording"]
    #expect(rescue.damaged == tables + ["secret", "session", "station", "trackNote"])
    #expect("\(rescue)".contains("not all could be read of: ban, collection"))
    #expect(folder.read("longwave.db.1.bad") == damaged)
    #expect(try await store.definitions().isEmpty)
    // It works.
    try await store.save(StationDefinition(id: ids[0], upstream: ["http://example.org/"]))
    await store.close()
    let again = try await StationStore.open(path)
    #expect(again.rescue == nil)
    #expect(try await again.definitions().map(\.id) == [ids[0]])
    await again.close()
  }

  @Test func `a database with a damaged page keeps all else`() async throws {
    let ids = try await fill()
    damage { bytes in
      // The page with the middle one's definition.
      let text = Array("http://example.org/\(ids[100])".utf8)
      let place = bytes.firstRange(of: text)!.lowerBound
      let page = place / 4096 * 4096
      for index in page..<page + 4096 { bytes[index] = 0x5A }
    }
    let store = try await StationStore.open(path)
    let rescue = try #require(store.rescue)
    #expect(rescue.damaged == ["station"])
    let found = try await store.definitions().map(\.id)
    // A page holds a few of them.
    #expect(found.count >= ids.count - 8 && found.count < ids.count)
    #expect(!found.contains(ids[100]) && found == ids.filter(found.contains))
    #expect(try await store.memory(of: ids)[ids[7]]?.isStopped == true)
    #expect(rescue.rows == found.count + ids.count)
    await store.close()
  }

  @Test func `damaged databases are kept under names of their own`() async throws {
    for number in 1...3 {
      try await StationStore.open(path).close()
      damage { $0[0] = 0 }
      let store = try await StationStore.open(path)
      #expect(store.rescue?.path == "\(path).\(number).bad")
      #expect(StoreRescue.damaged(in: folder.path).count == number)
      await store.close()
    }
  }
}
