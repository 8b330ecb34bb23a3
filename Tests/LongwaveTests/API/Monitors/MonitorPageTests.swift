import Ingest
import Logging
import Reactor
import Server
import Testing
import Timeshift
import Wire

@testable import Longwave
@testable import LongwaveAPI

@Suite struct MonitorPageTests {
  private struct Answer {
    var status = 0
    var mediaType = ""
    var body = ""
    var json: JSON { JSON.parse(Array(body.utf8)) ?? .null }
  }

  private func ask(
    _ target: String, _ relay: FakeRelay = FakeRelay(), isAdmin: Bool = true,
    form: String? = nil
  ) async throws -> Answer {
    let type = "Content-Type: application/x-www-form-urlencoded\r\n"
    let bytes = Array(
      "\(form == nil ? "GET" : "POST") \(target) HTTP/1.1\r\nHost: radio.test:8000\r\n\(type)\r\n"
        .utf8)
    let parsed = try HTTPRequestParser.parse(bytes.span)
    let router = APIRouter(
      relay: relay, rights: .forTests(token: "hush"),
      limits: GuessLimits(logger: Logger(label: "test")))
    let response = await router.respond(
      to: APIRequest(
        head: try #require(parsed).head, body: Array((form ?? "").utf8),
        origin: isAdmin ? .unixSocket : .tcp(.ipv4(0x0102_0304, port: 5)),
        base: "http://radio.test:8000"))
    guard case .whole(let status, let mediaType, let body, _) = response.whole else {
      Issue.record("\(target) is an event stream")
      return Answer()
    }
    return Answer(
      status: status, mediaType: mediaType, body: String(decoding: body, as: UTF8.self))
  }

  private func station(_ id: String, sid: Int, _ state: StationState) -> StationSnapshot {
    var station = Sample.station
    station = StationSnapshot(id: id, sid: sid, name: id, state: state)
    return station
  }

