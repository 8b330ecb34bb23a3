import TestSupport
import Testing
import Wire

@testable import Timeshift

@Suite struct MarksTests {
  let clock = ManualClock()

  @Test func `a title stands at the next packet, and the same one again is no new mark`() {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    log.feed(3, at: clock.now)
    log.markTitle(Title(text: "One"))
    log.feed(2, at: clock.now)
    log.markTitle(Title(text: "One"))
    log.feed(2, at: clock.now)
    log.markTitle(Title(text: "Two"))
    log.markTitle(Title(text: "Three"))
    log.feed(1, at: clock.now)
    let reader = LogReader(log)
    #expect(log.titles(limit: 10).map(\.title.text) == ["Three", "One"])
    #expect(log.titles(limit: 1).map(\.position) == [7 * 417])
    #expect(reader.titlePosition(at: 3 * 417 - 1) == .max)
    #expect(reader.titlePosition(at: 3 * 417) == 3 * 417)
    #expect(reader.titlePosition(at: 7 * 417 - 1) == 3 * 417)
    #expect(reader.titlePosition(at: 1_000_000) == 7 * 417)
    #expect(reader.titleMark(at: 5 * 417)?.title.text == "One")
    #expect(reader.titleMark(at: 0) == nil)
  }

  @Test func `a title that changes back before its packet came is no mark`() {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    log.markTitle(Title(text: "One"))
    log.feed(1, at: clock.now)
    log.markTitle(Title(text: "Two"))
    log.markTitle(Title(text: "One"))
    log.feed(1, at: clock.now)
    #expect(log.titles(limit: 10).count == 1)
  }

  @Test func `the version of the titles moves with them and not with the edge`() {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    let reader = LogReader(log)
    let first = reader.titleMarksVersion
    log.feed(5, at: clock.now)
    reader.refresh()
    #expect(reader.titleMarksVersion == first)
    log.markTitle(Title(text: "One"))
    log.feed(1, at: clock.now)
    reader.refresh()
    #expect(reader.titleMarksVersion != first)
  }

  @Test func `the newest title before the window stays, older ones are forgotten`() {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    for number in 0..<10 {
      log.markTitle(Title(text: "\(number)"))
      log.feed(500, at: clock.now)
    }
    let reader = LogReader(log)
    let titles = log.titles(limit: 100)
    #expect(titles.count == 4 || titles.count == 3)
    #expect(reader.titlePosition(at: reader.oldest.position) <= reader.oldest.position)
  }

  @Test func `gaps and formats are found around a position`() {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    let other = AudioFormat(codec: .aac, sampleRate: 48000, channels: 2)
    log.feed(2, at: clock.now)
    log.markGap(seconds: 4, cause: .upstreamAway)
    log.markGap(seconds: 2, cause: .upstreamJumped)
    log.feed(2, at: clock.now)
    log.append([1, 2, 3].span, samples: 1024, format: other)
    log.publish(at: clock.now)
    let reader = LogReader(log)
    let gap = UInt64(2 * 417)
    let change = UInt64(4 * 417)
    #expect(reader.gapPosition(after: 0) == gap)
    #expect(reader.gapPosition(after: gap) == .max)
    #expect(
      reader.gapMark(at: gap) == GapMark(position: gap, seconds: 6, cause: .upstreamJumped))
    #expect(reader.formatPosition(at: change - 1) == 0)
    #expect(reader.formatPosition(at: change) == change)
    #expect(reader.nextFormatPosition(after: 0) == change)
    #expect(reader.nextFormatPosition(after: change) == .max)
    #expect(reader.format == other)
    #expect(reader.format(at: 0) == TestPacket.format)
  }

  @Test func `marks stay while the memory reaches further back than the retention`() throws {
    var configuration = LogConfiguration(retention: MediaTime(seconds: 3600))
    configuration.segment = MediaTime(seconds: 5)
    let disk = try LogOnDisk(configuration)
    let log = disk.log
    log.markTitle(Title(text: "One"))
    disk.feed(seconds: 6)
    log.markGap(seconds: 4, cause: .upstreamAway)
    let gap = log.edgePosition
    log.markTitle(Title(text: "Two"))
    disk.feed(seconds: 2)
    let change = log.edgePosition
    let other = AudioFormat(codec: .aac, sampleRate: 48000, channels: 2)
    log.append([1, 2, 3].span, samples: 1024, format: other)
    disk.feed(seconds: 7)
    let reader = LogReader(log)
    log.retain(MediaTime(seconds: 2), bytes: .max)
    disk.feed(seconds: 1)
    reader.refresh()
    #expect(reader.memoryOldest == 0 && reader.oldest.position > change + 3)
    #expect(reader.format(at: 0) == TestPacket.format)
    #expect(reader.gapPosition(after: 0) == gap)
    #expect(reader.nextFormatPosition(after: 0) == change && reader.format(at: change) == other)
    #expect(reader.titleMark(at: 0)?.title.text == "One")
    #expect(log.titles(limit: 10).map(\.title.text) == ["Two"], "what is told of is what is kept")
  }

  @Test func `packets for a lead-in end at a gap and at a change of format`() {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    log.feed(5, at: clock.now)
    log.markGap(seconds: 1, cause: .upstreamAway)
    log.feed(5, at: clock.now)
    let reader = LogReader(log)
    #expect(
      reader.packets(before: 4 * 417, count: 2) == [TestPacket.at(2 * 417), TestPacket.at(3 * 417)])
    #expect(reader.packets(before: 4 * 417 + 10, count: 1) == [TestPacket.at(3 * 417)])
    #expect(reader.packets(before: 2 * 417, count: 9)?.count == 2)
    #expect(reader.packets(before: 7 * 417, count: 9)?.count == 2)
    #expect(reader.packets(before: 5 * 417, count: 9)?.count == 0)
    #expect(reader.packets(before: 10 * 417, count: 2)?.last == TestPacket.at(9 * 417))
  }

  @Test func `the tail has the newest packets with their hashes`() {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    log.feed(200, at: clock.now)
    let tail = log.tail(seconds: 1)
    #expect(tail.count == 38)
    #expect(tail.allSatisfy { $0.samples == 1152 && $0.bytes == 417 })
    #expect(Set(tail.map(\.hash)).count == 38)
    #expect(log.tail(seconds: 100).count == 200)
  }
}
