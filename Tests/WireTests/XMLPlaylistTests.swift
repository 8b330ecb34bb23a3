import TestSupport
import Testing

@testable import Wire

struct XMLPlaylistTests {
  private func parse(_ text: String) -> [PlaylistEntry]? {
    Playlist.parse(Array(text.utf8), mediaType: nil, url: "http://radio.example/lists/x")
  }

  @Test func `an XSPF gives the places of its tracks in order`() {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!-- <track><location>http://hidden/</location></track> -->
      <playlist version="1" xmlns="http://xspf.org/ns/0/">
        <title>All of it</title><location>http://not.a.track/</location>
        <trackList>
          <track><title>One &amp; &quot;only&quot; &#8211; caf&#xe9;</title>
            <location> http://a.example/x?b=1&amp;c=2 </location>
            <location>http://a2.example/</location></track>
          <x:track><x:location><![CDATA[../live/b.mp3]]></x:location></x:track>
          <track><location>file:///music/c.mp3</location><title>gone</title></track>
          <track/>
        </trackList>
      </playlist>
      """
    #expect(
      parse(text) == [
        PlaylistEntry(url: "http://a.example/x?b=1&c=2", title: "One & \"only\" – café"),
        PlaylistEntry(url: "http://a2.example/", title: "One & \"only\" – café"),
        PlaylistEntry(url: "http://radio.example/live/b.mp3"),
      ])
  }

  @Test(arguments: [
    "<asx version=\"3.0\"><title>T</title><entry><ref href=\"http://a/x?b&c=1\"/><title>A</title></entry>",
    "<ASX VERSION=3.0>\r\n<ENTRY><TITLE>A</TITLE>\r\n<REF HREF = 'http://a/x?b&amp;c=1' />\r\n</ENTRY></ASX>",
    "\u{FEFF}  <Asx><Entry><Title>A</Title><Ref href=http://a/x?b&c=1 ></Entry></Asx>",
    "<asx><entry><ref href=\"http://a/x?b&c=1\"><title>A</title>",
    "<asx><entry><title>A</title><ref\nhref=\"\n http://a/x?b&c=1\t\"/></entry></asx>",
  ])
  func `an ASX is read however it is written`(text: String) {
    #expect(parse(text) == [PlaylistEntry(url: "http://a/x?b&c=1", title: "A")])
  }

  @Test func `an ASX may lead to another one, and has an older form`() {
    #expect(
      parse("<asx><entryref href=\"more.asx\"/><entry><ref href=\"http://b/\"/></entry></asx>")
        .map { $0.map(\.url) } == ["http://radio.example/lists/more.asx", "http://b/"])
    #expect(
      parse("[Reference]\r\nRef1=http://a/\r\nRef2=http://b/\r\n").map { $0.map(\.url) }
        == ["http://a/", "http://b/"])
  }

  @Test(arguments: [
    "<html><playlist></html>", "<?xml version=\"1.0\"?><rss><channel/></rss>", "<",
    "<!DOCTYPE html>",
  ])
  func `XML of other kinds is no playlist`(text: String) {
    #expect(parse(text) == nil)
  }

  @Test(arguments: ["<asx", "<asx><entry><ref href=\"", "<playlist><track><location>http://a/"])
  func `a playlist in XML that is cut off is read as far as it goes`(text: String) {
    #expect(parse(text) != nil)
  }

  @Test func `a written XSPF or ASX is read again as it was`() {
    for url in ["http://a/x?b=1&c=<d>'\"", "https://h:8443/s"] {
      let encoded = PercentEncoding.encoded(
        Array(url.utf8), keeping: PercentEncoding.isURLByte)
      for text in [
        Playlist.xspf([Playlist.Track(url: encoded, title: "A & B <c>")], title: "A"),
        Playlist.asx([Playlist.Track(url: encoded, title: "A & B <c>")], title: "A"),
      ] {
        #expect(parse(text) == [PlaylistEntry(url: encoded, title: "A & B <c>")])
      }
    }
  }

  @Test func `random damage is read to an end`() {
    var random = SplitMix(seed: 11)
    let track = Playlist.Track(url: "http://a/x?b&c", title: "A <&> B")
    let whole = Array(Playlist.xspf([track], title: "A").utf8)
    for _ in 0..<5000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1..<6, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 32...126, using: &random)
      }
      let entries = Playlist.parse(bytes, mediaType: "application/xspf+xml", url: "http://b/")
      #expect((entries ?? []).count <= 4)
    }
  }
}
