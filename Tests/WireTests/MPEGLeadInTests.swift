import TestSupport
import Testing
import Wire

struct MPEGLeadInTests {
  static func need(_ packet: [UInt8]) -> Int { MPEGLeadIn.reservoirNeed(of: packet.span) }

  static func leadIn(_ target: [UInt8], _ preceding: [[UInt8]]) -> [UInt8]? {
    MPEGLeadIn.frames(for: target.span, preceding: preceding)
  }

  /// A frame whose `main_data_begin` is `begin`, its main data counting up from `first`.
  static func frame(_ word: UInt32, begin: Int = 0, first: Int = 0, bytes: Int? = nil) -> [UInt8] {
    let header = MPEGHeader(word)!
    var frame = Make.mpeg(word, bytes: bytes)
    let sideInfo = header.mainDataOffset - header.sideInfoBytes
    for i in sideInfo..<header.mainDataOffset { frame[i] = 0 }
    frame[sideInfo] = UInt8(header.version == .v1 ? begin >> 1 : begin)
    if header.version == .v1 { frame[sideInfo + 1] = UInt8(begin & 1) << 7 }
    for i in header.mainDataOffset..<frame.count {
      frame[i] = UInt8(truncatingIfNeeded: first + i - header.mainDataOffset)
    }
    return frame
  }

  // Versions, channels and CRC: each puts main_data_begin and the main data elsewhere.
  static let words: [UInt32] = [
    0xFFFB_9064, 0xFFFA_9064, 0xFFFB_90C4, 0xFFFA_90C4, 0xFFF3_8064, 0xFFF2_8064, 0xFFF3_80C4,
    0xFFE3_80C4, 0xFFFB_E464,
  ]

  @Test(arguments: words)
  func `the need is main data begin`(word: UInt32) throws {
    let header = try #require(MPEGHeader(word))
    let most = header.version == .v1 ? 511 : 255
    for begin in [0, 1, 2, 100, 255, most] {
      #expect(Self.need(Self.frame(word, begin: begin)) == begin)
    }
  }

  @Test func `a frame that is not layer III needs no lead-in`() {
    #expect(Self.need([]) == 0)
    #expect(Self.need(Make.mpeg(0xFFFD_9064)) == 0)
    #expect(Self.need(Make.adts()) == 0)
    #expect(Self.need(Array(Self.frame(0xFFFB_9064, begin: 9).prefix(20))) == 0)
    #expect(Self.leadIn(Make.mpeg(0xFFFD_9064), []) == [])
    #expect(Self.leadIn(Make.adts(), []) == [])
  }

  @Test func `a frame that needs no lead-in gets none`() {
    #expect(Self.leadIn(Self.frame(0xFFFB_9064), []) == [])
  }

  @Test func `a lead-in is refused when too few frames stand before the target`() {
    let target = Self.frame(0xFFFB_9064, begin: 400)
    let one = Self.frame(0xFFFB_9064)  // 381 bytes of main data
    #expect(Self.leadIn(target, []) == nil)
    #expect(Self.leadIn(target, [one]) == nil)
    #expect(Self.leadIn(target, [one, one]) != nil)
    let other = Self.frame(0xFFFB_9464)  // 48 kHz
    #expect(Self.leadIn(target, [one, other, one]) == nil, "another stream ends the reservoir")
  }

  @Test(arguments: words)
  func `the bytes the target needs end the lead-in`(word: UInt32) throws {
    let header = try #require(MPEGHeader(word))
    let before = (0..<4).map { Self.frame(word, begin: 0, first: $0 * 61) }
    let all = before.flatMap { $0[header.mainDataOffset...] }
    for begin in [1, 7, 200, header.version == .v1 ? 511 : 255] {
      let made = try #require(Self.leadIn(Self.frame(word, begin: begin), before))
      let frame = try #require(mpegHeader(made))
      #expect(frame.frameBytes == made.count, "one whole frame")
      #expect(!frame.hasCRC && !frame.isPadded)
      #expect(frame.version == header.version && frame.sampleRate == header.sampleRate)
      #expect(frame.channelMode == header.channelMode)
      #expect(made[4..<frame.mainDataOffset].allSatisfy { $0 == 0 })
      #expect(Array(made.suffix(begin)) == Array(all.suffix(begin)))
      let filling = made[frame.mainDataOffset..<made.count - begin]
      #expect(filling.allSatisfy { $0 == 0 })
    }
  }

  @Test func `the bitrate is the smallest with room`() {
    let before = (0..<3).map { Self.frame(0xFFFB_9064, first: $0) }
    let small = Self.leadIn(Self.frame(0xFFFB_9064, begin: 10), before)
    #expect(small.flatMap { mpegHeader($0) }?.bitrate == 32)
    let large = Self.leadIn(Self.frame(0xFFFB_9064, begin: 511), before)
    #expect(large.flatMap { mpegHeader($0) }?.bitrate == 192)
  }

  @Test func `every version and rate has room for the most in one frame`() throws {
    for word: UInt32 in [0xFFFB_9000, 0xFFF3_9000, 0xFFE3_9000] {
      for rate: UInt32 in 0..<3 {
        let word = word | rate << 10
        let header = try #require(MPEGHeader(word))
        let before = (0..<9).map { Self.frame(word, first: $0) }
        let target = Self.frame(word, begin: header.version == .v1 ? 511 : 255)
        let made = try #require(Self.leadIn(target, before))
        #expect(mpegHeader(made)?.frameBytes == made.count)
      }
    }
  }

  @Test func `free format keeps its length and takes several frames`() throws {
    let word: UInt32 = 0xFFFB_0064
    let before = (0..<6).map { Self.frame(word, first: $0 * 7, bytes: 200) }
    let made = try #require(Self.leadIn(Self.frame(word, begin: 400, bytes: 200), before))
    #expect(made.count == 600)
    let frames = [0, 200, 400].map { Array(made[$0..<$0 + 200]) }
    #expect(frames.map(Self.need) == [0, 164, 328], "each points back to the first")
    let carried = frames.flatMap { $0[36...] }
    #expect(Array(carried.suffix(400)) == Array(before.flatMap { $0[36...] }.suffix(400)))
    // A made frame goes on the run: the scanner sees nothing but frames.
    #expect(Harness.scan(before[0] + made + before[1]).packets.count == 5)
    #expect(Self.leadIn(Self.frame(word, begin: 400, bytes: 36), before) == nil, "no room")
  }
}
