import Foundation
import TestSupport
import Testing
import Wire

@testable import Audio

/// Samples that are encoded as they come.
struct PCMEncoderTests {
  private func encoding(_ change: (inout PCMEncoding) -> Void) -> PCMEncoding {
    var encoding = PCMEncoding()
    change(&encoding)
    return encoding
  }

  private func raw(_ rate: Int, _ channels: Int, bitrate: Int = 128) -> PCMEncoding {
    encoding {
      ($0.bitrate, $0.raw, $0.rawRate, $0.rawChannels) = (bitrate, .s16le, rate, channels)
    }
  }

  private func bytes(_ samples: [Int16]) -> [UInt8] {
    samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
  }

  private func encode(
    _ bytes: [UInt8], _ settings: PCMEncoding, piece: Int = 4000
  ) throws -> [UInt8] {
    let encoder = PCMEncoder(settings)
    var encoded: [UInt8] = []
    for at in stride(from: 0, to: bytes.count, by: piece) {
      encoded += try encoder.encode(bytes.span.extracting(at..<min(bytes.count, at + piece)))
    }
    return encoded + encoder.finish()
  }

  /// Checks that bytes are MP3 of a tone of 1 kHz at half of full scale, for two seconds.
  private func expectTone(
    _ encoded: [UInt8], rate: Int, channels: Int, bitrate: Int, _ words: String
  ) throws {
    let decoder = try Mpg123Decoder()
    let samples = try decoder.decode(encoded)
    let format = try #require(decoder.format, "\(words)")
    #expect(format.sampleRate == rate && format.channels == channels, "\(words)")
    let frames = samples.count / channels
    #expect(abs(Double(frames) / Double(rate) - 2) < 0.2, "\(words): \(frames)")
    let middle = stride(
      from: frames / 2 * channels, to: frames / 2 * channels + rate / 2 * channels, by: channels
    ).map { Double(samples[$0]) }
    let crossings = zip(middle, middle.dropFirst()).count { $0 < 0 && $1 >= 0 }
    #expect(abs(crossings - 500) <= 2, "\(words): \(crossings)")
    let power = middle.reduce(0) { $0 + $1 * $1 } / Double(middle.count)
    #expect(abs(10 * log10(power / (32768 * 32768)) + 9.03) < 1, "\(words)")
    let seconds = Double(encoded.count) * 8 / 1000 / Double(bitrate)
    #expect(abs(seconds - 2) < 0.2, "\(words): \(encoded.count) bytes")
  }

  @Test(arguments: [
    (44_100, 44_100, 128), (48_000, 48_000, 128), (96_000, 48_000, 128), (22_050, 22_050, 128),
    (8000, 32_000, 192), (8000, 8000, 64), (11_000, 11_025, 32), (192_000, 48_000, 320),
  ])
  func `a tone stays one at the rate that MP3 has`(rate: Int, made: Int, bitrate: Int) throws {
    for channels in 1...2 {
      let tone = Signals.sine(1000, rate: rate, channels: channels, seconds: 2, amplitude: 0.5)
      let encoded = try encode(bytes(tone), raw(rate, channels, bitrate: bitrate))
      try expectTone(
        encoded, rate: made, channels: channels, bitrate: bitrate, "\(rate), \(channels)")
    }
  }

  @Test func `WAV is encoded as wished, in mono and at another rate`() throws {
    let format = SampleFormat(sampleRate: 48_000, channels: 2, encoding: .s16le)
    let tone = Signals.sine(1000, rate: 48_000, channels: 2, seconds: 2, amplitude: 0.5)
    let wav = format.endlessWAVHead() + bytes(tone)
    let wish = encoding { ($0.bitrate, $0.sampleRate, $0.isMono) = (48, 22_050, true) }
    for piece in [1, 777, 100_000] {
      try expectTone(
        try encode(wav, wish, piece: piece), rate: 22_050, channels: 1, bitrate: 48, "\(piece)")
    }
  }

  @Test func `samples that cannot be encoded are refused with the reason`() {
    #expect(throws: AudioError.self) { try encode(Array("OggS and no WAV".utf8), PCMEncoding()) }
    let tone = bytes([Int16](repeating: 0, count: 4000))
    let wrong = encoding { ($0.bitrate, $0.sampleRate, $0.raw) = (320, 8000, .s16le) }
    #expect {
      try encode(tone, wrong)
    } throws: {
      "\($0)".contains("320")
    }
  }
}
