import TestSupport
import Testing

@testable import Wire

/// What an Ogg stream may cost that was made to cost much.
@Suite struct OggBoundsTests {
  /// Heads that each claim a page of some 56 KiB: of the heads behind it.
  private static func fakes(_ bytes: Int) -> [UInt8] {
    let head = Array("OggS".utf8) + [0] + [UInt8](repeating: 0xFF, count: 22)
    return (0..<bytes / head.count).flatMap { _ in head }
  }

  @Test(arguments: [[Int.max], [4096], [1, 16_384]])
  func `heads without pages cost checksums in proportion to their bytes`(cuts: [Int]) {
    let body = Self.fakes(192 * 1024)
    var demuxer = OggDemuxer()
    var shown: [UInt8] = []
    var made: [UInt8] = []
    var (from, start, cut) = (0, 0, 0)
    while start < body.count {
      let end = start + min(cuts[cut % cuts.count], body.count - start)
      shown += body[start..<end]
      (start, cut) = (end, cut + 1)
      while let found = demuxer.next(
        in: shown.span, from: from, atEnd: start == body.count, into: &made)
      {
        from = found.end
      }
    }
    #expect(from == body.count && made.isEmpty)
    // Something was looked at, and for each byte no more than four; nine pages come before that is noticed.
    #expect(demuxer.bytesInVain > 0)
    #expect(demuxer.bytesInVain <= 4 * body.count + 9 * OggPage.bytesMax)
  }

  @Test func `pages after a run of fake heads are found again`() throws {
    let file = try Fixtures.ogg(.vorbis, sampleRate: 44_100, channels: 2, seconds: 8)
    let found = DemuxedOgg(file + Self.fakes(128 * 1024) + file + file)
    let alone = DemuxedOgg(file)
    #expect(found.headers.count >= 2)
    #expect(found.pages.suffix(alone.pages.count).map(\.bytes) == alone.pages.map(\.bytes))
  }

  @Test func `an identification that goes on and on is none`() throws {
    let headers = DemuxedOgg(
      try Fixtures.ogg(.vorbis, sampleRate: 44_100, channels: 2)
    ).headers[0]
    #expect(OggIdentification(headers.identification) != nil)
    let long = headers.identification + [UInt8](repeating: 0, count: 60_000)
    #expect(OggIdentification(long) == nil)
  }

  /// As long as they may be: a log takes stream headers of 256 KiB.
  @Test func `headers stay short, however long each part of them is made`() throws {
    let headers = DemuxedOgg(
      try Fixtures.ogg(.vorbis, sampleRate: 44_100, channels: 2)
    ).headers[0]
    var setup = headers.further[0]
    setup += [UInt8](repeating: 0, count: 128 * 1024 - setup.count)
    // In Windows-1252 a euro sign, of three bytes when it is decoded.
    func text(_ bytes: Int) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: bytes >> (8 * $0)) }
        + [UInt8](repeating: 0x80, count: bytes)
    }
    let field = [0, 16, 0, 0] + Array("TITLE=".utf8) + [UInt8](repeating: 0x80, count: 4090)
    let packet = text(9000) + [40, 0, 0, 0] + (0..<40).flatMap { _ in field }
    guard let comments = VorbisComments(packet.span, at: 0) else {
      Issue.record("no comments")
      return
    }
    #expect(!comments.fields.isEmpty && comments.bytes.count < 48 * 1024)
    for padding in [0, 900, 60_000] {
      let identification = headers.identification + [UInt8](repeating: 0, count: padding)
      let made = OggHeaders(identification: identification, comments: comments, further: [setup])
      #expect((made == nil) == (padding > 1000))
      #expect((made?.pages(serial: 1).count ?? 0) <= 256 * 1024)
    }
  }
}
