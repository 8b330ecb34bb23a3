import TestSupport
import Testing

@testable import Wire

/// Whatever a stranger sends as a list or a page, reading four times as much is about four times the work.
struct LinearReadingTests {
  /// A document of at least so many bytes, made by saying one thing again and again.
  struct Shape: Sendable, CustomTestStringConvertible {
    let name: String
    let head: String
    let unit: [UInt8]
    let tail: String

    init(_ name: String, _ head: String, _ unit: String, _ tail: String = "") {
      self.init(name, head, Array(unit.utf8), tail)
    }

    init(_ name: String, _ head: String, _ unit: [UInt8], _ tail: String = "") {
      (self.name, self.head, self.unit, self.tail) = (name, head, unit, tail)
    }

    var testDescription: String { name }

    func bytes(_ count: Int) -> [UInt8] {
      var bytes = Array(head.utf8)
      bytes.reserveCapacity(count + unit.count)
      while bytes.count < count { bytes += unit }
      return bytes + tail.utf8
    }
  }

  /// Beginnings after which something else is read, and what may then be repeated.
  static let shapes: [Shape] = {
    let markup: [(String, String)] = [
      ("deep", "<a>x"), ("deep, unlike", "<a><b>"), ("wide", "<a>x</a>"), ("empty", "<a/>"),
      ("closed", "</a>"), ("closed, unknown", "<a></zz>"), ("left angles", "<"),
      ("ampersands", "&"),
      ("entities", "&amp;"), ("half entities", "&#x1"), ("comments", "<!--x-->"),
      ("open comments", "<!--"), ("CDATA", "<![CDATA[x]]>"), ("open CDATA", "<![CDATA["),
      ("brackets", "]]"), ("declarations", "<!x>"), ("attributes", " a=1"), ("slashes", "/"),
      ("quotes", "\""), ("long word", "x"), ("lines", "x\n"), ("returns", "\r"), ("blanks", " "),
      ("tracks", "<track><location>a"), ("locations", "<location>a</location>"),
      ("whole tracks", "<track><location>a</location></track>"), ("refs", "<entry><ref href=a/>"),
      ("marks", "e\u{301}\u{327}"), ("flags", "\u{1F1E9}"), ("bodies", "<body>1,"),
      ("outlines", "<outline text=\"a\">"), ("stations", "<outline text=\"a\" URL=\"http://a/\"/>"),
      ("songs", "<song><title>t</title><artist>a</artist><time>12:00</time></song>"),
      ("sources", "<source><mount>a</mount>"), ("nested songs", "<songtitle>"),
    ]
    let openings = [
      "<?xml?><playlist>", "<playlist><track>", "<asx ", "<icestats>", "<opml><body>",
      "<playlist><track a=\"",
    ]
    var shapes = openings.flatMap { opening in
      markup.map { Shape("\(opening) \($0.0)", opening, $0.1) }
    }
    let words = [
      "[", "{", "{\"a\":", "[[],", "{\"a\":1},", "\"a\",", "\"", "\\\"", "\\u00e9", "\\ud83d", ",",
      ":",
      "]", "}", "1 ", "\"title\":\"t\",", "{\"title\":\"t\",\"artist\":\"a\"},", "\r",
    ]
    for opening in ["{\"icestats\":{\"source\":[", "[", "{", "{\"a\":\""] {
      shapes += words.map { Shape("\(opening) \($0)", opening, $0) }
    }
    let lines = [
      "a.b\n", "\r", "a.b\r", "#\n", "#EXTINF:1,a\nb.c\n", "#EXTINF:1 tvg-logo", "#EXTINF:1 \"",
      "File1=a\n",
      "File1=a.b\nTitle1=", "File", "=", "http://a/\n", "#EXTINF:", "\u{1A}", "a/../", "%41",
      "FILE \"", "FILE a b\nTRACK 1 AUDIO\nINDEX 1 0:0:0\n", "TRACK 1 AUDIO\n", "file:///",
    ]
    for opening in ["#EXTM3U\n", "[playlist]\n", "[reference]\n", "http://h/\n", "#EXTINF:-1 ", ""]
    {
      shapes += lines.map {
        Shape("\(opening.debugDescription) \($0.debugDescription)", opening, $0)
      }
    }
    shapes.append(Shape("Latin-1", "[playlist]\nTitle1=", [0xE9]))
    shapes.append(Shape("halves of UTF-8", "<playlist><track><title>", [0xC3]))
    return shapes
  }()

