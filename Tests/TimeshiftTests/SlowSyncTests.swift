import Foundation
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Timeshift

/// A disk that takes for ever to sync keeps nobody waiting but those who sync.
@Suite struct SlowSyncTests {
  @Test func `a log is closed and removed while the disk syncs another one, and its own`() throws {
    let stations = try Stations()
    stations.waitForASync()
    #expect(stations.isDone { stations.logs[1].close() }, "another one's sync")
    let folder = stations.folders[1].path
    #expect(stations.isDone { try? PacketLog.remove(directory: folder) })
    #expect(stations.folders[1].names.isEmpty)
    // Whichever is being synced.
    #expect(stations.isDone { stations.logs[0].close() }, "its own sync")
    #expect(stations.isDone { stations.logs[2].close() }, "another one's sync")
    stations.end()
  }

  @Test func `all logs are written on while the disk syncs one`() throws {
    let stations = try Stations()
    stations.waitForASync()
    for log in stations.logs { log.feed(200, at: stations.clock.now) }
    #expect(
      isSoon {
        stations.logs.allSatisfy { log in
          log.lists.withLock { $0.diskEdge } == log.edgePosition
        }
      })
    stations.end()
  }

  @Test func `a log is opened while the disk takes for ever to sync`() throws {
    let disk = FailingFiles()
    disk.set { $0.isSyncHeld = true }
    let opened = Mutex(false)
    let thread = Thread {
      let log = try? LogOnDisk(disk: disk)
      opened.withLock { $0 = log != nil }
      disk.set { $0.isSyncHeld = false }
    }
    thread.start()
    let isOpened = isSoon { opened.withLock { $0 } }
    disk.set { $0.isSyncHeld = false }
    #expect(isOpened)
  }

  @Test func `an id that a power cut has emptied is that of the segments`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 90)
    disk.log.close()
    disk.directory.write("log.id", [UInt8](repeating: 0, count: 16))
    let again = try LogOnDisk(in: disk.directory)
    #expect(again.isWholeAndKnown && again.log.edge == disk.log.edge)
  }

  @Test func `segments that wait for a sync are not kept open`() throws {
    let disk = try LogOnDisk()
    // An hour until a sync is due.
    for _ in 0..<200 {
      disk.clock.advance(seconds: 1)
      disk.log.feed(38, at: disk.clock.now)
      disk.storage.runOnce(at: MonotonicTime(nanoseconds: 0))
    }
    #expect(disk.log.snapshot().segments == 4)
    #expect(openDescriptors(below: disk.directory.path) == 2)
    disk.disk.set { $0.syncsBegun = 0 }
    disk.storage.runOnce(at: MonotonicTime(nanoseconds: 3_600_000_000_000))
    // The newest two that are sealed, and the one that is written.
    #expect(disk.disk.plan.withLock { $0.syncsBegun } == 6)
  }

  @Test func `segments closed before are synced by the time the storage has stopped`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 3)
    disk.log.close()
    disk.disk.set { $0.syncsBegun = 0 }
    disk.storage.stop()
    #expect(disk.disk.plan.withLock { $0.syncsBegun } == 2)
  }

  @Test func `a disk on which nothing can be synced is told once, and not taken for healthy`()
    throws
  {
    let disk = try LogOnDisk()
    disk.disk.set { $0.syncError = EIO }
    disk.feed(seconds: 60)
    guard case .failed = disk.events.first, disk.events.count == 1 else {
      Issue.record("\(disk.events)")
      return
    }
    disk.disk.set { $0.syncError = nil }
    disk.feed(seconds: 20)
    #expect(disk.events.count == 2 && disk.events.last == .restored)
  }
}

/// Within a minute.
private func isSoon(_ condition: () -> Bool) -> Bool {
  for _ in 0..<6000 {
    if condition() { return true }
    usleep(10_000)
  }
  return false
}

/// Three logs in one storage with its threads, on a disk that does not come back from a sync.
private final class Stations: Sendable {
  let clock = ManualClock()
  let folders = [TemporaryDirectory(), TemporaryDirectory(), TemporaryDirectory()]
  let disk = FailingFiles()
  let storage: Storage
  let logs: [PacketLog]

  init() throws {
    let storage = Storage(files: disk.calls, flushInterval: 0.01, syncInterval: 0.05)
    let now = clock.now
    self.storage = storage
    logs = try folders.map {
      try PacketLog.open(
        directory: $0.path,
        configuration: LogConfiguration(retention: MediaTime(seconds: 3600)), storage: storage,
        at: now, report: { _ in })
    }
    storage.start()
  }

  func waitForASync() {
    disk.set {
      $0.isSyncHeld = true
      $0.syncsBegun = 0
    }
    for log in logs { log.feed(10, at: clock.now) }
    #expect(isSoon { disk.plan.withLock { $0.syncsBegun } > 0 })
  }

  func isDone(_ body: @escaping @Sendable () -> Void) -> Bool {
    let flag = Flag()
    Thread.detachNewThread {
      body()
      flag.set()
    }
    return isSoon { flag.isSet }
  }

  func end() {
    disk.set { $0.isSyncHeld = false }
    for log in logs { log.close() }
    storage.stop()
  }
}
