import Glibc
import TestSupport
import Testing
import Wire

@testable import Audio

/// Blocks of samples that are turned round and encoded again.
@Suite struct BlockSamplesTests {
  private func block(_ samples: [Int16], channels: Int, rate: Int = 44_100) -> BlockSamples {
    var block = BlockSamples(sampleRate: rate, channels: channels)
    block.append(samples[...], count: samples.count / channels)
    return block
  }

  private func encode(_ block: BlockSamples, by encoder: SampleEncoder) throws -> [UInt8] {
    try block.reversed.withUnsafeBufferPointer {
      try encoder.encode($0, rate: block.sampleRate, channels: block.channels)
    }
  }

  @Test func `samples that a decoder hands on late stand where they belong`() {
    var block = BlockSamples(sampleRate: 44_100, channels: 2)
    block.append([], count: 2)
    block.append([1, 2, 3, 4, 5, 6, 7, 8], count: 2)
    block.append([9, 10, 11, 12], count: 2)
    #expect(block.samples == Array(1...12))
  }

  @Test func `samples of a lead-in that come late are not the block's`() {
    var block = BlockSamples(sampleRate: 44_100, channels: 1)
    block.append([-3, -2, -1, 1, 2, 3], count: 3)
    #expect(block.samples == [1, 2, 3])
  }

  @Test func `a packet that cannot be decoded is silence and moves nothing`() {
    var block = BlockSamples(sampleRate: 44_100, channels: 1)
    block.append([1, 2], count: 2)
    block.append([], count: 2)
    block.append([6], count: 2)
    block.append([7, 8], count: 2)
    #expect(block.samples == [1, 2, 0, 0, 0, 6, 7, 8])
  }

  @Test func `time is turned round and the channels are not`() {
    #expect(block([1, 2, 3], channels: 1).reversed == [3, 2, 1])
    #expect(block([1, -1, 2, -2, 3, -3], channels: 2).reversed == [3, -3, 2, -2, 1, -1])
    #expect(block([], channels: 2).reversed == [])
  }

  @Test func `a block of another number of channels is mixed down or up`() {
    func mixed(_ samples: [Int16], from: Int, to: Int) -> [Int16] {
      BlockSamples(sampleRate: 44_100, channels: to).mixed(samples, from: from)
    }
    #expect(mixed([.max, .max, .min, .min, 10, 20], from: 2, to: 1) == [.max, .min, 15])
    #expect(mixed([1, 2], from: 1, to: 2) == [1, 1, 2, 2])
    #expect(mixed([1, 2], from: 2, to: 2) == [1, 2])
  }

  @Test(arguments: [
    (Codec.mp3, 127.4, 44_100, 128), (.mp3, 128.7, 44_100, 128), (.mp3, 132, 44_100, 160),
    (.mp3, 1, 48_000, 32), (.mp2, 448, 48_000, 320), (.mp3, .nan, 48_000, 320),
    (.mp3, 8.1, 22_050, 8), (.mp3, 320, 22_050, 160), (.mp3, 128, 8_000, 64),
    (.aac, 48, 48_000, 128), (.opus, 128, 48_000, 192), (.flac, 900, 44_100, 320),
    (.speex, 28, 16_000, 128),
  ])
  func `the chosen bit rate makes MP3 as good as the original codec`(
    codec: Codec, original: Double, rate: Int, bitrate: Int
  ) throws {
    let format = AudioFormat(codec: codec, sampleRate: rate, channels: 2)
    #expect(SampleEncoder.bitrate(like: format, original, at: rate) == bitrate)
    let encoder = SampleEncoder(like: format, bitrate: original)
    var bytes = try encode(
      block(Array(repeating: 0, count: 4 * rate), channels: 2, rate: rate), by: encoder)
    #expect(encoder.sampleRate == rate)
    bytes += encoder.finish()
    let decoder = try Mpg123Decoder()
    let decoded = try decoder.decode(bytes)
    #expect(decoder.format?.sampleRate == rate)
    let seconds = Double(decoded.count) / 2 / Double(rate)
    #expect(seconds > 1.9 && abs(Double(bytes.count) / 125 / seconds / Double(bitrate) - 1) < 0.1)
  }

  @Test(arguments: [1, 2])
  func `a sine cut into any blocks becomes the same bytes`(channels: Int) throws {
    let samples = Signals.sine(
      440, rate: 44_100, channels: channels, seconds: 3, amplitude: 0.25)
    func encoded(_ cuts: [Int]) throws -> [UInt8] {
      let format = AudioFormat(codec: .mp3, sampleRate: 44_100, channels: channels)
      let encoder = SampleEncoder(like: format, bitrate: 128)
      var bytes: [UInt8] = []
      var end = samples.count
      for cut in cuts.sorted(by: >) + [0] {
        bytes += try encode(
          block(Array(samples[cut..<end]), channels: channels), by: encoder)
        end = cut
      }
      return bytes + encoder.finish()
    }
    let whole = try encoded([])
    #expect(whole.count > 40_000)
    #expect(try encoded([1, 1000, 1152 * 20, 77_777].map { $0 * channels }) == whole)
    // A sine backwards is a sine.
    let decoded = try Mpg123Decoder().decode(whole)
    let tone = decoded[(44_100 / 10 * channels)...].prefix(44_100 * channels)
    #expect(abs(20 * log10(Signals.rms(tone) * 2.0.squareRoot() / 0.25)) < 1)
  }

  @Test func `a rate that MP3 lacks becomes the next one`() throws {
    let encoder = SampleEncoder(
      like: AudioFormat(codec: .mp3, sampleRate: 40_000, channels: 1), bitrate: 64)
    let samples = Signals.sine(440, rate: 40_000, channels: 1, seconds: 2, amplitude: 0.25)
    let bytes =
      try encode(block(samples, channels: 1, rate: 40_000), by: encoder) + encoder.finish()
    let seconds = Double(try Mpg123Decoder().decode(bytes).count) / 44_100
    #expect(abs(seconds - 2) < 0.1)
  }
}
