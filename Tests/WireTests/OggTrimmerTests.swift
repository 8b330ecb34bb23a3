import TestSupport
import Testing

@testable import Wire

/// Samples that a link's encoder added at its ends.
@Suite struct OggTrimmerTests {
  /// 2.005 s each, no multiple of a packet.
  private static let length = 2.005
  private static let samples = 96_240

  private func link(_ codec: Fixtures.OggCodec, _ number: Int, page: Int) throws -> [UInt8] {
    try Fixtures.ogg(
      codec, seconds: Self.length, pageMicroseconds: page, seed: UInt64(number + 1))
  }

  @Test(
    arguments: [Fixtures.OggCodec.opus, .vorbis, .flac], [20_000, 200_000, 1_000_000, 10_000_000])
  func `trimmed links of a chain are as long as their encoders' input, with any page length`(
    codec: Fixtures.OggCodec, page: Int
  ) throws {
    let links = try (0..<3).map { try link(codec, $0, page: page) }
    let found = DemuxedOgg(Array(links.joined()))
    try #require(found.headers.count == 3)
    for link in 0..<3 {
      let pages = found.pages.filter { $0.link == link && $0.heard > 0 }
      let heard = pages.reduce(0) { $0 + $1.heard }
      // A page that only prepares a decoder counts as one sample.
      #expect(abs(heard - Self.samples) <= 20, "link \(link): \(heard)")
      let isTrimmed = codec != .flac
      #expect((pages.first?.trim.front ?? 0 > 0) == isTrimmed)
      #expect(pages.dropFirst(20).dropLast(2).allSatisfy { $0.trim == PacketScanner.Packet.Trim() })
      // Opus counts what is left out in front.
      let granules = pages.reduce(0) { $0 + $1.granules }
      let front = codec == .opus ? found.headers[link].preSkip : 0
      #expect(abs(granules - Self.samples - front) <= 20)
    }
  }

  @Test(arguments: [Fixtures.OggCodec.opus, .vorbis])
  func `a stream joined in the middle of a link has nothing trimmed in front`(
    codec: Fixtures.OggCodec
  )
    throws
  {
    let whole = try link(codec, 0, page: 200_000)
    let found = DemuxedOgg(whole)
    // As a server of streams begins: with the headers, then where it is.
    let middle =
      found.headers[0].pages(serial: 7, preSkip: 312)
      + found.stream(from: 4).suffix(
        found.pages[4...].reduce(0) { $0 + $1.bytes.count })
    let joined = DemuxedOgg(middle)
    #expect(joined.pages.allSatisfy { $0.trim == PacketScanner.Packet.Trim() })
    #expect(joined.pages.count == found.pages.count - 4)
  }
}
