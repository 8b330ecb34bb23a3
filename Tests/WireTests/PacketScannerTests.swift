import TestSupport
import Testing
import Wire

struct PacketScannerTests {
  static let mp3 = AudioFormat(codec: .mp3, sampleRate: 48_000, channels: 1)

  @Test func `frames are found one after another`() {
    let pieces = Harness.scan(Make.mpegs(Make.small, 5))
    #expect(
      pieces
        == (0..<5).map {
          .packet($0 * 96..<($0 + 1) * 96, samples: 1152, Self.mp3, bitrate: 32)
        })
  }

  @Test func `three agreeing headers gain sync and two do not`() {
    let stream = Make.mpegs(Make.small, 3)
    #expect(Harness.scan(Array(stream[..<195]), atEnd: false).isEmpty)
    #expect(Harness.scan(Array(stream[..<196]), atEnd: false).packets == [0..<96, 96..<192])
  }

  @Test func `a scanner in sync accepts a complete frame without its successor`() {
    var harness = Harness()
    harness.feed(Make.mpegs(Make.small, 3)[...])
    #expect(harness.pieces.packets.count == 3)
    let fourth = Make.mpeg(Make.small, seed: 3)
    harness.feed(fourth[..<95])
    #expect(harness.pieces.packets.count == 3)
    harness.feed(fourth[95...])
    #expect(harness.pieces.packets.last == 288..<384)
    #expect(harness.scanner.format == Self.mp3)
  }

  @Test func `frames of every bitrate and channel mode go on one run`() {
    // 64 kbit/s mono, 128 kbit/s stereo with CRC, 32 kbit/s mono: all layer III at 48 kHz.
    let stream =
      Make.mpegs(Make.small, 3) + Make.mpeg(0xFFFB_54C0) + Make.mpeg(0xFFFA_9400)
      + Make.mpeg(Make.small)
    let pieces = Harness.scan(stream)
    #expect(pieces.packets.count == 6)
    #expect(
      pieces[4]
        == .packet(
          480..<864, samples: 1152, AudioFormat(codec: .mp3, sampleRate: 48_000, channels: 2),
          bitrate: 128))
  }

  @Test(arguments: [
    (UInt32(0xFFFF_14C0), Codec.mp1, 384), (0xFFFD_14C0, .mp2, 1152), (0xFFFB_14C0, .mp3, 1152),
    (0xFFF7_14C0, .mp1, 384), (0xFFF5_44C0, .mp2, 1152), (0xFFF3_44C0, .mp3, 576),
    (0xFFE3_44C0, .mp3, 576), (0xFFFE_1600, .mp1, 384),
  ])
  func `every version and layer plays`(word: UInt32, codec: Codec, samples: Int) throws {
    let header = try #require(MPEGHeader(word))
    let pieces = Harness.scan(Make.garbage(10) + Make.mpegs(word, 4))
    #expect(pieces.count == 5)
    #expect(pieces.first == .skipped(0..<10, .garbage))
    let length = try #require(header.frameBytes)
    #expect(
      pieces.last
        == .packet(
          10 + 3 * length..<10 + 4 * length, samples: samples,
          AudioFormat(codec: codec, sampleRate: header.sampleRate, channels: header.channels),
          bitrate: header.bitrate))
  }

  @Test func `ADTS frames are found by the bytes whatever the hint`() {
    for hint in [nil, Codec.mp3, .aac] {
      let pieces = Harness.scan(Make.garbage(5) + Make.adtses(6), hint: hint)
      #expect(pieces.packets.count == 6)
      #expect(pieces.kinds == [.garbage])
    }
    #expect(Harness.scan(Make.mpegs(Make.small, 4), hint: .aac).packets.count == 4)
  }

  @Test func `ADTS frames of several blocks and with CRC count their samples`() {
    let stream = Make.adts(blocks: 2, crc: true) + Make.adts(blocks: 4) + Make.adts()
    let samples = Harness.scan(stream).map {
      if case .packet(_, let samples, _, _) = $0 { samples } else { 0 }
    }
    #expect(samples == [2048, 4096, 1024])
  }

  @Test func `HE-AAC is followed by its core`() {
    // As 48 kHz HE-AAC v2 stereo writes itself: LC, 24 kHz, mono.
    let stream = (0..<4).flatMap { Make.adts(rateIndex: 6, channels: 1, bytes: 171, seed: $0) }
    let format = AudioFormat(codec: .aac, sampleRate: 24_000, channels: 1)
    let pieces = Harness.scan(stream)
    #expect(pieces.count == 4)
    #expect(pieces[2] == .packet(342..<513, samples: 1024, format, bitrate: 32))
  }

  @Test func `the longest ADTS frames that fit in 16 KiB thrice are believed`() {
    let stream = (0..<3).flatMap { Make.adts(bytes: 8176, seed: $0) }
    #expect(Harness.scan(stream).packets.count == 3)
  }

  @Test func `a change of format in mid-stream loses nothing`() {
    let stream = Make.mpegs(Make.small, 4) + Make.mpegs(Make.smallAt32, 4) + Make.adtses(4)
    let pieces = Harness.scan(stream)
    #expect(pieces.packets.count == 12)
    #expect(pieces.kinds.isEmpty)
    guard case .packet(_, _, let format, _) = pieces[4] else { return }
    #expect(format.sampleRate == 32_000)
  }

  @Test func `frames after garbage in mid-stream are all found again`() {
    let stream = Make.mpegs(Make.small, 4) + Make.garbage(333) + Make.mpegs(Make.small, 4)
    let pieces = Harness.scan(stream)
    #expect(pieces.packets.count == 8)
    #expect(pieces[4] == .skipped(384..<717, .garbage))
  }

  @Test func `a damaged header costs its frame alone`() {
    var stream = Make.mpegs(Make.small, 8)
    stream[3 * 96 + 1] ^= 0x02  // layer II now
    #expect(
      Harness.scan(stream).packets == [0, 1, 2, 4, 5, 6, 7].map { $0 * 96..<($0 + 1) * 96 })
  }

  @Test func `a header inside a frame does not catch the scanner`() {
    var stream = Make.mpegs(Make.small, 8)
    stream.replaceSubrange(20..<24, with: [0xFF, 0xFB, 0x14, 0xC0])
    #expect(Harness.scan(Make.garbage(3) + stream).packets.count == 8)
  }

  @Test func `the end of a stream makes a cut frame garbage, and fewer headers suffice there`() {
    let stream = Make.mpegs(Make.small, 2)
    #expect(Harness.scan(stream).packets == [0..<96, 96..<192])
    #expect(Harness.scan(Array(stream[..<96])).packets == [0..<96], "a file of one frame")
    #expect(Harness.scan(Array(stream[..<95])) == [.skipped(0..<95, .garbage)])
    let cut = Harness.scan(Array(stream[..<191]))
    #expect(cut.packets == [0..<96])
    #expect(cut.last == .skipped(96..<191, .garbage))
  }

  @Test func `a strict scanner takes nothing else for frames`() {
    let (mpeg, adts) = (Make.mpegs(Make.small, 5), Make.adtses(5))
    let onlyMPEG = Harness.scan(mpeg + adts + mpeg, hint: .mp3, isStrict: true)
    #expect(onlyMPEG.packets.count == 10 && onlyMPEG.kinds == [.garbage])
    let onlyADTS = Harness.scan(mpeg + adts, hint: .aac, isStrict: true)
    #expect(onlyADTS.packets.count == 5 && onlyADTS.kinds == [.garbage])
  }

  @Test func `a single frame is believed unless the hint speaks against it`() {
    #expect(Harness.scan(Make.mpeg(Make.small), hint: .mp3).packets.count == 1)
    #expect(Harness.scan(Make.mpeg(Make.small), hint: .mp2).packets.count == 1)
    #expect(Harness.scan(Make.mpeg(Make.small), hint: .aac).packets.isEmpty)
    #expect(Harness.scan(Make.adts(), hint: .aac).packets.count == 1)
    #expect(Harness.scan(Make.adts(), hint: .mp3).packets.isEmpty)
  }

  @Test func `the rest of a cut frame swallows no frames after a reset`() {
    let stream = Make.mpegs(Make.small, 4)
    var scanner = PacketScanner()
    var from = 0
    let cut = Array(stream[..<340])
    while let finding = scanner.next(in: cut.span, from: from) { from = finding.range.upperBound }
    #expect(from == 288)
    scanner.reset()
    #expect(scanner.format == nil && scanner.bytesWithoutSync == 0)
    var packets = 0
    from = 0
    while let finding = scanner.next(in: stream.span, from: from) {
      from = finding.range.upperBound
      packets += 1
    }
    #expect(packets == 4)
  }

  @Test func `garbage counts until sync is held and starts anew when it is lost`() {
    var harness = Harness()
    harness.feed(Make.garbage(1000)[...])
    #expect(harness.scanner.bytesWithoutSync == 1000)
    harness.feed(Make.mpegs(Make.small, 3)[...])
    #expect(harness.scanner.bytesWithoutSync == 0)
    harness.feed(Make.garbage(70)[...])
    #expect(harness.scanner.bytesWithoutSync == 70)
    #expect(harness.scanner.format == Self.mp3, "the last format is remembered")
  }

  @Test(arguments: [UInt8(0xFF), 0x00, 0x49, 0x54, 0x41])
  func `a megabyte of one byte is garbage and is not hoarded`(byte: UInt8) {
    let stream = [UInt8](repeating: byte, count: 1 << 20)
    let pieces = Harness.scan(stream, inReadsOf: 16 * 1024)
    #expect(pieces == [.skipped(0..<(1 << 20), .garbage)])
  }

  @Test func `headers whose frames never come are garbage`() {
    // Each is a sound free-format header, none has two others at equal distances: 1, 2, 4, 8, ...
    var stream = [UInt8](repeating: 0, count: 40_000)
    for power in 5...15 { stream.replaceSubrange((1 << power)..<(1 << power) + 4, with: Self.lure) }
    #expect(Harness.scan(stream) == [.skipped(0..<40_000, .garbage)])
    #expect(Harness.scan(stream, inReadsOf: 1000) == [.skipped(0..<40_000, .garbage)])
  }

  static let lure: [UInt8] = [0xFF, 0xFB, 0x04, 0xC0]
}

