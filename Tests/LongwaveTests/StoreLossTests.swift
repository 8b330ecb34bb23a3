import Foundation
import Glibc
import TestSupport
import Testing

@testable import Longwave

/// A database whose files somebody takes away while the relay runs.
@Suite struct StoreLossTests {
  private let folder = TemporaryDirectory()
  private var path: String { folder.path + "/longwave.db" }

  private func save(_ id: String, in store: StationStore) async throws {
    try await store.save(StationDefinition(id: id, upstream: ["http://example.org/\(id)"]))
  }

  private func stored(_ path: String) async throws -> [String] {
    let store = try await StationStore.open(path)
    let ids = try await store.definitions().map(\.id)
    await store.close()
    return ids
  }

  @Test(arguments: [["", "-wal", "-shm"], [""], ["-wal"], ["-wal", "-shm"]])
  func `what was answered survives that it is deleted, and it is told`(endings: [String])
    async throws
  {
    let store = try await StationStore.open(path)
    try await save("before", in: store)
    for ending in endings { #expect(unlink(path + ending) == 0) }
    try await save("after", in: store)
    #expect(try await store.definitions().map(\.id) == ["before", "after"])
    let told = store.takeLosses()
    #expect(
      told == [
        "the database \(path)\(endings[0]) was deleted while it was open: it is written again as it was"
      ])
    try await save("later", in: store)
    #expect(store.takeLosses().isEmpty && store.whyInMemory == nil)
    // As if killed: what is there now is all there is.
    let copy = TemporaryDirectory()
    for ending in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: path + ending, toPath: copy.path + "/longwave.db" + ending)
    }
    #expect(try await stored(copy.path + "/longwave.db") == ["before", "after", "later"])
    await store.close()
    #expect(try await stored(path) == ["before", "after", "later"])
  }

  @Test func `one that is put in its place is set aside, and nothing of either is lost`()
    async throws
  {
    let (store, other) = (try await StationStore.open(path), TemporaryDirectory())
    try await save("before", in: store)
    let second = try await StationStore.open(other.path + "/longwave.db")
    try await save("other", in: second)
    await second.close()
    #expect(rename(other.path + "/longwave.db", path) == 0)
    try await save("after", in: store)
    #expect(store.takeLosses().first?.hasSuffix("the other one is now \(path).1.other") == true)
    await store.close()
    #expect(try await stored(path) == ["before", "after"])
    #expect(try await stored(path + ".1.other") == ["other"])
  }

  @Test func `where it cannot be written again, what is asked for is refused until it can`()
    async throws
  {
    let inner = folder.path + "/data"
    mkdir(inner, 0o700)
    let path = inner + "/longwave.db"
    let store = try await StationStore.open(path)
    try await save("before", in: store)
    try FileManager.default.removeItem(atPath: inner)
    do {
      try await save("refused", in: store)
      Issue.record("it was stored")
    } catch {
      #expect(
        "\(error)"
          == "cannot store refused: \(path) was deleted while it was open, and cannot be written again"
      )
    }
    #expect(store.whyInMemory != nil && store.takeLosses().count == 1)
    #expect(await !store.takeDisk())
    mkdir(inner, 0o700)
    #expect(await store.takeDisk())
    try await save("after", in: store)
    await store.close()
    #expect(try await stored(path) == ["before", "after"])
  }

  @Test func `one that is deleted before the relay stops is there when it starts`() async throws {
    let store = try await StationStore.open(path)
    try await save("before", in: store)
    for ending in ["", "-wal", "-shm"] { unlink(path + ending) }
    await store.close()
    #expect(try await stored(path) == ["before"])
  }
}
