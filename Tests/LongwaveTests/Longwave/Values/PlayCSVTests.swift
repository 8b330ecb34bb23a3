import Library
import Testing
import Wire

@testable import Longwave

/// Plays as a table for reports.
@Suite struct PlayCSVTests {
  @Test(
    arguments: [
      (["a", "b"], "a,b"), (["", "", ""], ",,"), (["a,b"], "\"a,b\""),
      (["say \"hi\""], "\"say \"\"hi\"\"\""), (["two\nlines", "r\rr"], "\"two\nlines\",\"r\rr\""),
      (["two\r\nlines"], "\"two\r\nlines\""), (["Größe", "あ"], "Größe,あ"), ([" a "], " a "),
      (["a\0b"], "\"a\0b\""),
    ] as [([String], String)])
  func `cells are put in quotes where a reader would divide them`(
    cells: [String], wanted: String
  ) {
    #expect(PlayCSV.line(cells) == wanted + "\r\n")
  }

  @Test func `a table has a head and the columns of the JSON, in the same order`() {
    let key = Play.Key(station: "night", item: 118, at: 1_764_450_278_123)
    var play = Play(key, kind: .track, ended: 0, seconds: 231.4, isWhole: true)
    play.track = TrackKey("000102030405060708090a0b0c0d0e0f")
    (play.title, play.artist) = ("New, Grass", "Talk \"Talk\"")
    (play.why, play.heard, play.isrc) = ("order", 9_640_200, "GBAYE0000001")
    #expect(
      PlayCSV.head
        == "station,item,kind,track,title,artist,album,at,seconds,whole,why,listeners,"
        + "listenerSeconds,isrc,label\r\n")
    let line =
      "night,118,track,000102030405060708090a0b0c0d0e0f,\"New, Grass\",\"Talk \"\"Talk\"\"\",,"
      + "2025-11-29T21:04:38.123Z,231.4,true,order,41.7,9640,GBAYE0000001,\r\n"
    #expect(String(decoding: PlayCSV.lines([play, play]), as: UTF8.self) == line + line)
    guard case .object(let members) = play.json else { return #expect(Bool(false)) }
    #expect(PlayCSV.line(members.map(\.key)) == PlayCSV.head)
    #expect(play.json["album"] == .null && play.json["listeners"] == .number(41.7))
  }

  @Test func `what is not known of an old row is null`() {
    var play = Play(
      Play.Key(station: "a", item: 1, at: 0), kind: .live, ended: 0, seconds: 0, isWhole: nil)
    play.why = "by a later version"
    #expect(play.json["why"] == .null && play.json["whole"] == .bool(false))
    #expect(play.json["listeners"] == .number(0))
  }
}
