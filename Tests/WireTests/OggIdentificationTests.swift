import TestSupport
import Testing

@testable import Wire

/// First packets of logical streams, as nobody should write them.
@Suite struct OggIdentificationTests {
  /// Mode 2: 32 kHz, mono, two frames of 640 samples in a packet.
  private static let speex: [UInt8] = speex(rate: 32_000, frame: 640, frames: 2)

  private static func speex(rate: UInt32, frame: UInt32, frames: UInt32) -> [UInt8] {
    var packet = Array("Speex   1.2".utf8) + [UInt8](repeating: 0, count: 69)
    for (place, number) in [(36, rate), (48, 1), (56, frame), (64, frames)] {
      for index in 0..<4 {
        packet[place + index] = UInt8(truncatingIfNeeded: number >> (8 * index))
      }
    }
    return packet
  }

  private static let opus: [UInt8] =
    Array("OpusHead".utf8) + [1, 2, 0x38, 1, 0x80, 0xBB, 0, 0, 0, 0, 0]

  private static let vorbis: [UInt8] =
    [1] + Array("vorbis".utf8) + [0, 0, 0, 0, 2, 0x44, 0xAC, 0, 0]
    + [UInt8](repeating: 0, count: 12) + [0xB8, 1]

  private static let flac: [UInt8] =
    [0x7F] + Array("FLAC".utf8) + [1, 0, 0, 1] + Array("fLaC".utf8) + [0, 0, 0, 34]
    + [0x10, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0x0A, 0xC4, 0x42, 0xF0]
    + [UInt8](repeating: 0, count: 20)

  @Test func `a packet's length in Speex is a frame's times their number`() {
    let found = OggIdentification(Self.speex)
    #expect(found?.sampleRate == 32_000 && found?.channels == 1)
    #expect(found?.packetSamples == 1280)
  }

  @Test(arguments: [
    (0, 160, 1), (0, 0, 0), (16_000, 0, 1), (16_000, 160, 0), (.max, .max, .max),
    (8000, .max, .max),
    (8000, 1 << 31, 1 << 31), (8000, 160, 51), (999, 160, 1), (.max, 160, 1),
  ])
  func `numbers of Speex that no encoder writes are refused`(
    rate: UInt32, frame: UInt32, frames: UInt32
  ) {
    #expect(OggIdentification(Self.speex(rate: rate, frame: frame, frames: frames)) == nil)
  }

  @Test(arguments: [speex, opus, vorbis, flac])
  func `a damaged first packet gives a playable format or none`(packet: [UInt8]) {
    #expect(OggIdentification(packet) != nil)
    let extremes: [[UInt8]] = [[0, 0, 0, 0], [255, 255, 255, 255], [0, 0, 0, 128]]
    var damaged = packet.indices.flatMap { at in
      extremes.map { Array((packet[..<at] + $0 + packet.dropFirst(at + 4)).prefix(packet.count)) }
    }
    damaged += packet.indices.map { Array(packet[..<$0]) }
    let seed: UInt64 = 11
    var random = SplitMix(seed: seed)
    for _ in 0..<5000 { damaged.append(random.mutated(packet)) }
    for packet in damaged {
      guard let found = OggIdentification(packet) else { continue }
      #expect((1000...768_000).contains(found.sampleRate), "seed \(seed): \(packet)")
      #expect((0...found.sampleRate).contains(found.packetSamples), "seed \(seed): \(packet)")
      #expect(found.channels > 0, "seed \(seed): \(packet)")
    }
  }
}
