import Foundation
import Reactor
import Server
import TestSupport
import Testing
import Timeshift

@testable import Longwave

/// A disk that is full when the relay starts.
@Suite struct StoreRoomTests {
  private func station(_ id: String) -> StationDefinition {
    StationDefinition(id: id, upstream: ["http://example.org/\(id)"])
  }

  @Test func `a store that finds no room is in memory, and on the disk as soon as there is`()
    async throws
  {
    guard let disk = SmallDisk(kilobytes: 16) else { return }
    let path = disk.folder.path + "/longwave.db"
    let store = try await StationStore.open(path)
    #expect(store.whyInMemory != nil)
    try await store.save(station("one"))
    #expect(await !store.takeDisk())
    disk.grow()
    #expect(await store.takeDisk() && store.whyInMemory == nil)
    try await store.save(station("two"))
    await store.close()
    let again = try await StationStore.open(path)
    #expect(try await again.definitions().map(\.id) == ["one", "two"] && again.whyInMemory == nil)
    await again.close()
  }

  @Test func `what was added before the disk was full is there while it is`() async throws {
    guard let disk = SmallDisk(kilobytes: 2000) else { return }
    let path = disk.folder.path + "/longwave.db"
    let before = try await StationStore.open(path)
    try await before.save(station("one"))
    await before.close()
    disk.fill()
    let store = try await StationStore.open(path)
    #expect(try await store.definitions().map(\.id) == ["one"])
    if store.whyInMemory != nil { try await store.save(station("two")) }
    let isInMemory = store.whyInMemory != nil
    unlink("\(disk.folder.path)/other")
    disk.grow()
    #expect(await store.takeDisk())
    await store.close()
    let again = try await StationStore.open(path)
    #expect(try await again.definitions().map(\.id) == (isInMemory ? ["one", "two"] : ["one"]))
    await again.close()
  }

  @Test func `a relay starts on a full disk, says so, and takes it when it has room`() async throws
  {
    guard let disk = SmallDisk(kilobytes: 16) else { return }
    var configuration = Longwave.Configuration()
    configuration.server.threads = 1
    var options = RelayOptions(data: disk.folder.path, listen: [.ipv4(0x7F00_0001, port: 0)])
    options.hasUnixSocket = false
    let relay = try await Relay(configuration: configuration, options: options)
    try await relay.start()
    let events = relay.events.ring.read(after: 0, limit: 100).events
    #expect(events.contains { $0.kind == "storage-failed" })
    _ = try await relay.add(station("one"))
    disk.grow()
    #expect(await relay.takeDisk())
    await relay.stop()
    let store = try await StationStore.open(disk.folder.path + "/longwave.db")
    #expect(try await store.definitions().map(\.id) == ["one"])
    await store.close()
  }
}
