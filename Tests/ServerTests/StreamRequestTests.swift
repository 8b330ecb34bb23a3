import Testing
import Timeshift
import Wire

@testable import Server

struct StreamRequestTests {
  /// 2026-11-20T18:00:00Z, where clocks show 20:00.
  private let now = WallTime(seconds: 1_795_197_600)

  private func parse(_ target: String, _ fields: String = "") throws -> StreamRequest {
    let text = Array("GET \(target) HTTP/1.1\r\nHost: x\r\n\(fields)\r\n".utf8)
    let head = try #require(try HTTPRequestParser.parse(text.span)).head
    return try StreamRequest(head, now: now, in: try #require(ZoneOffsets(fixed: "+02:00")))
  }

  @Test(arguments: [
    ("/jazz", StreamRequest.Place.live), ("/jazz?offset=0", .live),
    ("/jazz?offset=300", .behind(MediaTime(seconds: 300))),
    ("/jazz?offset=-300", .behind(MediaTime(seconds: 300))),
    ("/jazz?offset=5m", .behind(MediaTime(seconds: 300))),
    ("/jazz?at=1790000000", .at(WallTime(seconds: 1_790_000_000))),
    ("/jazz?at=2026-11-20T18:00:00Z", .at(WallTime(seconds: 1_795_197_600))),
    ("/jazz?at=-10m", .at(WallTime(seconds: 1_795_197_000))),
    ("/jazz?at=19:30", .at(WallTime(seconds: 1_795_195_800))),
    ("/jazz?at=20:00:01", .at(WallTime(seconds: 1_795_111_201))),
    ("/jazz?unknown=1", .live),
  ])
  func `a place is read from the query`(target: String, place: StreamRequest.Place) throws {
    #expect(try parse(target).place == place)
  }

  @Test(arguments: [
    ("live", Steering.live), ("track-start", .track(.start)), ("previous-track", .track(.previous)),
    ("next-track", .track(.next)), ("-30s", .rewind(MediaTime(seconds: 30))),
    ("%2B5m", .forward(MediaTime(seconds: 300))), ("+5m", .forward(MediaTime(seconds: 300))),
    ("2026-11-20T18:00:00Z", .at(WallTime(seconds: 1_795_197_600))),
    ("1790000000.5", .at(WallTime(seconds: 1_790_000_000.5))),
    ("19:30", .at(WallTime(seconds: 1_795_195_800))),
  ])
  func `the place that a session is moved to is read from the query`(
    text: String, steering: Steering
  ) throws {
    #expect(try parse("/jazz?session=abcdefgh&seek=\(text)").seek == steering)
    #expect(try parse("/jazz?seek=\(text)").seek == nil)
  }

  @Test(arguments: [
    "", "x", "-", "+x", "-1x", "tomorrow", "live&at=5", "-3s&offset=5", "live&seek=live",
  ])
  func `a move that cannot be is refused by name`(text: String) throws {
    let refusal = #expect(throws: StreamRequest.Refusal.self) {
      try parse("/jazz?session=abcdefgh&seek=\(text)")
    }
    #expect(refusal?.field == "seek")
  }

  @Test(arguments: [
    ("/jazz?offset=abc", "offset"), ("/jazz?offset=", "offset"),
    ("/jazz?offset=1&offset=2", "offset"),
    ("/jazz?at=yesterday", "at"), ("/jazz?at=1790000000000", "at"), ("/jazz?offset=5&at=5", "at"),
    ("/jazz?reverse=1", "reverse"), ("/jazz?burst=61", "burst"), ("/jazz?burst=-1", "burst"),
    ("/jazz?burst=x", "burst"),
  ])
  func `a parameter that cannot be is refused by name`(target: String, field: String) throws {
    let refusal = #expect(throws: StreamRequest.Refusal.self) { try parse(target) }
    #expect(refusal?.field == field)
  }

  @Test(arguments: [
    "version=3", "season=2", "status=1", "position=5", "t=1", "ts=1", "_=1", "onset=1", "times=3",
    "first=1", "title=x", "bust=1", "station=jazz",
  ])
  func `parameters of caches and counters change nothing`(query: String) throws {
    #expect(try parse("/jazz?\(query)") == parse("/jazz"))
  }

