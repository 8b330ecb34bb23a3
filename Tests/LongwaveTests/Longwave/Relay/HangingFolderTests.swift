import Glibc
import Ingest
import Logging
import Reactor
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Longwave
@testable import LongwaveAPI
@testable import Timeshift

/// A station's folder on a disk of its own, whose calls do not come back while it is held.
private final class HangingFolder: Sendable {
  let path: String
  private let isHeld = Flags()

  private final class Flags: Sendable {
    let held = Atomic<Bool>(false)
    let readsHeld = Atomic<Bool>(false)
    let waiting = Atomic<Int>(0)
  }

  init(_ path: String) { self.path = path }

  var isWaitedFor: Bool { isHeld.waiting.load(ordering: .sequentiallyConsistent) > 0 }

  func hold(_ holds: Bool) { isHeld.held.store(holds, ordering: .sequentiallyConsistent) }

  /// Holds nothing but what reads the files: the folder can be listed.
  func holdReads(_ holds: Bool) {
    isHeld.readsHeld.store(holds, ordering: .sequentiallyConsistent)
  }

  private func pass(_ name: String, isRead: Bool = false) {
    guard name.hasPrefix(path) else { return }
    isHeld.waiting.add(1, ordering: .sequentiallyConsistent)
    while isRead
      ? isHeld.readsHeld.load(ordering: .sequentiallyConsistent)
      : isHeld.held.load(ordering: .sequentiallyConsistent)
    { usleep(1000) }
    isHeld.waiting.subtract(1, ordering: .sequentiallyConsistent)
  }

  private func pass(_ descriptor: Int32, isRead: Bool = false) {
    var name = [UInt8](repeating: 0, count: 4096)
    let count = name.withUnsafeMutableBytes {
      readlink("/proc/self/fd/\(descriptor)", $0.baseAddress!, $0.count)
    }
    pass(String(decoding: name.prefix(max(0, count)), as: UTF8.self), isRead: isRead)
  }

  var calls: FileCalls {
    let real = FileCalls.posix
    var calls = real
    calls.disk = { [self] path in
      pass(path)
      return path.hasPrefix(self.path) && real.disk(path) >= 0 ? 4242 : real.disk(path)
    }
    calls.open = { [self] path, flags in
      pass(path)
      return real.open(path, flags)
    }
    calls.read = { [self] descriptor, buffer, offset in
      pass(descriptor, isRead: true)
      return real.read(descriptor, buffer, offset)
    }
    calls.write = { [self] descriptor, bytes, offset in
      pass(descriptor)
      return real.write(descriptor, bytes, offset)
    }
    calls.list = { [self] path in
      pass(path)
      return real.list(path)
    }
    calls.makeDirectory = { [self] path in
      pass(path)
      return real.makeDirectory(path)
    }
    calls.isNamed = { [self] descriptor, path in
      pass(path)
      return real.isNamed(descriptor, path)
    }
    calls.remove = { [self] path in
      pass(path)
      return real.remove(path)
    }
    return calls
  }
}

/// One station's disk hangs; the others', and the database's, do not.
@Suite struct HangingFolderTests {
  private let data = TemporaryDirectory()
  private let folder: HangingFolder

  init() {
    folder = HangingFolder(data.path + "/stations/hung")
    mkdir(data.path + "/stations", 0o700)
    mkdir(folder.path, 0o700)
  }

  /// Nobody listens on the discard port.
  private func station(_ id: String) -> StationDefinition {
    StationDefinition(id: id, upstream: ["http://127.0.0.1:9/\(id)"])
  }

  private func configuration(_ ids: String...) -> Longwave.Configuration { configuration(ids) }

  private func configuration(_ ids: [String]) -> Longwave.Configuration {
    var configuration = Longwave.Configuration()
    configuration.server.threads = 1
    configuration.timeshift.window = 3600
    configuration.stations = ids.map(station)
    configuration.file = "c.yml"
    return configuration
  }

