import Synchronization
import TestSupport
import Testing
import Wire

@testable import Timeshift

@Suite struct LogDiskTests {
  /// A disk that only remembers what it was told.
  private final class Memory: LogDisk {
    let loader = SegmentLoader(files: .posix, handlesMax: 1, retryInterval: 0)
    let hasFolder: Bool
    let folderID: LogID?
    let isDisplaced: Bool
    let edges = Mutex<[UInt64]>([])
    let closings = Atomic<Int>(0)

    init(hasFolder: Bool, isDisplaced: Bool = false) {
      self.hasFolder = hasFolder
      self.isDisplaced = isDisplaced
      folderID = hasFolder ? LogID.random() : nil
    }

    func published(edge: UInt64) { edges.withLock { $0.append(edge) } }
    func isBehind(_ edge: UInt64) -> Bool { edge > 1000 }
    func close() { closings.add(1, ordering: .relaxed) }
  }

  private let clock = ManualClock()

  private func log(on disk: Memory?) -> PacketLog {
    PacketLog(LogConfiguration(), LogLists(edge: .zero), disk: disk)
  }

  @Test func `a log tells its disk of each edge and of its end`() {
    let disk = Memory(hasFolder: true)
    let log = log(on: disk)
    log.feed(1, at: clock.now)
    log.publish(at: clock.now)
    #expect(!log.isWaitingForDisk)
    log.feed(2, at: clock.now)
    #expect(disk.edges.withLock { $0 } == [417, 1251] && log.isWaitingForDisk)
    log.close()
    #expect(disk.closings.load(ordering: .relaxed) == 1)
  }

  @Test func `a log has its folder's id and without a folder one of its own`() {
    let disk = Memory(hasFolder: true)
    #expect(log(on: disk).id == disk.folderID)
    let awaiting = log(on: Memory(hasFolder: false))
    #expect(awaiting.id == awaiting.id && awaiting.id != log(on: nil).id)
  }

  @Test func `a log is on disk, awaits its folder or is in memory as its disk says`() {
    let onDisk = log(on: Memory(hasFolder: true, isDisplaced: true))
    #expect(onDisk.isOnDisk && !onDisk.isAwaitingFolder && onDisk.isDisplaced)
    let awaiting = log(on: Memory(hasFolder: false))
    #expect(!awaiting.isOnDisk && awaiting.isAwaitingFolder && !awaiting.isDisplaced)
    let inMemory = log(on: nil)
    #expect(!inMemory.isOnDisk && !inMemory.isAwaitingFolder && !inMemory.isWaitingForDisk)
  }
}
