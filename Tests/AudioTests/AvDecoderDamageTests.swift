import Glibc
import TestSupport
import Testing
import Wire

@testable import Audio

/// What libavcodec's decoder makes of bytes that are damaged, or are something else.
@Suite(.enabled(if: AvDecoder.libraryVersion != nil)) struct AvDecoderDamageTests {
  private static let files = [
    ToneFile(["-c:a", "aac", "-b:a", "96k"], "adts", 44_100, 2),
    ToneFile(["-c:a", "libopus", "-b:a", "64k"], "ogg", 48_000, 2),
    ToneFile(["-c:a", "libvorbis", "-q:a", "3"], "ogg", 44_100, 2),
    ToneFile(["-c:a", "flac", "-sample_fmt", "s16"], "ogg", 44_100, 2),
    ToneFile(["-c:a", "libspeex"], "ogg", 16_000, 1),
  ]

  /// Decodes packets, each of which may be refused, as the relay does: after a refusal by a new decoder.
  private func hear(_ packets: [[UInt8]], _ codec: Codec, _ headers: [UInt8]) throws -> (
    samples: [Int16], refusals: Int
  ) {
    var decoder = try AvDecoder(codec, headers: headers)
    var (heard, refusals) = ([Int16](), 0)
    for packet in packets {
      do {
        try packet.withUnsafeBytes { bytes in
          try decoder.decode(bytes) { samples in
            heard += samples
            let format = decoder.format
            #expect((1...2).contains(format?.channels ?? 0) && format?.sampleRate ?? 0 > 0)
            #expect(samples.count % (format?.channels ?? 0) == 0)
          }
        }
      } catch let error as AudioError {
        refusals += 1
        #expect(!error.reason.isEmpty && !error.advice.isEmpty)
        decoder = try AvDecoder(codec, headers: headers)
      }
    }
    return (heard, refusals)
  }

  /// Changes bytes of pages and gives them a right checksum again, so that the codec gets to see them.
  private func forged(_ pages: [UInt8], by random: inout SplitMix) -> [UInt8] {
    var (made, place) = ([UInt8](), 0)
    while case .page(let page) = OggPage.read(in: pages.span, at: place) {
      var bytes = Array(pages[page.range])
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        let index = Int.random(in: OggPage.headBytes..<bytes.count, using: &random)
        bytes[index] = UInt8.random(in: 0...255, using: &random)
      }
      var span = bytes.mutableSpan
      OggPage.stamp(&span, serial: page.serial, sequence: page.sequence, granule: page.granule)
      made += bytes
      place = page.range.upperBound
    }
    return made
  }

  @Test(arguments: files)
  func `damaged packets do no harm, and intact ones are heard after them`(file: ToneFile) throws {
    let log = try file.packets(seconds: 2)
    let (codec, intact) = (log.format.codec, log.packets.map(\.bytes))
    let before = try hear(intact, codec, log.headers)
    #expect(before.refusals == 0)
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed: seed)
    var refusals = 0
    let packets = getenv("LONGWAVE_LONG") == nil ? 300 : 100_000
    for _ in 0..<packets / intact.count + 10 {
      let damaged = intact.map { packet -> [UInt8] in
        switch Int.random(in: 0..<5, using: &random) {
        case 0: packet
        case 1: Array(packet.prefix(Int.random(in: 0...packet.count, using: &random)))
        case 2: random.bytes(Int.random(in: 0...2000, using: &random))
        case 3: random.mutated(packet)
        default: codec.isOgg ? forged(packet, by: &random) : random.mutated(packet)
        }
      }
      let found = try hear(damaged, codec, log.headers)
      refusals += found.refusals
      #expect(found.samples.count < 4 * before.samples.count, "seed \(seed)")
    }
    #expect(refusals > 10, "seed \(seed)")
    let after = try hear(intact, codec, log.headers)
    #expect(after.samples == before.samples && after.refusals == 0, "seed \(seed)")
  }

  @Test(arguments: files.dropFirst())
  func `damaged headers are refused, or packets after them are`(file: ToneFile) throws {
    let log = try file.packets(seconds: 0.5)
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed: seed)
    var refused = 0
    for _ in 0..<200 {
      let headers = forged(log.headers, by: &random)
      do {
        let found = try hear(log.packets.map(\.bytes), log.format.codec, headers)
        if found.refusals > 0 { refused += 1 }
      } catch let error as AudioError {
        refused += 1
        #expect(!error.reason.isEmpty)
      }
    }
    #expect(refused > 0, "seed \(seed)")
  }

  @Test func `an Ogg decoder without the codec's headers is refused in words`() throws {
    let opus = try Self.files[1].packets(seconds: 0.5)
    for headers in [[], Array(opus.headers.dropLast()), opus.packets[0].bytes] {
      let error = #expect(throws: AudioError.self) { try AvDecoder(.opus, headers: headers) }
      #expect(error?.reason == "the headers of opus are missing")
    }
    #expect(throws: AudioError.self) { try AvDecoder(.vorbis, headers: opus.headers) }
    #expect(throws: AudioError.self) { try AvDecoder(.mp3) }
  }
}
