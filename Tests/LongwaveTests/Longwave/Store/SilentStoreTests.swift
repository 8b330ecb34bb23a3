import Dispatch
import Reactor
import Server
import TestSupport
import Testing
import Threads

@testable import Longwave
@testable import LongwaveAPI
@testable import Store

/// A database on a disk that does not answer: a call before hangs on the thread that its calls are made on.
@Suite(.serialized) struct SilentStoreTests {
  /// Holds up what is done on a store's disk until it is let go.
  private final class Hang: Sendable {
    private let end = DispatchSemaphore(value: 0)

    init(_ store: StationStore) {
      Task.detached { [end] in
        await store.turns.run(in: store.path, within: nil) { _ = end.wait(timeout: .now() + 120) }
      }
    }

    func letGo() { end.signal() }
  }

  private func station(_ id: String) -> StationDefinition {
    StationDefinition(id: id, upstream: ["http://example.org/\(id)"])
  }

  @Test func `a silent database is told, stops nothing else, and gets the changes later`()
    async throws
  {
    let folder = TemporaryDirectory()
    let path = folder.path + "/longwave.db"
    var options = StationStore.Options()
    options.silence = 0.5
    let store = try await StationStore.open(path, options)
    _ = try await store.memory(of: ["jazz"])
    try await store.save(station("jazz"))
    let hang = Hang(store)
    try await eventually("it hangs") { !store.turns.isFree(store.path) }
    for id in ["given up", "refused"] {
      do {
        try await store.save(station(id))
        Issue.record("\(id) was stored")
      } catch {
        #expect(error.isSilence && "\(error)".contains("its disk has not answered"), "\(error)")
      }
    }
    #expect(try await store.definitions().map(\.id) == ["jazz"])
    try await store.setListenersTotal(["jazz": 41])
    #expect(try await store.memory(of: ["jazz"])["jazz"]?.listenersTotal == 41)
    #expect(await !store.moveToDisk())
    #expect(store.popLosses().count == 1 && !store.popRestored())
    hang.letGo()
    try await eventually("the disk has all") { await store.moveToDisk() }
    #expect(store.popRestored())
    try await store.save(station("rock"))
    await store.close()
    let again = try await StationStore.open(path)
    #expect(try await again.definitions().map(\.id) == ["jazz", "rock"])
    #expect(try await again.memory(of: ["jazz"])["jazz"]?.listenersTotal == 41)
    await again.close()
  }

  @Test func `a relay on a silent database answers, says that it is not ready, and goes on`()
    async throws
  {
    let folder = TemporaryDirectory()
    var configuration = Longwave.Configuration()
    configuration.server.threads = 1
    var options = RelayOptions(
      data: folder.path, listen: [.ipv4(0x7F00_0001, port: 0)], interface: .http)
    options.hasUnixSocket = false
    let relay = try await Relay(configuration: configuration, options: options)
    try await relay.start()
    let store = await relay.store
    let hang = Hang(store)
    try await eventually("it hangs") { !store.turns.isFree(store.path) }
    do {
      try await relay.ban("192.0.2.0/24", for: .seconds(3600))
      Issue.record("it was banned")
    } catch {
      #expect(APIError(of: error).code == "disk-silent", "\(error)")
    }
    let told = await relay.obstacles()
    #expect(told.contains { $0.hasPrefix("database: ") }, "\(told)")
    #expect(await relay.figures().databaseFailure != nil)
    try await eventually("it is told") {
      relay.events.ring.read(after: 0, limit: 100).events.contains { $0.kind == "storage-failed" }
    }
    hang.letGo()
    try await eventually("it is told that it works") {
      relay.events.ring.read(after: 0, limit: 100).events.contains { $0.kind == "storage-restored" }
    }
    #expect(await relay.obstacles().isEmpty)
    try await relay.ban("192.0.2.0/24", for: .seconds(3600))
    await relay.stop()
  }
}
