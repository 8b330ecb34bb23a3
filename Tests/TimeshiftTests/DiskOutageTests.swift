import Glibc
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Timeshift

@Suite struct DiskOutageTests {
  struct Row: CustomTestStringConvertible {
    var testDescription: String
    /// By seconds: the segment that the disk did not give; nil: it gave one.
    var asked: KeyValuePairs<Double, UInt64?>
    var at: Double
    var isDown: Bool
  }

  static let rows = [
    Row(testDescription: "nothing was asked", asked: [:], at: 9, isDown: false),
    Row(
      testDescription: "a bad place of one segment is no outage", asked: [0: 1, 30: 1, 60: 1],
      at: 60, isDown: false),
    Row(
      testDescription: "nor is one of two", asked: [0: 1, 1: 2, 2: 1, 3: 2], at: 3, isDown: false),
    Row(
      testDescription: "a moment for three is none yet", asked: [0: 1, 0.5: 2, 0.9: 3], at: 0.9,
      isDown: false),
    Row(
      testDescription: "a second for three is", asked: [0: 1, 0.5: 2, 1: 3], at: 1, isDown: true),
    Row(
      testDescription: "in whatever order they are asked", asked: [0: 1, 0.1: 2, 0.2: 3, 1: 1],
      at: 1, isDown: true),
    Row(
      testDescription: "more are no less", asked: [0: 1, 0.5: 2, 1: 3, 1.5: 4, 2: 5], at: 2,
      isDown: true),
    Row(
      testDescription: "one that gives ends it", asked: [0: 1, 0.5: 2, 1: 3, 1.5: nil], at: 1.5,
      isDown: false),
    Row(
      testDescription: "what was before one that gave does not count",
      asked: [0: 1, 0.5: 2, 1: 3, 1.5: nil, 2: 1, 2.5: 2], at: 2.5, isDown: false),
    Row(
      testDescription: "and the second begins anew",
      asked: [0: 1, 0.5: 2, 1: 3, 1.5: nil, 2: 1, 2.1: 2, 2.2: 3], at: 2.2, isDown: false),
    Row(
      testDescription: "until the retry interval is over", asked: [0: 1, 0.5: 2, 1: 3], at: 2.9,
      isDown: true),
    Row(
      testDescription: "then it is tried again", asked: [0: 1, 0.5: 2, 1: 3], at: 3, isDown: false),
    Row(
      testDescription: "and is down at once when it still gives nothing",
      asked: [0: 1, 0.5: 2, 1: 3, 3.5: 1], at: 5.4, isDown: true),
  ]

  @Test(arguments: rows)
  func `a disk is down when it gives nothing of several segments for a second`(row: Row) {
    var outage = DiskOutage(retryInterval: nanoseconds(2))
    for (second, segment) in row.asked {
      if let segment {
        outage.gaveNothing(of: segment, at: nanoseconds(second))
      } else {
        outage.gave()
      }
    }
    #expect(outage.isDown(at: nanoseconds(row.at)) == row.isDown)
  }

  private func nanoseconds(_ seconds: Double) -> Int64 { Int64(nanosecondsIn: seconds) }

  // MARK: With a real log

  /// 150 s in segments of 5 s, of which the newest 32 s are in memory, on a disk that has the clock of all.
  private func past() throws -> LogOnDisk {
    var configuration = LogConfiguration(retention: MediaTime(seconds: 86400))
    configuration.segment = MediaTime(seconds: 5)
    let (clock, files) = (ManualClock(), FailingFiles())
    files.set { $0.clock = clock }
    let disk = try LogOnDisk(configuration, clock: clock, disk: files)
    disk.feed(seconds: 150)
    return disk
  }

  /// From now on it takes half a second for each answer, and none is a byte.
  private func breakDown(_ disk: LogOnDisk) {
    disk.disk.set {
      $0.readError = EIO
      $0.failureSeconds = 0.5
    }
  }

  @Test func `a disk that gives nothing holds nobody, and is not asked over and over`() throws {
    let disk = try past()
    let oldMemory = LogReader(disk.log).memoryOldest
    breakDown(disk)
    let live = PastReader(disk.log, at: disk.log.edge.position)
    var waiting: [(reader: PastReader, since: Int)] = []
    for turn in 0..<40 {
      // Somebody comes in every turn, each in another segment.
      let place = UInt64(turn % 20) * oldMemory / 20 / 417 * 417
      waiting.append((PastReader(disk.log, at: place), turn))
      disk.feed(seconds: 0.25)
      live.turn()
      #expect(live.fed == turn + 1 && live.isKnown)
      for (reader, _) in waiting { reader.turn() }
      waiting.removeAll { reader, since in
        if reader.fed == 0 { return false }
        #expect(reader.position > oldMemory && reader.isKnown)
        return true
      }
      #expect(waiting.allSatisfy { turn - $0.since < 8 }, "\(waiting.map(\.since)) in turn \(turn)")
    }
    // Each of a few in the second until it counts as down, and one in each 2 s since.
    let failed = disk.disk.plan.withLock { $0.readsFailed }
    #expect(failed >= 3 && failed <= 15, "\(failed)")
  }

  @Test func `the past comes back with the disk, also for readers that were moved over it`() throws
  {
    let disk = try past()
    breakDown(disk)
    let oldMemory = LogReader(disk.log).memoryOldest
    let readers = (0..<3).map { PastReader(disk.log, at: UInt64($0) * 1600 * 417) }
    for _ in 0..<20 {
      disk.feed(seconds: 0.25)
      for reader in readers { reader.turn() }
    }
    #expect(readers.allSatisfy { $0.position > oldMemory })
    disk.disk.set { $0.readError = nil }
    disk.feed(seconds: 3)
    #expect(disk.isWholeAndKnown)
    for reader in readers.map(\.reader) {
      reader.refresh()
      let bytes = reader.collect(0..<reader.edge.position) { disk.turn() }
      #expect(bytes.map { areKnown($0, from: 0) } == true)
    }
  }
}
