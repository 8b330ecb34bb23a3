import Testing
import Wire

struct MPEGHeaderTests {
  /// The header word of MPEG-1 layer III, 128 kbit/s, 44.1 kHz, joint stereo.
  static let plain: UInt32 = 0xFFFB_9064

  static func word(
    version: UInt32, layer: UInt32, bitrate: UInt32 = 9, rate: UInt32 = 0, rest: UInt32 = 0
  ) -> UInt32 {
    0xFFE1_0000 | version << 19 | layer << 17 | bitrate << 12 | rate << 10 | rest
  }

  @Test func `the header of a common file is read`() throws {
    let header = try #require(MPEGHeader(Self.plain))
    #expect(header.version == .v1)
    #expect(header.layer == 3)
    #expect(header.bitrate == 128)
    #expect(header.sampleRate == 44_100)
    #expect(!header.isPadded && !header.hasCRC)
    #expect(header.channelMode == 1 && header.channels == 2)
    #expect(header.samples == 1152)
    #expect(header.frameBytes == 417)
    #expect(header.sideInfoBytes == 32)
    #expect(header.format == AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2))
  }

  static let bitrateRows: [(UInt32, UInt32, [Int])] = [
    (3, 3, [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448]),
    (3, 2, [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384]),
    (3, 1, [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]),
    (2, 3, [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256]),
    (2, 2, [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]),
    (2, 1, [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]),
    (0, 3, [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256]),
    (0, 2, [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]),
    (0, 1, [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]),
  ]

  @Test(arguments: bitrateRows)
  func `every bitrate of every version and layer is the standard's`(
    version: UInt32, layer: UInt32, bitrates: [Int]
  ) {
    for (index, bitrate) in bitrates.enumerated() {
      let header = MPEGHeader(
        Self.word(version: version, layer: layer, bitrate: UInt32(index + 1)))
      #expect(header?.bitrate == bitrate)
    }
  }

  static let sampleRateRows: [(UInt32, [Int])] = [
    (3, [44_100, 48_000, 32_000]), (2, [22_050, 24_000, 16_000]), (0, [11_025, 12_000, 8_000]),
  ]

  @Test(arguments: sampleRateRows)
  func `every sample rate is the standard's`(version: UInt32, rates: [Int]) {
    for (index, rate) in rates.enumerated() {
      let header = MPEGHeader(Self.word(version: version, layer: 1, rate: UInt32(index)))
      #expect(header?.sampleRate == rate)
    }
  }

  // Lengths as in the tables that mpg123 and the standards' examples give.
  @Test(arguments: [
    (UInt32(0xFFFB_9200), 418, 1152), (0xFFFB_E400, 960, 1152), (0xFFFB_1800, 144, 1152),
    (0xFFF3_8000, 208, 576), (0xFFE3_8800, 576, 576), (0xFFFD_9000, 522, 1152),
    (0xFFF5_8000, 417, 1152), (0xFFFF_9000, 312, 384), (0xFFFF_9200, 316, 384),
    (0xFFF7_9000, 312, 384),
  ])
  func `frame length and duration follow layer and version`(
    word: UInt32, bytes: Int, samples: Int
  ) throws {
    let header = try #require(MPEGHeader(word))
    #expect(header.frameBytes == bytes)
    #expect(header.samples == samples)
  }

  @Test(arguments: [
    (UInt32(0xFFFB_9000), 32, 36), (0xFFFB_90C0, 17, 21), (0xFFFA_9000, 32, 38),
    (0xFFF3_9000, 17, 21), (0xFFF3_90C0, 9, 13), (0xFFF2_90C0, 9, 15), (0xFFE3_90C0, 9, 13),
    (0xFFFD_90C0, 0, 4),
  ])
  func `side info follows version and channels and only layer III has it`(
    word: UInt32, sideInfo: Int, mainData: Int
  ) throws {
    let header = try #require(MPEGHeader(word))
    #expect(header.sideInfoBytes == sideInfo)
    #expect(header.mainDataOffset == mainData)
  }

  @Test func `free format has no length of its own`() throws {
    let header = try #require(MPEGHeader(0xFFFB_0000))
    #expect(header.bitrate == 0)
    #expect(header.frameBytes == nil)
    #expect(header.frameBytes(bitrate: 640) == 2089)
  }

  @Test func `channel modes are told apart and only one is mono`() {
    for mode in 0..<4 {
      let header = MPEGHeader(Self.plain & ~0xC0 | UInt32(mode) << 6)
      #expect(header?.channelMode == mode)
      #expect(header?.channels == (mode == 3 ? 1 : 2))
    }
  }

  @Test(arguments: [
    (UInt32(0xFFEB_9000), "version"), (0xFFF9_9000, "layer"), (0xFFFB_F000, "bitrate"),
    (0xFFFB_9C00, "sample rate"), (0xFFFB_9002, "emphasis"), (0xFFDB_9000, "sync"),
    (0x7FFB_9000, "sync"), (0xFFFF_FFFF, "bitrate"), (0, "sync"),
  ])
  func `reserved values are no header`(word: UInt32, field: String) {
    #expect(MPEGHeader(word) == nil, "\(field)")
  }

  @Test func `layer II pairs of bitrate and mode that the standard forbids are tolerated`() {
    // 32 kbit/s stereo and 384 kbit/s mono.
    #expect(MPEGHeader(0xFFFD_1000)?.bitrate == 32)
    #expect(MPEGHeader(0xFFFD_E0C0)?.bitrate == 384)
  }

  @Test func `a header needs its four bytes`() {
    let bytes: [UInt8] = [0, 0xFF, 0xFB, 0x90, 0x64]
    #expect(mpegHeader(bytes, at: 1) == MPEGHeader(Self.plain))
    #expect(mpegHeader(bytes, at: 2) == nil)
    #expect(mpegHeader(bytes, at: -1) == nil)
    #expect(mpegHeader(Array(bytes[1..<4])) == nil)
  }
}
