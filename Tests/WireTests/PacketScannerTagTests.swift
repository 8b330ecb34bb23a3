import TestSupport
import Testing
import Wire

struct PacketScannerTagTests {
  static let frames = Make.mpegs(Make.small, 3)

  static let tags: [(String, [UInt8], PacketScanner.Skipped)] = [
    ("ID3v2", Make.id3v2(body: 300), .id3v2), ("empty ID3v2", Make.id3v2(body: 0), .id3v2),
    ("ID3v2.3", Make.id3v2(body: 129, version: 3), .id3v2),
    ("ID3v2 with footer", Make.id3v2(body: 200, footer: true), .id3v2),
    ("ID3v1", Make.id3v1(), .id3v1), ("APEv2", Make.ape(body: 100), .ape),
    ("APE footer", Make.apeHead(size: 400, isHeader: false), .ape),
  ]

  @Test(arguments: tags.indices)
  func `a tag is stepped over in front, in the middle and behind`(index: Int) {
    let (name, tag, kind) = Self.tags[index]
    let stream = tag + Self.frames + tag + Self.frames + tag
    let pieces = Harness.scan(stream)
    #expect(pieces.packets.count == 6, "\(name)")
    #expect(pieces.kinds == [kind, kind, kind], "\(name)")
    #expect(pieces.first == .skipped(0..<tag.count, kind), "\(name)")
  }

  @Test func `tags follow each other as files do`() {
    let file = Make.id3v2(body: 50) + Self.frames + Make.ape(body: 20) + Make.id3v1()
    let pieces = Harness.scan(file + file)
    #expect(pieces.packets.count == 6)
    #expect(pieces.kinds == [.id3v2, .ape, .id3v1, .id3v2, .ape, .id3v1])
  }

  @Test func `a tag longer than any buffer goes by in pieces and is not hoarded`() {
    let tag = Make.id3v2(body: 100_000)
    var harness = Harness()
    var fed = 0
    while fed < tag.count {
      let end = min(fed + 1000, tag.count)
      harness.feed(tag[fed..<end])
      fed = end
      #expect(harness.pieces.last == .skipped(0..<fed, .id3v2))
    }
    harness.feed(Self.frames[...], atEnd: true)
    #expect(harness.pieces.packets.count == 3)
    #expect(harness.scanner.bytesWithoutSync == 0, "tags are not garbage")
  }

  @Test func `sync is kept over a tag and the next frame is accepted at once`() {
    var harness = Harness()
    harness.feed((Self.frames + Make.id3v2(body: 40))[...])
    harness.feed(Make.mpeg(Make.small)[...])
    #expect(harness.pieces.packets.count == 4)
  }

  @Test func `a file of one frame before a tag counts`() {
    let stream = Make.mpeg(Make.small) + Make.id3v1() + Self.frames
    #expect(Harness.scan(stream).packets.count == 4)
  }

  @Test func `TAG inside a frame or garbage is no tag`() {
    var stream = Self.frames
    stream.replaceSubrange(40..<43, with: "TAG".utf8)
    #expect(Harness.scan(stream).kinds.isEmpty)
    let lost = Make.mpegs(Make.small, 3) + Make.garbage(10) + Array("TAG".utf8) + Self.frames
    let pieces = Harness.scan(lost)
    #expect(pieces.packets.count == 6)
    #expect(pieces.kinds == [.garbage])
  }

  @Test func `ID3v1 cut by the end is still one`() {
    let stream = Self.frames + Make.id3v1().prefix(60)
    #expect(Harness.scan(stream).last == .skipped(288..<348, .id3v1))
  }

  @Test func `a size that is not syncsafe is taken as a plain number`() {
    // 0x000000C8: 200 bytes written by a tagger that forgot the 7 bits.
    let tag = Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, 0xC8] + Make.garbage(200)
    let pieces = Harness.scan(tag + Self.frames)
    #expect(pieces.first == .skipped(0..<210, .id3v2))
    #expect(pieces.packets.count == 3)
  }

  @Test func `a tag of an absurd size is garbage`() {
    let absurd: [[UInt8]] = [
      Array("ID3".utf8) + [4, 0, 0, 0x7F, 0x7F, 0x7F, 0x7F],
      Make.apeHead(size: 0x7FFF_FFFF, isHeader: true),
    ]
    for tag in absurd {
      let pieces = Harness.scan(Self.frames + tag + Self.frames)
      #expect(pieces.packets.count == 6)
      #expect(pieces.kinds == [.garbage])
    }
  }

  @Test func `letters that only begin like a tag are garbage`() {
    for text in ["ID3", "ID4", "TAX", "APETAGEY", "APETAG", "I", "T"] {
      let pieces = Harness.scan(Self.frames + Array(text.utf8) + Self.frames)
      #expect(pieces.packets.count == 6, "\(text)")
      #expect(pieces.kinds == [.garbage], "\(text)")
    }
    #expect(Harness.scan(Self.frames + Array("ID3".utf8)).last == .skipped(288..<291, .garbage))
  }

  @Test func `info frames are told from audio, also in mid-stream`() {
    let words: [(UInt32, Int)] = [
      (0xFFFB_9064, 36), (0xFFFB_90C4, 21), (0xFFF3_8064, 21), (0xFFF3_80C4, 13),
      // LAME writes a protected file's table where it would stand without the CRC.
      (0xFFFA_9064, 36), (0xFFFA_9064, 38),
    ]
    for (word, offset) in words {
      for name in ["Xing", "Info"] {
        let table = Make.table(name, word, at: offset)
        let frames = Make.mpegs(word, 3)
        let pieces = Harness.scan(table + frames + table + frames)
        #expect(pieces.packets.count == 6)
        #expect(pieces.kinds == [.infoFrame, .infoFrame])
        #expect(pieces.first == .skipped(0..<table.count, .infoFrame))
      }
    }
  }

  @Test func `VBRI stands 32 bytes after the header in mono too`() {
    for word: UInt32 in [0xFFFB_9064, 0xFFFB_90C4, 0xFFF3_8064] {
      let pieces = Harness.scan(Make.table("VBRI", word, at: 36) + Make.mpegs(word, 3))
      #expect(pieces.kinds == [.infoFrame])
    }
  }

  @Test func `audio that spells Xing by chance stays audio`() {
    var frame = Make.table("Xing", 0xFFFB_9064, at: 36)
    frame[20] = 1  // its side info says there is audio
    #expect(Harness.scan(frame + Make.mpegs(0xFFFB_9064, 3)).packets.count == 4)
    let layerII = Make.table("Info", 0xFFFD_9000, at: 36)
    #expect(Harness.scan(layerII + Make.mpegs(0xFFFD_9000, 3)).packets.count == 4)
  }
}