struct PacketScannerFreeFormatTests {
  static let frames = (0..<5).flatMap { Make.mpeg(Make.free, seed: $0, bytes: 250) }

  @Test func `free format's length is the distance between agreeing headers`() {
    let pieces = Harness.scan(Make.garbage(7) + Self.frames)
    #expect(pieces.packets.map(\.lowerBound) == [7, 257, 507, 757, 1007])
    #expect(pieces.packets.allSatisfy { $0.count == 250 })
    guard case .packet(_, let samples, let format, let bitrate) = pieces[1] else { return }
    #expect(samples == 1152 && format == PacketScannerTests.mp3)
    #expect(bitrate == 83, "250 bytes each 24 ms")
  }

  @Test func `padding is not part of free format's length`() {
    let padded = Make.free | 0x200
    let long = Make.mpeg(padded, bytes: 251)
    let stream: [UInt8] = long + Self.frames + long
    #expect(Harness.scan(stream).packets.map(\.count) == [251, 250, 250, 250, 250, 250, 251])
  }

  @Test func `layer I pads by four bytes`() {
    let word: UInt32 = 0xFFFF_04C0
    let plain = Make.mpeg(word, bytes: 200)
    let stream: [UInt8] = plain + Make.mpeg(word | 0x200, bytes: 204) + plain + plain
    #expect(Harness.scan(stream).packets.map(\.count) == [200, 204, 200, 200])
  }

  @Test func `a free-format file with another length joins on`() {
    let other = (0..<5).flatMap { Make.mpeg(Make.free, seed: $0, bytes: 300) }
    // The first of the others is taken at the old length; then the run is learnt anew.
    let packets = Harness.scan(Self.frames + other).packets
    #expect(packets.suffix(4).map(\.lowerBound) == [1550, 1850, 2150, 2450])
  }

  @Test func `free format follows a stream of fixed bitrate and is followed by one`() {
    let stream = Make.mpegs(Make.small, 3) + Self.frames + Make.mpegs(Make.small, 3)
    let pieces = Harness.scan(stream)
    #expect(pieces.packets.count == 11)
    #expect(pieces.kinds.isEmpty)
  }

  @Test func `two free-format frames are a file`() {
    #expect(Harness.scan(Array(Self.frames[..<500])).packets == [0..<250, 250..<500])
  }
}
