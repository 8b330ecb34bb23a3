import Longwave
import Server
import Testing
import Timeshift
import Wire

@testable import LongwaveAPI

/// What requests to programmes bring.
@Suite struct ProgrammeBodyTests {
  private static let key = TrackKey(high: 1, low: 2)

  private func command(_ text: String) throws -> ProgrammeCommand {
    let json = try JSONReader.read(Array(text.utf8), depthMax: 8)
    return try ProgrammeBody.command(json, now: Sample.time, in: .utc)
  }

  @Test(arguments: [
    (#"{"action":"next"}"#, ProgrammeCommand.next),
    (#"{"action":"previous","item":null}"#, .previous),
    (#"{"action":"skip","item":118}"#, .skip(item: 118)),
    (#"{"action":"unqueue","items":[7,8,7]}"#, .unqueue([7, 8])),
    (#"{"action":"clear"}"#, .clear), (#"{"action":"reshuffle"}"#, .reshuffle),
    (
      #"{"action":"queue","path":"/srv/a.mp3","at":"next"}"#, .queue([.path("/srv/a.mp3")], .next)
    ),
    (#"{"action":"queue","path":["/a","/b"]}"#, .queue([.path("/a"), .path("/b")], .end)),
    (#"{"action":"queue","track":"\#(key)","at":"end"}"#, .queue([.key(key)], .end)),
    (
      // The first 19:00 behind 18:00:00.
      #"{"action":"queue","track":"\#(key)","at":"19:00"}"#,
      .queue([.key(key)], .at(WallTime(unixSeconds: 1_795_201_200)))
    ),
  ])
  func `an action and what goes with it is a command`(
    text: String, command: ProgrammeCommand
  ) throws {
    #expect(try self.command(text) == command)
  }

  @Test(arguments: [
    ("{}", "action: is missing; write one of next, previous,"),
    (#"{"action":"jump"}"#, "action: is none of next,"), (#"{"action":7}"#, "action: is none of"),
    (#"{"action":"next","item":3}"#, "item: does not go with next"),
    (#"{"action":"next","itme":3}"#, "itme: unknown key; did you mean item?"),
    (#"{"action":"skip"}"#, "item: write the number of an item"),
    (#"{"action":"skip","item":0}"#, "item: write the number"),
    (#"{"action":"skip","item":1.5}"#, "item: write the number"),
    (#"{"action":"unqueue","items":[]}"#, "items: write 1 to 500 numbers"),
    (#"{"action":"unqueue","items":["7"]}"#, "items: has what is no number"),
    (#"{"action":"queue"}"#, "track: write exactly one of"),
    (#"{"action":"queue","track":"a","path":"/b"}"#, "path: write exactly one of"),
    (#"{"action":"queue","track":"a"}"#, "track: is no track: write its 32"),
    (#"{"action":"queue","path":"b.mp3"}"#, "path: is no absolute path"),
    (#"{"action":"queue","path":"/a\u0000b"}"#, "path: is no absolute path"),
    (#"{"action":"queue","path":[]}"#, "path: write 1 to 500"),
    (#"{"action":"queue","url":"https://x/y.mp3"}"#, "url: cannot be queued yet"),
    (#"{"action":"queue","collection":7}"#, "collection: is no text"),
    (#"{"action":"queue","path":"/a","at":true}"#, "at: write next, end or a time"),
    (#"{"action":"queue","path":"/a","at":"2020-01-01T00:00:00Z"}"#, "at: is over; write"),
    (#"{"action":"queue","path":"/a","at":"2036-01-01T00:00:00Z"}"#, "at: is more than a year"),
    (#"{"action":"queue","path":"/a","at":"soon"}"#, "at: "),
  ])
  func `what is wrong with an action is said by its field`(text: String, words: String) throws {
    let error = #expect(throws: APIError.self) { try command(text) }
    #expect(error?.message.hasPrefix(words) == true, "\(error?.message ?? "")")
  }

  @Test func `a plan is of a day from now on unless said otherwise, up to a year`() throws {
    func span(_ query: String) throws -> (from: WallTime?, seconds: Double) {
      try ProgrammeBody.span(HTTPQuery(raw: query), now: Sample.time, in: .utc)
    }
    #expect(try span("").from == nil && span("").seconds == 86_400)
    #expect(try span("for=90m&from=19:00").seconds == 5400)
    #expect(try span("for=366d").seconds == 366 * 86_400)
    for wrong in ["for=0", "for=367d", "for=x", "from=x", "from=2020-01-01T00:00:00Z"] {
      let error = #expect(throws: APIError.self) { try span(wrong) }
      #expect(error?.code == "bad-parameter", "\(wrong)")
    }
  }
}
