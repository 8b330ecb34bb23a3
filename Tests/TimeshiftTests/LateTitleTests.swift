import TestSupport
import Testing
import Wire

@testable import Timeshift

@Suite struct LateTitleTests {
  private static func point(_ packet: Int) -> LogPoint {
    LogPoint(
      position: UInt64(packet * TestPacket.bytes),
      media: MediaTime(samples: packet * TestPacket.samples, rate: 44100))
  }

  @Test func `a title that becomes known late stands at its own packet`() {
    let clock = ManualClock()
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    log.markTitle(Title(text: "One"))
    log.feed(10, at: clock.now)
    let reader = LogReader(log)
    #expect(reader.titlePosition(at: Self.point(9).position) == 0)
    log.markTitle(Title(text: "Two"), at: Self.point(4))
    #expect(log.writerTitlePosition == Self.point(4).position)
    log.feed(1, at: clock.now)
    reader.refresh()
    #expect(reader.titlePosition(at: Self.point(9).position) == Self.point(4).position)
    #expect(reader.titlePosition(at: Self.point(4).position - 1) == 0)
    #expect(log.titles(limit: 9).map(\.media) == [Self.point(4).media, .zero])
    // And it is the title from now on.
    log.markTitle(Title(text: "Two"))
    log.feed(1, at: clock.now)
    #expect(log.titles(limit: 9).count == 2)
  }

  @Test func `a late title takes the place of one that still waits for its packet`() {
    let clock = ManualClock()
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    log.feed(10, at: clock.now)
    log.markTitle(Title(text: "One"))
    log.markTitle(Title(text: "Two"), at: Self.point(4))
    log.feed(2, at: clock.now)
    #expect(log.titles(limit: 9).map(\.title.text) == ["Two"])
  }

  /// The titles a log has, and those it has when it is opened again, sealed or cut off.
  private func survivors(
    closing: Bool, _ play: (LogOnDisk) -> Void
  ) throws -> (before: [TitleMark], after: [TitleMark]) {
    let disk = try LogOnDisk()
    play(disk)
    let before = disk.log.titles(limit: 99)
    if closing { disk.log.close() }
    let again = try LogOnDisk(in: disk.directory)
    #expect(again.isWholeAndKnown)
    return (before, again.log.titles(limit: 99))
  }

  @Test(arguments: [true, false])
  func `late titles survive a restart and a crash where they were`(closing: Bool) throws {
    let found = try survivors(closing: closing) { disk in
      disk.log.markTitle(Title(text: "One"))
      disk.feed(seconds: 8)
      // The disk has the packets already.
      disk.log.markTitle(Title(text: "Two"), at: Self.point(100))
      disk.feed(seconds: 4)
      disk.log.markTitle(Title(text: "Three"), at: Self.point(350))
      disk.feed(seconds: 4)
    }
    #expect(found.before.map(\.title.text) == ["Three", "Two", "One"])
    #expect(found.after.map(\.position) == [350, 100, 0].map { Self.point($0).position })
    #expect(found.after.map(\.media) == found.before.map(\.media))
    #expect(found.after.map(\.title) == found.before.map(\.title))
    // Each was set at what was the edge then.
    #expect(found.after.map(\.known) == found.before.map(\.known))
    #expect(found.after.last?.known == .zero)
    #expect(found.after.dropLast().allSatisfy { $0.known > $0.media })
  }

  @Test(arguments: [true, false])
  func `a late title may belong to the segment before`(closing: Bool) throws {
    let packet = Int(59 * 44100 / 1152)
    let found = try survivors(closing: closing) { disk in
      disk.log.markTitle(Title(text: "One"))
      disk.feed(seconds: 61.5)
      #expect(disk.directory.names.count { $0.hasSuffix(".idx") } == 2)
      disk.log.markTitle(Title(text: "Two"), at: Self.point(packet))
      disk.feed(seconds: 10)
      disk.log.markTitle(Title(text: "Three"))
      disk.feed(seconds: 60)
    }
    #expect(found.after.map(\.title.text) == ["Three", "Two", "One"])
    #expect(found.after.map(\.position) == found.before.map(\.position))
  }

  @Test func `a late title of packets that are gone is in force all the same`() throws {
    let configuration = LogConfiguration(retention: MediaTime(seconds: 60))
    let disk = try LogOnDisk(configuration)
    disk.log.markTitle(Title(text: "One"))
    disk.feed(seconds: 59)
    disk.feed(seconds: 2.5)
    disk.log.markTitle(Title(text: "Two"), at: Self.point(Int(58 * 44100 / 1152)))
    disk.feed(seconds: 200)
    disk.log.close()
    let again = try LogOnDisk(configuration, in: disk.directory)
    #expect(again.log.oldest.position > Self.point(Int(59 * 44100 / 1152)).position)
    #expect(again.log.titles(limit: 9).map(\.title.text) == ["Two"])
  }
}
