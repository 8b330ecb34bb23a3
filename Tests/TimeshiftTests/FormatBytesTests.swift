import Synchronization
import TestSupport
import Testing
import Wire

@testable import Timeshift

/// What a log keeps of stream headers, which an upstream may make long and many.
@Suite struct FormatBytesTests {
  static let headersMax = 8 << 20
  let clock = ManualClock()

  private func kept(_ log: PacketLog) -> Int {
    log.lists.withLock { $0.formats.reduce(0) { $0 + $1.headers.count } }
  }

  /// Headers of a fifth of a mebibyte, each time others.
  private static func headers(_ number: Int) -> [UInt8] {
    [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 200 * 1024)
  }

  private func feed(_ log: PacketLog, formats: Int, packets: Int) {
    for number in 0..<formats {
      log.markHeaders(Self.headers(number))
      log.feed(packets, at: clock.now)
    }
  }

  @Test func `too many headers in memory cost the oldest part of the window`() {
    var window = LogConfiguration()
    window.windowBytes = 16 << 20
    let log = PacketLog(memoryOnly: window, at: clock.now)
    feed(log, formats: 100, packets: 200)
    #expect(kept(log) <= Self.headersMax && kept(log) > Self.headersMax * 3 / 4)
    let reader = LogReader(log)
    #expect(reader.oldest.position > 0)
    #expect(reader.headers(at: reader.oldest.position).count == 200 * 1024)
    #expect(reader.format(at: reader.oldest.position) != nil)
    #expect(reader.headers(at: reader.edge.position) == Self.headers(99))
  }

  @Test func `headers stay bounded when all of them are in one block`() {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    feed(log, formats: 100, packets: 1)
    #expect(kept(log) <= Self.headersMax)
    let reader = LogReader(log)
    #expect(reader.headers(at: reader.edge.position) == Self.headers(99))
  }

  @Test func `too many headers on disk cost the oldest segments, after a restart too`() throws {
    let (ogg, mono) = (try FakeOgg(.opus), try FakeOgg(.opus, channels: 1))
    let disk = try LogOnDisk()
    for number in 0..<700 {
      (number % 2 == 0 ? ogg : mono).append(
        number..<number + 2, to: disk.log, serial: UInt32(number), begins: true,
        comments: 30 * 1024)
      disk.turn()
    }
    #expect(kept(disk.log) <= Self.headersMax && kept(disk.log) > Self.headersMax * 3 / 4)
    let reader = LogReader(disk.log)
    #expect(reader.oldest.position > 0)
    #expect(!reader.headers(at: reader.oldest.position).isEmpty)
    #expect(disk.collect(reader.oldest.position..<reader.edge.position) != nil)
    disk.turn()
    disk.log.close()
    let files = disk.directory.names.count
    #expect(files < 700)
    let again = try LogOnDisk(in: disk.directory)
    #expect(kept(again.log) <= Self.headersMax)
    #expect(again.log.edgePosition == disk.log.edgePosition)
  }
}
