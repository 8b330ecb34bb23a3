import TestSupport
import Testing
import Wire

/// Ogg files of real encoders, taken apart and put together again.
@Suite struct OggDemuxerTests {
  private func rate(_ codec: Fixtures.OggCodec) -> Int {
    switch codec {
    case .opus: 48_000
    case .speex: 16_000
    case .vorbis, .flac: 44_100
    }
  }

  private func file(_ codec: Fixtures.OggCodec, comments: [String] = []) throws -> [UInt8] {
    try Fixtures.ogg(
      codec, sampleRate: rate(codec), channels: codec == .speex ? 1 : 2, comments: comments)
  }

  @Test(arguments: Fixtures.OggCodec.allCases)
  func `a file's format and length are found without decoding`(codec: Fixtures.OggCodec) throws {
    let found = DemuxedOgg(try file(codec))
    try #require(found.headers.count == 1)
    let format = found.headers[0].format
    #expect(format.codec.name == codec.rawValue)
    #expect(format.sampleRate == rate(codec))
    #expect(format.channels == (codec == .speex ? 1 : 2))
    // Four seconds; an encoder adds what its look-ahead and last block need, less than a tenth.
    let seconds = Double(found.samples) / Double(format.sampleRate)
    #expect((4.0..<4.1).contains(seconds), "\(seconds)")
    // A fifth of a second and the packet that fills it.
    #expect(found.pages.allSatisfy { $0.samples <= format.sampleRate * 3 / 10 })
    #expect(found.pages.count >= 15)
  }

  @Test(arguments: Fixtures.OggCodec.allCases)
  func `the demuxer finds the same pages however the body is cut`(codec: Fixtures.OggCodec) throws {
    let body = try file(codec)
    let whole = DemuxedOgg(body)
    for cuts in [[1], [27, 1, 255], [4096], [1009, 65_536, 3]] {
      #expect(DemuxedOgg(body, cuts: cuts) == whole, "\(cuts)")
    }
  }

  @Test(arguments: Fixtures.OggCodec.allCases)
  func `the pages made play from their first one and from any other`(codec: Fixtures.OggCodec)
    throws
  {
    let found = DemuxedOgg(try file(codec))
    for first in [0, 1, 9] {
      let stream = found.stream(from: first)
      let decoded = try Fixtures.decodeOgg(stream)
      #expect(decoded.log.isEmpty, "\(decoded.log)")
      let samples = found.pages[first...].reduce(0) { $0 + $1.samples }
      // Less what a decoder leaves out at its start: Opus 80 ms, Vorbis half a block.
      #expect((samples - 4096...samples).contains(decoded.samples), "from \(first)")
    }
  }

  @Test(arguments: Fixtures.OggCodec.allCases)
  func `headers are read again from their own pages, and from nothing else`(
    codec: Fixtures.OggCodec
  ) throws {
    let headers = DemuxedOgg(try file(codec, comments: ["title=Änne", "artist=A=B"])).headers[0]
    let pages = headers.pages(serial: 4711)
    let read = OggHeaders.read(pages: pages.span)
    #expect(read?.headers == headers)
    #expect(read?.serial == 4711)
    #expect(read?.headers.comments.title?.text == "A=B - Änne")
    let (cut, longer) = (Array(pages.dropLast()), pages + [0])
    #expect(OggHeaders.read(pages: cut.span) == nil)
    #expect(OggHeaders.read(pages: longer.span) == nil)
    var damaged = pages
    damaged[60] ^= 1
    #expect(OggHeaders.read(pages: damaged.span) == nil)
  }

  @Test(arguments: Fixtures.OggCodec.allCases)
  func `a chain's next link goes on where the same decoder can play it`(codec: Fixtures.OggCodec)
    throws
  {
    let first = try file(codec, comments: ["title=One"])
    let second = try Fixtures.ogg(
      codec, sampleRate: rate(codec), channels: codec == .speex ? 1 : 2,
      comments: ["title=Two"], seed: 2)
    let other = try Fixtures.ogg(
      codec, sampleRate: codec == .opus ? 48_000 : 32_000, channels: 1, seed: 3)
    let found = DemuxedOgg(first + second + other, cuts: [3000])
    try #require(found.headers.count == 3)
    #expect(found.headers[0].continues(with: found.headers[1]))
    #expect(!found.headers[0].continues(with: found.headers[2]))
    #expect(found.headers.map { $0.comments.title?.text } == ["One", "Two", nil])
    #expect(Set(found.pages.map(\.link)) == [0, 1, 2])
    let two = DemuxedOgg(first + second)
    #expect(try Fixtures.decodeOgg(two.stream()).log.isEmpty)
  }

