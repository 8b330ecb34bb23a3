import Audio
import TestSupport
import Testing
import Wire

@testable import Demo

struct StudioEncoderTests {
  // MPEG-2.5: frames of 576 samples, 72 ms. Debug builds are slow.
  private static let rate = 8000

  @Test func `slices hold whole frames of one format, one after the other`() throws {
    var encoder = try StudioEncoder(seed: 1, sampleRate: Self.rate, bitrate: 32)
    let (bytes, _) = try run(&encoder, slices: 30)
    let decoder = try Mpg123Decoder()
    let samples = try decoder.decode(bytes.flatMap { $0 })
    #expect(bytes.count >= 30 * 1000 / 576 - 4)
    #expect(samples.count / 2 == bytes.count * 576)
    #expect(decoder.format == AudioFormat(codec: .mp3, sampleRate: Self.rate, channels: 2))
    #expect(Signals.rms(samples.suffix(Self.rate)) > 0.005)
  }

  @Test func `the first title stands in front of the first packet`() throws {
    var encoder = try StudioEncoder(seed: 2, sampleRate: Self.rate, bitrate: 32)
    let (_, titles) = try run(&encoder, slices: 10)
    let music = Music(seed: 2, sampleRate: Self.rate)
    #expect(titles.map(\.packet) == [0])
    #expect(titles.first?.title == music.title)
  }

  @Test func `a later title stands before the packet in which its track is first heard`() throws {
    let border = Music(seed: 3, sampleRate: Self.rate).framesUntilNextTrack
    var encoder = try StudioEncoder(seed: 3, sampleRate: Self.rate, bitrate: 32)
    let (_, titles) = try run(&encoder, slices: border / 1000 + 6)
    #expect(titles.count == 2)
    #expect(titles.first?.title != titles.last?.title)
    // LAME is late by 576 samples, the decoder by 529.
    #expect(titles.last?.packet == (border + 576 + 529) / 576)
  }

  @Test func `a seed gives a station the same packets again`() throws {
    var one = try StudioEncoder(seed: 4, sampleRate: Self.rate, bitrate: 32)
    var again = try StudioEncoder(seed: 4, sampleRate: Self.rate, bitrate: 32)
    #expect(try run(&one, slices: 8).packets == run(&again, slices: 8).packets)
  }

  private func run(
    _ encoder: inout StudioEncoder, slices: Int
  ) throws -> (packets: [[UInt8]], titles: [(packet: Int, title: Title)]) {
    var packets: [[UInt8]] = []
    var titles: [(packet: Int, title: Title)] = []
    for _ in 0..<slices {
      let slice = try encoder.slice(samples: 1000)
      for piece in slice.pieces {
        switch piece {
        case .title(let title): titles.append((packets.count, title))
        case .packet(let packet): packets.append(Array(slice.bytes[packet.range]))
        }
      }
    }
    return (packets, titles)
  }
}
