import Synchronization
import TestSupport
import Testing
import Wire

@testable import Timeshift

/// Several logs on one disk that is full.
@Suite struct DiskReliefTests {
  /// One with much past, one with little.
  private final class Pair {
    let disk = FailingFiles()
    let storage: Storage
    let clock = ManualClock()
    let folders = [TemporaryDirectory(), TemporaryDirectory()]
    let logs: [PacketLog]
    private let told = Told()

    private final class Told: Sendable { let events = Mutex<[Int: [StorageEvent]]>([:]) }

    /// - Parameter isApart: each log is on a disk of its own.
    init(seconds: [Double], isApart: Bool = false) throws {
      var calls = disk.calls
      let first = folders[0].path
      if isApart { calls.disk = { $0 == first ? 1 : 2 } }
      storage = Storage(files: calls)
      var logs: [PacketLog] = []
      for (place, folder) in folders.enumerated() {
        logs.append(
          try PacketLog.open(
            directory: folder.path,
            configuration: LogConfiguration(retention: MediaTime(seconds: 86400)),
            storage: storage, at: clock.now,
            report: { [told] event in
              told.events.withLock { $0[place, default: []].append(event) }
            }))
        logs[place].feed(seconds: seconds[place], by: clock) { [storage, clock] in
          storage.runOnce(at: clock.now.monotonic)
        }
      }
      self.logs = logs
    }

    deinit { storage.abandon() }

    func events(_ place: Int) -> [StorageEvent] { told.events.withLock { $0[place] ?? [] } }

    /// Both.
    func feed(seconds: Double) {
      for _ in 0..<Int(seconds * 4) {
        for log in logs {
          let stop = log.writerMedia + MediaTime(seconds: 0.25)
          while log.writerMedia < stop { log.appendKnown() }
          log.publish(at: clock.now)
        }
        clock.advance(seconds: 0.25)
        storage.runOnce(at: clock.now.monotonic)
      }
    }

    func isWhole(_ place: Int) -> Bool {
      let reader = LogReader(logs[place])
      let range = reader.oldest.position..<reader.edge.position
      let bytes = reader.collect(range) { storage.runOnce(at: clock.now.monotonic) }
      return bytes.map { areKnown($0, from: range.lowerBound) } ?? false
    }
  }

  @Test func `the log that holds most makes room on a full disk for all`() throws {
    let pair = try Pair(seconds: [1200, 200])
    pair.disk.set {
      $0.room = 100_000
      // Two files each.
      $0.roomPerRemoval = 480_000
    }
    pair.feed(seconds: 200)
    #expect(pair.logs[1].oldest.position == 0, "the modest one's past stays")
    #expect(pair.logs[0].oldest.position > 0)
    #expect(pair.logs.allSatisfy { $0.snapshot().storage == .healthy })
    #expect(pair.events(1).isEmpty && !pair.events(0).isEmpty)
    for event in pair.events(0) {
      guard case .gaveUp = event else { Issue.record("\(event)"); continue }
    }
    #expect(pair.isWhole(0) && pair.isWhole(1))
  }

  @Test func `logs on a full disk end up with shares alike`() throws {
    let pair = try Pair(seconds: [1000, 400])
    pair.disk.set {
      $0.room = 0
      $0.roomPerRemoval = 480_000
    }
    pair.feed(seconds: 1200)
    let held = pair.logs.map { $0.snapshot().bytesOnDisk }
    #expect(held.min()! + 3 * 960_000 > held.max()!, "\(held)")
    #expect(pair.logs.allSatisfy { $0.oldest.position > 0 })
  }

  @Test func `the largest log alone gives way to others' files, down to its reserve`() throws {
    let pair = try Pair(seconds: [1200, 660])
    pair.disk.set { $0.room = 0 }
    pair.feed(seconds: 900)
    #expect(pair.logs[1].oldest.media.seconds <= 61)
    let kept = pair.logs[0].snapshot()
    #expect(pair.logs[0].oldest.media.seconds > 300, "\(kept)")
    #expect(pair.logs[0].oldest.media.seconds <= 1200 - 540)
  }

  @Test func `logs on disks of their own each give up their own past`() throws {
    let pair = try Pair(seconds: [1200, 200], isApart: true)
    pair.disk.set { $0.room = 0 }
    pair.feed(seconds: 1)
    #expect(pair.events(0).contains { if case .gaveUp = $0 { true } else { false } })
    #expect(pair.events(1).contains { if case .gaveUp = $0 { true } else { false } })
  }

  /// How much of a log is on its disk.
  private func kept(_ disk: LogOnDisk) -> Double {
    disk.log.lists.withLock { lists in
      (lists.segments + [lists.active].compactMap(\.self)).reduce(0) {
        $0 + ($1.end.media - $1.start.media).seconds
      }
    }
  }

  @Test func `a log started often on a disk that others fill keeps its reserve`() throws {
    let directory = TemporaryDirectory()
    let first = try LogOnDisk(in: directory)
    first.feed(seconds: 300)
    first.log.close()
    for _ in 0..<7 {
      let full = FailingFiles()
      full.set { $0.room = 0 }
      let disk = try LogOnDisk(in: directory, disk: full)
      disk.feed(seconds: 25)
      #expect(disk.log.oldest.position == 0 && kept(disk) > 299)
      #expect(disk.events.count == 1, "it is told once that the disk is full: \(disk.events)")
      disk.log.close()
    }
  }

  @Test func `a log whose own past fills the disk goes on after a restart`() throws {
    let directory = TemporaryDirectory()
    let first = try LogOnDisk(in: directory)
    first.feed(seconds: 300)
    first.log.close()
    let full = FailingFiles()
    full.set {
      $0.room = 0
      $0.roomPerRemoval = 480_000
      $0.roomInAll = 5_000_000
    }
    let disk = try LogOnDisk(in: directory, disk: full)
    disk.feed(seconds: 400)
    #expect(disk.log.snapshot().storage == .healthy && kept(disk) > 230)
    #expect(disk.log.oldest.media.seconds > 300 && disk.isWholeAndKnown)
  }

  @Test func `the reserve stays though another program takes a third of the space given up`() throws
  {
    let disk = try LogOnDisk()
    disk.feed(seconds: 1200)
    disk.disk.set {
      $0.room = 0
      $0.roomPerRemoval = 320_000
    }
    disk.feed(seconds: 3600)
    // What it had written before the disk was full it may have for one segment.
    #expect(kept(disk) > 540, "\(kept(disk))")
  }
}
