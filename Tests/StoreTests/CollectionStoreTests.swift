import Settings
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Store

/// Collections in the database.
@Suite struct CollectionStoreTests {
  private let folder = TemporaryDirectory()
  private let now = WallTime(unixSeconds: 1_000_000)

  private func withStore(_ work: (StationStore) async throws -> Void) async throws {
    let store = try await StationStore.open(folder.path + "/longwave.db")
    do { try await work(store) } catch {
      await store.close()
      throw error
    }
    await store.close()
  }

  private func track(_ number: UInt64) -> StoredMember {
    StoredMember(.track(TrackKey(high: number, low: 1)), title: "T\(number)")
  }

  private func titles(_ store: StationStore, _ id: String = "a") async throws -> [String] {
    try await store.members(of: id).map { member in
      switch member.content {
      case .track: member.title ?? ""
      case .collection(let name): "[\(name)]"
      case .url(let url): url
      }
    }
  }

  @Test func `collections and their members are there again after a restart`() async throws {
    var member = StoredMember(
      .track(TrackKey(high: 7, low: 8)), title: "Sinnerman", artist: "Nina Simone", seconds: 619.5,
      path: [0x2F, 0xFF])
    try await withStore { store in
      _ = try await store.addCollection("hot", name: "Hot!", rule: "{\"all\":[]}", at: now)
      _ = try await store.addCollection("a", name: nil, rule: nil, at: now)
      member.id = try await store.addMembers([member], to: "a", at: now)[0]
      try await store.addMembers(
        [StoredMember(.url("http://h/")), StoredMember(.collection("hot"))], to: "a", at: now)
    }
    try await withStore { store in
      let collections = try await store.collections()
      #expect(
        collections == [
          StoredCollection(id: "a", name: nil, rule: nil, changed: now),
          StoredCollection(id: "hot", name: "Hot!", rule: "{\"all\":[]}", changed: now),
        ])
      let members = try await store.members(of: "a")
      #expect(members.first == member)
      let titles = try await titles(store)
      #expect(titles == ["Sinnerman", "http://h/", "[hot]"])
      let none = try await store.collection("none")
      #expect(none == nil)
    }
  }

  @Test func `a name is given once, and what is not there is refused`() async throws {
    try await withStore { store in
      _ = try await store.addCollection("a", name: nil, rule: nil, at: now)
      await #expect(throws: CollectionRefusal.exists("a")) {
        try await store.addCollection("a", name: nil, rule: nil, at: now)
      }
      await #expect(throws: CollectionRefusal.unknown("b")) {
        try await store.addMembers([track(1)], to: "b", at: now)
      }
      await #expect(throws: CollectionRefusal.unknown("c")) {
        try await store.addMembers([track(1), StoredMember(.collection("c"))], to: "a", at: now)
      }
      await #expect(throws: CollectionRefusal.unknownMember(9)) {
        try await store.removeMember(9, of: "a", at: now)
      }
      #expect(try await titles(store).isEmpty)
    }
  }

  @Test
  func `members are moved, added in front of others and removed, a thousand times at one place`()
    async throws
  {
    try await withStore { store in
      _ = try await store.addCollection("a", name: nil, rule: nil, at: now)
      let ids = try await store.addMembers((1...4).map(track), to: "a", at: now)
      try await store.moveMember(ids[3], of: "a", before: ids[0], at: now)
      #expect(try await titles(store) == ["T4", "T1", "T2", "T3"])
      try await store.moveMember(ids[3], of: "a", before: nil, at: now)
      try await store.addMembers([track(5), track(6)], to: "a", before: ids[1], at: now)
      #expect(try await titles(store) == ["T1", "T5", "T6", "T2", "T3", "T4"])
      try await store.removeMember(ids[0], of: "a", at: now)
      for step in 0..<1000 {
        try await store.moveMember(ids[2 + step % 2], of: "a", before: ids[1], at: now)
      }
      #expect(try await titles(store) == ["T5", "T6", "T3", "T4", "T2"])
      #expect(try await store.collection("a")?.changed == now)
    }
  }

  @Test func `a collection is never in itself, nor in others without end`() async throws {
    try await withStore { store in
      let names = (0...CollectionTable.depthMax).map { "c\($0)" }
      for name in names { _ = try await store.addCollection(name, name: nil, rule: nil, at: now) }
      func put(_ child: Int, in parent: Int) async throws {
        try await store.addMembers(
          [StoredMember(.collection(names[child]))], to: names[parent], at: now)
      }
      await #expect(throws: CollectionRefusal.circle(["c0", "c0"])) { try await put(0, in: 0) }
      try await put(1, in: 0)
      try await put(2, in: 1)
      await #expect(throws: CollectionRefusal.circle(["c2", "c0", "c1", "c2"])) {
        try await put(0, in: 2)
      }
      for number in 3..<CollectionTable.depthMax { try await put(number, in: number - 1) }
      await #expect(throws: CollectionRefusal.tooDeep) {
        try await put(CollectionTable.depthMax, in: CollectionTable.depthMax - 1)
      }
      // Twice by different ways is no circle.
      try await put(2, in: 0)
    }
  }

  @Test func `a collection that is removed takes its members along`() async throws {
    try await withStore { store in
      _ = try await store.addCollection("a", name: nil, rule: nil, at: now)
      try await store.addMembers([track(1)], to: "a", at: now)
      try await store.removeCollection("a")
      _ = try await store.addCollection("a", name: nil, rule: nil, at: now)
      #expect(try await titles(store).isEmpty)
      await #expect(throws: CollectionRefusal.tooManyMembers) {
        let many = [StoredMember](repeating: track(1), count: CollectionTable.membersMax + 1)
        try await store.addMembers(many, to: "a", at: now)
      }
    }
  }

  @Test func `members are read by the page, and what changes between two pages is seen`()
    async throws
  {
    try await withStore { store in
      for id in ["a", "b"] { _ = try await store.addCollection(id, name: nil, rule: nil, at: now) }
      let count = 2 * StationStore.pageMax + 5
      let ids = try await store.addMembers((0..<UInt64(count)).map(track), to: "a", at: now)
      try await store.addMembers([track(1), track(7)], to: "b", at: now)
      #expect(try await store.members(of: "a").map(\.id) == ids)
      let bare = try await store.members(of: "a", hasNames: false)
      #expect(bare.map(\.id) == ids && bare.allSatisfy { $0.title == nil && $0.track != nil })
      func page(_ after: Int64?) async throws -> [Int64]? {
        try await store.members(of: "a", after: after, limit: 3)?.members.map(\.id)
      }
      #expect(try await page(nil) == Array(ids[..<3]))
      #expect(try await page(ids[2]) == Array(ids[3..<6]))
      let last = try #require(await store.members(of: "a", after: ids[count - 3], limit: 2))
      #expect(last.members.map(\.id) == Array(ids[(count - 2)...]) && last.next == nil)
      try await store.moveMember(ids[9], of: "a", before: ids[3], at: now)
      try await store.removeMember(ids[4], of: "a", at: now)
      #expect(try await page(ids[2]) == [ids[9], ids[3], ids[5]])
      // Of another list, and gone.
      let other = try await store.members(of: "b")[0].id
      #expect(try await page(other) == nil)
      #expect(try await page(ids[4]) == nil)
      let page = try #require(await store.members(of: "a", after: nil, limit: 3))
      let next = try #require(page.next)
      #expect(next.id == ids[2])
      try await store.removeMember(next.id, of: "a", at: now)
      let behind = try await store.members(
        of: "a", after: next.id, standing: next.place, limit: 2)
      #expect(behind?.members.map(\.id) == [ids[9], ids[3]])
      let older = Set([track(7), track(8), track(UInt64(count))].compactMap(\.track))
      let new = try await store.addMembers(
        [track(8)], to: "a", before: ids[7], replacing: older, at: now)
      let all = try await store.members(of: "a").map(\.id)
      #expect(!all.contains(ids[7]) && !all.contains(ids[8]))
      #expect(all.firstIndex(of: new[0]) == all.firstIndex(of: ids[6]).map { $0 + 1 })
    }
  }
}
