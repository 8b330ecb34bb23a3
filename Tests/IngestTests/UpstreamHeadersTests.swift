import Testing
import Wire

@testable import Ingest

@Suite struct UpstreamHeadersTests {
  private func headers(_ fields: (String, String)...) -> UpstreamHeaders {
    UpstreamHeaders(fields.map { ($0.0, Array($0.1.utf8)) }, charset: .windows1252)
  }

  @Test func `names are read in any case and Icecast's own spelling counts`() {
    let read = headers(
      ("ICY-Name", "A"), ("ice-genre", "Jazz"), ("Content-Type", "Audio/AACP; charset=x"),
      ("icy-br", "64,64"), ("icy-description", ""))
    #expect(read.name == "A" && read.genre == "Jazz" && read.bitrate == 64)
    #expect(read.mediaType == "audio/aacp" && read.codecHint == .aac)
    #expect(read.description == nil)
  }

  @Test(
    arguments: [
      ("0", nil, nil), ("", nil, nil), ("x", nil, nil), ("1", 1, nil), ("16000", 16_000, nil),
      ("1048576", 1_048_576, nil), ("1048577", nil, 1_048_577), ("-1", nil, -1),
    ] as [(String, Int?, Int?)])
  func `a metaint counts from 1 to 1 MiB and is else ignored and told`(
    text: String, metaint: Int?, ignored: Int?
  ) {
    let read = headers(("icy-metaint", text))
    #expect(read.metaint == metaint && read.metaintIgnored == ignored)
  }

  @Test func `values that are not UTF-8 are read in the station's charset`() {
    let read = UpstreamHeaders([("icy-name", [0x43, 0x61, 0x66, 0xE9])], charset: .windows1252)
    #expect(read.name == "Café")
  }

  @Test(arguments: [
    ("http://a/b c", "http://a/b%20c"), (" http://a/ü\n", "http://a/%C3%BC"),
    ("icy://a:8000/", "http://a:8000/"), ("https://a/%20?x=1", "https://a/%20?x=1"),
  ])
  func `URLs as people write them become ones that libcurl takes`(written: String, taken: String) {
    #expect(CurlURL.acceptable(written) == taken)
  }
}
