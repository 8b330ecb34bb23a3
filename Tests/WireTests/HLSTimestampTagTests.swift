import TestSupport
import Testing

@testable import Wire

@Suite struct HLSTimestampTagTests {
  /// The owner of the timestamp, written out.
  private static let owner: [UInt8] = Array("com.apple.streaming.transportStreamTimestamp".utf8)

  @Test func `a tag without a title has 73 bytes`() {
    let expected: [UInt8] =
      [0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 63]
      + [0x50, 0x52, 0x49, 0x56, 0, 0, 0, 53, 0, 0] + Self.owner + [0]
      // 10 s are 900,000.
      + [0, 0, 0, 0, 0, 0x0D, 0xBB, 0xA0]
    #expect(TimestampTag(media: 7_056_000_000).bytes == expected)
    #expect(expected.count == 73)
  }

  /// Flicks, and the eight bytes.
  @Test(
    arguments: [
      (0, [0, 0, 0, 0, 0, 0, 0, 0]), (7839, [0, 0, 0, 0, 0, 0, 0, 0]),
      (7840, [0, 0, 0, 0, 0, 0, 0, 1]), (705_600_000, [0, 0, 0, 0, 0, 1, 0x5F, 0x90]),
      // 2^33 - 1, and where the clock begins anew, after 26.5 hours.
      ((1 << 33 - 1) * 7840, [0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF]),
      ((1 << 33) * 7840, [0, 0, 0, 0, 0, 0, 0, 0]), (-1, [0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF]),
      (.max, [0, 0, 0, 0x01, 0xBB, 0x09, 0x67, 0x71]),
    ] as [(Int64, [UInt8])])
  func `media time is told in 33 bits of 90 kHz`(media: Int64, bytes: [UInt8]) {
    #expect(Array(TimestampTag(media: media).bytes.suffix(8)) == bytes)
  }

  @Test func `a title's frames are as written by hand`() {
    let title = HLSTitle(
      title: "Säng", artist: "B", url: "http://a/", artwork: "http://b/c.jpg")
    let expected: [UInt8] =
      [0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 85]
      + [0x54, 0x49, 0x54, 0x32, 0, 0, 0, 7, 0, 0, 3, 0x53, 0xC3, 0xA4, 0x6E, 0x67, 0]
      + [0x54, 0x50, 0x45, 0x31, 0, 0, 0, 3, 0, 0, 3, 0x42, 0]
      + [0x57, 0x58, 0x58, 0x58, 0, 0, 0, 11, 0, 0, 3, 0] + Array("http://a/".utf8)
      + [0x54, 0x58, 0x58, 0x58, 0, 0, 0, 24, 0, 0, 3] + Array("artwork".utf8) + [0]
      + Array("http://b/c.jpg".utf8) + [0]
    #expect(TimestampTag(media: nil, title: title).bytes == expected)
  }

  @Test func `sizes have seven bits a byte`() {
    let title = HLSTitle(title: String(repeating: "x", count: 1000))
    let bytes = TimestampTag(media: nil, title: title).bytes
    // The text, its charset and its end: 1002 is 7 × 128 + 106.
    #expect(bytes[14..<18].elementsEqual([0, 0, 7, 106]))
    #expect(bytes.count == 10 + 10 + 1002)
    #expect(!bytes[..<20].contains(0xFF))
  }

  @Test func `a recording's tag has the same frames`() {
    let tag = ID3Tag(title: "T", artist: "A", album: "B", recordedAt: 1_784_635_200_000_000_000)
    let expected: [UInt8] =
      [0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 66] + Array("TIT2".utf8) + [0, 0, 0, 2, 0, 0, 3, 0x54]
      + Array("TPE1".utf8) + [0, 0, 0, 2, 0, 0, 3, 0x41] + Array("TALB".utf8)
      + [0, 0, 0, 2, 0, 0, 3, 0x42] + Array("TDRC".utf8) + [0, 0, 0, 20, 0, 0, 3]
      + Array("2026-07-21T12:00:00".utf8)
    #expect(tag.bytes == expected)
  }

  // MARK: Titles

  /// A title as it comes, and as it is told.
  @Test(
    arguments: [
      ("Song", "Song"), ("a\r\nb\0c\td", "a  b c d"),
      ("\u{85}\u{7F}x\u{2028}y\u{2029}z", "  x y z"),
      ("e\u{301}", "\u{E9}"), ("\u{1112}\u{1161}\u{11AB}", "\u{D55C}"), ("\u{212B}", "\u{C5}"),
      ("שיר \u{202B}עברי\u{202C}", "שיר \u{202B}עברי\u{202C}"), ("👩‍👩‍👧‍👦🎶", "👩‍👩‍👧‍👦🎶"),
      ("", ""), ("„\u{2026}“", "„\u{2026}“"),
    ])
  func `a title is one line in normal form C`(text: String, expected: String) {
    #expect(HLSTitle.clean(text).unicodeScalars.elementsEqual(expected.unicodeScalars))
  }

  @Test(arguments: ["x", "é", "e\u{301}", "語", "🎶", "👩‍👩‍👧‍👦", "\r\n", "\u{327}\u{301}", "\u{2028}"])
  func `a title of 16 KB is cut to 1,000 bytes between two characters`(part: String) {
    let text = String(repeating: part, count: 16_384 / part.utf8.count + 1)
    for shift in 0..<4 {
      let cut = HLSTitle.clean(String(repeating: "a", count: shift) + text)
      #expect((997...1000).contains(cut.utf8.count), "\(cut.utf8.count)")
      #expect(!cut.unicodeScalars.contains("\u{FFFD}"))
      #expect(HLSTitle.clean(cut).unicodeScalars.elementsEqual(cut.unicodeScalars))
    }
  }

  @Test func `a station's title gives artist, song, link and picture, and nothing that is empty`() {
    let whole = Title(
      text: "B - S", url: "http://a/",
      parts: TitleParts(artist: "B", title: "S", artwork: "http://b/"))
    #expect(
      HLSTitle(whole)
        == HLSTitle(title: "S", artist: "B", url: "http://a/", artwork: "http://b/"))
    let plain = HLSTitle(Title(text: "B - S"))
    #expect(plain.title == "B - S")
    #expect(plain.artist == nil && plain.url == nil && plain.artwork == nil)
  }
}