  @Test func `Icecast's status has no source, an object or an array`() async throws {
    let none = try await ask("/status-json.xsl", FakeRelay([station("a", sid: 1, .failed)]))
    #expect(none.json["icestats"]?["source"] == nil)
    #expect(none.json["icestats"]?["dummy"] == .null)
    let one = try await ask("/status-json.xsl").json["icestats"]
    #expect(one?["server_id"] == "Longwave 1.0.0")
    #expect(one?["server_start"] == "Fri, 20 Nov 2026 18:00:00 +0000")
    #expect(one?["server_start_iso8601"] == "2026-11-20T18:00:00+0000")
    let source = one?["source"]
    #expect(source?["listenurl"] == "http://radio.test:8000/jazz")
    #expect(source?["listeners"] == .integer(3) && source?["listener_peak"] == .integer(5))
    #expect(source?["bitrate"] == .integer(128) && source?["samplerate"] == .integer(44_100))
    #expect(source?["server_type"] == "audio/mpeg" && source?["server_name"] == "Jazz \"24\"")
    #expect(source?["title"] == "Nina Simone - Sinnerman")
    #expect(source?["dummy"] == .null)
    let two = FakeRelay([
      station("a", sid: 1, .playing), station("b", sid: 2, .stopped),
      station("c", sid: 3, .playing),
    ])
    guard
      case .array(let sources)? = try await ask("/status-json.xsl", two).json["icestats"]?["source"]
    else {
      Issue.record("two sources are no array")
      return
    }
    #expect(
      sources.map { $0["listenurl"] } == ["http://radio.test:8000/a", "http://radio.test:8000/c"])
    let picked = try await ask("/status-json.xsl?mount=/c", two).json["icestats"]?["source"]
    #expect(picked?["server_name"] == "c")
    #expect(try await ask("/status-json.xsl?mount=/none").status == 404)
  }

  /// A station as it is known to those who came from Icecast, with its fallback.
  private static var moved: FakeRelay {
    var station = Sample.station
    station.mount = .init(
      paths: ["/Jazz_128.mp3", "/old"], isPublic: true, listenersMax: 7, fallback: "rock")
    var rock = StationSnapshot(id: "rock", sid: 2, name: "rock", state: .stopped)
    rock.mount.paths = ["/Rock.mp3"]
    return FakeRelay([station, rock])
  }

  @Test func `titles are told as they were sent`() async throws {
    var station = Sample.station
    station.nowPlaying = NowPlaying(Title(text: "Café – x"))
    let relay = FakeRelay([station])
    let source = try await ask("/status-json.xsl", relay).json["icestats"]?["source"]
    #expect(source?["title"] == "Café – x" && source?["artist"] == nil)
    for page in ["/admin/stats", "/currentsong", "/7.html", "/stats?sid=1&json=1", "/status.xsl"] {
      #expect(try await ask(page, relay).body.contains("Café – x"), "\(page)")
    }
  }

  @Test func `Ogg has the type that its upstream names, and artist and song as two fields`()
    async throws
  {
    var station = Sample.station
    station.format = ShownFormat(
      AudioFormat(codec: .vorbis, sampleRate: 44_100, channels: 2),
      announced: .init(mediaType: "application/ogg"))
    station.nowPlaying = NowPlaying(
      Title(text: "A - T", parts: TitleParts(artist: "A", title: "T")))
    let relay = FakeRelay([station])
    let source = try await ask("/status-json.xsl", relay).json["icestats"]?["source"]
    #expect(source?["artist"] == "A" && source?["title"] == "T")
    #expect(source?["server_type"] == "application/ogg")
    let stats = try await ask("/admin/stats", relay).body
    #expect(stats.contains("<artist>A</artist>") && stats.contains("<title>T</title>"))
    #expect(stats.contains("<server_type>application/ogg</server_type>"))
    #expect(try await ask("/currentsong", relay).body == "A - T")
    // A title alone is one, with a dash or without.
    station.nowPlaying = NowPlaying(Title(text: "A - T"))
    let whole = try await ask("/status-json.xsl", FakeRelay([station])).json["icestats"]?["source"]
    #expect(whole?["artist"] == nil && whole?["title"] == "A - T")
  }

  @Test func `monitors see the name that listeners use`() async throws {
    let status = try await ask("/status-json.xsl", Self.moved).json["icestats"]?["source"]
    #expect(status?["listenurl"] == "http://radio.test:8000/Jazz_128.mp3")
    let mounts = try await ask("/admin/listmounts", Self.moved).body
    #expect(mounts.contains("<source mount=\"/Jazz_128.mp3\"><fallback>/Rock.mp3</fallback>"))
    let stats = try await ask("/admin/stats", Self.moved).body
    #expect(stats.contains("<listenurl>http://radio.test:8000/Jazz_128.mp3</listenurl>"))
    #expect(stats.contains("<max_listeners>7</max_listeners><public>1</public>"))
    #expect(stats.contains("<server_start>Fri, 20 Nov 2026 18:00:00 +0000</server_start>"))
    #expect(try await ask("/admin/streamlist.txt", Self.moved).body == "/Jazz_128.mp3\r\n")
    #expect(try await ask("/stats", Self.moved).body.contains("<STREAMPATH>/Jazz_128.mp3<"))
    // A mount without a source is not there, as at Icecast.
    #expect(!mounts.contains("source mount=\"/Rock.mp3\""))
    #expect(!stats.contains("source mount=\"/Rock.mp3\""))
    let page = try await ask("/status.xsl", Self.moved)
    #expect(page.mediaType == "text/html; charset=utf-8")
    #expect(page.body.contains("Mount Point /Jazz_128.mp3</h3>"))
    #expect(page.body.contains("<td class=\"streamstats\">Nina Simone - Sinnerman</td>"))
    #expect(!page.body.contains("/Rock.mp3"))
  }

  @Test(arguments: [
    "/status-json.xsl", "/status.xsl", "/7.xsl", "/7.html", "/admin/stats", "/admin/listclients",
  ])
  func `every name of a mount leads a monitor to its station`(page: String) async throws {
    let wanted = try await ask(page + "?mount=/jazz", Self.moved)
    #expect(wanted.status == 200 && !wanted.body.isEmpty)
    for name in [
      "jazz", "/jazz/", "/Jazz_128.mp3/", "/Jazz_128.mp3", "Jazz_128.mp3", "%2FJazz_128.mp3",
      "/old", "/jazz.mp3",
    ] {
      #expect(try await ask(page + "?mount=" + name, Self.moved).body == wanted.body, "\(name)")
    }
    for name in ["/jazz_128.mp3", "/Jazz_128", "/", "//jazz", "/jazz//"] {
      #expect(try await ask(page + "?mount=" + name, Self.moved).status == 404, "\(name)")
    }
  }

  @Test(arguments: [
    ("/admin/metadata?mount=/Jazz_128.mp3&song=x", "announce jazz x "),
    ("/admin.cgi?mount=/Jazz_128.mp3&song=x", "announce jazz x "),
    ("/admin/moveclients?mount=/Jazz_128.mp3&destination=/old", "move 7 jazz"),
    ("/admin/killsource?mount=/old", "stop jazz"),
    ("/admin/fallbacks?mount=/Jazz_128.mp3&fallback=/Rock.mp3", "fallback of jazz rock"),
  ])
  func `calls name mounts as listeners do`(target: String, done: String) async throws {
    let relay = Self.moved
    let answer = try await ask(target, relay)
    #expect(answer.body.contains("<return>1</return>"))
    #expect(relay.done == [done])
  }

  @Test func `a client that is gone already is told as Icecast tells it`() async throws {
    let answer = try await ask("/admin/killclient?mount=/jazz&id=99")
    #expect(answer.status == 200)
    #expect(answer.body.contains("<message>Client 99 not found</message><return>0</return>"))
  }

  @Test func `SHOUTcast's seven values stand in their order`() async throws {
    let page = try await ask("/7.html")
    #expect(page.mediaType == "text/html; charset=utf-8")
    #expect(page.body.hasSuffix("<body>3,1,5,100,1,128,Nina Simone - Sinnerman</body></html>"))
    let none = try await ask("/7.html", FakeRelay([]))
    #expect(none.body.hasSuffix("<body>0,0,0,100,0,0,</body></html>"))
  }

  @Test func `SHOUTcast's statistics are XML, JSON or a script`() async throws {
    let xml = try await ask("/stats?sid=1")
    #expect(xml.mediaType == "text/xml; charset=utf-8")
    #expect(xml.body.contains("<CURRENTLISTENERS>3</CURRENTLISTENERS>"))
    #expect(xml.body.contains("<SERVERTITLE>Jazz &quot;24&quot;</SERVERTITLE>"))
    let json = try await ask("/stats?sid=1&json=1").json
    #expect(json["currentlisteners"] == .integer(3) && json["bitrate"] == "128")
    #expect(json["songtitle"] == "Nina Simone - Sinnerman" && json["streamstatus"] == .integer(1))
    let script = try await ask("/stats?json=1&callback=show.it_1")
    #expect(script.body.hasPrefix("show.it_1({") && script.body.hasSuffix("});"))
    let harmless = try await ask("/stats?json=1&callback=alert(1)//")
    #expect(harmless.body.hasPrefix("{"))
    let all = try await ask("/statistics?json=1").json
    #expect(all["totalstreams"] == .integer(1) && all["activestreams"] == .integer(1))
    guard case .array(let streams)? = all["streams"] else {
      Issue.record("no streams")
      return
    }
    #expect(streams.map { $0["id"] } == [.integer(1)])
    #expect(try await ask("/statistics").body.contains("<STREAM id=\"1\"><CURRENTLISTENERS>3<"))
    #expect(try await ask("/stats?sid=2").status == 400)
  }

  @Test func `SHOUTcast's songs are told`() async throws {
    #expect(try await ask("/currentsong?sid=1").body == "Nina Simone - Sinnerman")
    #expect(try await ask("/nextsong").body.isEmpty)
    let played = try await ask("/played?type=json").json
    #expect(
      played == [["playedat": .integer(1_795_197_600), "title": "Nina Simone - Sinnerman"]])
    #expect(
      try await ask("/played").body.contains(
        "<SONG><PLAYEDAT>1795197600</PLAYEDAT><TITLE>Nina Simone - Sinnerman</TITLE></SONG>"))
  }

  @Test func `Icecast's lists are in its spelling`() async throws {
    let mounts = try await ask("/admin/listmounts").body
    #expect(mounts.contains("<source mount=\"/jazz\"><fallback/><listeners>3</listeners>"))
    #expect(mounts.contains("<content-type>audio/mpeg</content-type>"))
    let clients = try await ask("/admin/listclients?mount=/jazz").body
    #expect(clients.contains("<Listeners>1</Listeners><listener id=\"7\"><ID>7</ID>"))
    #expect(
      clients.contains("<IP>192.0.2.7</IP><UserAgent>VLC</UserAgent><Connected>12</Connected>"))
    #expect(clients.contains("</lag><username>anna</username></listener>"))
    #expect(try await ask("/admin/streamlist.txt").body == "/jazz\r\n")
    let stats = try await ask("/admin/stats").body
    #expect(stats.contains("<sources>1</sources>"))
    #expect(stats.contains("<title>Nina Simone - Sinnerman</title>"))
    #expect(try await ask("/admin/listclients").status == 400)
    #expect(try await ask("/admin/listclients?mount=/none").status == 404)
  }

  @Test(arguments: [
    ("/admin/metadata?mount=/jazz&mode=updinfo&song=A+-+B%27s", "announce jazz A - B's "),
    (
      "/admin/metadata?mount=/jazz&artist=A&title=B&url=http://x/y",
      "announce jazz A - B http://x/y"
    ),
    ("/admin/metadata?mount=jazz&title=B", "announce jazz B "),
    ("/admin.cgi?sid=1&mode=updinfo&song=S", "announce jazz S "),
    ("/admin.cgi?mode=updinfo&song=S&pass=hush", "announce jazz S "),
    ("/admin/killsource?mount=/jazz", "stop jazz"),
    ("/admin/moveclients?mount=/jazz&destination=/jazz", "move 7 jazz"),
    ("/admin/moveclients?mount=/jazz&destination=/jazz&id=7", "move 7 jazz"),
  ])
  func `Icecast's calls do what they say`(target: String, done: String) async throws {
    let relay = FakeRelay()
    let answer = try await ask(target, relay)
    #expect(answer.body.contains("<return>1</return>"))
    #expect(relay.done == [done])
  }

  @Test(arguments: [
    (
      "/admin/metadata.xsl?mount=/jazz&mode=updinfo&song=A", ["Message: Metadata update successful"]
    ),
    (
      "/admin/killclient.xsl?mount=/jazz&id=99", ["Message: Client 99 not found", "Return Code: 0"]
    ),
    ("/admin/killclient.xsl?mount=/jazz&id=7", ["Message: Client 7 removed", "Return Code: 1"]),
    ("/admin/killsource.xsl?mount=/jazz", ["Message: Source Removed"]),
    ("/admin/fallbacks.xsl?mount=/jazz&fallback=/jazz", ["Fallback configured"]),
    (
      "/admin/listclients.xsl?mount=/jazz",
      ["Mountpoint /jazz", "<td>192.0.2.7</td>", "killclient.xsl?mount=/jazz&amp;id=7"]
    ),
    ("/admin/listmounts.xsl", ["Mountpoint /jazz", "listclients.xsl?mount=/jazz"]),
    ("/admin/stats.xsl", ["<td>server_id</td>", "<td>Nina Simone - Sinnerman</td>"]),
    ("/admin/moveclients.xsl?mount=/jazz", ["Moving listeners from /jazz"]),
    ("/admin/moveclients.xsl?mount=/jazz&destination=/jazz", ["Return Code: 1"]),
    (
      "/admin/updatemetadata.xsl?mount=/jazz",
      ["action=\"metadata.xsl\"", "name=\"mount\" value=\"/jazz\""]
    ),
  ])
  func `Icecast's pages for people do what those for scripts do`(target: String, words: [String])
    async throws
  {
    let answer = try await ask(target)
    #expect(answer.status == 200 && answer.mediaType == "text/html; charset=utf-8")
    for word in words { #expect(answer.body.contains(word), "\(word) in \(answer.body)") }
    #expect(try await ask(target, isAdmin: false).status == 401)
  }

  @Test func `a page for people lists where listeners can be moved`() async throws {
    var station = self.station("rock", sid: 2, .playing)
    station.mount.authenticator = "url"
    let relay = FakeRelay([Sample.station, station])
    let page = try await ask("/admin/moveclients.xsl?mount=/jazz", relay).body
    #expect(page.contains("moveclients.xsl?mount=/jazz&amp;destination=/rock"))
    // Listeners of that station are checked, and monitors are told so.
    let mounts = try await ask("/admin/listmounts", relay).body
    #expect(mounts.contains("</listeners><authenticator>url</authenticator><Connected>"))
    #expect(mounts.split(separator: "authenticator>").count == 3)
    let stats = try await ask("/admin/stats", relay).body
    #expect(stats.contains("<authenticator>url</authenticator>"))
    let status = try await ask("/status-json.xsl?mount=/rock", relay).json["icestats"]?["source"]
    #expect(status?["authenticator"] == "url")
  }

  @Test func `SHOUTcast's overview has figures, listeners and titles`() async throws {
    let all = try await ask("/admin.cgi?mode=viewxml&sid=1").body
    #expect(all.contains("<SHOUTCASTSERVER><CURRENTLISTENERS>3</CURRENTLISTENERS>"))
    #expect(all.contains("<HOSTNAME>192.0.2.7</HOSTNAME><USERAGENT>VLC</USERAGENT>"))
    #expect(all.contains("<CONNECTTIME>12</CONNECTTIME><POINTER>0</POINTER><UID>7</UID>"))
    #expect(all.contains("<TITLE>Nina Simone - Sinnerman</TITLE></SONG></SONGHISTORY>"))
    let listeners = try await ask("/admin.cgi?mode=viewxml&page=3").body
    #expect(listeners.contains("<SHOUTCASTSERVER><LISTENERS><LISTENER><HOSTNAME>"))
    let relay = FakeRelay()
    let answer = try await ask("/admin.cgi?mode=viewxml&pass=push-it!", relay, isAdmin: false)
    #expect(answer.status == 200 && !relay.done.contains { $0.hasPrefix("announce") })
    #expect(try await ask("/admin.cgi?mode=viewxml&pass=no", isAdmin: false).status == 401)
    #expect(try await ask("/admin.cgi?mode=viewxml&sid=9").status == 400)
  }

  @Test func `a call may come as a form`() async throws {
    let relay = FakeRelay()
    let answer = try await ask(
      "/admin/metadata", relay, form: "mode=updinfo&mount=%2fjazz&charset=UTF%2d8&song=One+%26+Two")
    #expect(answer.status == 200 && relay.done == ["announce jazz One & Two "])
  }

  @Test(arguments: [
    "/admin/stats", "/admin/listmounts", "/admin/listclients?mount=/jazz", "/admin/streamlist.txt",
    "/admin/metadata?mount=/jazz&song=x", "/admin/killsource?mount=/jazz",
    "/admin/killclient?mount=/jazz&id=7", "/admin/moveclients?mount=/jazz&destination=/jazz",
    "/admin/fallbacks?mount=/jazz&fallback=/jazz", "/admin.cgi?mode=updinfo&song=S",
    "/admin.cgi?mode=updinfo&song=S&pass=wrong",
  ])
  func `administration is for administrators`(target: String) async throws {
    let relay = FakeRelay()
    #expect(try await ask(target, relay, isAdmin: false).status == 401)
    #expect(relay.done.isEmpty)
  }

  @Test func `SHOUTcast's scripts bring the token in the query`() async throws {
    let relay = FakeRelay()
    let answer = try await ask(
      "/admin.cgi?mode=updinfo&song=S&pass=hush", relay, isAdmin: false)
    #expect(answer.status == 200 && relay.done == ["announce jazz S "])
    // Of that page only.
    #expect(try await ask("/admin/stats?pass=hush", relay, isAdmin: false).status == 401)
  }

  @Test(arguments: [
    "/admin/metadata?mount=/jazz", "/admin/metadata?mount=/jazz&mode=other&song=x",
    "/admin.cgi?sid=9&song=x", "/admin/killclient?mount=/jazz",
    "/admin/moveclients?mount=/jazz", "/admin/fallbacks?mount=/jazz",
  ])
  func `a call that lacks something is refused`(target: String) async throws {
    let relay = FakeRelay()
    #expect(try await ask(target, relay).status == 400)
    #expect(relay.done.isEmpty)
  }
}
