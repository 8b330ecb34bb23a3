import Audio
import Glibc
import TestSupport
import Testing

import Wire

@testable import Longwave
@testable import Timeshift

/// Packets of a rendition, made of its original's.
struct TranscoderTests {
  private static let rate = 48_000
  private static let mark = FormatMark(
    position: 0, format: AudioFormat(codec: .mp3, sampleRate: rate, channels: 2), headers: [])
  /// Samples by which LAME and a decoder are late together.
  private static let codecDelay = 1105

  /// Packets of a chirp: at each media time its pitch is 400 Hz and 100 Hz for each second.
  private struct Chirp {
    var packets: [[UInt8]]

    init(seconds: Double, channels: Int = 2) throws {
      let encoder = try LameEncoder(sampleRate: rate, channels: channels, bitrate: 128)
      let samples = (0..<Int(seconds * Double(rate))).flatMap { index -> [Int16] in
        let time = Double(index + codecDelay) / Double(rate)
        let value = Int16(12_000 * sin(2 * .pi * (400 * time + 50 * time * time)))
        return [Int16](repeating: value, count: channels)
      }
      let bytes = try encoder.encode(samples) + encoder.finish()
      packets = stride(from: 0, to: bytes.count - 383, by: 384).map { Array(bytes[$0..<$0 + 384]) }
    }
  }

  private func pass(
    _ packets: [[UInt8]], from media: Double = 0, through transcoder: inout Transcoder
  ) throws -> [Transcoder.Made] {
    var made: [Transcoder.Made] = []
    let length = MediaTime(samples: 1152, rate: Self.rate)
    for (index, packet) in packets.enumerated() {
      let start = LogPoint(
        position: UInt64(index * 384),
        media: MediaTime(seconds: media + Double(index) * 1152 / Double(Self.rate)))
      try packet.withUnsafeBytes { bytes in
        try transcoder.transcode(TapPacket(bytes: bytes, start: start, length: length)) {
          made.append($0)
        }
      }
    }
    return made
  }

  private func encoding(_ change: (inout PCMEncoding) -> Void) -> PCMEncoding {
    var encoding = PCMEncoding()
    encoding.bitrate = 64
    change(&encoding)
    return encoding
  }

  /// The pitch of samples around their middle.
  private func pitch(_ samples: ArraySlice<Int16>, _ rate: Int) -> Double {
    var rises: [Double] = []
    for index in samples.indices.dropFirst() {
      let (before, after) = (Double(samples[index - 1]), Double(samples[index]))
      if before < 0, after >= 0 { rises.append(Double(index) - after / (after - before)) }
    }
    guard let first = rises.first, let last = rises.last, last > first else { return 0 }
    return Double(rises.count - 1) * Double(rate) / (last - first)
  }

  @Test(arguments: [
    (64, nil as Int?, false, nil as Double?), (32, 22_050, true, nil), (128, 44_100, false, nil),
    (64, 24_000, false, -18.0), (192, nil, true, -23.0),
  ])
  func `a rendition's packet says what is heard in it, in any encoding`(
    bitrate: Int, sampleRate: Int?, isMono: Bool, loudness: Double?
  ) throws {
    let wish = encoding {
      ($0.bitrate, $0.sampleRate, $0.isMono, $0.loudness) = (bitrate, sampleRate, isMono, loudness)
    }
    var transcoder = Transcoder(wish, makeDecoder: PacketDecoder.make)
    try transcoder.begin(Self.mark)
    let made = try pass(try Chirp(seconds: 8).packets, from: 10, through: &transcoder)
    let rate = sampleRate ?? Self.rate
    #expect(made.allSatisfy { $0.format.sampleRate == rate })
    #expect(made.allSatisfy { $0.format.channels == (isMono ? 1 : 2) })
    let first = try #require(made.first)
    let decoder = try Mpg123Decoder()
    let samples = try decoder.decode(made.flatMap(\.bytes))
    let left = isMono ? samples : Signals.channel(0, of: samples)
    // A fifth of a second around a packet, from the decoder that a listener has.
    for number in stride(from: 60, to: made.count - 40, by: 30) {
      let begin = made[..<number].reduce(0) { $0 + $1.samples }
      let half = rate / 10
      let heard = pitch(left[(begin - half)..<(begin + half)], rate)
      let expected = 400 + 100 * (made[number].media.seconds - 10)
      // 100 Hz are a second.
      #expect(abs(heard - expected) < 0.5, "packet \(number): \(heard) Hz, \(expected) wanted")
    }
    let length = Double(made.reduce(0) { $0 + $1.samples }) / Double(rate)
    let last = try #require(made.last)
    #expect(abs(last.media.seconds - first.media.seconds - length) < 0.06)
  }

