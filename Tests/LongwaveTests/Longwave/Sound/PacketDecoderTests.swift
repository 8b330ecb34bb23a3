import Audio
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Longwave
@testable import Timeshift

/// Where in media time samples stand.
struct PacketDecoderTests {
  /// Gives as many samples as the packet's first two bytes say; of a packet of 0xFF it complains.
  private final class Counting: SoundDecoder {
    let format: AudioFormat?

    init(rate: Int) { format = AudioFormat(codec: .opus, sampleRate: rate, channels: 1) }

    func decode(
      _ bytes: UnsafeRawBufferPointer, atMost seconds: Double,
      _ take: (UnsafeBufferPointer<Int16>) -> Void
    ) throws(AudioError) {
      if bytes[0] == 0xFF {
        throw AudioError(call: "decode", code: 1, reason: "broken", advice: "none")
      }
      let samples = [Int16](repeating: 1, count: Int(bytes[0]) << 8 | Int(bytes[1]))
      if !samples.isEmpty { samples.withUnsafeBufferPointer { take($0) } }
    }
  }

  /// The places of packets of 0.2 s, each of so many samples at 8 kHz; nil in front of a packet that is missing.
  private func places(_ counts: [Int?], rate: Int = 8000) throws -> [Int] {
    var decoder = PacketDecoder { codec, headers throws(AudioError) in
      #expect(codec == .opus && headers == [1, 2, 3])
      return Counting(rate: rate)
    }
    try decoder.begin(.opus, headers: [1, 2, 3])
    var (places, media) = ([Int](), MediaTime(seconds: 10))
    for count in counts {
      defer { media += MediaTime(seconds: 0.2) }
      guard let count else { continue }
      [UInt8(count >> 8), UInt8(count & 255)].withUnsafeBytes { bytes in
        let packet = TapPacket(
          bytes: bytes, start: LogPoint(position: 0, media: media),
          length: MediaTime(seconds: 0.2))
        decoder.decode(packet) { places.append($2 - 80_000) }
      }
    }
    return places
  }

  @Test func `a packet's samples stand where it does`() throws {
    #expect(try places([1600, 1600, 1600]) == [0, 1600, 3200])
  }

  @Test func `samples that a first packet lacks are missing in front`() throws {
    #expect(try places([1100, 1600, 1600]) == [500, 1600, 3200])
    #expect(try places([0, 1600]) == [1600])
  }

  @Test func `samples behind a missing packet, or a broken one, stand at their own place`() throws {
    #expect(try places([1600, nil, 1600, 1600]) == [0, 3200, 4800])
    #expect(try places([1600, 0xFF00, 1600]) == [0, 3200])
  }

  @Test func `a sample more or less makes no gap`() throws {
    #expect(try places([1600, 1599, 1601, 1600]) == [0, 1600, 3199, 4800])
  }

  @Test(arguments: [7350, 384_000])
  func `samples of rates that nothing measures are left out`(rate: Int) throws {
    #expect(try places([1600, 1600], rate: rate) == [])
  }

  @Test func `a decoder refused three times in a row is made each second at most`() throws {
    let made = Mutex(0)
    var decoder = PacketDecoder { _, _ throws(AudioError) in
      made.withLock { $0 += 1 }
      return Counting(rate: 8000)
    }
    try decoder.begin(.opus, headers: [])
    var heard: [Double] = []
    /// Packets of 10 ms; the last of each is not broken.
    func decode(_ count: Int, from first: Double, isBroken: Bool) {
      for index in 0..<count {
        let media = first + Double(index) / 100
        let bytes: [UInt8] = isBroken ? [0xFF, 0] : [0, 80]
        bytes.withUnsafeBytes { bytes in
          let packet = TapPacket(
            bytes: UnsafeRawBufferPointer(rebasing: bytes[...]),
            start: LogPoint(position: 0, media: MediaTime(seconds: media)),
            length: MediaTime(seconds: 0.01))
          decoder.decode(packet) { _, _, place in heard.append(Double(place) / 8000) }
        }
      }
    }
    decode(1000, from: 10, isBroken: true)
    // The first, two in its place, and one each second from then on.
    #expect(made.withLock { $0 } <= 3 + 10)
    decode(200, from: 20, isBroken: false)
    let first = try #require(heard.first)
    #expect(first <= 21.1 && heard.count > 80)
    // One that is broken now and then costs nothing that can be heard.
    let before = heard.count
    for second in 0..<10 {
      decode(1, from: 30 + Double(second), isBroken: true)
      decode(50, from: 30.01 + Double(second), isBroken: false)
    }
    #expect(heard.count == before + 500)
  }

  /// Gives a second of sound for each packet, whatever it may.
  private final class Lavish: SoundDecoder {
    let format: AudioFormat? = AudioFormat(codec: .vorbis, sampleRate: 8000, channels: 1)

    func decode(
      _ bytes: UnsafeRawBufferPointer, atMost seconds: Double,
      _ take: (UnsafeBufferPointer<Int16>) -> Void
    ) throws(AudioError) {
      if seconds < 1 {
        throw AudioError(call: "decode", code: 0, reason: "too much", advice: "none")
      }
      [Int16](repeating: 1, count: 8000).withUnsafeBufferPointer { take($0) }
    }
  }

  @Test func `a decoder gives no more than twice what its packets last`() throws {
    var decoder = PacketDecoder { _, _ throws(AudioError) in Lavish() }
    var frames = 0
    let bytes: [UInt8] = [0]
    for index in 0..<1000 {
      // Another link, or another place, changes nothing.
      if index % 10 == 0 { try decoder.begin(.vorbis, headers: []) }
      if index % 10 == 5 { decoder.jump() }
      bytes.withUnsafeBytes { bytes in
        let packet = TapPacket(
          bytes: bytes,
          start: LogPoint(position: 0, media: MediaTime(seconds: Double(index) / 100)),
          length: MediaTime(seconds: 0.01))
        decoder.decode(packet) { samples, _, _ in frames += samples.count }
      }
    }
    let seconds = Double(frames) / 8000
    #expect((2...22).contains(seconds), "\(seconds) s of 10 s")
  }

  @Test func `a block that is turned round holds no more samples than that either`() throws {
    var run = PacketRun()
    for _ in 0..<200 {
      [UInt8(0)].withUnsafeBytes {
        run.append($0, length: MediaTime(seconds: 0.01), isLeadIn: false)
      }
    }
    var decoding = RunDecoding(run, as: .vorbis) { _, _ throws(AudioError) in Lavish() }
    while try !decoding.step() {}
    let frames = decoding.heard.reduce(0) { $0 + $1.decoded.count }
    #expect((8000...6 * 8000).contains(frames))
  }
}
