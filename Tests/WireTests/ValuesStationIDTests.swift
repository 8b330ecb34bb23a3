import Testing
import Wire

struct ValuesStationIDTests {
  @Test(arguments: [
    "jazz", "1live", "a", "radio-1_hd.main", "stream.mp3", "api2", "m3u",
    String(repeating: "x", count: 64),
  ])
  func `an id of the allowed characters is fine`(id: String) {
    #expect(StationID.problem(id) == nil)
  }

  @Test(arguments: [
    "", ".", "..", "-a", "_a", ".a", "Jazz", "a b", "a/b", "jäzz", "a\u{0}", "a?", "jazz.m3u",
    "jazz.m3u8", "jazz.pls", "jazz.xspf", "jazz.asx", "a%20", String(repeating: "x", count: 65),
  ])
  func `an id with other characters, a playlist's ending or too much length is refused`(id: String)
  {
    #expect(StationID.problem(id) != nil)
  }

  @Test func `the server's own paths are no ids`() {
    #expect(StationID.reserved.count == 20)
    for id in StationID.reserved { #expect(StationID.problem(id) != nil) }
    #expect(StationID.problem("api") == "is one of the server's own paths")
  }
}
