import Testing
import Wire

struct ADTSHeaderTests {
  @Test func `the header of a common stream is read`() throws {
    let bytes = Make.adts(bytes: 372)
    let header = try #require(adtsHeader(bytes))
    #expect(!header.isMPEG2 && header.profile == 1 && !header.hasCRC)
    #expect(header.sampleRate == 44_100)
    #expect(header.channels == 2)
    #expect(header.frameBytes == 372)
    #expect(header.samples == 1024)
    #expect(header.bitrate == 128)
    #expect(header.format == AudioFormat(codec: .aac, sampleRate: 44_100, channels: 2))
  }

  @Test(
    arguments: zip(
      0..<13,
      [
        96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025,
        8_000, 7_350,
      ]))
  func `every sample rate is the standard's`(index: Int, rate: Int) {
    #expect(adtsHeader(Make.adts(rateIndex: index))?.sampleRate == rate)
  }

  @Test(arguments: zip(0..<8, [0, 1, 2, 3, 4, 5, 6, 8]))
  func `every channel configuration is the standard's`(configuration: Int, channels: Int) {
    let header = adtsHeader(Make.adts(channels: configuration))
    #expect(header?.channelConfiguration == configuration)
    #expect(header?.channels == channels)
  }

  @Test func `a frame of several raw data blocks lasts as long as all of them`() {
    for blocks in 1...4 {
      #expect(adtsHeader(Make.adts(blocks: blocks))?.samples == 1024 * blocks)
    }
  }

  @Test func `an ADTS header says whether it has a CRC and is of MPEG-2`() throws {
    let header = try #require(adtsHeader(Make.adts(mpeg2: true, crc: true)))
    #expect(header.isMPEG2 && header.hasCRC)
  }

  @Test func `the longest frame is 8191 bytes`() {
    #expect(adtsHeader(Make.adts(bytes: 8191))?.frameBytes == 8191)
  }

  // Headers as encoders write them for HE-AAC at 44.1 kHz: the core alone, at half the rate.
  @Test func `HE-AAC v1 says its core and its time`() throws {
    let bytes: [UInt8] = [0xFF, 0xF1, 0x5C, 0x80, 0x2E, 0x7F, 0xFC, 0x21]
    let header = try #require(adtsHeader(bytes))
    #expect(header.sampleRate == 22_050 && header.channels == 2 && header.frameBytes == 371)
    #expect(header.samples == 1024)
  }

  @Test func `HE-AAC v2 says one channel of its core`() throws {
    let bytes: [UInt8] = [0xFF, 0xF9, 0x58, 0x40, 0x14, 0x1F, 0xFC, 0x01]
    let header = try #require(adtsHeader(bytes))
    #expect(header.sampleRate == 24_000 && header.channels == 1 && header.frameBytes == 160)
  }

  @Test func `bytes that cannot be an ADTS header give no header`() {
    #expect(adtsHeader(Make.adts(rateIndex: 13)) == nil)
    #expect(adtsHeader(Make.adts(rateIndex: 14)) == nil)
    #expect(adtsHeader(Make.adts(rateIndex: 15)) == nil)
    #expect(adtsHeader(Make.adts(profile: 3, mpeg2: true)) == nil)
    #expect(adtsHeader(Make.adts(profile: 3))?.profile == 3, "LTP in MPEG-4")
    #expect(adtsHeader(Make.adts(bytes: 7)) == nil, "no room for audio")
    #expect(adtsHeader(Make.adts(bytes: 9, crc: true)) == nil, "room for the CRC only")
    #expect(adtsHeader(Make.adts(bytes: 8))?.frameBytes == 8)
    #expect(adtsHeader(Make.mpeg(Make.small)) == nil, "MPEG audio")
    let cut = Make.adts()
    #expect(adtsHeader(cut, at: cut.count - 6) == nil)
    #expect(adtsHeader(Array(cut[..<6])) == nil)
  }
}
