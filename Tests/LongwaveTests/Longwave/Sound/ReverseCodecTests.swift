import Audio
import Server
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Longwave

/// Packets of what libavcodec decodes, block by block from the end.
@Suite(.enabled(if: AvDecoder.libraryVersion != nil, "libavcodec is not installed"))
struct ReverseCodecTests {
  struct Kind: Sendable, CustomTestStringConvertible {
    var name: String
    var options: [String]
    var rate: Int
    /// Hz at which it is heard.
    var heardRate: Int
    var channels = 2
    /// How alike a block and the whole are at least.
    var alike = 0.999
    var hasSBR = false

    var testDescription: String { name }

    func packets(seconds: Double) throws -> LogPackets {
      let isOgg = options.first != "aac"
      let file = try Fixtures.ffmpeg(
        ["-c:a"] + options, format: isOgg ? "ogg" : "adts", sampleRate: rate, channels: channels,
        seconds: seconds)
      let cut = try #require(isOgg ? LogPackets(ogg: file) : LogPackets(frames: file))
      return hasSBR ? cut.withSBR() : cut
    }
  }

  /// Noise that a decoder makes up would be another one each time.
  private static let aac = ["aac", "-aac_pns", "0", "-b:a"]

  static let kinds = [
    Kind(name: "AAC", options: aac + ["128k"], rate: 44_100, heardRate: 44_100),
    Kind(
      name: "HE-AAC", options: aac + ["96k"], rate: 24_000, heardRate: 48_000,
      hasSBR: true),
    Kind(name: "Opus", options: ["libopus", "-b:a", "96k"], rate: 48_000, heardRate: 48_000),
    Kind(name: "Vorbis", options: ["libvorbis", "-q:a", "3"], rate: 44_100, heardRate: 44_100),
    Kind(
      name: "Vorbis, mono", options: ["libvorbis", "-q:a", "3"], rate: 22_050, heardRate: 22_050,
      channels: 1),
    Kind(name: "FLAC", options: ["flac"], rate: 44_100, heardRate: 44_100, alike: 1),
    Kind(
      name: "Speex", options: ["libspeex"], rate: 16_000, heardRate: 16_000, channels: 1,
      alike: 0.9),
  ]

  private func decoded(
    _ order: ReverseOrder, by sound: ReverseSound
  ) async throws -> [BlockSamples] {
    var blocks: [BlockSamples] = []
    while let run = await order.packets() { blocks.insert(try sound.decode(run), at: 0) }
    return blocks
  }

  @Test(arguments: kinds)
  func `blocks decoded by themselves are what the whole is, also at their seams`(
    kind: Kind
  ) async throws {
    let packets = try kind.packets(seconds: 9)
    let clip = try LogClip(packets.packets, packets.format, headers: packets.headers)
    let pool = SoundPool(threads: 1)
    defer { pool.stop() }
    let order = clip.order()
    let sound = ReverseSound(order, on: pool, makeDecoder: PacketDecoder.make) {}
    let blocks = try await decoded(order, by: sound)
    #expect(blocks.count >= 4 && blocks.allSatisfy { $0.sampleRate == kind.heardRate })
    var run = PacketRun(headers: clip.clip.head)
    for packet in packets.packets {
      packet.bytes.withUnsafeBytes {
        run.append(
          $0, length: MediaTime(samples: packet.samples, rate: packets.format.sampleRate),
          isLeadIn: false)
      }
    }
    let whole = try sound.decode(run).samples
    let joined = blocks.flatMap(\.samples)
    let channels = kind.channels
    let count = packets.samples * (kind.heardRate / packets.format.sampleRate) * channels
    #expect(joined.count == count && whole.count == count)
    #expect(Signals.rms(whole) > 0.05)
    // Windows of 10 ms, of which some have a seam in them.
    let width = kind.heardRate / 100 * channels
    for start in stride(from: 0, to: count - width, by: width) {
      let range = start..<start + width
      // An encoder puts silence in front.
      if Signals.rms(whole[range]) < 0.001 { continue }
      let alike = Signals.correlation(whole[range], joined[range])
      #expect(
        alike >= kind.alike - 1e-9,
        "\(alike) at \(Double(start) / Double(kind.heardRate * channels)) s")
    }
  }

  @Test(arguments: kinds)
  func `a reversed clip is what is heard, as long, and backwards`(kind: Kind) async throws {
    let packets = try kind.packets(seconds: 7)
    let clip = try LogClip(packets.packets, packets.format, headers: packets.headers)
    let pool = SoundPool(threads: 2)
    defer { pool.stop() }
    let sound = ReverseSound(clip.order(), on: pool, makeDecoder: PacketDecoder.make) {}
    try await sound.begin()
    var bytes: [UInt8] = []
    var length = MediaTime.zero
    while let block = await sound.next() {
      bytes += block.bytes
      length += block.length
    }
    #expect(length == clip.length)
    let decoder = try Mpg123Decoder()
    let heard = try decoder.decode(bytes)
    #expect(decoder.format?.sampleRate == kind.heardRate)
    #expect(decoder.format?.channels == kind.channels)
    let frames = heard.count / kind.channels
    #expect(abs(Double(frames) / Double(kind.heardRate) - length.seconds) < 0.2)
  }

  @Test func `a block of which nothing can be decoded is silence of its length`() async throws {
    let packets = try Self.kinds[0].packets(seconds: 7)
    var broken = packets.packets
    for index in 0..<200 {
      broken[index].bytes.replaceSubrange(
        7..., with: repeatElement(0xFF, count: broken[index].bytes.count - 7))
    }
    let clip = try LogClip(broken, packets.format)
    let pool = SoundPool(threads: 1)
    defer { pool.stop() }
    let order = clip.order()
    let sound = ReverseSound(order, on: pool, makeDecoder: PacketDecoder.make) {}
    let joined = try await decoded(order, by: sound).flatMap(\.samples)
    #expect(joined.count == packets.samples * 2)
    #expect(Signals.rms(joined.suffix(88_200)) > 0.05)
  }
}