  @Test(arguments: shapes) func `four times a list is four times the work`(_ shape: Shape) {
    let growth = ThreadTime.growth(from: shape.bytes(5000), to: shape.bytes(20_000)) {
      _ = Playlist.parse($0, mediaType: "audio/x-mpegurl", url: "http://h/a/b")
    }
    #expect(growth < 9)
  }

  @Test(arguments: shapes) func `four times a directory's list is four times the work`(
    _ shape: Shape
  ) {
    let growth = ThreadTime.growth(from: shape.bytes(5000), to: shape.bytes(20_000)) {
      _ = try? StationList.items($0, name: "list.m3u")
    }
    #expect(growth < 9)
  }

  @Test(arguments: shapes) func `four times a list of files is four times the work`(
    _ shape: Shape
  ) {
    let growth = ThreadTime.growth(from: shape.bytes(5000), to: shape.bytes(20_000)) { bytes in
      for name in ["list.m3u", "list.pls", "list.cue"] { _ = try? TrackList(bytes, name: name) }
    }
    #expect(growth < 9)
  }

  @Test(arguments: shapes) func `four times a page is four times the work`(_ shape: Shape) {
    var pages = [TitlePage.Kind.auto, .live365].map { kind in
      var page = TitlePage()
      page.kind = kind
      return page
    }
    var found = TitlePage()
    found.kind = .json
    found.paths.title = "a.a.a.a.title"
    pages.append(found)
    let growth = ThreadTime.growth(from: shape.bytes(5000), to: shape.bytes(20_000)) { bytes in
      for page in pages {
        _ = try? page.title(in: bytes, at: 1_700_000_000) { Charset.decode($0) }
      }
    }
    #expect(growth < 9)
  }

  @Test func `relative entries of a list with an endless address lead nowhere`() {
    let long = "http://h/" + String(repeating: "a", count: 100_000) + "/list.m3u"
    let entries = Playlist.parse(Array("#EXTM3U\nb\n".utf8), mediaType: nil, url: long)
    #expect(entries == [])
  }

  @Test func `a list nested without end gives what stood before`() {
    let track = "<track><location>http://a/</location></track>"
    let text = "<playlist>" + track + String(repeating: "<x>", count: 1000) + track
    let entries = Playlist.parse(Array(text.utf8), mediaType: nil, url: "")
    #expect(entries?.map(\.url) == ["http://a/"])
  }

  @Test func `a rule for titles looks at each byte a few times only`() throws {
    let pattern = try TitlePattern(
      "{artist}" + String(repeating: "a", count: 120) + "b{title}"
        + String(repeating: "a", count: 60)
        + "c")
    let text = Array(repeating: UInt8(ascii: "a"), count: 16_000)
    let growth = ThreadTime.growth(from: Array(text[..<4000]), to: text) {
      _ = pattern.parts(of: String(decoding: $0, as: UTF8.self))
    }
    #expect(growth < 9)
    let literal = "ab" + String(repeating: "aab", count: 3) + "aac"
    let rule = try TitlePattern("{artist}" + literal + "{title}")
    let said = "abaabaabaab" + literal + literal + "x"
    #expect(rule.parts(of: said)?.title == literal + "x")
  }

  @Test func `headers that never make a run are looked at in proportion to the bytes`() {
    // MPEG-2.5 at 8 kHz in free format, where three in a row are never as far apart: numbers without a 2 to base 3.
    let header: [UInt8] = [0xFF, 0xE3, 0x08, 0xC0]
    let bytes = (0..<6561).flatMap { slot in
      String(slot, radix: 3).contains("2") ? [0, 0, 0, 0] : header
    }
    var scanner = PacketScanner()
    var from = 0
    while let finding = scanner.next(in: bytes.span, from: from, atEnd: true) {
      from = finding.range.upperBound
    }
    #expect(scanner.placesInVain > 100_000)
    #expect(
      scanner.placesInVain <= FrameToil.debtMax + FrameToil.share * bytes.count + 5760)
  }
}
