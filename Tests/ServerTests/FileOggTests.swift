import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// Parts of files in Ogg: exact packets, behind headers of their own.
@Suite(.serialized)
struct FileOggTests {
  /// A file of 20 s, and its pages as they are sent on.
  private struct Song {
    let name: String
    let file: [UInt8]
    let pages: [DemuxedOgg.Page]
    /// Seconds at which each begins, but for what an encoder puts in front: less than 25 ms.
    let starts: [Double]

    init(_ codec: Fixtures.OggCodec) throws {
      name = "\(codec).ogg"
      let rate = codec == .speex ? 16_000 : 48_000
      file = try Fixtures.ogg(
        codec, sampleRate: rate, channels: codec == .speex ? 1 : 2, seconds: 20,
        pageMicroseconds: 1_000_000)
      pages = DemuxedOgg(file).pages
      starts = pages.reduce(into: [0]) { $0.append($0.last! + Double($1.samples) / Double(rate)) }
    }

    private func long(before page: Int) -> Int {
      (page..<pages.count).first { starts[$0] - starts[$0 - 1] > 0.1 } ?? page
    }

    /// The pages of a region whose ends are well within the pages before; `rest`: how many there are from its first on.
    func region(_ from: Int, _ to: Int) -> (query: String, pages: [DemuxedOgg.Page], rest: Int) {
      func inFront(_ page: Int) -> Double { starts[page] - 0.03 }
      // In a page before that is long enough.
      let (from, to) = (long(before: from), long(before: to))
      return (
        "from=\(inFront(from))&to=\(inFront(to))", Array(pages[from..<to]), pages.count - from
      )
    }
  }

  private func withSong(
    _ codec: Fixtures.OggCodec, _ body: (Song, FileServer) async throws -> Void
  ) async throws {
    let song = try Song(codec)
    let server = try await FileServer(
      bypass: 3600, settings: .init(), further: [song.name: song.file])
    do {
      try await body(song, server)
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }

  /// Without what says where in a stream it is: head up to the checksum.
  private func content(_ pages: [[UInt8]]) -> [[UInt8]] { pages.map { Array($0[26...]) } }

  @Test(arguments: Fixtures.OggCodec.allCases)
  func `a region is its packets, behind headers, from time zero on`(
    codec: Fixtures.OggCodec
  ) async throws {
    try await withSong(codec) { song, server in
      for (from, to) in [(1, 2), (20, 41), (33, song.pages.count - 1)] {
        let region = song.region(from, to)
        let client = try await server.fetch("/shows/\(song.name)?\(region.query)")
        let head = try client.head()
        #expect(head.status == 200 && head["Content-Type"] == "audio/ogg")
        let chain = OggChain(client.body)
        #expect(chain.problems.isEmpty && chain.bytes == client.bodyCount, "\(chain.problems)")
        try #require(chain.links.count == 1)
        let link = chain.links[0]
        #expect(link.headers?.format == DemuxedOgg(song.file).headers[0].format)
        #expect(content(link.pages) == content(region.pages.map(\.bytes)))
        let ends = region.pages.reduce(into: [UInt64(0)]) {
          $0.append($0.last! + UInt64($1.samples))
        }
        #expect(link.granules == Array(ends.dropFirst()))
        let said = try #require(head["X-Content-Duration"].flatMap(Double.init))
        let length = Double(ends.last!) / Double(link.headers?.format.sampleRate ?? 1)
        #expect(abs(said - length) < 0.25, "\(said) \(length)")
        let played = try Fixtures.decodeOgg(client.body)
        #expect(played.log.isEmpty && played.samples > 0, "\(played.log)")
      }
    }
  }

  @Test(arguments: Fixtures.OggCodec.allCases)
  func `a part without an end has all packets up to the file's end`(
    codec: Fixtures.OggCodec
  ) async throws {
    try await withSong(codec) { song, server in
      let region = song.region(50, 60)
      let page = song.pages.count - region.rest
      let from = try #require(region.query.split(separator: "&").first).dropFirst(5)
      for (query, first) in [("at=\(from)", page), ("at=0", 0), ("from=0&to=3600", 0)] {
        let client = try await server.fetch("/shows/\(song.name)?\(query)")
        let chain = OggChain(client.body)
        #expect(chain.problems.isEmpty && chain.links.count == 1, "\(chain.problems)")
        #expect(content(chain.links[0].pages) == content(song.pages[first...].map(\.bytes)))
      }
    }
  }

  @Test(arguments: Fixtures.OggCodec.allCases)
  func `a region in a loop is a chain, each link of it the region`(
    codec: Fixtures.OggCodec
  ) async throws {
    try await withSong(codec) { song, server in
      let region = song.region(30, 40)
      let client = try StreamClient(
        to: server.address,
        sending: "GET /shows/\(song.name)?\(region.query)&loop=1 HTTP/1.1\r\nHost: a\r\n\r\n")
      try await client.until("six rounds") { OggChain($0.body).links.count > 6 }
      let chain = OggChain(client.body)
      #expect(chain.problems.isEmpty, "\(chain.problems)")
      let wanted = content(region.pages.map(\.bytes))
      for link in chain.links.dropLast() { #expect(content(link.pages) == wanted) }
      #expect(try client.head()["Content-Length"] == nil)
      // ffmpeg takes the headers of a Speex chain's second link for audio, whoever made it.
      if codec == .speex { return }
      let played = try Fixtures.decodeOgg(Array(client.body.prefix(chain.bytes)))
      #expect(played.log.isEmpty, "\(played.log)")
    }
  }
}
