import TestSupport
import Testing

@testable import Wire

/// Pages as servers and studios write them.
private enum Pages {
  static let icecastOne = """
    {"icestats":{"admin":"a@b","host":"h","server_start_iso8601":"2021-04-09T21:49:50+0200","source":{"artist":"Nina \
    Simone","bitrate":128,"listenurl":"http://h:8000/jazz.mp3","title":"Sinnerman","dummy":null}}}
    """
  static let icecastTwo = """
    {"icestats":{"host":"h","source":[{"listenurl":"http://h:8000/a","title":"X - One"},\
    {"listenurl":"http://h:8000/b?x=1","title":"Two","dummy":null}]}}
    """
  static let icecastNone = #"{"icestats":{"host":"h","dummy":null}}"#
  static let shoutcastJSON = """
    {"currentlisteners":4,"bitrate":"128","servertitle":"S","songtitle":"A & B - \\u201cC\\u201d\\/D","version":"2.6.1"}
    """
  static let statisticsJSON = """
    {"totalstreams":2,"streams":[{"id":1,"songtitle":"One"},{"id":2,"songtitle":"Two"}],"version":"2"}
    """
  static let shoutcastXML = """
    <?xml version="1.0" encoding="UTF-8" ?><!DOCTYPE SHOUTCASTSERVER><SHOUTCASTSERVER><CURRENTLISTENERS>1\
    </CURRENTLISTENERS><SERVERTITLE>S</SERVERTITLE><SONGTITLE>A &amp; B - C</SONGTITLE></SHOUTCASTSERVER>
    """
  static let statisticsXML = """
    <SHOUTCASTSERVER><STREAMSTATS><TOTALSTREAMS>2</TOTALSTREAMS><STREAM id="1"><SONGTITLE>One</SONGTITLE></STREAM>\
    <STREAM id="2"><SONGTITLE>Two</SONGTITLE></STREAM></STREAMSTATS></SHOUTCASTSERVER>
    """
  static let seven = """
    <HTML><meta http-equiv="Pragma" content="no-cache"></head><body>3,1,9,500,3,128,A, B &amp; C - D, E</body></html>
    """
  static let live365 = """
    <?xml version="1.0"?><LIVE365_PLAYLIST><Name>amcenter</Name><Refresh>60</Refresh><PlaylistEntry><Title>New</Title>\
    <Artist>Now</Artist><Album>X</Album><Seconds>200</Seconds></PlaylistEntry><PlaylistEntry><Title>Old</Title>\
    <Artist>Then</Artist></PlaylistEntry></LIVE365_PLAYLIST>
    """
  static let audiovault = """
    <?xml version="1.0"?><nowplaying><station>K</station><song><title><![CDATA[Song & Dance]]></title>\
    <artist>Somebody</artist><image>http://h/a.jpg</image></song></nowplaying>
    """
  /// At 1_780_000_000 it is 2026-05-28 20:26:40 UTC.
  static let schedule = """
    <export><title>All day</title><event start="2026-05-28 22:20:00" title="One" artist="A"/>\
    <event start="2026-05-28 22:25:00" title="Two" artist="B"/>\
    <event start="2026-05-28 22:29:00" title="Three" artist="C"/></export>
    """
  static let azuracast = """
    {"station":{"name":"S"},"now_playing":{"elapsed":3,"song":{"text":"A - B","artist":"A","title":"B",\
    "art":"https://h/b.png"}},"song_history":[{"song":{"title":"Old"}}]}
    """
  static let live = """
    <live><radio_id>R</radio_id><current_song no="7"><artist>THE C</artist><title>WORD</title></current_song></live>
    """
}

