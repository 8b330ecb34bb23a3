import Glibc
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

  @Test func `samples are those of the mpg123 program`() throws {
    let encoder = try LameEncoder(sampleRate: 44_100, channels: 2, bitrate: 128)
    var random = SplitMix(seed: 5)
    let music = (0..<44_100 * 4).map { index in
      Int16(9000 * sin(Double(index / 2) * 0.05)) + Int16.random(in: -3000...3000, using: &random)
    }
    let bytes = try encoder.encode(music) + encoder.finish()
    let theirs = try Fixtures.mpg123(bytes).samples
    let ours = try Mpg123Decoder().decode(bytes)
    #expect(ours.count > 44_100 * 4)
    #expect(ours == theirs, "\(ours.count) samples, \(theirs.count) of the program")
  }

  @Test func `a decoder hands samples on in pieces of at most 4,608`() throws {
    let bytes = try tone()
    let decoder = try Mpg123Decoder()
    var count = 0
    try bytes.withUnsafeBytes { raw in
      for at in stride(from: 0, to: raw.count, by: 100) {
        let piece = UnsafeRawBufferPointer(rebasing: raw[at..<min(raw.count, at + 100)])
        try decoder.decode(piece) { samples in
          #expect((1...4608).contains(samples.count))
          count += samples.count
        }
      }
    }
    #expect(count == (try Mpg123Decoder().decode(bytes)).count)
  }

  @Test func `a decoder has no format and no samples before the first frame`() throws {
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
