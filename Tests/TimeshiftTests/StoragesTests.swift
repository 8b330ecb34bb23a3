import Glibc
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Timeshift

/// Logs on several disks.
@Suite struct StoragesTests {
  /// A home, and folders that are on other disks.
  private final class Disks: Sendable {
    let home = TemporaryDirectory()
    let others = (0..<9).map { _ in TemporaryDirectory() }
    /// No file of the first of the others can be opened, and whoever tries waits.
    let isHanging = Mutex(false)
    private let waiting = Mutex(0)

    var hasWaiting: Bool { waiting.withLock { $0 > 0 } }

    var calls: FileCalls {
      var calls = FileCalls.posix
      let real = FileCalls.posix
      calls.disk = { [self] path in
        if real.disk(path) < 0 { return -Int64(ENOENT) }
        return Int64(others.firstIndex { path.hasPrefix($0.path) } ?? 99)
      }
      calls.open = { [self] path, flags in
        if path.hasPrefix(others[0].path) { wait() }
        return real.open(path, flags)
      }
      return calls
    }

    private func wait() {
      waiting.withLock { $0 += 1 }
      while isHanging.withLock({ $0 }) { usleep(1000) }
      waiting.withLock { $0 -= 1 }
    }
  }

  private func open(_ directory: String, _ storages: Storages) throws -> PacketLog {
    var configuration = LogConfiguration(retention: MediaTime(seconds: 86400))
    // Of which each is opened anew.
    configuration.segment = MediaTime(seconds: 1)
    return try PacketLog.open(
      directory: directory, configuration: configuration,
      storage: storages.storage(for: directory), at: .now(), report: { _ in })
  }

  private func isWritten(_ log: PacketLog) -> Bool {
    log.lists.withLock { $0.diskEdge >= $0.edge.position }
  }

  @Test func `a disk that hangs keeps the logs of another from nothing`() async throws {
    let disks = Disks()
    let storages = Storages(home: disks.home.path, files: disks.calls)
    #expect(storages.start())
    let hanging = try open(disks.others[0].path, storages)
    let well = try [disks.home.path, disks.others[1].path].map { try open($0, storages) }
    for log in well + [hanging] { log.feed(200, at: .now()) }
    try await eventually("all are written") { (well + [hanging]).allSatisfy(isWritten) }
    disks.isHanging.withLock { $0 = true }
    let stuck = LogReader(hanging)
    #expect(stuck.answer(0) == "loading" || stuck.answer(0).hasPrefix("bytes"))
    for _ in 0..<20 {
      for log in well + [hanging] { log.feed(100, at: .now()) }
      try await eventually("the others are written") { well.allSatisfy(isWritten) }
    }
    #expect(disks.hasWaiting && !isWritten(hanging))
    for log in well {
      let reader = LogReader(log)
      let all = reader.collect(0..<reader.edge.position) { usleep(10_000) }
      #expect(all.map { areKnown($0, from: 0) } == true)
      log.close()
    }
    disks.isHanging.withLock { $0 = false }
    try await eventually("it is written as well") { isWritten(hanging) }
    hanging.close()
    storages.stop()
  }

  @Test func `a disk has one storage, up to a number of disks`() {
    let disks = Disks()
    let storages = Storages(home: disks.home.path, files: disks.calls)
    let first = storages.storage(for: disks.home.path)
    #expect(storages.storage(for: disks.home.path + "/to/be/made") === first)
    let all = disks.others.map { storages.storage(for: $0.path) }
    #expect(Set(all.map { ObjectIdentifier($0) }).count == Storages.countMax)
    #expect(all.last === first && all[0] !== first)
    #expect(storages.storage(for: disks.others[0].path) === all[0])
  }
}
