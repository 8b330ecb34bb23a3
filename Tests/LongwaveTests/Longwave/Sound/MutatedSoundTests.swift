import Audio
import TestSupport
import Testing
import Wire

@testable import Longwave

/// What strangers send as audio cannot end the process, nor the measuring of a station.
@Suite struct MutatedSoundTests {
  /// Frames of a loud chord in stereo.
  private static func frames() throws -> [[UInt8]] {
    let encoder = try LameEncoder(sampleRate: 44_100, channels: 2, bitrate: 128)
    var random = SplitMix(seed: 3)
    var bytes: [UInt8] = []
    for _ in 0..<20 {
      bytes += try encoder.encode(
        (0..<8_820).map { _ in Int16.random(in: -20_000...20_000, using: &random) })
    }
    return stride(from: 0, to: bytes.count - 417, by: 417).map { Array(bytes[$0..<$0 + 417]) }
  }

  private static func mutate(_ packet: inout [UInt8], _ random: inout SplitMix) {
    for _ in 0...Int.random(in: 0...3, using: &random) {
      guard !packet.isEmpty else { return }
      let place = Int.random(in: 0..<packet.count, using: &random)
      switch Int.random(in: 0...5, using: &random) {
      // Header and side info say what the rest means.
      case 0:
        packet[min(place % 36, packet.count - 1)] ^= 1 << UInt8.random(in: 0...7, using: &random)
      case 1: packet[place] = UInt8.random(in: 0...255, using: &random)
      case 2: packet.removeLast(packet.count - place)
      case 3: packet.insert(contentsOf: [0xFF, 0xFB, 0xE0, 0xC0], at: place)
      case 4: for index in place..<packet.count { packet[index] = 0xFF }
      default: packet = (0..<packet.count).map { _ in UInt8.random(in: 0...255, using: &random) }
      }
    }
  }

  @Test func `100,000 mutated packets are decoded or refused, and measured`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed: seed)
    let frames = try Self.frames()
    var decoder = try Mpg123Decoder()
    var measures: SoundMeasures?
    let converter = SampleConverter(
      to: .init(sampleRate: 48_000, channels: 1, encoding: .s16le))
    var (place, refused, made) = (0, 0, 0)
    for number in 0..<100_000 {
      var packet = frames[number % frames.count]
      Self.mutate(&packet, &random)
      var bytes: [UInt8] = []
      do {
        try packet.withUnsafeBytes { raw in
          try decoder.decode(raw) { samples in
            guard let format = decoder.format else { return }
            if measures?.sampleRate != format.sampleRate || measures?.channels != format.channels {
              measures = try? SoundMeasures(
                sampleRate: format.sampleRate, channels: format.channels,
                wish: [.levels, .spectrum, .sound, .always],
                clipping: ClippingWatch(least: 3, channels: format.channels),
                silence: SilenceWatch(below: -50, for: 1),
                bounds: LoudnessWatch(below: -30, above: -9, for: 3))
            }
            measures?.add(samples, at: place)
            place += samples.count / max(1, format.channels)
            try? converter.convert(
              samples, rate: format.sampleRate, channels: format.channels, into: &bytes)
            made += bytes.count
          }
        }
      } catch {
        refused += 1
        decoder = try Mpg123Decoder()
      }
      if number % 64 == 0 {
        let reading = measures?.pop()
        #expect(
          reading?.levels?.levels.channels.allSatisfy { $0.rms <= 0.1 && $0.rms >= -121 } ?? true,
          "seed \(seed)")
      }
    }
    // It goes on: what is whole is heard behind all that.
    var heard = 0
    decoder = try Mpg123Decoder()
    for frame in frames { heard += try decoder.decode(frame).count }
    #expect(heard > 100_000 && made > 1_000_000, "seed \(seed), \(refused) refused")
  }
}
