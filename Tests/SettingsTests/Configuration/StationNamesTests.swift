import Testing
import Wire

@testable import Settings

@Suite struct StationIDTests {
  @Test(arguments: [
    ("http://ice1.somafm.com/groovesalad-128-mp3", "groovesalad-128-mp3"),
    ("https://example.org/jazz.pls", "jazz"),
    ("http://stream.example.org:8000/stream.mp3", "example"),
    ("http://www.jazz.example.org/live", "jazz.example"),
    ("http://radio.example.org/;", "example"),
    ("http://user:secret@Radio.Example.ORG/Some%20Show.MP3?key=1", "some-20show"),
    ("http://[::1]:8000/", "1"),
    ("http://192.0.2.7:8000/stream", "192.0.2.7"),
    ("http://localhost:9000/api", "station"),
    ("http://example.org/---", "example"),
    ("http://example.org/ΔΔ", "example"),
  ])
  func `an id comes from the stream's name, else from the host`(url: String, id: String) {
    #expect(StationID.derived(from: url) == id)
    #expect(StationID.problem(id) == nil)
  }

  @Test(arguments: ["jazz", "2", "a.b-c_d", String(repeating: "x", count: 64)])
  func `a good id has no problem`(id: String) {
    #expect(StationID.problem(id) == nil)
  }

  @Test(arguments: [
    "", ".", "..", "-a", "_a", "a b", "Jazz", "jäzz", "a/b", "api", "healthz", "a.m3u8", "a.asx",
    String(repeating: "x", count: 65),
  ])
  func `a bad id has a problem`(id: String) {
    #expect(StationID.problem(id) != nil)
  }
}
