import TestSupport
import Testing
import Timeshift
import Wire

struct LogWriterTests {
  private let format = AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2)

  @Test func `a log has one writer at a time`() throws {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    let first = try #require(log.writer())
    #expect(log.writer() == nil)
    first.end()
    let second = try #require(log.writer())
    #expect(log.writer() == nil)
    withExtendedLifetime(second) {}
  }

  @Test func `a log that was made for a writer has that one`() {
    let writer = LogWriter(memoryOnly: LogConfiguration(), at: .now())
    #expect(writer.log.writer() == nil)
    writer.end()
    #expect(writer.log.writer() != nil)
  }

  @Test func `a writer that is let go has ended`() {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    do { withExtendedLifetime(log.writer()) {} }
    #expect(log.writer() != nil)
  }

  @Test func `packets from a writer that has ended are dropped, and the next writer goes on`()
    throws
  {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    let first = try #require(log.writer())
    append(1, to: first)
    first.publish(at: .now())
    first.end()
    append(2, to: first)
    first.markTitle(Title(text: "too late"))
    first.publish(at: .now())
    #expect(log.edgePosition == 100)
    let second = try #require(log.writer())
    append(3, to: second)
    second.publish(at: .now())
    #expect(log.edgePosition == 200)
    #expect(log.titles(limit: 10).isEmpty)
  }

  @Test func `one thread of many that ask at once becomes the writer`() async {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    var written = 0
    for _ in 1...200 {
      written += await withTaskGroup(of: Int.self) { group in
        for _ in 0..<4 { group.addTask { write(into: log) ? 1 : 0 } }
        return await group.reduce(0, +)
      }
    }
    #expect(written >= 200)
    #expect(log.edgePosition == UInt64(written) * 100)
  }

  private func write(into log: PacketLog) -> Bool {
    guard let writer = log.writer() else { return false }
    append(0, to: writer)
    writer.publish(at: .now())
    writer.end()
    return true
  }

  private func append(_ byte: UInt8, to writer: LogWriter) {
    writer.append([UInt8](repeating: byte, count: 100).span, samples: 1152, format: format)
  }
}