  @Test func `audio behind a seam goes on in the same stream, without the silence of an end`()
    throws
  {
    let chirp = try Chirp(seconds: 6).packets
    let half = chirp.count / 2
    let bounds = Double(half) * 1152 / Double(Self.rate)
    var transcoder = Transcoder(encoding { _ in }, makeDecoder: PacketDecoder.make)
    try transcoder.begin(Self.mark)
    var made = try pass(Array(chirp[..<half]), from: 10, through: &transcoder)
    transcoder.passSeam()
    made += try pass(Array(chirp[half...]), from: 10 + bounds, through: &transcoder)
    for (packet, next) in zip(made, made.dropFirst()) {
      #expect(abs(next.media.seconds - packet.media.seconds - 0.024) < 0.001)
    }
    let samples = try Mpg123Decoder().decode(made.flatMap(\.bytes))
    let left = Signals.channel(0, of: samples)
    let quietest = stride(from: 4 * 1152, to: left.count - 4 * 1152, by: 240).map { from in
      left[from..<from + 240].map { abs(Int($0)) }.max() ?? 0
    }.min()
    #expect((quietest ?? 0) > 6000, "\(quietest ?? 0)")
  }

  @Test func `audio after a jump begins a stream of its own, and nothing is lost before it`() throws
  {
    var transcoder = Transcoder(encoding { _ in }, makeDecoder: PacketDecoder.make)
    try transcoder.begin(Self.mark)
    let chirp = try Chirp(seconds: 3).packets
    var made = try pass(chirp, from: 10, through: &transcoder)
    transcoder.jump { made.append($0) }
    let end = try #require(made.last)
    #expect(end.media.seconds + 0.024 > 10 + Double(chirp.count) * 0.024 - 0.001)
    let second = try pass(chirp, from: 100, through: &transcoder)
    let start = try #require(second.first)
    #expect(abs(start.media.seconds - 100) < 0.03, "\(start.media.seconds)")
    // The first frame of a stream needs nothing of frames before it.
    let side = (UInt16(start.bytes[4]) << 1) | UInt16(start.bytes[5] >> 7)
    #expect(side == 0)
  }

  @Test func `a stretch that is missing is not closed`() throws {
    var transcoder = Transcoder(encoding { _ in }, makeDecoder: PacketDecoder.make)
    try transcoder.begin(Self.mark)
    let chirp = try Chirp(seconds: 3).packets
    _ = try pass(chirp, from: 0, through: &transcoder)
    let made = try pass(chirp, from: 20, through: &transcoder)
    #expect(made.last.map { abs($0.media.seconds - 22.9) < 0.2 } == true)
    #expect(made.contains { abs($0.media.seconds - 20) < 0.03 })
    #expect(!made.contains { $0.media.seconds > 3.2 && $0.media.seconds < 19.9 })
  }

  @Test func `garbage in place of packets costs nothing but itself`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed: seed)
    var transcoder = Transcoder(encoding { _ in }, makeDecoder: PacketDecoder.make)
    try transcoder.begin(Self.mark)
    var packets = try Chirp(seconds: 6).packets
    var damaged: Set<Int> = []
    for _ in 0..<40 {
      let index = Int.random(in: 20..<120, using: &random)
      guard !packets[index].isEmpty else { continue }
      damaged.insert(index)
      let place = Int.random(in: 0..<packets[index].count, using: &random)
      switch Int.random(in: 0...2, using: &random) {
      case 0: packets[index][place] ^= UInt8.random(in: 1...255, using: &random)
      case 1: packets[index].removeLast(packets[index].count - place)
      default:
        packets[index] = (0..<384).map { _ in UInt8.random(in: 0...255, using: &random) }
      }
    }
    let made = try pass(packets, through: &transcoder)
    let end = try #require(made.last).media.seconds
    #expect(abs(end - 5.9) < 0.3, "\(end), seed \(seed)")
    var transcoder2 = transcoder
    transcoder2.jump { _ in }
    // Two packets behind a damaged one may lean on it.
    let least = packets.count - 3 * damaged.count - 10
    #expect(made.count > least, "\(made.count) of \(packets.count), seed \(seed)")
  }
}
