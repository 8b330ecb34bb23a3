import TestSupport
import Testing
import Wire

/// However a stream is cut into reads, the scanner finds the same.
struct PacketScannerSplitTests {
  static let streams: [(String, [UInt8])] = [
    ("frames", Make.mpegs(Make.small, 6)),
    ("garbage around", Make.garbage(50) + Make.mpegs(Make.small, 4) + Make.garbage(50)),
    ("a cut frame", Make.mpegs(Make.small, 4) + Make.mpeg(Make.small).prefix(50)),
    ("a cut frame inside", Make.mpegs(Make.small, 4).prefix(350) + Make.mpegs(Make.small, 5)),
    ("two formats", Make.mpegs(Make.small, 3) + Make.mpegs(Make.smallAt32, 3)),
    ("ADTS", Make.adtses(6) + [0xFF, 0xF1]),
    ("ADTS and MPEG", Make.adtses(4) + Make.mpegs(Make.small, 4)),
    ("free format", PacketScannerFreeFormatTests.frames + Make.mpegs(Make.small, 3)),
    ("a single frame", Make.mpeg(Make.small)),
    ("nearly a frame", Make.mpeg(Make.small) + [0xFF, 0xFB]),
    (
      "all tags",
      Make.id3v2(body: 100, footer: true) + Make.mpegs(Make.small, 3) + Make.ape(body: 60)
        + Make.id3v1() + Make.mpegs(Make.small, 3) + Make.id3v1()
    ),
    ("a tag in front of one frame", Make.id3v1() + Make.mpeg(Make.small)),
    (
      "an info frame",
      Make.table("Xing", 0xFFF3_24C0, at: 13) + Make.mpegs(0xFFF3_24C0, 4)
    ),
    ("halves of names", Array("ITAGIDTAAPETAGE".utf8) + Make.mpegs(Make.small, 3) + [0x54, 0x41]),
    ("ones", [UInt8](repeating: 0xFF, count: 300) + Make.mpegs(Make.small, 3) + [0xFF, 0xFF]),
    ("false headers", falseHeaders()),
  ]

  /// Sound headers in random places between frames.
  static func falseHeaders() -> [UInt8] {
    var random = SplitMix(seed: 5)
    var stream: [UInt8] = []
    for i in 0..<12 {
      stream += Make.garbage(Int(random.next() % 40), seed: i)
      stream +=
        i % 4 == 3 ? Make.mpegs(Make.small, 3) : [0xFF, 0xFB, i % 2 == 0 ? 0x04 : 0x14, 0xC0]
    }
    return stream
  }

  @Test(arguments: streams.indices)
  func `byte by byte gives what all at once gives`(index: Int) {
    let (name, stream) = Self.streams[index]
    let whole = Harness.scan(stream)
    #expect(Harness.scan(stream, inReadsOf: 1) == whole, "\(name)")
    #expect(whole.last?.range.upperBound == stream.count)
  }

  @Test(arguments: streams.indices)
  func `every cut into two reads gives what all at once gives`(index: Int) {
    let (name, stream) = Self.streams[index]
    let whole = Harness.scan(stream)
    for cut in 0...stream.count {
      #expect(Harness.scan(stream, cutAt: cut) == whole, "\(name) cut at \(cut)")
    }
  }

  @Test(arguments: [UInt64(1), 2, 3, 4])
  func `reads of random lengths give what all at once gives`(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let stream =
      try Fixtures.mp3(["-V", "5"], seconds: 1) + Make.garbage(700)
      + Fixtures.ffmpeg(["-c:a", "aac", "-b:a", "64k"], format: "adts", seconds: 1)
    var harness = Harness()
    var fed = 0
    while fed < stream.count {
      let end = min(fed + Int(random.next() % 3000), stream.count)
      harness.feed(stream[fed..<end])
      fed = end
    }
    harness.feed([], atEnd: true)
    #expect(harness.pieces == Harness.scan(stream), "seed \(seed)")
  }
}
