import Foundation
import GRDB
import Reactor
import Server
import TestSupport
import Testing
import Timeshift

@testable import Longwave
@testable import LongwaveAPI
@testable import Store

/// A disk that is full when the relay starts.
@Suite struct StoreRoomTests {
  private func station(_ id: String) -> StationDefinition {
    StationDefinition(id: id, upstream: ["http://example.org/\(id)"])
  }

  @Test func `a store that finds no room keeps what goes on in memory, and refuses what is asked`()
    async throws
  {
    guard let disk = SmallDisk(kilobytes: 16) else { return }
    let path = disk.folder.path + "/longwave.db"
    let store = try await StationStore.open(path)
    #expect(store.whyInMemory != nil)
    for change in changes(of: store) {
      await #expect(throws: StoreError.self) { try await change() }
      do {
        try await change()
      } catch {
        #expect("\(error)".contains("make room on the disk of \(path)"), "\(error)")
      }
    }
    #expect(try await store.memory(of: ["one"])["one"]?.sid == 1)
    #expect(await !store.moveToDisk())
    disk.grow()
    #expect(await store.moveToDisk() && store.whyInMemory == nil)
    for change in changes(of: store) { try await change() }
    try await store.save(station("two"))
    await store.close()
    let again = try await StationStore.open(path)
    #expect(try await again.definitions().map(\.id) == ["two"] && again.whyInMemory == nil)
    let sid = try await again.memory(of: ["two", "one"])["two"]?.sid
    // A number is not given again.
    #expect(sid.map { $0 > 1 } == true)
    await again.close()
  }

  /// What people ask for.
  private func changes(of store: StationStore) -> [@Sendable () async throws -> Void] {
    let one = station("one")
    let range = AddressRange("10.9.9.9")!
    let options = RecordingEntry.Options(station: "one", name: "show")
    let entry = RecordingEntry(id: 0, options: options, startedAt: 1)
    return [
      { try await store.save(one) }, { try await store.setStopped(true, station: "one") },
      { try await store.remove("one") },
      { _ = try await store.ban(range, from: Sample.time, until: nil, reason: nil) },
      { try await store.liftBan(1) }, { _ = try await store.add(entry) },
      { try await store.forgetSessions() },
    ]
  }

  @Test func `a store in memory goes to the disk when it is closed, if that has room by then`()
    async throws
  {
    guard let disk = SmallDisk(kilobytes: 16) else { return }
    let path = disk.folder.path + "/longwave.db"
    let store = try await StationStore.open(path)
    #expect(store.whyInMemory != nil)
    _ = try await store.memory(of: ["one", "two"])
    disk.grow()
    await store.close()
    let again = try await StationStore.open(path)
    #expect(try await again.memory(of: ["three", "two"])["two"]?.sid == 2)
    await again.close()
  }

  @Test func `stations added before the disk was full are there while it is`() async throws {
    guard let disk = SmallDisk(kilobytes: 2000) else { return }
    let path = disk.folder.path + "/longwave.db"
    let before = try await StationStore.open(path)
    try await before.save(station("one"))
    await before.close()
    disk.fill()
    let store = try await StationStore.open(path)
    #expect(try await store.definitions().map(\.id) == ["one"])
    unlink("\(disk.folder.path)/other")
    disk.grow()
    #expect(await store.moveToDisk())
    try await store.save(station("two"))
    await store.close()
    let again = try await StationStore.open(path)
    #expect(try await again.definitions().map(\.id) == ["one", "two"])
    await again.close()
    #expect(disk.folder.names.filter { $0.hasPrefix("longwave.db.") } == [])
  }

  private func relay(in folder: String) async throws -> Relay {
    var configuration = Longwave.Configuration()
    configuration.server.threads = 1
    var options = RelayOptions(
      data: folder, listen: [.ipv4(0x7F00_0001, port: 0)], interface: .http)
    options.hasUnixSocket = false
    return try await Relay(configuration: configuration, options: options)
  }

  @Test
  func
    `a relay starts on a full disk, says so, and refuses what it could not keep until it has room`()
    async throws
  {
    guard let disk = SmallDisk(kilobytes: 16) else { return }
    let relay = try await relay(in: disk.folder.path)
    try await relay.start()
    let events = relay.events.ring.read(after: 0, limit: 100).events
    #expect(events.contains { $0.kind == "storage-failed" })
    let one = station("one")
    do {
      _ = try await relay.add(one)
      Issue.record("it was added")
    } catch {
      #expect(error.description.contains("make room on the disk of"), "\(error)")
    }
    #expect(await relay.definitions().isEmpty)
    disk.grow()
    #expect(await relay.moveToDisk())
    _ = try await relay.add(one)
    await relay.stop()
    let store = try await StationStore.open(disk.folder.path + "/longwave.db")
    #expect(try await store.definitions().map(\.id) == ["one"])
    await store.close()
  }

  @Test func `a station that was not added is not there after a restart`() async throws {
    let folder = TemporaryDirectory()
    let relay = try await relay(in: folder.path)
    try await relay.start()
    // As where the disk is full behind the first of two things that are kept.
    try await relay.store.write("refuse") { db in
      try db.execute(
        sql: """
          CREATE TRIGGER full BEFORE INSERT ON memory
          BEGIN SELECT RAISE(ABORT, 'no room'); END
          """)
    }
    let one = station("one")
    await #expect(throws: RelayError.self) { try await relay.add(one) }
    #expect(await relay.definitions().isEmpty)
    #expect(try await relay.store.definitions().isEmpty)
    await relay.stop()
  }
}