  @Test(arguments: [
    ("offfset=3", "offset"), ("ofset=3", "offset"), ("offest=3", "offset"), ("Offset=3", "offset"),
    ("offsets=3", "offset"), ("x=1&brust=10s", "burst"), ("sesion=abcdefgh", "session"),
    ("tiles=none", "titles"), ("offset=5&o%66set=5", "offset"), ("offfsett=3", "offset"),
    ("osfste=3", "offset"), ("sesssionn=abcdefgh", "session"), ("bittrat=64", "bitrate"),
  ])
  func `a slip of a parameter is refused, and what was meant is named`(
    query: String, meant: String
  ) throws {
    let refusal = #expect(throws: StreamRequest.Refusal.self) { try parse("/jazz?\(query)") }
    #expect(refusal?.message.hasSuffix("is not known; did you mean \(meant)?") == true)
    #expect(query.contains(refusal?.field ?? "-") || refusal?.field == "ofset")
  }

  @Test(arguments: [
    ";", "", "&&=", "nocache=1790000000", "type=http", "type=.mp3", "token=abc", "sid=1", "t=1",
    "ts=1",
    "_=1", "a=1", "v=2", "ver=2", "version=2", "cb=1", "bust=1", "buster=1", "rand=5", "random=5",
    "title=Jazz", "sessionid=abc", "session_id=abc", "season=3", "section=news", "offer=1",
    "user=x",
    "first=1", "from=page", "form=1", "to=x", "att=1", "lang=de", "dist=tunein",
    "aw_0_1st.playerid=x",
    "listenerid=1", "icy=http", "file=.mp3", "ua=x", "seek=10", "off=1", "set=1", "loop=1",
  ])
  func `parameters that players and pages append on their own change nothing`(query: String) throws
  {
    #expect(try parse("/jazz?\(query)").place == .live)
    #expect(try parse("/jazz?\(query)&offset=5").place == .behind(MediaTime(seconds: 5)))
  }

  @Test(arguments: [
    ("", false), ("Icy-MetaData: 1\r\n", true), ("icy-metadata:1\r\n", true),
    ("Icy-MetaData: 0\r\n", false), ("Icy-MetaData: 2\r\n", true), ("Icy-MetaData: yes\r\n", false),
  ])
  func `titles come only to those who ask`(fields: String, wants: Bool) throws {
    #expect((try parse("/jazz", fields).metaint(16_000, for: .mp3) != nil) == wants)
  }

  /// How titles reach a listener.
  private enum Titles: Equatable { case blocks, links, none }

  private func titles(_ target: String, _ agent: String, in codec: Codec) throws -> Titles {
    let request = try parse(target, "Icy-MetaData: 1\r\nUser-Agent: \(agent)\r\n")
    if request.chainsTitles(in: codec) { return .links }
    return request.metaint(16_000, for: codec) == nil ? .none : .blocks
  }

  private static let mplayer = "MPlayer 1.5 (Debian), built with gcc-12"

  @Test(arguments: [
    // Who asks, and how titles come in MP3 and in Ogg.
    ("/jazz", "VLC/3.0.21 LibVLC/3.0.21", Titles.blocks, Titles.blocks),
    ("/jazz", "Icecast 2.4.4", .blocks, .links),
    ("/jazz", mplayer, .blocks, .none),
    ("/jazz", "NotMPlayer", .blocks, .blocks),
    // What is asked for by name is given.
    ("/jazz?titles=icy", mplayer, .blocks, .blocks),
    ("/jazz?titles=comments", mplayer, .none, .links),
    ("/jazz?titles=none", mplayer, .none, .none),
    ("/jazz?titles=icy", "Icecast 2.4.4", .blocks, .blocks),
  ])
  private func `players that break on blocks in Ogg get none`(
    target: String, agent: String, mp3: Titles, ogg: Titles
  ) throws {
    #expect(try titles(target, agent, in: .mp3) == mp3)
    for codec in [Codec.opus, .vorbis, .flac, .speex] {
      #expect(try titles(target, agent, in: codec) == ogg)
    }
  }
}
