import TestSupport
import Testing

@testable import Wire

struct PlaylistTests {
  private func parse(
    _ text: String, type: String? = nil, url: String = "http://radio.example/lists/x"
  ) -> [PlaylistEntry]? {
    Playlist.parse(Array(text.utf8), mediaType: type, url: url)
  }

  private func urls(
    _ text: String, type: String? = nil, url: String = "http://radio.example/lists/x"
  ) -> [String]? {
    parse(text, type: type, url: url)?.map(\.url)
  }

  // MARK: PLS

  private let pls =
    "[playlist]\nNumberOfEntries=2\nFile1=http://a.example:8000/\nTitle1=First – café\n"
    + "Length1=-1\nFile2=http://b.example/;stream.nsv\nTitle2=Second\nLength2=180\nVersion=2\n"

  @Test func `a pls gives its streams in order`() {
    #expect(
      parse(pls) == [
        PlaylistEntry(url: "http://a.example:8000/", title: "First – café", seconds: -1),
        PlaylistEntry(url: "http://b.example/;stream.nsv", title: "Second", seconds: 180),
      ])
  }

  @Test(arguments: ["\n", "\r\n", "\r", "\n\n", "  \r\n\t"])
  func `a pls is read with any line ends`(end: String) {
    #expect(parse(pls.split(separator: "\n").joined(separator: end)) == parse(pls))
    #expect(parse("\u{FEFF}" + pls.split(separator: "\n").joined(separator: end)) == parse(pls))
  }

  @Test func `keys come in any case and order, and the count may be missing`() {
    let text =
      "[Playlist]\nlength2=-1\nTITLE1=One\nfile10 = http://c/\nFILE2=http://b/\nfile1=http://a/"
    #expect(urls(text) == ["http://a/", "http://b/", "http://c/"])
    #expect(parse(text)?.first?.title == "One")
  }

  @Test func `a number that occurs twice is two entries`() {
    let text = "[playlist]\nFile1=http://a/\nTitle1=A\nFile1=http://b/\nTitle1=B\n"
    #expect(
      parse(text) == [
        PlaylistEntry(url: "http://a/", title: "A"), PlaylistEntry(url: "http://b/", title: "B"),
      ])
  }

  @Test(arguments: [
    "File=http://a/", "File0=http://a/", "File1=\"http://a/\"", "File1 =  http://a/  ",
    "File1=http://a/\nFile2=\nFile3=C:\\music\\x.mp3\nFile4=mms://x/y\nFile99999999999=http://b/",
    "; comment\nrubbish\n=x\nFile1=http://a/\nTitle7=nobody",
  ])
  func `odd lines of a pls do no harm`(lines: String) {
    #expect(urls("[playlist]\n" + lines) == ["http://a/"])
  }

  @Test func `a pls without its first line is known by its type or address`() {
    let text = "File1=http://a/\nTitle1=A"
    #expect(urls(text, type: "audio/x-scpls; charset=utf-8") == ["http://a/"])
    #expect(urls(text, url: "http://x/list.PLS?sid=1") == ["http://a/"])
    #expect(urls(text) == nil)
  }

  // MARK: M3U

  @Test func `an extended m3u gives titles and lengths`() {
    let text =
      "#EXTM3U\r\n#EXTINF:-1,First, really\r\nhttp://a/\r\n# comment\r\n"
      + "#EXTINF:12.5 tvg-name=\"a,b\" group=\"c\",Second\r\n\r\nhttps://b/\r\nhttp://c/\r\n"
    #expect(
      parse(text) == [
        PlaylistEntry(url: "http://a/", title: "First, really", seconds: -1),
        PlaylistEntry(url: "https://b/", title: "Second", seconds: 12.5),
        PlaylistEntry(url: "http://c/"),
      ])
  }

  @Test func `a bare list of addresses is an m3u`() {
    #expect(urls("http://a/\nhttp://b/") == ["http://a/", "http://b/"])
    #expect(urls("HTTP://a/\r\n\r\n", type: "text/plain") == ["HTTP://a/"])
    #expect(urls("# made by hand\nhttp://a/", type: "audio/x-mpegurl") == ["http://a/"])
  }

  @Test func `relative entries are resolved against the playlist's address`() {
    let text = "#EXTM3U\nlow.mp3\n/high.mp3\n../up.mp3?x=1\n//other.example/y\n?z=1/2"
    #expect(
      urls(text, url: "http://radio.example/lists/x.m3u?sid=1") == [
        "http://radio.example/lists/low.mp3", "http://radio.example/high.mp3",
        "http://radio.example/up.mp3?x=1", "http://other.example/y",
        "http://radio.example/lists/x.m3u?z=1/2",
      ])
  }

  @Test func `bytes that no address can have are escaped as they stand`() {
    let bytes =
      Array("#EXTM3U\n#EXTINF:-1,Caf".utf8) + [0xE9] + Array("\nhttp://a/caf".utf8)
      + [0xE9] + Array(" <1>.mp3\nhttp://b/é%20x".utf8)
    let entries = Playlist.parse(bytes, mediaType: nil, url: "")
    #expect(entries?.map(\.url) == ["http://a/caf%E9%20%3C1%3E.mp3", "http://b/%C3%A9%20x"])
    #expect(entries?.first?.title == "Café")
  }

  @Test(arguments: [
    "file:///etc/passwd", "gopher://x/", "http://", "https:///x", "javascript:alert(1)",
    "C:\\x.mp3",
  ])
  func `a playlist's line that is no HTTP URL is no entry`(line: String) {
    #expect(parse("#EXTM3U\n" + line) == [])
  }

  // MARK: HLS

  @Test(arguments: [
    "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\nseg1.ts\n",
    "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=128000\nhttp://a/low.m3u8\n",
  ])
  func `HLS is a playlist without streams to pull`(text: String) {
    #expect(parse(text, type: "application/vnd.apple.mpegurl") == [])
    #expect(Playlist.isHLS(Array(text.utf8)))
  }

  @Test func `an m3u8 of streams is no HLS`() {
    let text = "#EXTM3U\n#EXTINF:-1,A\nhttp://a/\n"
    #expect(urls(text, type: "application/vnd.apple.mpegurl") == ["http://a/"])
    #expect(!Playlist.isHLS(Array(text.utf8)))
  }

  // MARK: What is what

  @Test func `content counts before type and address`() {
    #expect(urls(pls, type: "audio/x-mpegurl", url: "http://x/y.m3u")?.count == 2)
    #expect(urls("#EXTM3U\nhttp://a/", type: "audio/x-scpls") == ["http://a/"])
    #expect(urls("http://a/", type: "audio/x-scpls") == ["http://a/"])
    #expect(urls("#EXTM3U\nhttp://a/", type: "audio/mpeg") == ["http://a/"])
  }

  @Test(arguments: [
    "", "\n\n", "<html><body>http://a/</body></html>",
    "Not found", "http://a/\nrubbish", "ID3", "OggS",
  ])
  func `plain text, HTML and audio are no playlists`(text: String) {
    #expect(parse(text) == nil)
  }

  @Test func `an error page instead of a playlist gives nothing to pull`() {
    #expect(parse("<html>404</html>", url: "http://x/y.m3u") == nil)
    #expect(parse("Not found", url: "http://x/y.m3u") == [])
  }

  @Test(arguments: ["audio/x-mpegurl", "audio/x-scpls", "audio/mpeg", nil])
  func `audio is never a playlist, whatever it is called`(type: String?) {
    let frame = [0xFF, 0xFB, 0x90, 0x64] + Array(repeating: UInt8(ascii: "U"), count: 413)
    let adts = [0xFF, 0xF1, 0x50, 0x80] + Array(repeating: UInt8(ascii: "U"), count: 100)
    let id3 = Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, 10] + Array("http://a/\n".utf8)
    let ogg = Array("OggS".utf8) + [0, 2, 0, 0]
    for bytes in [
      frame, adts, id3, ogg, [0xFF], Array("ID3".utf8), [0], Array("http://a/\n\u{0}x".utf8),
    ] {
      #expect(Playlist.parse(bytes, mediaType: type, url: "http://x/y.m3u") == nil)
    }
  }

  // MARK: Bounds

  @Test func `a long playlist is cut at its thousandth entry`() {
    let lines = (1...1200).map { "http://a/\($0)\n" }.joined()
    #expect(urls("#EXTM3U\n" + lines)?.count == 1000)
    let files = (1...1200).map { "File\($0)=http://a/\($0)\n" }.joined()
    #expect(urls("[playlist]\n" + files)?.last == "http://a/1000")
    let same = (1...1200).map { "File1=http://a/\($0)\n" }.joined()
    #expect(urls("[playlist]\n" + same)?.count == 1000)
  }

  @Test func `a huge document is read to its last whole line within bounds`() {
    var bytes = Array("#EXTM3U\nhttp://a/\n".utf8)
    bytes += Array(repeating: UInt8(ascii: "#"), count: Playlist.bytesMax - bytes.count - 10)
    bytes += Array("\nhttp://b/whole\nhttp://c/".utf8)
    #expect(Playlist.parse(bytes, mediaType: nil, url: "")?.map(\.url) == ["http://a/"])
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `random bytes never trap the playlist reader`(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let m3u = "#EXTM3U\r\n#EXTINF:-1 a=\"b\",T\r\nhttp://a/\r\n../b\r\n"
    for text in [pls, m3u] {
      let bytes = Array(text.utf8)
      for length in 0...bytes.count {
        let entries = Playlist.parse(Array(bytes[..<length]), mediaType: nil, url: "http://x/")
        #expect((entries?.count ?? 0) <= 2)
      }
      for _ in 0..<100 {
        let mutated = random.mutated(bytes)
        let entries = Playlist.parse(mutated, mediaType: "audio/x-scpls", url: "http://x/y")
        for entry in entries ?? [] {
          #expect(entry.url.lowercased().hasPrefix("http"))
          #expect(entry.url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
        }
      }
    }
  }

  // MARK: Writing

  @Test func `an m3u is one address and CRLF, as Icecast has it`() {
    #expect(Playlist.m3u(url: "http://a/b") == "http://a/b\r\n")
    #expect(
      Playlist.m3u(url: "http://a/b", title: "T\nU")
        == "#EXTM3U\r\n#EXTINF:-1,T U\r\nhttp://a/b\r\n")
  }

  @Test func `a written m3u or pls is read again as it was`() {
    for text in [
      Playlist.m3u(url: "http://a/b?c=d", title: "T, U"),
      Playlist.pls(url: "http://a/b?c=d", title: "T, U"),
    ] {
      #expect(parse(text) == [PlaylistEntry(url: "http://a/b?c=d", title: "T, U", seconds: -1)])
    }
    #expect(
      Playlist.pls(url: "http://a/b")
        == "[playlist]\r\nNumberOfEntries=1\r\nFile1=http://a/b\r\nLength1=-1\r\nVersion=2\r\n")
  }
}
