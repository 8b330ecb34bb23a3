import Testing
import Wire

@testable import Ingest

@Suite struct UpstreamHeadersTests {
  private func headers(_ fields: (String, String)...) -> UpstreamHeaders {
    UpstreamHeaders(fields.map { ($0.0, Array($0.1.utf8)) }, text: TextReader(.auto).text)
  }

  @Test func `names are read in any case and Icecast's own spelling counts`() {
    let read = headers(
      ("ICY-Name", "A"), ("ice-genre", "Jazz"), ("Content-Type", "Audio/AACP; charset=x"),
      ("icy-br", "64,64"), ("icy-description", ""))
    #expect(read.name == "A" && read.genre == "Jazz" && read.bitrate == 64)
    #expect(read.mediaType == "audio/aacp" && read.codecHint == .aac)
    #expect(read.description == nil)
  }

  @Test func `a length is no file's where a station says of itself what stations do`() {
    let length = ("Content-Length", "221183499")
    for field in ["icy-name", "icy-metaint", "icy-br"] {
      let read = headers(length, (field, "128"))
      #expect(read.isOfStation && read.contentLength == 221_183_499)
    }
    #expect(!headers(length, ("Content-Type", "audio/mpeg"), ("icy-notice1", "x")).isOfStation)
  }

  @Test(arguments: [
    "9223372036854775807", "9223372036854775808", "100001", "768001", "0", "-1", "", "NaN", "1e9",
  ])
  func `figures that cannot be are not said`(number: String) {
    for read in [
      headers(
        ("icy-br", number), ("icy-sr", number), ("ice-audio-info", "channels=\(number)")),
      headers(("ice-audio-info", "bitrate=\(number);samplerate=\(number);channels=\(number)")),
    ] {
      #expect(read.bitrate.map { Bounds.bitrates.contains($0) } ?? true)
      #expect(read.sampleRate.map { Bounds.sampleRates.contains($0) } ?? true)
      #expect(read.channels.map { Bounds.channels.contains($0) } ?? true)
    }
  }

  @Test(
    arguments: [
      ("0", nil, nil), ("", nil, nil), ("x", nil, nil), ("1", 1, nil), ("16000", 16_000, nil),
      ("1048576", 1_048_576, nil), ("1048577", nil, 1_048_577), ("-1", nil, -1),
      ("8000, 8000", 8000, nil), ("8000;", 8000, nil), ("8000,16000", 8000, nil), ("-", nil, nil),
    ] as [(String, Int?, Int?)])
  func `a metaint counts from 1 to 1 MiB and is else ignored and told`(
    text: String, metaint: Int?, ignored: Int?
  ) {
    let read = headers(("icy-metaint", text))
    #expect(read.metaint == metaint && read.metaintIgnored == ignored)
  }

  @Test func `values that are not UTF-8 are read in the station's charset`() {
    let read = UpstreamHeaders(
      [("icy-name", [0x43, 0x61, 0x66, 0xE9])], text: TextReader(.auto).text)
    #expect(read.name == "Café")
  }

  @Test(
    arguments: [
      ("icy-logo", "http://x/l.png", "icy-logo"), ("Icy-Country-Code", "DE", "icy-country-code"),
      ("icy-language-codes", "de,en", "icy-language-codes"), ("ice-irc", "#x", "icy-irc"),
      ("x-audiocast-mount", "/a", "icy-mount"), ("icy-sr", "44100", "icy-sr"),
      ("icy-pub", "1", nil), ("ice-public", "1", nil), ("x-audiocast-public", "1", nil),
      ("icy-metaint", "16000", nil), ("icy-notice1", "<BR>", nil), ("ice-password", "x", nil),
      ("icy-auth-token", "x", nil), ("icy-name", "x", nil), ("icy-br", "1", nil),
      ("icy-x", " ", nil),
      ("Set-Cookie", "a", nil), ("Server", "b", nil), ("icy-a b", "x", nil), ("icy-ä", "x", nil),
      ("ice-audio-info", "x", nil),
    ] as [(String, String, String?)])
  func `an upstream's header lines are passed on but for those that we give ourselves`(
    name: String, value: String, passedOnAs: String?
  ) {
    #expect(headers((name, value)).passedOn.map(\.name) == (passedOnAs.map { [$0] } ?? []))
  }

  @Test func `older spellings name the same things, and the first value counts`() {
    let read = headers(
      ("x-audiocast-name", "A"), ("icy-name", "B"), ("x-audiocast-genre", "G"),
      ("x-audiocast-description", "D"), ("x-audiocast-url", "http://u/"),
      ("x-audiocast-bitrate", "96"), ("icy-logo", "http://l/"))
    #expect(read.name == "A" && read.genre == "G" && read.description == "D")
    #expect(read.url == "http://u/" && read.bitrate == 96 && read.logo == "http://l/")
    #expect(headers(("ice-audio-info", "samplerate=44100;ice-bitrate=64")).bitrate == 64)
  }

  @Test func `sample rate and channels are read from where sources write them`() {
    let icecast = headers(
      ("Content-Type", "audio/aacp"),
      ("ice-audio-info", "ice-samplerate=44100;ice-bitrate=64;ice-channels=2"))
    #expect(
      icecast.announcement
        == ShownFormat.Announcement(mediaType: "audio/aacp", sampleRate: 44_100, channels: 2))
    let shoutcast = headers(("icy-sr", "48000"), ("ice-audio-info", "samplerate=44100;channels=x"))
    #expect(shoutcast.sampleRate == 48_000 && shoutcast.channels == nil)
  }

  @Test func `number and length of what is passed on are bounded`() {
    let long = String(repeating: "ö", count: 400)
    #expect(headers(("icy-name", "x" + long)).name == "x" + String(repeating: "ö", count: 255))
    let many = (0..<500).map { ("icy-x\($0)", Array("v".utf8)) }
    #expect(UpstreamHeaders(many, text: TextReader(.auto).text).passedOn.count == 24)
    let big = (0..<9).map { ("icy-x\($0)", Array(long.utf8)) }
    #expect(UpstreamHeaders(big, text: TextReader(.auto).text).passedOn.count == 1)
  }

  @Test func `line ends and controls in a header's value become blanks`() {
    let read = headers(("icy-logo", "a\r\nSet-Cookie: b\u{0}\u{85}\u{2028}c"))
    #expect(read.passedOn.map(\.value) == ["a  Set-Cookie: b c"])
  }

  @Test(arguments: [
    ("http://a/b c", "http://a/b%20c"), (" http://a/ü\n", "http://a/%C3%BC"),
    ("icy://a:8000/", "http://a:8000/"), ("https://a/%20?x=1", "https://a/%20?x=1"),
  ])
  func `URLs as people write them become ones that libcurl takes`(written: String, taken: String) {
    #expect(CurlURL.acceptable(written) == taken)
  }

  @Test func `a homepage that leads out of the web is none`() {
    func homepage(_ url: String) -> String? {
      UpstreamHeaders([("icy-url", Array(url.utf8))]) { String(decoding: $0, as: UTF8.self) }.url
    }
    for url in [
      "javascript:alert(1)//\"><script>", " JavaScript:x", "data:text/html,x", "file:///",
    ] {
      #expect(homepage(url) == nil, "\(url)")
    }
    for url in [
      "https://example.org/a:b", "www.example.org", "HTTP://x:8000/", "www.example.org:80",
    ] {
      #expect(homepage(url) == url)
    }
  }
}
