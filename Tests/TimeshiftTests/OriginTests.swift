import TestSupport
import Testing
import Wire

@testable import Timeshift

/// Where a log's edge stands in the log of the relay that it was pulled from.
@Suite struct OriginTests {
  private static let other = LogID.random()

  private static func place(_ position: UInt64) -> RelayPlace {
    RelayPlace(log: other, position: position)
  }

  private static func mark(_ place: RelayPlace?, in log: PacketLog) {
    let writer = log.onlyWriter()
    writer.markOrigin(place)
    writer.end()
  }

  @Test(arguments: [true, false])
  func `the edge's place is known after a restart, many segments later`(isKilled: Bool) throws {
    var configuration = LogConfiguration(retention: MediaTime(seconds: 60))
    configuration.segment = MediaTime(seconds: 5)
    let disk = try LogOnDisk(configuration)
    #expect(disk.log.origin == nil)
    disk.feed(seconds: 3)
    let start = disk.log.edge.position
    Self.mark(Self.place(1_000_000), in: disk.log)
    disk.feed(seconds: 90)
    if isKilled { disk.storage.abandon() } else { disk.log.close() }
    let again = try LogOnDisk(configuration, in: disk.directory, clock: disk.clock)
    let bytes = again.log.edge.position - start
    #expect(again.log.origin?.place == Self.place(1_000_000 + bytes))
    #expect(again.log.origin?.bytes == bytes)
    #expect(again.log.id == disk.log.id)
    // One that was cut behind a mark knows the mark before.
    Self.mark(Self.place(7), in: again.log)
    again.log.feed(10, at: again.clock.now)
    again.storage.abandon()
    let last = try LogOnDisk(configuration, in: disk.directory, clock: disk.clock)
    #expect(last.log.origin?.place == Self.place(1_000_000 + bytes))
  }

  @Test func `a log that goes on with audio from elsewhere knows no place, restarted or not`()
    throws
  {
    let disk = try LogOnDisk()
    Self.mark(Self.place(0), in: disk.log)
    disk.feed(seconds: 3)
    Self.mark(nil, in: disk.log)
    #expect(disk.log.origin != nil)
    disk.feed(seconds: 3)
    #expect(disk.log.origin == nil)
    disk.log.close()
    #expect(try LogOnDisk(in: disk.directory).log.origin == nil)
  }

  @Test func `logs have ids of their own, a folder's log keeps its id`() throws {
    let (one, two) = (try LogOnDisk(), try LogOnDisk())
    let clock = ManualClock()
    let memory = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    #expect(Set([one.log.id, two.log.id, memory.id]).count == 3)
    #expect(one.log.id == LogReader(one.log).logID)
    one.log.close()
    #expect(try LogOnDisk(in: one.directory).log.id == one.log.id)
  }

  @Test func `the time between two positions is their audio and gaps`() throws {
    let clock = ManualClock()
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    log.feed(100, at: clock.now)
    log.markGap(seconds: 5, cause: .upstreamAway)
    log.feed(100, at: clock.now)
    let reader = LogReader(log)
    let end = try #require(reader.point(holding: 150 * 417))
    let packet = TestPacket.duration.seconds
    let seconds = try #require(reader.seconds(from: 40 * 417, to: end))
    #expect(abs(seconds - 110 * packet - 5) < 0.001)
    // A gap belongs to the packet behind it.
    #expect(
      reader.seconds(from: 100 * 417, to: end).map { abs($0 - 50 * packet - 5) < 0.001 } == true)
    #expect(reader.seconds(from: 101 * 417, to: end).map { abs($0 - 49 * packet) < 0.001 } == true)
    #expect(reader.seconds(from: 151 * 417, to: end) == nil)
  }
}
