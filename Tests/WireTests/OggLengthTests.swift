import TestSupport
import Testing

@testable import Wire

/// Packets that are longer than a log takes.
@Suite struct OggLengthTests {
  /// STREAMINFO of stereo at this rate, and one header more: comments.
  private func headers(rate: Int) -> [UInt8] {
    let info =
      [16, 0, 16, 0, 0, 0, 0, 0, 0, 0] + [12, 4].map { UInt8(truncatingIfNeeded: rate >> $0) }
      + [UInt8(truncatingIfNeeded: rate << 4) | 2, 0xF0] + [UInt8](repeating: 0, count: 20)
    let first =
      [0x7F] + Array("FLAC".utf8) + [1, 0, 0, 1] + Array("fLaC".utf8) + [0, 0, 0, 34] + info
    return page(first, .first) + page([0x84, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0])
  }

  private func page(_ packet: [UInt8], _ flags: OggPage.Flags = []) -> [UInt8] {
    var pages: [UInt8] = []
    var sequence: UInt32 = 0
    OggPageWriter.append(header: packet, flags: flags, serial: 1, sequence: &sequence, to: &pages)
    return pages
  }

  /// 65,536 samples, in so many bytes.
  private func frame(bytes: Int) -> [UInt8] {
    [0xFF, 0xF8, 0x79, 0xA8, 0, 0xFF, 0xFF] + [UInt8](repeating: 1, count: bytes - 7)
  }

  @Test(arguments: [
    (rate: 44_100, bytes: 500, pages: 3), (13_200, 500, 3), (13_000, 500, 0), (8000, 500, 0),
    (44_100, 32_500, 3), (44_100, 40_000, 0),
  ])
  func `a packet of five seconds or 32 KiB is a page, and a longer one is left out`(
    rate: Int, bytes: Int, pages: Int
  ) {
    let frames = (0..<3).flatMap { _ in page(frame(bytes: bytes)) }
    let found = DemuxedOgg(headers(rate: rate) + frames)
    #expect(found.headers.map(\.format.sampleRate) == [rate])
    #expect(found.pages.map(\.samples) == [Int](repeating: 65_536, count: pages))
  }
}
