import TestSupport
import Testing

@testable import Wire

struct OggPagePacketsTests {
  private struct Unreadable: Error {}

  private func page(_ lacing: [UInt8], continued: Bool = false) throws -> (OggPage, [UInt8]) {
    let body = (0..<lacing.reduce(0) { $0 + Int($1) }).map { UInt8(truncatingIfNeeded: $0) }
    var bytes: [UInt8] = []
    OggPageWriter.append(continued ? .continued : [], lacing, body, to: &bytes)
    var span = bytes.mutableSpan
    OggPage.stamp(&span, serial: 1, sequence: 1, granule: 0)
    bytes = [1, 2, 3] + bytes
    guard case .page(let page) = OggPage.read(in: bytes.span, at: 3) else {
      throw Unreadable()
    }
    return (page, bytes)
  }

  private func lengths(_ page: OggPage, _ bytes: [UInt8]) -> [Int] {
    var packets = OggPagePackets(page)
    var (lengths, end) = ([Int](), page.body.lowerBound)
    while let packet = packets.next(in: bytes.span) {
      #expect(packet.lowerBound >= end && packet.upperBound <= page.body.upperBound)
      end = packet.upperBound
      lengths.append(packet.count)
    }
    let behind = packets.next(in: bytes.span)
    #expect(behind == nil)
    return lengths
  }

  @Test(
    arguments: [
      ([], []), ([7], [7]), ([7, 0, 9], [7, 0, 9]), ([255, 4, 1], [259, 1]), ([255, 0], [255]),
      ([255, 255], []), ([3, 255], [3]),
    ] as [([UInt8], [Int])])
  func `packets that end in the page are found`(lacing: [UInt8], expected: [Int]) throws {
    let (page, bytes) = try page(lacing)
    #expect(lengths(page, bytes) == expected)
  }

  @Test func `the end of a packet that began before is left out`() throws {
    let (page, bytes) = try page([255, 5, 6, 7], continued: true)
    #expect(lengths(page, bytes) == [6, 7])
    let (whole, all) = try self.page([255, 255], continued: true)
    #expect(lengths(whole, all) == [])
  }

  @Test(arguments: Fixtures.OggCodec.allCases)
  func `the packets of a page are those that the assembler finds`(codec: Fixtures.OggCodec) throws {
    let rate = codec == .speex ? 16_000 : 48_000
    for page in DemuxedOgg(try Fixtures.ogg(codec, sampleRate: rate, seconds: 1)).pages {
      var bytes = page.bytes
      var span = bytes.mutableSpan
      OggPage.stamp(&span, serial: 1, sequence: 1, granule: 0)
      guard case .page(let read) = OggPage.read(in: bytes.span, at: 0) else {
        Issue.record("no page")
        return
      }
      var assembler = OggAssembler()
      var packets = OggPagePackets(read)
      for packet in assembler.packets(of: read, in: bytes.span) {
        let range = packets.next(in: bytes.span)
        #expect(range.map { Array(bytes[$0]) } == packet)
      }
      let end = packets.next(in: bytes.span)
      #expect(end == nil)
    }
  }
}
