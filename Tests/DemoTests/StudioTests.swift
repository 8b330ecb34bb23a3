import Glibc
import Testing
import Timeshift
import Wire

@testable import Demo

struct StudioTests {
  @Test func `a studio has five seconds at once, then goes on until it is stopped`() {
    let writer = LogWriter(memoryOnly: LogConfiguration(), at: .now())
    let log = writer.log
    let studio = Studio(writer: writer, seed: 1)
    #expect(studio.start())
    let ahead = log.edge
    // A busy machine lets it go on meanwhile.
    #expect(ahead.media.seconds >= 4.5)
    // A second of programme; the time limit is for a machine that is very busy.
    for _ in 0..<600 where log.edge.media < ahead.media + MediaTime(seconds: 1) { usleep(50_000) }
    studio.stop()
    let end = log.edge
    #expect(end.media >= ahead.media + MediaTime(seconds: 1))
    usleep(300_000)
    #expect(log.edge == end)
    #expect(log.snapshot().format == AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2))
    let titles = log.titles(limit: 10)
    #expect(titles.map(\.position) == [0])
    #expect(titles.first?.title == Music(seed: 1, sampleRate: 44_100).title)
  }

  @Test func `the log holds what the encoder made, byte for byte`() throws {
    let writer = LogWriter(memoryOnly: LogConfiguration(), at: .now())
    let log = writer.log
    let studio = Studio(writer: writer, seed: 2)
    #expect(studio.start())
    studio.stop()
    var encoder = try StudioEncoder(seed: 2, sampleRate: 44_100, bitrate: 128)
    var made: [UInt8] = []
    while made.count < 60_000 {
      let slice = try encoder.slice(samples: 4410)
      for case .packet(let packet) in slice.pieces { made += slice.bytes[packet.range] }
    }
    let reader = LogReader(log)
    reader.refresh()
    #expect(reader.edge.position > 60_000)
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 60_000, alignment: 1)
    defer { scratch.deallocate() }
    var read: [UInt8] = []
    while read.count < 60_000 {
      let answer = reader.read(
        at: UInt64(read.count), upTo: 60_000, limit: 60_000, scratch: scratch)
      guard case .bytes(let bytes) = answer, !bytes.isEmpty else {
        Issue.record("\(answer) at \(read.count)")
        return
      }
      read += bytes
    }
    #expect(read == Array(made[..<60_000]))
  }

  @Test func `a studio that was never started stops at once`() {
    let writer = LogWriter(memoryOnly: LogConfiguration(), at: .now())
    let log = writer.log
    Studio(writer: writer, seed: 3).stop()
    #expect(log.isEmpty)
  }
}