@Suite struct TitlePageTests {
  static let now: Int64 = 1_780_000_000

  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var page: String
    var text: String?
    var artist: String?
    var artwork: String?
    var setUp: @Sendable (inout TitlePage) -> Void = { _ in }
    var testDescription: String { name }
  }

  static let rows: [Row] = [
    Row(
      name: "Icecast, one", page: Pages.icecastOne, text: "Nina Simone - Sinnerman",
      artist: "Nina Simone"),
    Row(name: "Icecast, by mount", page: Pages.icecastTwo, text: "X - One") { $0.mount = "/a" },
    Row(name: "Icecast, without slash", page: Pages.icecastTwo, text: "Two") { $0.mount = "b" },
    Row(name: "Icecast, none", page: Pages.icecastNone, text: nil) { $0.kind = .icecast },
    Row(name: "Icecast, none of that mount", page: Pages.icecastNone, text: nil) {
      $0.mount = "/a"
    },
    Row(
      name: "Icecast, without a title", page: #"{"icestats":{"source":{"listenurl":"http://h/a"}}}"#
    ),
    Row(
      name: "Icecast, no title as it writes it",
      page: #"{"icestats":{"source":{"title": - ,"listenurl":"http://h/a"}}}"#, text: "-"),
    Row(name: "Icecast, a number", page: #"{"icestats":{"source":{"title":1979}}}"#, text: "1979"),
    Row(
      name: "Icecast, as directories know it",
      page: #"{"icestats":{"source":{"yp_currently_playing":"A - B"}}}"#, text: "A - B"),
    Row(
      name: "Icecast, XML",
      page: "<icestats><source mount=\"/a\"><artist>A</artist><title>B</title></source></icestats>",
      text: "A - B", artist: "A"
    ) { $0.mount = "/a" },
    Row(name: "SHOUTcast, JSON", page: Pages.shoutcastJSON, text: "A & B - “C”/D"),
    Row(name: "SHOUTcast, JSON of several", page: Pages.statisticsJSON, text: "Two") { $0.sid = 2 },
    Row(name: "SHOUTcast, JSON of the first", page: Pages.statisticsJSON, text: "One"),
    Row(name: "SHOUTcast, no such stream", page: Pages.statisticsJSON, text: nil) { $0.sid = 3 },
    Row(name: "SHOUTcast, XML", page: Pages.shoutcastXML, text: "A & B - C") { $0.sid = 4 },
    Row(name: "SHOUTcast, XML of several", page: Pages.statisticsXML, text: "Two") { $0.sid = 2 },
    Row(name: "SHOUTcast, 7.html", page: Pages.seven, text: "A, B & C - D, E"),
    Row(name: "SHOUTcast, 7.html said", page: Pages.seven, text: "A, B & C - D, E") {
      $0.kind = .shoutcast
    },
    Row(name: "SHOUTcast, currentsong", page: "A - B", text: "A - B") { $0.kind = .shoutcast },
    Row(name: "Live365", page: Pages.live365, text: "Now - New", artist: "Now"),
    Row(name: "Live365 said", page: Pages.live365, text: "Now - New", artist: "Now") {
      $0.kind = .live365
    },
    Row(
      name: "AudioVault", page: Pages.audiovault, text: "Somebody - Song & Dance",
      artist: "Somebody", artwork: "http://h/a.jpg"),
    Row(
      name: "what began last, in the station's zone", page: Pages.schedule, text: "B - Two",
      artist: "B"
    ) {
      $0.zone = ZoneOffsets(fixed: "+02:00")
    },
    Row(
      name: "what comes first, where the zone is not known", page: Pages.schedule, text: "A - One",
      artist: "A"),
    Row(
      name: "what says that it plays",
      page:
        "<x><s><title>A</title><status>played</status></s><s><title>B</title><status>Playing</status></s></x>",
      text: "B"),
    Row(
      name: "a zone of the page's own",
      page:
        "<x timezone=\"-0500\"><s time=\"15:26:00\" title=\"A\"/><s time=\"15:27:00\" title=\"B\"/></x>",
      text: "A"),
    Row(name: "an entry without text", page: "<x><song><title/><artist/></song></x>", text: nil) {
      $0.kind = .audiovault
    },
    Row(name: "an artist alone", page: "<x><song><title/><artist>A</artist></song></x>", text: "A"),
    Row(name: "text", page: "\u{FEFF}\r\n  A - B \r\nmore", text: "A - B"),
    Row(name: "no text", page: "\n\n", text: nil) { $0.kind = .text },
    Row(name: "nothing", page: "", text: nil),
    Row(
      name: "JSON by paths", page: Pages.azuracast, text: "A - B", artist: "A",
      artwork: "https://h/b.png"
    ) {
      $0.kind = .json
      $0.paths.title = "now_playing.song.title"
      $0.paths.artist = "now_playing.song.artist"
      $0.paths.artwork = "now_playing.song.art"
    },
    Row(name: "JSON, the first of a list", page: #"[{"a":[{"x":1},{"t":"A"}]}]"#, text: "A") {
      $0.kind = .json
      $0.paths.title = "a.t"
    },
    Row(name: "XML by paths", page: Pages.live, text: "7 - WORD", artist: "7") {
      $0.kind = .xml
      $0.paths.title = "live.current_song.title"
      $0.paths.artist = "current_song.@no"
    },
  ]

  private static func title(
    _ text: String, _ setUp: (inout TitlePage) -> Void = { _ in }
  ) throws(TitlePageError) -> Title? {
    var page = TitlePage()
    setUp(&page)
    return try page.title(in: Array(text.utf8), at: now) { Charset.decode($0) }
  }

  @Test(arguments: rows)
  func `pages say what is playing`(row: Row) throws {
    let title = try Self.title(row.page, row.setUp)
    #expect(title?.text == row.text)
    #expect(title?.parts?.artist == row.artist)
    #expect(title?.parts?.artwork == row.artwork && title?.url ?? "" == row.artwork ?? "")
  }

  @Test(arguments: rows)
  func `pages are the same whatever blanks and line ends they have in between`(row: Row) throws {
    guard row.page.hasPrefix("{") || row.page.hasPrefix("<") else { return }
    let wide = row.page.replacing("><", with: ">\r\n\t<").replacing(",\"", with: " , \r\n\"")
    #expect(try Self.title(wide, row.setUp)?.text == row.text)
  }

  @Test(arguments: [
    (TitlePage.Kind.icecast, Pages.shoutcastXML, TitlePageError.otherKind(.icecast)),
    (.icecast, "A - B", .otherKind(.icecast)),
    (.icecast, Pages.icecastTwo, .severalSources(["/a", "/b"])),
    (.shoutcast, Pages.icecastOne, .otherKind(.shoutcast)),
    (.shoutcast, "<html><body>Forbidden</body></html>", .otherKind(.shoutcast)),
    (.shoutcast, "<html><body>1,2,3,4,5,6</body></html>", .otherKind(.shoutcast)),
    (.live365, Pages.audiovault, .otherKind(.live365)),
    (.audiovault, "<x/>", .otherKind(.audiovault)),
    (.text, "<html>no</html>", .otherKind(.text)),
    (.auto, "<html><title>404</title></html>", .unknown),
    (.auto, Pages.azuracast, .unknown), (.auto, "<x><y>1</y></x>", .unknown),
    (.json, Pages.azuracast, .nothingAt("title")), (.json, "A - B", .otherKind(.json)),
  ])
  func `a title page of another kind is refused with the kind it should have`(
    kind: TitlePage.Kind, page: String, error: TitlePageError
  ) {
    #expect(throws: error) { try Self.title(page) { $0.kind = kind } }
  }

  @Test func `a mount that is not there names those that are`() {
    #expect(throws: TitlePageError.noSuchMount("/c", ["/a", "/b"])) {
      try Self.title(Pages.icecastTwo) { $0.mount = "c" }
    }
    #expect(
      TitlePageError.noSuchMount("/c", ["/a", "/b"]).description
        == "the page has no source /c, but /a, /b")
  }

  @Test func `a path that leads nowhere is told`() {
    #expect(throws: TitlePageError.nothingAt("now.title")) {
      try Self.title(Pages.azuracast) {
        $0.kind = .json
        $0.paths.title = "now.title"
      }
    }
  }

  @Test func `long titles are cut, and pictures that are none left out`() throws {
    let long = String(repeating: "ä", count: 9000)
    let title = try Self.title("<x><s><title>\(long)</title><image>/a.jpg</image></s></x>")
    #expect(title?.text.utf8.count == 2000 && title?.parts == nil)
  }

  @Test(arguments: [
    (TitlePage.Kind.icecast, "http://h:8000", "http://h:8000/status-json.xsl?mount=%2Fx"),
    (.icecast, "http://u:p@h/", "http://u:p@h/status-json.xsl?mount=%2Fx"),
    (.icecast, "http://h/status-json.xsl", "http://h/status-json.xsl"),
    (.shoutcast, "http://h:8000/", "http://h:8000/stats?sid=2&json=1"),
    (.shoutcast, "http://h/7.html", "http://h/7.html"), (.auto, "http://h/", "http://h/"),
    (.text, "http://h", "http://h"),
  ])
  func `a server's address stands for its page`(kind: TitlePage.Kind, address: String, url: String)
  {
    var page = TitlePage()
    page.kind = kind
    page.mount = "x"
    page.sid = 2
    #expect(page.url(at: address) == url)
  }

  @Test func `random damage never traps the title page reader, nor makes titles long`() {
    let seed: UInt64 = 11
    var random = SplitMix(seed: seed)
    for row in Self.rows {
      var page = TitlePage()
      row.setUp(&page)
      for round in 0..<100 {
        let bytes = random.mutated(Array(row.page.utf8))
        let title = try? page.title(in: bytes, at: Self.now) { Charset.decode($0) }
        let size = title?.text.utf8.count ?? 0
        #expect(size <= 4003, "seed \(seed), \(row.name), round \(round)")
      }
      for end in 0..<row.page.utf8.count {
        _ = try? page.title(in: Array(row.page.utf8.prefix(end)), at: Self.now) {
          Charset.decode($0)
        }
      }
    }
  }
}
