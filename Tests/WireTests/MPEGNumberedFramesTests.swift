import TestSupport
import Testing
import Wire

struct MPEGNumberedFramesTests {
  @Test func `a numbered frame is valid, has its number and the exact byte rate`() throws {
    for n: UInt64 in [0, 1, 48, 49, 50, 1_000_000, 1 << 40, .max] {
      let frame = NumberedFrames.frame(n)
      let header = try #require(mpegHeader(frame))
      #expect(header.frameBytes == frame.count)
      #expect(header.bitrate == 128 && header.sampleRate == 44_100 && header.channels == 2)
      #expect(NumberedFrames.number(of: frame) == n)
      let span = NumberedFrames.number(of: frame.span)
      #expect(span == n)
    }
    #expect(NumberedFrames.position(of: 44_100) == 44_100 * 1152 * 128_000 / 8 / 44_100)
    #expect(NumberedFrames.stream(0..<100).count == Int(NumberedFrames.position(of: 100)))
  }

  @Test func `the scanner finds each and the numbers come back`() throws {
    let stream = NumberedFrames.stream(500..<560)
    let pieces = Harness.scan(stream, inReadsOf: 1000)
    #expect(pieces.packets.count == 60 && pieces.kinds.isEmpty)
    #expect(try NumberedFrames.numbers(in: stream) == Array(500..<560))
  }

  @Test func `a torn stream is told with the place`() throws {
    let stream = NumberedFrames.stream(0..<10)
    var missing = stream
    missing.remove(at: 1000)
    let torn = try #require(throws: NumberedFrames.Torn.self) {
      try NumberedFrames.numbers(in: missing)
    }
    #expect(torn.after == 1 && torn.offset == Int(NumberedFrames.position(of: 2)))
    for offset in stride(from: 0, to: stream.count, by: 61) {
      var wrong = stream
      wrong[offset] ^= 1
      #expect(throws: NumberedFrames.Torn.self) { try NumberedFrames.numbers(in: wrong) }
    }
  }

  @Test func `a stream may end in a frame only if that is allowed`() throws {
    let stream = Array(NumberedFrames.stream(7..<10).dropLast(100))
    #expect(throws: NumberedFrames.Torn.self) { try NumberedFrames.numbers(in: stream) }
    #expect(try NumberedFrames.numbers(in: stream, mayEndInFrame: true) == [7, 8])
  }

  @Test func `mpg123 decodes it to silence without a word`() throws {
    let decoded = try Fixtures.mpg123(NumberedFrames.stream(0..<80))
    #expect(decoded.log.isEmpty, "\(decoded.log)")
    #expect(decoded.samples.count == 80 * 1152 * 2)
    #expect(decoded.samples.allSatisfy { $0 == 0 })
  }
}
