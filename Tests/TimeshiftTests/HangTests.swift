import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Timeshift

/// A disk whose calls do not come back, with no error either.
@Suite struct HangTests {
  private final class Hang {
    let clock = ManualClock()
    let disk = FailingFiles()
    let log: LogOnDisk
    private let ended = Flag()

    init(_ plan: (inout FailingFiles.Plan) -> Void = { $0.isWriteHeld = true }) throws {
      log = try LogOnDisk(clock: clock, disk: disk)
      disk.set { [clock] in $0.clock = clock }
      log.feed(seconds: 60)
      disk.set(plan)
      log.log.feed(38, at: clock.now)
      let (storage, ended, now) = (log.storage, ended, clock.now.monotonic)
      Thread.detachNewThread {
        storage.runOnce(at: now)
        ended.set()
      }
    }

    func wait(for condition: @escaping @autoclosure () -> Bool) {
      while !condition() { usleep(1000) }
    }

    func begun() { wait(for: self.disk.plan.withLock { $0.writesHeld > 0 }) }

    func end() {
      disk.set {
        $0.isWriteHeld = false
        $0.isSyncHeld = false
      }
      wait(for: self.ended.isSet)
    }

    func look(after seconds: Double) {
      clock.advance(seconds: seconds)
      log.storage.tellHang()
    }

    var isFailed: Bool {
      if case .failed = log.log.snapshot().storage { true } else { false }
    }
  }

  @Test func `a disk that has not answered for ten seconds has failed, until it answers`() throws {
    let hang = try Hang()
    hang.begun()
    hang.look(after: 9)
    #expect(!hang.isFailed && hang.log.events.isEmpty)
    for _ in 0..<3 { hang.look(after: 2) }
    guard case .failed(let reason) = hang.log.events.first, hang.log.events.count == 1 else {
      hang.end()
      Issue.record("\(hang.log.events)")
      return
    }
    #expect(hang.isFailed)
    #expect(reason.hasPrefix("write \(hang.log.directory.path)/"), "\(reason)")
    #expect(reason.hasSuffix(": the disk has not answered for 10 s"), "\(reason)")
    hang.end()
    hang.look(after: 2)
    #expect(hang.log.events.count == 2 && hang.log.events.last == .restored)
    #expect(hang.log.log.snapshot().storage == .healthy && hang.log.isWholeAndKnown)
  }

  @Test func `a listener in memory notices nothing of a disk that hangs`() throws {
    let hang = try Hang()
    hang.begun()
    hang.look(after: 11)
    let log = hang.log.log
    log.feed(38, at: hang.clock.now)
    let reader = LogReader(log)
    // What is read without the disk.
    let range = log.snapshot().memoryOldest..<reader.edge.position
    #expect(range.count > 38 * TestPacket.bytes)
    #expect(reader.collect(range).map { areKnown($0, from: range.lowerBound) } == true)
    hang.end()
    hang.look(after: 2)
    #expect(!hang.isFailed)
  }

  @Test func `a write that fails behind a hang is told, and restored later`() throws {
    let hang = try Hang()
    hang.begun()
    hang.look(after: 11)
    hang.disk.set { $0.writeError = EIO }
    hang.end()
    hang.look(after: 2)
    #expect(hang.isFailed && hang.log.events.count == 2 && hang.log.events.last != .restored)
    hang.disk.set { $0.writeError = nil }
    hang.log.feed(seconds: 20)
    hang.look(after: 2)
    #expect(hang.log.events.count == 3 && hang.log.events.last == .restored)
    #expect(hang.log.log.snapshot().storage == .healthy)
  }

  @Test func `slow calls that come back are no hang`() throws {
    let log = try LogOnDisk()
    for _ in 0..<20 {
      log.feed(seconds: 3)
      log.storage.tellHang()
    }
    #expect(log.events.isEmpty)
  }
}
