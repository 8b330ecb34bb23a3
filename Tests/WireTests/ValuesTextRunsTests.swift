import Testing

@testable import Wire

/// Escaping by runs is what escaping one character after the other was.
@Suite struct ValuesTextRunsTests {
  private static let scalars: [Unicode.Scalar] = [
    "a", "b", " ", "\"", "\\", "&", "<", ">", "'", "\n", "\r", "\t", "\0", "\u{1F}", "\u{7F}",
    "\u{80}", "\u{9F}", "\u{A0}", "é", "\u{2027}", "\u{2028}", "\u{2029}", "\u{202A}", "\u{202E}",
    "\u{202F}", "\u{2065}", "\u{2066}", "\u{2069}", "\u{206A}", "€", "\u{FFFD}", "\u{FFFE}",
    "\u{FFFF}", "\u{FEFF}", "😀",
  ]

  private func randomTexts() -> [String] {
    let seed = UInt64.random(in: 1 ... .max)
    print("seed \(seed)")
    var state = seed
    func next(_ below: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state % UInt64(below))
    }
    return [""]
      + (0..<2_000).map { _ in
        var text = String.UnicodeScalarView()
        for _ in 0..<next(12) { text.append(Self.scalars[next(Self.scalars.count)]) }
        return String(text)
      }
  }

  private func mapped(_ text: String, _ change: (Unicode.Scalar) -> String) -> String {
    text.unicodeScalars.map(change).joined()
  }

  private func hex(_ scalar: Unicode.Scalar) -> String {
    String(scalar).utf8.map { "\\x" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test func `escaping XML by runs equals escaping each character`() {
    for text in randomTexts() {
      let expected = mapped(text) { scalar in
        switch scalar {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\"": "&quot;"
        case "'": "&#39;"
        case "\t", "\n", "\r": String(scalar)
        case "\0"..<" ", "\u{FFFE}", "\u{FFFF}": ""
        default: String(scalar)
        }
      }
      #expect(XMLText.escaped(text).unicodeScalars.elementsEqual(expected.unicodeScalars))
    }
  }

  @Test func `escaping playlists and log lines by runs equals escaping each character`() {
    for text in randomTexts() {
      let oneLine = mapped(text) { $0.isControl ? " " : String($0) }
      #expect(Playlist.oneLine(text).unicodeScalars.elementsEqual(oneLine.unicodeScalars))
      let line = mapped(text) { scalar in
        switch scalar.value {
        case 0..<0x20, 0x7f..<0xa0, 0x2028...0x202e, 0x2066...0x2069: hex(scalar)
        default: String(scalar)
        }
      }
      #expect(LogText.line(text).unicodeScalars.elementsEqual(line.unicodeScalars))
      let quotable = mapped(text) {
        (0x20..<0x7f).contains($0.value) && $0 != "\"" && $0 != "\\" ? String($0) : hex($0)
      }
      #expect(LogText.quotable(text) == quotable)
    }
  }

  @Test func `a list that is cut ends with a whole entry and says so`() {
    let tracks = (0..<10).map { Playlist.Track(url: "http://a/\($0)", title: "T") }
    let m3u = Playlist.m3u(tracks, bytesMax: 60)
    #expect(m3u.hasPrefix("#EXTM3U\r\n#EXTINF:-1,T\r\nhttp://a/0\r\n"))
    #expect(m3u.hasSuffix("http://a/1\r\n# cut short: more than fits into a list\r\n"))
    let pls = Playlist.pls(tracks, bytesMax: 60)
    #expect(pls.contains("NumberOfEntries=1\r\nFile1=http://a/0\r\n") && !pls.contains("File2"))
    #expect(Playlist.m3u(tracks) == Playlist.m3u(tracks, bytesMax: 300))
    for text in [Playlist.xspf(tracks, title: "X"), Playlist.asx(tracks, title: "X")] {
      #expect(!text.contains("cut short") && text.contains("http://a/9"))
    }
  }
}