  @Test func `a stream joined in the middle gives the same pages`() throws {
    // Pages as full as can be: packets go on from one into the next.
    let body = try Fixtures.ogg(.flac, sampleRate: 44_100, pageMicroseconds: 10_000_000)
    let whole = DemuxedOgg(body)
    let headers = Array(whole.headers[0].pages(serial: 5))
    var places: [Int] = []
    var place = 0
    while case .page(let page) = OggPage.read(in: body.span, at: place) {
      places.append(place)
      place = page.range.upperBound
    }
    var later = body
    // A server that joins us there sends the headers it has kept and goes on with pages of the same serial.
    let first = places[places.count / 2]
    let serial = body[14..<18]
    later = Self.renumbered(headers, serial) + body[first...]
    let found = DemuxedOgg(later).pages.map(\.bytes)
    #expect(!found.isEmpty)
    #expect(whole.pages.map(\.bytes).suffix(found.count) == found[...])
  }

  private static func renumbered(_ pages: [UInt8], _ serial: ArraySlice<UInt8>) -> [UInt8] {
    let number = serial.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return OggHeaders.read(pages: pages.span)!.headers.pages(serial: number)
  }

  @Test func `streams side by side and pages of others are stepped over`() throws {
    let audio = try file(.opus)
    // A stream of pictures whose pages come in between, with the audio's numbers of pages.
    var mixed: [UInt8] = []
    var place = 0
    while case .page(let page) = OggPage.read(in: audio.span, at: place) {
      var other = Array(audio[page.range])
      var span = other.mutableSpan
      OggPage.stamp(&span, serial: 99, sequence: page.sequence, granule: page.granule)
      if place > 0 { mixed += other }
      mixed += audio[page.range]
      place = page.range.upperBound
    }
    #expect(DemuxedOgg(mixed) == DemuxedOgg(audio))
  }

  @Test func `garbage, damaged pages and lost ones cost what they hold and no more`() throws {
    let body = try file(.vorbis)
    let whole = DemuxedOgg(body).pages.map(\.bytes)
    for seed in UInt64(1)...200 {
      var random = SplitMix(seed: seed)
      let damaged = PacketScannerMutationTests.damage(body, with: &random)
      let found = DemuxedOgg(damaged.stream, cuts: [1 + Int(random.next() % 9000)])
      // Damage in the headers may cost everything: a decoder could not play it either.
      if found.headers.count != 1 { continue }
      let known = found.pages.filter { whole.contains($0.bytes) }.count
      let sound = whole.count - known
      #expect(damaged.shift != 0 || sound <= 6 || damaged.stream.count < body.count, "seed \(seed)")
    }
  }

  @Test func `bytes without any Ogg are counted, and nothing is made of them`() {
    var random = SplitMix(seed: 4)
    let noise = (0..<100_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    var demuxer = OggDemuxer()
    var made: [UInt8] = []
    var from = 0
    while let found = demuxer.next(in: noise.span, from: from, atEnd: true, into: &made) {
      from = found.end
      #expect(found.items.isEmpty)
    }
    #expect(from == noise.count)
    #expect(demuxer.bytesWithoutSync == noise.count && demuxer.bytesSkipped == noise.count)
  }

  @Test(arguments: Fixtures.OggCodec.allCases)
  func `a listener's own stream after a jump plays from zero`(codec: Fixtures.OggCodec) throws {
    let found = DemuxedOgg(try file(codec))
    let stream = found.stream()
    let pages = Self.pages(of: stream).suffix(found.pages.count - 5)
    var link = OggRelink(serial: OggRelink.serial(3))
    let first = pages.first!.1
    link.begin(with: first.span, samples: found.pages[5].samples)
    var moved = found.headers[0].pages(serial: OggRelink.serial(3))
    for (_, page) in pages {
      var head = Array(page.prefix(OggRelink.headBytes))
      var span = head.mutableSpan
      link.move(&span, of: page.count, isEnd: true)
      moved += head + page.dropFirst(OggRelink.headBytes)
    }
    let decoded = try Fixtures.decodeOgg(moved)
    #expect(decoded.log.isEmpty, "\(decoded.log)")
    let last = Self.pages(of: moved).last!
    #expect(last.0.granule == UInt64(found.pages[5...].reduce(0) { $0 + $1.samples }))
    #expect(last.0.serial == 1 << 31 | 3)
  }

  private static func pages(of stream: [UInt8]) -> [(OggPage, [UInt8])] {
    var pages: [(OggPage, [UInt8])] = []
    var place = 0
    while case .page(let page) = OggPage.read(in: stream.span, at: place) {
      pages.append((page, Array(stream[page.range])))
      place = page.range.upperBound
    }
    return pages
  }
}
