import TestSupport
import Testing

@testable import Wire

struct MPEGSideInfoTests {
  /// A granule as it is written.
  struct Written {
    var length: Int
    var gain: Int
    /// Nil: windows are not switched.
    var block: Int?
  }

  /// A frame of zeros with this side info.
  static func frame(
    _ head: [UInt8], begin: Int, _ granules: [Written], bytes: Int = 100
  ) throws -> [UInt8] {
    let header = try #require(mpegHeader(head))
    let isV1 = header.version == .v1
    var bits: [Int] = []
    func write(_ value: Int, _ width: Int) {
      for shift in (0..<width).reversed() { bits.append(value >> shift & 1) }
    }
    write(begin, isV1 ? 9 : 8)
    // Private bits and shared scale factors: ones, so that nobody takes them for a granule's.
    let lead = header.channels == 1 ? (isV1 ? 9 : 1) : (isV1 ? 11 : 2)
    write((1 << lead) - 1, lead)
    for granule in granules {
      write(granule.length, 12)
      write(0x155, 9)
      write(granule.gain, 8)
      write(isV1 ? 0xA : 0x155, isV1 ? 4 : 9)
      write(granule.block == nil ? 0 : 1, 1)
      write(granule.block ?? 3, 2)
      write(0, 20 + (isV1 ? 3 : 2))
    }
    try #require(bits.count == header.sideInfoBytes * 8)
    var frame = head + (header.hasCRC ? [0, 0] : [])
    for start in stride(from: 0, to: bits.count, by: 8) {
      frame.append(UInt8(bits[start..<start + 8].reduce(0) { $0 << 1 | $1 }))
    }
    return frame + [UInt8](repeating: 0, count: bytes)
  }

  static func info(_ frame: [UInt8]) -> MPEGSideInfo? { MPEGSideInfo(in: frame.span) }

  /// MPEG-1, 2 and 2.5, stereo and mono, with and without a CRC.
  static let heads: [[UInt8]] = [0xFB, 0xFA, 0xF3, 0xF2, 0xE3, 0xE2].flatMap { second in
    [0x04, 0xC4].map { [0xFF, second, 0x90, $0] }
  }

  @Test(arguments: heads)
  func `every version says where main data begins, and each granule its length, gain and window`(
    head: [UInt8]
  ) throws {
    let header = try #require(mpegHeader(head))
    let granules = [
      Written(length: 4095, gain: 210, block: nil), Written(length: 0, gain: 0, block: 2),
      Written(length: 1, gain: 255, block: 3), Written(length: 2047, gain: 129, block: 1),
    ].prefix((header.version == .v1 ? 2 : 1) * header.channels)
    let begin = header.version == .v1 ? 509 : 253
    let frame = try Self.frame(head, begin: begin, Array(granules))
    let info = try #require(Self.info(frame))
    #expect(info.mainDataBegin == begin)
    #expect(info.granules.map(\.dataBits) == granules.map(\.length))
    #expect(info.granules.map(\.gain) == granules.map(\.gain))
    let blocks: [MPEGSideInfo.Block] = [.long, .short, .stop, .start]
    #expect(info.granules.map(\.block) == Array(blocks.prefix(granules.count)))
    // The place of the gain is where the gain stands.
    for granule in info.granules {
      var bits = BitReader(at: 0)
      bits.skip(granule.gainBit)
      #expect(bits.read(8, of: frame.span) == granule.gain)
    }
    #expect(info.dataBits == granules.reduce(0) { $0 + $1.length })
    for length in 0..<header.mainDataOffset {
      #expect(Self.info(Array(frame[..<length])) == nil, "\(length) bytes are too few")
    }
    #expect(Self.info(Array(frame[..<header.mainDataOffset])) == info)
  }

  @Test func `only windows that are long on the side of a neighbour let it be long`() throws {
    let granules = [nil, 1, 2, 3].map { Written(length: 9, gain: 9, block: $0) }
    // In mono the first granule is in front, the last at the back.
    let mono: [UInt8] = [0xFF, 0xFB, 0x90, 0xC4]
    func ends(_ first: Int, _ last: Int) throws -> [Bool] {
      let frame = try Self.frame(mono, begin: 0, [granules[first], granules[last]])
      let info = try #require(Self.info(frame))
      return [info.beginsLong, info.endsLong, info.isLong]
    }
    #expect(try ends(0, 0) == [true, true, true])
    #expect(try ends(1, 3) == [true, true, false])
    #expect(try ends(2, 1) == [false, false, false])
    #expect(try ends(3, 2) == [false, false, false])
  }

  @Test(arguments: [["-b", "128"], ["-V", "2"], ["-b", "48", "--resample", "22.05"], ["-p"]])
  func `what frames of real files say of their main data fills them, and no more`(
    options: [String]
  ) throws {
    let bytes = try Fixtures.mp3(options, seconds: 2)
    var end = 0
    var frames = 0
    // The place behind the last frame's main data, counted in main data only.
    var used = 0
    for packet in Harness.scan(bytes).packets {
      let frame = Array(bytes[packet])
      let header = try #require(mpegHeader(frame))
      let info = try #require(Self.info(frame))
      #expect(end - info.mainDataBegin >= used, "no frame's main data is in another's")
      used = end - info.mainDataBegin + info.dataBytes
      end += frame.count - header.mainDataOffset
      #expect(used <= end)
      frames += 1
    }
    #expect(frames > 70)
  }

  @Test func `random bytes and mutated frames are read, or are no frames`() throws {
    let file = try Fixtures.mp3(["-b", "128", "-p"], seconds: 2)
    let frames = Harness.scan(file).packets.prefix(20).map { Array(file[$0]) }
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed: seed)
    var read = 0
    for _ in 0..<2_000 {
      var bytes = random.mutated(frames[Int.random(in: 0..<frames.count, using: &random)])
      if Bool.random(using: &random) {
        bytes = random.bytes(Int.random(in: 0...80, using: &random))
        if bytes.count > 2 { (bytes[0], bytes[1]) = (0xFF, bytes[1] | 0xE0) }
      }
      if Self.info(bytes) != nil { read += 1 }
      let before = bytes
      let steps = Int.random(in: -300...300, using: &random)
      MPEGGainTests.change(&bytes, by: steps)
      #expect(bytes.count == before.count, "seed \(seed)")
      _ = MPEGInfo(in: bytes.span)
    }
    #expect(read > 500, "seed \(seed)")
  }
}
