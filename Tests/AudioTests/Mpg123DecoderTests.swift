import TestSupport
import Testing
import Wire

@testable import Audio

struct Mpg123DecoderTests {
  private func tone() throws -> [UInt8] {
    let encoder = try LameEncoder(sampleRate: 44_100, channels: 1, bitrate: 64)
    let samples = Signals.sine(440, rate: 44_100, channels: 1, seconds: 0.5, amplitude: 0.5)
    return try encoder.encode(samples) + encoder.finish()
  }

  @Test func `bytes torn anywhere decode to the same samples`() throws {
    let bytes = try tone()
    let whole = try Mpg123Decoder().decode(bytes)
    let decoder = try Mpg123Decoder()
    var pieces: [Int16] = []
    var random = SplitMix(seed: 3)
    var at = 0
    while at < bytes.count {
      let next = min(bytes.count, at + Int.random(in: 1...300, using: &random))
      pieces += try decoder.decode(Array(bytes[at..<next]))
      at = next
    }
    #expect(!whole.isEmpty)
    #expect(pieces == whole)
  }

  @Test func `before the first frame there is no format and there are no samples`() throws {
    let decoder = try Mpg123Decoder()
    #expect(try decoder.decode([]) == [])
    #expect(try decoder.decode(Array(try tone().prefix(20))) == [])
    #expect(decoder.format == nil)
  }

  @Test func `garbage in front of the frames is stepped over`() throws {
    let decoder = try Mpg123Decoder()
    let garbage = (0..<5000).map { UInt8($0 % 200) }
    let samples = try decoder.decode(garbage + tone())
    #expect(decoder.format?.sampleRate == 44_100)
    #expect(samples.count > 20_000)
  }
}
