import TestSupport
import Testing

@testable import Wire

/// Fragments by hand; `HLSDecodingTests` lets ffmpeg play them.
@Suite struct HLSFragmentTests {
  private static func headers(_ identification: [UInt8]) throws -> OggHeaders {
    try #require(
      OggHeaders(identification: identification, comments: VorbisComments(), further: []))
  }

  private static let opusHead: [UInt8] =
    Array("OpusHead".utf8) + [1, 2, 0x38, 0x01, 0x44, 0xAC, 0, 0, 0x34, 0x12, 0]
  /// 96 kHz, six channels, 24 bits: 20 + 3 + 5 + 36 bits behind block and frame sizes.
  private static let flacHead: [UInt8] =
    [0x7F] + Array("FLAC".utf8) + [1, 0, 0, 1] + Array("fLaC".utf8) + [0, 0, 0, 34, 16, 0, 16, 0]
    + [0, 0, 9, 0, 0, 9, 0x17, 0x70, 0x0B, 0x70] + [UInt8](repeating: 7, count: 20)

  /// A box's kind and, in brackets, those inside it.
  private static func tree(_ bytes: ArraySlice<UInt8>) -> String {
    let inside: Set = ["moov", "trak", "mdia", "minf", "dinf", "stbl", "mvex", "moof", "traf"]
    var words: [String] = []
    var rest = bytes
    while rest.count >= 8 {
      let span = Array(rest.prefix(16))
      guard let box = MP4Box(in: span.span), let length = box.bytes, length <= rest.count else {
        return "damaged"
      }
      let kind = String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self)
      let content = rest.prefix(Int(length)).dropFirst(8)
      words.append(inside.contains(kind) ? "\(kind)[\(tree(content))]" : kind)
      rest = rest.dropFirst(Int(length))
    }
    return words.joined(separator: " ") + (rest.isEmpty ? "" : " damaged")
  }

  private static func content(_ kind: String, in bytes: [UInt8]) throws -> [UInt8] {
    let name = Array(kind.utf8)
    let place = try #require(
      (4..<bytes.count - 4).first { bytes[$0..<$0 + 4].elementsEqual(name) })
    let length = bytes[place - 4..<place].reduce(0) { $0 << 8 | Int($1) }
    return Array(bytes[place + 4..<place - 4 + length])
  }

  @Test func `an initialisation has the boxes that players need, in order`() throws {
    for head in [Self.opusHead, Self.flacHead] {
      let bytes = try #require(FragmentWriter(Self.headers(head))).initialisation
      #expect(
        Self.tree(bytes[...])
          == "ftyp moov[mvhd trak[tkhd mdia[mdhd hdlr minf[smhd dinf[dref] "
          + "stbl[stsd stts stsc stsz stco]]]] mvex[trex]]")
      #expect(try Self.content("ftyp", in: bytes) == Array("iso6\0\0\0\0iso6cmfcmp41".utf8))
      #expect(try Self.content("mvhd", in: bytes).count == 100)
      #expect(try Self.content("tkhd", in: bytes).count == 84)
      #expect(
        try Self.content("trex", in: bytes) == [
          0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        ])
      #expect(
        try Self.content("hdlr", in: bytes) == [0, 0, 0, 0, 0, 0, 0, 0] + Array("soun".utf8)
          + [UInt8](repeating: 0, count: 13))
    }
  }

  @Test func `the entry of Opus has its numbers with the highest byte first`() throws {
    let bytes = try #require(FragmentWriter(Self.headers(Self.opusHead))).initialisation
    let expected: [UInt8] =
      [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0x37] + Array("Opus".utf8)
      + [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 16, 0, 0, 0, 0]
      + [0xBB, 0x80, 0, 0, 0, 0, 0, 19] + Array("dOps".utf8)
      // The log's headers have 80 ms of pre-skip, and 48 kHz.
      + [0, 2, 0x0F, 0x00, 0, 0, 0xBB, 0x80, 0x12, 0x34, 0]
    #expect(try Self.content("stsd", in: bytes) == expected)
    #expect(try Self.content("mdhd", in: bytes)[12..<16].elementsEqual([0, 0, 0xBB, 0x80]))
  }

  @Test func `the entry of Opus in many channels has their table`() throws {
    var head = Self.opusHead
    head[9] = 6
    head[18] = 1
    let table: [UInt8] = [4, 2, 0, 4, 1, 2, 3, 5]
    let bytes = try #require(FragmentWriter(Self.headers(head + table))).initialisation
    #expect(
      try Self.content("dOps", in: bytes)
        == [0, 6, 0x0F, 0x00, 0, 0, 0xBB, 0x80, 0x12, 0x34, 1] + table)
    // A table that is cut, and six channels without one.
    #expect(try FragmentWriter(Self.headers(head + table.dropLast())) == nil)
    head[18] = 0
    #expect(try FragmentWriter(Self.headers(head)) == nil)
  }

  @Test func `the entry of FLAC has STREAMINFO`() throws {
    let bytes = try #require(FragmentWriter(Self.headers(Self.flacHead))).initialisation
    // Sizes of frames, samples and digest are those of one file only.
    let info: [UInt8] =
      [16, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0x17, 0x70, 0x0B, 0x70] + [UInt8](repeating: 0, count: 20)
    let expected: [UInt8] =
      [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0x56] + Array("fLaC".utf8)
      + [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 24, 0, 0, 0, 0]
      // 96 kHz do not fit.
      + [0, 0, 0, 0, 0, 0, 0, 50] + Array("dfLa".utf8) + [0, 0, 0, 0, 0x80, 0, 0, 34] + info
    #expect(try Self.content("stsd", in: bytes) == expected)
  }

  @Test func `other codecs have no fragments`() throws {
    let headers = DemuxedOgg(try Fixtures.ogg(.vorbis, seconds: 1)).headers[0]
    #expect(FragmentWriter(headers) == nil)
  }

  // MARK: Fragments

  /// One page of Opus with packets of 20 ms, of so many bytes each.
  private static func page(
    _ lengths: [Int], flags: OggPage.Flags = [], sequence: UInt32 = 1, first: UInt8 = 1
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    var body: [UInt8] = []
    for (index, length) in lengths.enumerated() {
      // Configuration 31: 20 ms of music, one frame.
      body.append(0xF8)
      body += repeatElement(first + UInt8(index), count: length - 1)
    }
    OggPageWriter.append(flags, lengths.flatMap { OggPageWriter.lacing($0) }, body, to: &bytes)
    var span = bytes.mutableSpan
    OggPage.stamp(&span, serial: 7, sequence: sequence, granule: 960)
    return bytes
  }

  private func packets(_ pages: [[UInt8]], heard: Int? = nil) throws -> OggPackets {
    var packets = OggPackets(try Self.headers(Self.opusHead))
    for page in pages { packets.expect(page, heard: heard) }
    return packets
  }

  @Test func `a fragment is as written by hand`() throws {
    let writer = try #require(FragmentWriter(Self.headers(Self.opusHead)))
    let fragment = writer.fragment(
      try packets([Self.page([3, 2])]), media: 705_600_000..<705_600_000 + 1920 * 14_700,
      number: 1 << 32 + 15_883)
    let expected: [UInt8] =
      [0, 0, 0, 104] + Array("moof".utf8) + [0, 0, 0, 16] + Array("mfhd".utf8)
      + [0, 0, 0, 0, 0, 0, 0x3E, 0x0B] + [0, 0, 0, 80] + Array("traf".utf8)
      + [0, 0, 0, 24] + Array("tfhd".utf8)
      + [0, 0x02, 0, 0x28, 0, 0, 0, 1, 0, 0, 0x03, 0xC0, 0x02, 0, 0, 0]
      + [0, 0, 0, 20] + Array("tfdt".utf8) + [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xBB, 0x80]
      + [0, 0, 0, 28] + Array("trun".utf8)
      + [0, 0, 2, 1, 0, 0, 0, 2, 0, 0, 0, 112, 0, 0, 0, 3, 0, 0, 0, 2]
      + [0, 0, 0, 13] + Array("mdat".utf8) + [0xF8, 1, 1, 0xF8, 2]
    #expect(fragment == expected)
  }

  @Test func `a title stands in front of its fragment, at its time`() throws {
    let writer = try #require(FragmentWriter(Self.headers(Self.opusHead)))
    let title = HLSTitle(title: "S", artist: "B")
    let media: Range<Int64> = 705_600_000..<705_600_000 + 960 * 14_700
    let packets = try packets([Self.page([3])])
    let plain = writer.fragment(packets, media: media, number: 1)
    let fragment = writer.fragment(
      packets, media: media, number: 1, event: .init(title: title, position: 1 << 32 + 0x0102_0304))
    let tag = TimestampTag(media: nil, title: title).bytes
    let content: [UInt8] =
      Array("emsg".utf8) + [1, 0, 0, 0, 0, 0, 0xBB, 0x80, 0, 0, 0, 0, 0, 0, 0xBB, 0x80]
      + [0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4] + Array("https://aomedia.org/emsg/ID3".utf8) + [0, 0]
      + tag
    #expect(fragment == [0, 0, 0, UInt8(content.count + 4)] + content + plain)
    #expect(tag.starts(with: [0x49, 0x44, 0x33, 4]))
  }

  @Test func `samples that are not heard are taken from the end where they are`() throws {
    let page = Self.page([3, 2])
    let begins = Self.page([3, 2], flags: .begins)
    #expect(try packets([page], heard: 1920).packets.map(\.samples) == [960, 960])
    #expect(try packets([page], heard: 1608).packets.map(\.samples) == [960, 648])
    #expect(try packets([begins], heard: 1608).packets.map(\.samples) == [648, 960])
    // Each keeps one sample.
    #expect(try packets([begins], heard: 1).packets.map(\.samples) == [1, 1])
    #expect(try packets([page], heard: 500).packets.map(\.samples) == [499, 1])
    #expect(try packets([page], heard: .min).packets.map(\.samples) == [1, 1])
    #expect(try packets([page], heard: .max).packets.map(\.samples) == [960, 960])
  }

  @Test func `fragments follow each other without hole or overlap for longer than 27 hours`() throws
  {
    // 37.8 kHz is no whole number of flicks, so a packet's media time is rounded.
    var head = Self.flacHead
    (head[27], head[28], head[29]) = (0x09, 0x3A, 0x80 | 0x2)
    let headers = try Self.headers(head)
    #expect(headers.format.sampleRate == 37_800)
    let writer = try #require(FragmentWriter(headers))
    var packets = OggPackets(headers)
    var page: [UInt8] = []
    // FLAC: a block of 4,096 samples.
    let frame: [UInt8] = [0xFF, 0xF8, 0xC9, 0xA8, 0, 1, 2, 3]
    OggPageWriter.append([], OggPageWriter.lacing(8), frame, to: &page)
    var span = page.mutableSpan
    OggPage.stamp(&span, serial: 1, sequence: 1, granule: 1)
    packets.expect(page)
    let length = 4096 * 705_600_000 / Int64(37_800)
    var media = Int64(97_200) * 705_600_000
    var next: Int?
    for _ in 0..<1000 {
      let bytes = writer.fragment(packets, media: media..<media + length, number: 1)
      let time = try Self.content("tfdt", in: bytes)[4...].reduce(0) { $0 << 8 | Int($1) }
      let samples = try Self.content("tfhd", in: bytes)[8..<12].reduce(0) { $0 << 8 | Int($1) }
      if let next { #expect(time == next) }
      next = time + samples
      media += length
    }
  }

  @Test func `media times at their ends do not end the process`() throws {
    let writer = try #require(FragmentWriter(Self.headers(Self.opusHead)))
    let packets = try packets([Self.page([3, 2])])
    for media in [Int64.min..<Int64.max, 0..<0, Int64.max..<Int64.max, -5..<5] {
      let bytes = writer.fragment(packets, media: media, number: .max)
      #expect(Self.tree(bytes[...]) == "moof[mfhd traf[tfhd tfdt trun]] mdat")
    }
    let none = OggPackets(try Self.headers(Self.opusHead))
    #expect(
      Self.tree(writer.fragment(none, media: 0..<960, number: 0)[...])
        == "moof[mfhd traf[tfhd tfdt trun]] mdat")
  }

  // MARK: Packets

  @Test func `pages give their packets one behind the other`() throws {
    let packets = try packets([Self.page([3, 2, 255, 300])])
    #expect(packets.packets.map(\.bytes) == [3, 2, 255, 300])
    #expect(packets.bytes.count == 560 && packets.samples == 4 * 960)
    #expect(packets.bytes.starts(with: [0xF8, 1, 1, 0xF8, 2, 0xF8, 3]))
  }

  @Test func `a packet of several pages is put together`() throws {
    var pages: [UInt8] = []
    let body = [0xF8] + [UInt8](repeating: 9, count: 100_000)
    OggPageWriter.append(lacing: OggPageWriter.lacing(body.count), body, to: &pages)
    var span = pages.mutableSpan
    OggPage.stamp(&span, serial: 7, sequence: 5, granule: 960)
    #expect(pages.count > OggPage.bytesMax)
    let found = try packets([pages])
    #expect(found.bytes == body && found.packets.count == 1)
  }

  @Test func `bytes cut anywhere, damaged or without a beginning add nothing`() throws {
    let headers = try Self.headers(Self.opusHead)
    var long: [UInt8] = []
    let body = [0xF8] + [UInt8](repeating: 9, count: 66_000)
    OggPageWriter.append(lacing: OggPageWriter.lacing(body.count), body, to: &long)
    var span = long.mutableSpan
    OggPage.stamp(&span, serial: 7, sequence: 2, granule: 960)
    let two = Self.page([30, 20])
    for whole in [two, long] {
      for end in 0..<whole.count where whole.count < 1000 || end % 97 == 0 || end > 65_200 {
        var packets = OggPackets(headers)
        let part = Array(whole[..<end])
        packets.expect(part, isWhole: false)
        #expect(packets == OggPackets(headers))
        let rest = Array(whole[end...])
        if end > 0 { packets.expect(rest, isWhole: false) }
      }
    }
    for place in two.indices {
      var damaged = two
      damaged[place] ^= 0x10
      var packets = OggPackets(headers)
      packets.expect(damaged, isWhole: false)
    }
    // Pages of two streams, of which the first leaves a packet open.
    let first = Array(long.prefix(OggPage.bytesMax))
    var packets = OggPackets(headers)
    let joined = first + two
    packets.expect(joined, isWhole: false)
    var other = Array(long.dropFirst(OggPage.bytesMax))
    var otherSpan = other.mutableSpan
    OggPage.stamp(&otherSpan, serial: 8, sequence: 3, granule: 960)
    let mixed = first + other
    packets.expect(mixed, isWhole: false)
    packets.expect(long)
  }

  @Test func `packets are the same whether pages come one by one or together`() throws {
    for codec in [Fixtures.OggCodec.opus, .flac] {
      let found = DemuxedOgg(try Fixtures.ogg(codec, seconds: 1))
      var pages: [[UInt8]] = []
      for (number, page) in found.pages.enumerated() {
        var bytes = page.bytes
        var span = bytes.mutableSpan
        OggPage.stamp(&span, serial: 7, sequence: UInt32(number), granule: 1)
        pages.append(bytes)
      }
      var single = OggPackets(found.headers[0])
      for page in pages { single.expect(page) }
      var all = OggPackets(found.headers[0])
      let joined = Array(pages.joined())
      all.expect(joined)
      #expect(all == single && all.samples == found.samples)
    }
  }
}

extension OggPackets {
  /// Adds pages that are whole, or are not.
  mutating func expect(_ pages: [UInt8], heard: Int? = nil, isWhole: Bool = true) {
    let isAdded = add(pages.span, heard: heard)
    #expect(isAdded == isWhole)
  }
}
