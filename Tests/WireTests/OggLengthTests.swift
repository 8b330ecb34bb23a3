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
    (44_100, 32_500, 3), (44_100, 65_100, 3), (44_100, 130_000, 3), (44_100, 131_000, 0),
  ])
  func `a packet of five seconds or 128 KiB is one packet of the log, and a longer one is lost`(
    rate: Int, bytes: Int, pages: Int
  ) {
    let frames = (0..<3).flatMap { _ in page(frame(bytes: bytes)) }
    let found = DemuxedOgg(headers(rate: rate) + frames)
    #expect(found.headers.map(\.format.sampleRate) == [rate])
    #expect(found.pages.map(\.samples) == [Int](repeating: 65_536, count: pages))
    #expect(found.lost == [Int](repeating: 65_536, count: 3 - pages))
    #expect(found.pages.allSatisfy { $0.bytes.count <= 128 * 1024 })
    let packets = OggPage.packets(in: found.stream().span)?.suffix(pages) ?? []
    #expect(packets.allSatisfy { $0 == frame(bytes: bytes) })
  }

  @Test(arguments: [[Int.max], [4096], [1]])
  func `a packet over several pages keeps its place in every stream`(cuts: [Int]) throws {
    let found = DemuxedOgg(
      headers(rate: 44_100) + page(frame(bytes: 500)) + page(frame(bytes: 100_000)), cuts: cuts)
    try #require(found.pages.count == 2)
    let long = found.pages[1].bytes
    #expect(Array(OggPage.places(in: long.count)) == [0..<65_307, 65_307..<long.count])
    var link = OggRelink(serial: 9)
    var stamped = long
    var span = stamped.mutableSpan
    #expect(OggPage.stamp(&span, serial: 1, sequence: 40, granule: 3_000_000) == 2)
    link.begin(with: stamped.span, samples: 65_536)
    stamped.withUnsafeMutableBytes { link.move(pages: $0, isEnd: true) }
    guard case .page(let first) = OggPage.read(in: stamped.span, at: 0),
      case .page(let second) = OggPage.read(in: stamped.span, at: first.range.upperBound)
    else {
      Issue.record("a checksum is wrong")
      return
    }
    #expect(first.serial == 9 && second.serial == 9)
    #expect(first.granule == .max && second.granule == 65_536)
    #expect(second.sequence == first.sequence + 1 && second.flags == .continued)
    #expect(OggPage.packets(in: stamped.span) == [frame(bytes: 100_000)])
  }

  @Test func `long pages of a stream without any packet are no sync`() {
    var demuxer = OggDemuxer()
    var made: [UInt8] = []
    let body = headers(rate: 44_100) + (0..<2).flatMap { _ in page(frame(bytes: 140_000)) }
    var from = 0
    while let found = demuxer.next(in: body.span, from: from, atEnd: true, into: &made) {
      from = found.end
    }
    #expect(demuxer.bytesWithoutSync > 64 * 1024)
  }
}
