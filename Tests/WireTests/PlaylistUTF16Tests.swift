import Testing

@testable import Wire

/// Lists as Windows' editors and Kodi write them.
@Suite struct PlaylistUTF16Tests {
  private func bytes(_ text: String, isBig: Bool) -> [UInt8] {
    text.utf16.flatMap { unit -> [UInt8] in
      let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
      return isBig ? [high, low] : [low, high]
    }
  }

  private func entries(_ bytes: [UInt8]) -> [PlaylistEntry]? {
    Playlist.parse(bytes, mediaType: "audio/x-mpegurl", url: "http://h/l.m3u")
  }

  @Test(arguments: [true, false], ["\u{FEFF}", ""])
  func `a list in UTF-16 is read`(isBig: Bool, mark: String) {
    let text = mark + "#EXTM3U\r\n#EXTINF:-1,Café\r\nhttp://h/a\r\n"
    let list = entries(bytes(text, isBig: isBig))
    #expect(list?.map(\.url) == ["http://h/a"] && list?.first?.title == "Café")
    let pls = bytes(mark + "[playlist]\r\nFile1=http://h/b\r\n", isBig: isBig)
    #expect(entries(pls)?.map(\.url) == ["http://h/b"])
  }

  @Test(arguments: [true, false])
  func `a list with a mark may begin with a comment in any script`(isBig: Bool) {
    for comment in ["#Радио", "# 電台", "#é"] {
      let text = bytes("\u{FEFF}\(comment)\r\nhttp://h/a\r\n", isBig: isBig)
      #expect(entries(text)?.map(\.url) == ["http://h/a"])
    }
  }

  @Test func `a frame that begins like a byte order mark is no text`() {
    for frame: [UInt8] in [[0xFF, 0xFE, 0xC4, 0, 0x12, 0x34], [0xFF, 0xFE, 0xFF, 0xFE]] {
      #expect(!UTF16Text.isMeant(by: frame))
      #expect(entries(frame) == nil)
    }
    for count in 0..<4 { #expect(UTF16Text.utf8([UInt8](repeating: 0xFF, count: count)) == nil) }
  }

  @Test func `an odd byte at the end is left out`() {
    #expect(UTF16Text.utf8(bytes("\u{FEFF}abc", isBig: false) + [0x64]) == Array("abc".utf8))
  }

  @Test func `NULs at the end of a list do no harm, and others make it no text`() {
    #expect(entries(Array("http://h/a\r\n\0\0".utf8))?.map(\.url) == ["http://h/a"])
    #expect(entries(Array("http://h/a\0http://h/b\n".utf8)) == nil)
  }

  @Test func `a bare list of icy addresses is read as http`() {
    let list = Playlist.parse(Array("icy://h:1/a\nICY://h:1/b\n".utf8), mediaType: nil, url: "")
    #expect(list?.map(\.url) == ["http://h:1/a", "http://h:1/b"])
  }

  @Test(
    arguments: [
      (
        "|User-Agent=VLC%2F3.0&Referer=http://h/?a",
        ["User-Agent: VLC/3.0", "Referer: http://h/?a"]
      ),
      ("|verifypeer=false&X-Key=1", ["X-Key: 1"]), ("|seekable=0", []),
      ("|User-Agent=", []), ("|Host=other", []), ("|User-Agent=a%0D%0AHost:%20b", []),
      ("|!User-Agent=a", ["User-Agent: a"]),
    ] as [(String, [String])])
  func `options that Kodi writes behind an address become header lines`(
    options: String, headers: [String]
  ) {
    let list = entries(Array("#EXTM3U\nhttp://h/a\(options)\n".utf8))
    #expect(list == [entry("http://h/a", headers)])
  }

  @Test func `a bar without options is the address's`() {
    let list = entries(Array("#EXTM3U\nhttp://h/a|b.mp3\n".utf8))
    #expect(list == [entry("http://h/a%7Cb.mp3", [])])
  }

  private func entry(_ url: String, _ headers: [String]) -> PlaylistEntry {
    var entry = PlaylistEntry(url: url)
    entry.headers = headers
    return entry
  }
}
