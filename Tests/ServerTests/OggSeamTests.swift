import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// An upstream whose encoder begins a new link with every title: samples at the links' ends are not heard.
@Suite struct OggSeamTests {
  private static let samples: UInt64 = 96_239  // 2.005 s

  private func chain(_ codec: Fixtures.OggCodec) throws -> [UInt8] {
    Array(
      try (1...3).map { try Fixtures.ogg(codec, seconds: 2.005, seed: UInt64($0)) }.joined())
  }

  /// Appends pages as ingest does: one logical stream, with marks where links begin and end.
  private func append(_ ogg: DemuxedOgg, to log: PacketLog) {
    log.markHeaders(ogg.headers[0].pages(serial: 7))
    var (sequence, granule): (UInt32, UInt64) = (16, 0)
    for page in ogg.pages where page.heard > 0 {
      var bytes = page.bytes
      if page.trim.front > 0 { bytes[OggPage.flagsByte] |= OggPage.Flags.begins.rawValue }
      if page.trim.back > 0 { bytes[OggPage.flagsByte] |= OggPage.Flags.last.rawValue }
      granule += UInt64(page.granules)
      var span = bytes.mutableSpan
      sequence += OggPage.stamp(&span, serial: 7, sequence: sequence, granule: granule)
      log.append(bytes.span, samples: page.heard, format: ogg.headers[0].format)
    }
    log.publish(at: .now())
  }

  @Test(arguments: [Fixtures.OggCodec.opus, .vorbis])
  func `listeners hear of a chain what players of the upstream hear`(codec: Fixtures.OggCodec)
    async throws
  {
    let body = try chain(codec)
    var window = LogConfiguration()
    window.windowBytes = 4 << 20
    let log = PacketLog(memoryOnly: window, at: .now())
    append(DemuxedOgg(body), to: log)
    #expect(abs(log.edge.media.seconds - 3 * 2.005) < 0.001)
    try await withServer(seconds: 0, isFed: false, log: log) { server in
      let client = try StreamClient(to: server.address, get: "/jazz?burst=60")
      try await client.until("the end of the third link") {
        let links = OggChain($0.body).links
        return links.count == 3 && links[2].granules.last ?? 0 >= Self.samples
      }
      let heard = OggChain(client.body)
      #expect(heard.problems.isEmpty, "\(heard.problems)")
      #expect(Set(heard.links.map(\.serial)).count == 3)
      let (ours, theirs) = (
        try Fixtures.decodeOgg(client.body), try Fixtures.decodeOgg(body)
      )
      #expect(ours.log.isEmpty && abs(ours.samples - theirs.samples) <= 4, "\(ours)")
      // Bytes of the log's own are for nobody else.
      let answer = LogReader(log).clip(from: log.oldest, to: log.edge)
      guard case .clip(let clip) = answer else {
        Issue.record("no clip")
        return
      }
      let reader = LogReader(log)
      let scratch = UnsafeMutableRawBufferPointer.allocate(
        byteCount: LogReader.clipScratchBytes, alignment: 16)
      defer { scratch.deallocate() }
      var file: [UInt8] = []
      while file.count < clip.byteCount,
        case .bytes(let part) = reader.read(clip, at: file.count, limit: 4096, scratch: scratch)
      {
        file += part
      }
      let pages = OggChain(file)
      #expect(pages.problems.isEmpty && pages.links.count == 1)
      #expect(pages.links[0].pages.allSatisfy { $0[OggPage.flagsByte] == 0 })
    }
  }

  @Test func `a title within a link of Opus leaves nothing out`() async throws {
    let (ogg, log) = try FakeOgg.twoTitles(.opus)
    try await withServer(seconds: 0, isFed: false, log: log) { server in
      let client = try StreamClient(to: server.address, get: "/jazz?burst=60&titles=comments")
      try await client.until("both titles") { ogg.hear($0.body).numbers.last == 119 }
      let body = client.body
      let heads = body.indices.dropLast(20).filter {
        body[$0..<$0 + 8].elementsEqual("OpusHead".utf8)
      }
      #expect(heads.map { Int(body[$0 + 10]) | Int(body[$0 + 11]) << 8 } == [3840, 0])
    }
  }
}
