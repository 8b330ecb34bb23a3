import TestSupport
import Testing
import Wire

@testable import Audio

struct LameEncoderTests {
  @Test func `a sound encoded and decoded again is the same, later by the codec's delay`() throws {
    let encoder = try LameEncoder(sampleRate: 44_100, channels: 2, bitrate: 128)
    let decoder = try Mpg123Decoder()
    let input = Signals.sine(440, rate: 44_100, channels: 2, seconds: 1, amplitude: 0.5)
    let output = try decoder.decode(encoder.encode(input) + encoder.finish())
    #expect(decoder.format == AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2))
    // All of it, in whole frames, at most three of which are delay and padding.
    #expect(output.count.isMultiple(of: 2304))
    #expect((input.count...input.count + 3 * 2304).contains(output.count))
    let late = 2 * (encoder.delay + 529)
    let correlation = Signals.correlation(input[10_000..<60_000], output[(10_000 + late)...])
    #expect(correlation > 0.99)
    let change =
      Signals.decibels(Signals.rms(output[20_000..<60_000]))
      - Signals.decibels(Signals.rms(input[20_000..<60_000]))
    #expect(abs(change) < 0.5)
  }

  @Test(arguments: [(22_050, 1, 64), (48_000, 1, 96), (11_025, 2, 32), (32_000, 2, 320)])
  func `every family of sample rates comes back with its rate and channels`(
    rate: Int, channels: Int, bitrate: Int
  ) throws {
    let encoder = try LameEncoder(sampleRate: rate, channels: channels, bitrate: bitrate)
    let decoder = try Mpg123Decoder()
    let input = Signals.sine(300, rate: rate, channels: channels, seconds: 0.5, amplitude: 0.4)
    let output = try decoder.decode(encoder.encode(input) + encoder.finish())
    #expect(decoder.format == AudioFormat(codec: .mp3, sampleRate: rate, channels: channels))
    #expect(output.count >= input.count)
    #expect(abs(Signals.decibels(Signals.rms(output) / Signals.rms(input))) < 2)
  }

  @Test(arguments: [
    (44_100, 2, 64), (44_100, 2, 128), (48_000, 2, 192), (22_050, 1, 32), (48_000, 2, 320),
  ])
  func `an encoded sound stays as loud as it is`(rate: Int, channels: Int, bitrate: Int) throws {
    let encoder = try LameEncoder(sampleRate: rate, channels: channels, bitrate: bitrate)
    let input = Signals.sine(997, rate: rate, channels: channels, seconds: 2, amplitude: 0.3)
    let output = try Mpg123Decoder().decode(encoder.encode(input) + encoder.finish())
    let middle = (rate * channels / 2)..<(3 * rate * channels / 2)
    let change = Signals.decibels(Signals.rms(output[middle]) / Signals.rms(input[middle]))
    #expect(abs(change) < 0.05)
  }

  @Test func `the output is frames of one bit rate to the last byte, without an Info frame`()
    throws
  {
    let encoder = try LameEncoder(sampleRate: 44_100, channels: 2, bitrate: 128)
    let input = Signals.sine(1000, rate: 44_100, channels: 2, seconds: 1, amplitude: 0.5)
    let bytes = try encoder.encode(input) + encoder.finish()
    var scanner = PacketScanner()
    var end = 0
    while let finding = scanner.next(in: bytes.span, from: end, atEnd: true) {
      end = finding.range.upperBound
      guard case .packet(let packet) = finding else {
        Issue.record("not a packet: \(finding)")
        continue
      }
      #expect(packet.bitrate == 128)
    }
    #expect(end == bytes.count)
    #expect(end > 16_000)
  }

  @Test func `without a reservoir each frame is whole, and without short windows all are long`()
    throws
  {
    // Clicks, which LAME gives short windows to.
    var input = Signals.sine(440, rate: 44_100, channels: 2, seconds: 1, amplitude: 0.01)
    for index in stride(from: 5_000, to: input.count, by: 9_000) { input[index] = 30_000 }
    func frames(usesReservoir: Bool, usesShortBlocks: Bool) throws -> [MPEGSideInfo] {
      let encoder = try LameEncoder(
        sampleRate: 44_100, channels: 2, bitrate: 128, usesReservoir: usesReservoir,
        quality: 3, usesShortBlocks: usesShortBlocks)
      let bytes = try encoder.encode(input) + encoder.finish()
      var scanner = PacketScanner()
      var frames: [MPEGSideInfo] = []
      var end = 0
      while let finding = scanner.next(in: bytes.span, from: end, atEnd: true) {
        end = finding.range.upperBound
        let frame = Array(bytes[finding.range])
        if let info = MPEGSideInfo(in: frame.span) { frames.append(info) }
      }
      return frames
    }
    let plain = try frames(usesReservoir: true, usesShortBlocks: true)
    #expect(plain.contains { $0.mainDataBegin > 0 })
    #expect(plain.contains { !$0.isLong })
    let whole = try frames(usesReservoir: false, usesShortBlocks: true)
    #expect(whole.allSatisfy { $0.mainDataBegin == 0 })
    let long = try frames(usesReservoir: false, usesShortBlocks: false)
    #expect(long.allSatisfy { $0.mainDataBegin == 0 && $0.isLong })
  }

  @Test func `pieces of any size give the same bytes as the whole`() throws {
    let input = Signals.sine(700, rate: 44_100, channels: 2, seconds: 0.5, amplitude: 0.5)
    let one = try LameEncoder(sampleRate: 44_100, channels: 2, bitrate: 128)
    let whole = try one.encode(input) + one.finish()
    let other = try LameEncoder(sampleRate: 44_100, channels: 2, bitrate: 128)
    var pieces: [UInt8] = []
    var random = SplitMix(seed: 7)
    var at = 0
    while at < input.count {
      let next = min(input.count, at + 2 * Int.random(in: 0...3000, using: &random))
      pieces += try other.encode(Array(input[at..<next]))
      at = next
    }
    pieces += other.finish()
    #expect(pieces == whole)
  }

  @Test(arguments: [
    (44_000, 2, 128, "lame_set_in_samplerate"), (0, 2, 128, "lame_set_in_samplerate"),
    (44_100, 0, 128, "lame_set_num_channels"), (44_100, 6, 128, "lame_set_num_channels"),
    (44_100, 2, 0, "lame_set_brate"), (44_100, 2, 129, "lame_set_brate"),
    (44_100, 2, -1, "lame_set_brate"), (22_050, 2, 320, "lame_set_brate"),
    (8000, 1, 128, "lame_set_brate"),
  ])
  func `settings that MP3 does not have are refused by name, with advice`(
    rate: Int, channels: Int, bitrate: Int, call: String
  ) throws {
    let error = #expect(throws: AudioError.self) {
      try LameEncoder(sampleRate: rate, channels: channels, bitrate: bitrate)
    }
    #expect(error?.call == call)
    #expect(error?.description.hasPrefix("\(call): ") == true)
    #expect(error?.advice.hasPrefix("Use ") == true)
  }

  @Test func `the library tells its version`() {
    #expect(LameEncoder.libraryVersion.hasPrefix("3."))
  }
}
