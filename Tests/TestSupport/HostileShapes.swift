/// Texts that are worst for whoever reads them: something begun, and then the same again and again.
public enum HostileShapes {
  private static let parts: [(start: String, again: String)] = [
    ("", "a"), ("", " "), ("", "\n"), ("", "\r\n"), ("", "\u{0}"), ("", "\u{301}"), ("", "é"),
    ("", "."),
    ("", "/"), ("", "../"), ("/", "a/../"), ("", "%41"), ("", "&"), ("?", "a=1&"), ("", "="),
    ("", ","), ("", "\"a\","),
    ("W/\"", "\\\""), ("", ";"), ("", ":"), ("bytes=", "1-2,"), ("", "9"), ("-", "1h"), ("", "*a"),
    ("", "("),
    ("[", "["), ("[", "1,"), ("{", "\"a\":1,"), ("", "{\"a\":"), ("\"", "\\u0041"), ("\"", "\\"),
    ("[[[[[[[[", "1,"),
    ("<p>", "<a>"), ("<p>", "<a>x"), ("<p>", "<a><b>x</b>"), ("<p>", "</a>"), ("", "<"),
    ("", "<a "), ("<a ", "b='c' "),
    ("<playlist>", "<a>"), ("<playlist>", "<a>x"), ("<playlist>", "<a><b>x</b>"), ("<asx>", "<a>x"),
    ("<asx><entry>", "<a>x"), ("<playlist><track>", "<a>x"), ("<opml>", "<outline>"),
    ("<p>", "<!--"), ("<p>", "<![CDATA[x]]>"), ("<p>", "&amp;"), ("", "&#x41;"),
    ("<!DOCTYPE ", "["),
    ("<asx><entry>", "<ref href='http://a/'/>"),
    ("<opml><body>", "<outline text='A' URL='http://a/'/>"),
    ("<playlist><trackList>", "<track><location>http://a/</location><title>A</title></track>"),
    ("<playlist><trackList><track>", "<location>http://a/</location>"),
    ("[playlist]\n", "File1=http://a/\n"), ("[playlist]\n", "Title1=A\n"),
    ("#EXTM3U\n", "http://a/\n"),
    ("#EXTM3U\n", "#EXTINF:-1 a=\"b\",c\n"), ("#EXTM3U\n", "#EXTGRP:x\n"), ("#EXTINF:", "a=\"b\" "),
    ("StreamTitle='", "a';b='"), ("", "StreamTitle='"), ("", "A: b\r\n"),
    ("GET / HTTP/1.1\r\n", "A: b\r\n"),
    ("1\r\n", "a\r\n1\r\n"), ("1;", "a"), ("", "OggS"), ("ID3", "\u{4}\u{0}\u{0}\u{7F}"),
    ("", "1,2,3,4,5,6,A,"),
    ("", "{artist} - "), ("", "~"),
    ("{\"icestats\":{\"source\":[", "{\"title\":\"A\",\"listenurl\":\"http://h/a\"},"),
  ]

  /// JSON that is so deep, and as wide as it may be at the bottom of it.
  public static func deepJSON(bytes count: Int, depth: Int) -> [UInt8] {
    let wide = String(repeating: "1,", count: max(1, (count - 2 * depth) / 2))
    return Array(
      (String(repeating: "[", count: depth) + wide + "1" + String(repeating: "]", count: depth))
        .utf8)
  }

  /// Each of about so many bytes.
  public static func all(bytes count: Int) -> [(name: String, bytes: [UInt8])] {
    parts.map { start, again in
      let times = max(1, (count - start.utf8.count) / again.utf8.count)
      return (start + again, Array((start + String(repeating: again, count: times)).utf8))
    } + binary(bytes: count)
  }

  private static func binary(bytes count: Int) -> [(name: String, bytes: [UInt8])] {
    let units: [(String, [UInt8])] = [
      ("0xFF", [0xFF]), ("0x80", [0x80]), ("MPEG heads", [0xFF, 0xFB, 0x90, 0x04]),
      ("half MPEG heads", [0xFF, 0xFB]),
      ("ADTS heads", [0xFF, 0xF1, 0x50, 0x80, 0, 0xFF, 0xFC]),
      ("ICY lengths", [1] + [UInt8](repeating: 39, count: 16)),
      ("frames", NumberedFrames.frame(0)),
      ("Ogg heads", Array("OggS".utf8) + [UInt8](repeating: 0, count: 23)),
    ]
    return units.map { name, unit in
      (name, Array(repeatElement(unit, count: max(1, count / unit.count)).joined()))
    }
  }
}
