import Foundation
import Glibc
import TestSupport
import Testing

@testable import Longwave
@testable import Store

/// A data disk that is pulled while the relay runs, and plugged in again.
@Suite(.serialized) struct PulledDiskTests {
  private func save(_ id: String, in store: StationStore) async throws {
    try await store.save(StationDefinition(id: id, upstream: ["http://example.org/\(id)"]))
  }

  private func stored(_ path: String) async throws -> [String] {
    let store = try await StationStore.open(path)
    let ids = try await store.definitions().map(\.id)
    await store.close()
    return ids
  }

  @Test func `a pulled disk that comes back gets what was changed meanwhile`() async throws {
    guard let disk = LoopDisk() else { return }
    let path = disk.folder.path + "/longwave.db"
    let store = try await StationStore.open(path)
    try await save("before", in: store)
    try disk.pull()
    // The folder that the disk was mounted on takes it.
    try await save("away", in: store)
    #expect(try await store.definitions().map(\.id) == ["before", "away"])
    try #require(disk.plugIn())
    #expect(await store.moveToDisk())
    #expect(disk.folder.names.filter { $0.hasPrefix("longwave.db.") } == [])
    try await save("after", in: store)
    await store.close()
    #expect(try await stored(path) == ["before", "away", "after"])
  }

  @Test func `a database whose pulled disk is back keeps its name and all changes`() async throws {
    guard let disk = LoopDisk() else { return }
    let path = disk.folder.path + "/longwave.db"
    let store = try await StationStore.open(path)
    try await save("before", in: store)
    try disk.pull()
    try #require(disk.plugIn())
    try await save("after", in: store)
    #expect(disk.folder.names.filter { $0.hasPrefix("longwave.db.") } == [])
    // As if killed.
    let copy = TemporaryDirectory()
    for ending in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: path + ending, toPath: copy.path + "/longwave.db" + ending)
    }
    #expect(try await stored(copy.path + "/longwave.db") == ["before", "after"])
    await store.close()
  }

  @Test func `a strange database keeps its name where no other can be written in its place`()
    async throws
  {
    guard let disk = SmallDisk(kilobytes: 500) else { return }
    let other = TemporaryDirectory()
    let path = disk.folder.path + "/longwave.db"
    let second = try await StationStore.open(other.path + "/longwave.db")
    try await save("other", in: second)
    await second.close()
    let store = try await StationStore.open(path)
    try await save("before", in: store)
    let endings = ["", "-wal", "-shm"]
    // Their room is not free again while they are open here.
    let held = endings.map { open(path + $0, O_RDONLY | O_CLOEXEC) }
    defer { for file in held { close(file) } }
    for ending in endings { unlink(path + ending) }
    disk.folder.write("longwave.db", other.read("longwave.db"))
    disk.fill()
    await #expect(throws: StoreError.self) { try await save("refused", in: store) }
    let isSame = disk.folder.read("longwave.db") == other.read("longwave.db")
    #expect(isSame)
    #expect(try await store.definitions().map(\.id) == ["before"])
    unlink(disk.folder.path + "/other")
    disk.grow()
    #expect(await store.moveToDisk())
    await store.close()
    #expect(try await stored(path) == ["before"])
    #expect(try await stored(path + ".1.other") == ["other"])
  }

  @Test func `the lock of the folder that comes back is taken anew`() throws {
    let folder = TemporaryDirectory()
    let data = try DataDirectory.open(folder.path)
    #expect(rename(folder.path + "/lock", folder.path + "/pulled") == 0)
    #expect(DataDirectory.use(of: folder.path) == .free)
    try data.hold()
    #expect(DataDirectory.use(of: folder.path) == .inUse)
    data.release()
    #expect(DataDirectory.use(of: folder.path) == .free)
  }

  @Test func `a relay whose lock another one has taken goes on in memory`() async throws {
    let folder = TemporaryDirectory()
    let data = try DataDirectory.open(folder.path)
    var options = StationStore.Options()
    options.claim = { try data.hold() }
    let store = try await StationStore.open(data.databasePath, options)
    try await save("before", in: store)
    _ = try await store.memory(of: ["before"])
    #expect(rename(folder.path + "/lock", folder.path + "/pulled") == 0)
    let other = try DataDirectory.open(folder.path)
    #expect(await !store.moveToDisk() && !store.hasFolder)
    let told = store.popLosses()
    #expect(told.count == 1 && told[0].contains("another longwave"), "\(told)")
    do {
      try await save("refused", in: store)
      Issue.record("it was stored")
    } catch {
      #expect("\(error)".contains("another longwave"), "\(error)")
    }
    try await store.setListenersTotal(["before": 7])
    #expect(try await store.memory(of: ["before"])["before"]?.listenersTotal == 7)
    let second = try await StationStore.open(other.databasePath)
    try await save("second", in: second)
    await second.close()
    other.release()
    #expect(await store.moveToDisk() && store.popRestored())
    await store.close()
    #expect(try await stored(data.databasePath) == ["before"])
    #expect(try await stored(data.databasePath + ".1.other") == ["before", "second"])
  }
}