  private func relay(_ configuration: Longwave.Configuration) async throws -> Relay {
    var options = RelayOptions(
      data: data.path, listen: [.ipv4(0x7F00_0001, port: 0)], interface: .http)
    options.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    options.files = folder.calls
    return try await Relay(configuration: configuration, options: options)
  }

  /// Of the station whose folder hangs from now on, with the storage in it.
  private func hang(_ relay: Relay) async throws -> PacketLog {
    let log = try #require(await relay.log(of: "hung"))
    // Its upstream brings nothing; the test does.
    await relay.ingest.stop(station: "hung")
    log.feed(100, at: .now())
    try await eventually("it is written") { log.snapshot().bytesOnDisk > 0 }
    folder.hold(true)
    log.feed(100, at: .now())
    try await eventually("its storage waits") { folder.isWaitedFor }
    return log
  }

  private func isDone(_ work: @escaping @Sendable () async throws -> Void) async -> Bool {
    await isDoneWhileHanging(thaw: { folder.hold(false) }, work)
  }

  enum Change: String, CaseIterable { case remove, edit, reload }

  @Test(arguments: Change.allCases)
  func `a station whose folder hangs is let go of at once, and others are changed`(
    _ change: Change
  ) async throws {
    let relay = try await relay(change == .reload ? configuration("hung") : configuration())
    try await relay.start()
    _ = try await relay.add(station("other"))
    if change != .reload { _ = try await relay.add(station("hung")) }
    defer { folder.hold(false) }
    _ = try await hang(relay)
    #expect(
      await isDone {
        switch change {
        case .remove: try await relay.remove("hung")
        case .edit: _ = try await relay.change("hung", by: ["window": .number(0)])
        case .reload: _ = try await relay.apply(configuration())
        }
      })
    let ids = await relay.stationSnapshots().map(\.id)
    #expect(ids == (change == .edit ? ["other", "hung"] : ["other"]))
    #expect(
      await isDone {
        _ = try await relay.add(station("next"))
        _ = try await relay.change("other", by: ["name": "Another"])
      })
    folder.hold(false)
    await relay.stop()
  }

  @Test func `a station added again is in memory until its folder is let go of`() async throws {
    let relay = try await relay(configuration())
    try await relay.start()
    _ = try await relay.add(station("hung"))
    defer { folder.hold(false) }
    let old = try await hang(relay)
    #expect(await isDone { try await relay.remove("hung") })
    #expect(await isDone { _ = try await relay.add(station("hung")) })
    let new = try #require(await relay.log(of: "hung"))
    #expect(new !== old && new.isAwaitingFolder)
    await relay.ingest.stop(station: "hung")
    new.feed(200, at: .now())
    try await Task.sleep(for: .seconds(3))
    #expect(new.isAwaitingFolder)
    folder.hold(false)
    try await eventually("the new one has the folder") { new.isOnDisk }
    let edge = new.edgePosition
    try await eventually("it is written") { new.lists.withLock { $0.diskEdge } >= edge }
    let reader = LogReader(new)
    #expect(reader.oldest.position >= new.start.position, "of the old one nothing is left")
    let starts = FileCalls.posix.list(folder.path).names.compactMap {
      SegmentFormat.parse(name: $0)?.position
    }
    #expect(!starts.isEmpty && starts.allSatisfy { $0 >= new.start.position })
    await relay.stop()
  }

  @Test func `a station whose folder hangs at the start begins in memory, and the others play`()
    async throws
  {
    folder.hold(true)
    defer { folder.hold(false) }
    let relay = try await relay(configuration("hung", "other"))
    #expect(await isDone { try await relay.start() })
    #expect(try #require(await relay.log(of: "hung")).isAwaitingFolder)
    #expect(try #require(await relay.log(of: "other")).isOnDisk)
    folder.hold(false)
    try await eventually("it has its folder") {
      await relay.log(of: "hung")?.isOnDisk == true
    }
    await relay.stop()
  }

  @Test func `a station whose files cannot be read begins in memory, and the others play`()
    async throws
  {
    let before = try await relay(configuration("hung"))
    try await before.start()
    await before.ingest.stop(station: "hung")
    try #require(await before.log(of: "hung")).feed(100, at: .now())
    await before.stop()
    folder.holdReads(true)
    defer { folder.holdReads(false) }
    let relay = try await relay(configuration("hung", "other"))
    #expect(
      await isDoneWhileHanging(thaw: { folder.holdReads(false) }) { try await relay.start() })
    #expect(try #require(await relay.log(of: "hung")).isAwaitingFolder)
    #expect(try #require(await relay.log(of: "other")).isOnDisk)
    folder.holdReads(false)
    await relay.ingest.stop(station: "hung")
    try #require(await relay.log(of: "hung")).feed(100, at: .now())
    try await eventually("it has its folder") {
      await relay.log(of: "hung")?.isOnDisk == true
    }
    let log = try #require(await relay.log(of: "hung"))
    #expect(LogReader(log).oldest.position == 0, "with what was in it before")
    await relay.stop()
  }

  @Test func `many folders that hang at the start are waited for at once`() async throws {
    folder.hold(true)
    defer { folder.hold(false) }
    let hung = (0..<2 * StationLogs.openedAtOnce).map { "hung\($0)" }
    let relay = try await relay(configuration(hung + ["other"]))
    let start = Task { try await relay.start() }
    try await eventually("a window is read") { relay.windowsRead.read > 0 }
    #expect(relay.windowsRead.read == 1, "none that hangs was waited for in vain before that")
    folder.hold(false)
    try await start.value
    await relay.stop()
  }

  @Test func `a station is added in a folder that hangs, and other changes do not wait`()
    async throws
  {
    let relay = try await relay(configuration())
    try await relay.start()
    folder.hold(true)
    defer { folder.hold(false) }
    let isAdded = Flag()
    let adding = Task {
      _ = try await relay.add(station("hung"))
      isAdded.set()
    }
    try await eventually("its folder is waited for") { folder.isWaitedFor }
    #expect(await isDone { _ = try await relay.add(station("other")) })
    #expect(!isAdded.isSet, "the other one was not behind it")
    #expect(await isDone { try await adding.value })
    #expect(try #require(await relay.log(of: "hung")).isAwaitingFolder)
    folder.hold(false)
    await relay.stop()
  }

  @Test func `a stop names the window that hangs, and ends all else`() async throws {
    let relay = try await relay(configuration("hung", "other"))
    try await relay.start()
    defer { folder.hold(false) }
    _ = try await hang(relay)
    let ending = Ending()
    let isEnded = Flag()
    let stopping = Task {
      await relay.stop(ending)
      isEnded.set()
    }
    try await eventually("only the window is left") { ending.left == ["windows \(folder.path)"] }
    let written = data.path + "/longwave.db-wal"
    try await eventually("the database has all of its log") {
      (FileCalls.posix.status(written)?.bytes ?? 0) == 0
    }
    let told = Mutex<[String]>([])
    ending.limit(to: 0) { left in told.withLock { $0 = left } }
    try await eventually("it is given up") { !told.withLock(\.isEmpty) }
    #expect(told.withLock { $0 } == ["windows \(folder.path)"] && !isEnded.isSet)
    folder.hold(false)
    await stopping.value
    #expect(ending.left.isEmpty)
  }

  @Test func `a hang of a folder is told, and its end`() async throws {
    let relay = try await relay(configuration("hung", "other"))
    try await relay.start()
    defer { folder.hold(false) }
    _ = try await hang(relay)
    try await eventually("it is told") { await !relay.obstacles().isEmpty }
    let told = await relay.obstacles()
    #expect(told.count == 1 && told[0].hasPrefix("hung: disk: "), "\(told)")
    #expect(try await relay.stationSnapshot("hung").window.storageWord == "failed")
    folder.hold(false)
    try await eventually("its end is told") { await relay.obstacles().isEmpty }
    await relay.stop()
  }
}
