import Testing
import Timeshift
import Wire

@testable import Server

struct RoutesTests {
  private func table() -> MountTable {
    func mount(_ id: String, _ sid: Int, _ paths: [String] = []) -> Mount {
      Mount(station: id, sid: sid, paths: paths, log: PacketLog(memoryOnly: .init(), at: .now()))
    }
    return MountTable([mount("jazz", 1, ["/Live.mp3"]), mount("rock", 2), mount("a.b", 3)])
  }

  @Test func `a known route is forgotten with its mounts, and others are not learnt`() throws {
    var known = KnownRoutes()
    func station(_ target: String, _ method: String = "GET", in table: MountTable) throws -> String?
    {
      let text = "\(method) \(target) HTTP/1.1\r\nHost: x\r\n\r\n"
      let head = try #require(try HTTPRequestParser.parse(Array(text.utf8).span)).head
      guard case .served(let found) = known.route(head, in: table) else { return nil }
      return found.mount.station + (found.wanted == nil ? "" : " known")
    }
    let (path, table) = ("/jazz/hls/0123456789ab-6a/7.mp3", table())
    #expect(try station(path, in: table) == "jazz")
    for target in [path, "/jazz/hls/0123456789ab-6a/8.mp3", "/jazz/hls/live.m3u8", "/rock"] {
      let id = target.hasPrefix("/rock") ? "rock" : "jazz"
      #expect(try station(target, in: table) == (target == path ? "jazz known" : id))
    }
    #expect(try station(path, "HEAD", in: table) == "jazz")
    #expect(try station(path, "POST", in: table) == nil)
    #expect(try station("/jazz/hls/0123456789ab-6a/%37.mp3", in: table) == nil)
    #expect(try station(path, in: MountTable()) == nil)
    #expect(try station(path, in: table) == "jazz")
    for number in 0..<2000 { _ = try station("/jazz/hls/\(number)/x", in: table) }
    #expect(try station(path, in: table) == "jazz")
  }

  /// The row that a path means, and its station.
  private func find(_ path: String, sid: String? = nil) -> (name: String, station: String)? {
    Routes.find(path, sid: sid, in: table()).map { ($0.row.name, $0.mount.station) }
  }

  @Test(arguments: [
    ("/jazz", "jazz"), ("/jazz/", "jazz"), ("/Live.mp3", "jazz"), ("/a.b", "a.b"),
    ("/", nil), ("/none", nil), ("/jazz/x", nil), ("/JAZZ", nil),
    // What SHOUTcast's players hang on.
    ("/;", "jazz"), ("/;stream.nsv", "jazz"), ("/;.mp3", "jazz"), ("/;stream/1", nil),
    ("/jazz/;", "jazz"), ("/rock/;stream.mp3", "rock"), ("/rock;", "rock"),
    ("/stream", "jazz"), ("/stream/", "jazz"), ("/stream/2", "rock"), ("/stream/2/", "rock"),
    ("/stream/1/;", "jazz"), ("/stream/0", nil), ("/stream/4", nil), ("/stream/x", nil),
    // An accent behind a slash, a dot or a semicolon makes another character of them to a String, not to a path.
    ("/jazz/\u{301}", nil), ("/\u{301}jazz", nil), ("/jazz\u{301}", nil), ("/jazz;\u{301}", "jazz"),
    ("/;\u{301}", "jazz"), ("/stream/\u{301}1", nil), ("/stream/\u{600}/1", nil),
    ("/Live.\u{301}mp3", nil), ("/jazz\u{600}/", nil), ("/jazz/\r\n", nil), ("/jazz\u{0}", nil),
    // HLS has that name.
  ])
  func `a path leads to its station`(path: String, station: String?) {
    let found = find(path)
    #expect(found?.station == station)
    #expect(found?.name == station.map { _ in "listen" })
  }

  @Test(arguments: [
    ("/jazz.m3u", nil, "jazz", "m3u"), ("/rock.pls", nil, "rock", "pls"),
    ("/a.b.xspf", nil, "a.b", "xspf"), ("/jazz.asx", nil, "jazz", "asx"),
    ("/Live.mp3.m3u", nil, "jazz", "m3u"), ("/Live.m3u", nil, "jazz", "m3u"),
    ("/Live.xspf", nil, "jazz", "xspf"), ("/live.m3u", nil, nil, ""),
    ("/listen", nil, "jazz", "pls"),
    ("/listen.pls", "2", "rock", "pls"), ("/listen.xspf", "3", "a.b", "xspf"),
    ("/listen.m3u", "4", nil, ""), ("/listen.m3u", "x", nil, ""), ("/none.pls", nil, nil, ""),
  ])
  func `playlists are named after stations or numbered`(
    path: String, sid: String?, station: String?, kind: String
  ) {
    let found = find(path, sid: sid)
    #expect(found?.station == station)
    #expect(found?.name == station.map { _ in "\(kind)Playlist" })
  }

  @Test(arguments: [
    ("/shows", "shows", ""), ("/shows/", "shows", ""), ("/shows/a/b.mp3", "shows", "a/b.mp3"),
    ("/shows/clip", "shows", "clip"), ("/shows/a;b", "shows", "a;b"), ("/shows/a/", "shows", "a/"),
    ("/old/a.mp3", "shows", "a.mp3"), ("/stream/2", "shows", ""), ("/shows.mp3", nil, ""),
    ("/jazz/a.mp3", nil, ""), ("/shows/live", "jazz", "-"),
  ])
  func `a path below a mount of files is one of its files`(
    path: String, station: String?, file: String
  ) {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    let shows = Mount(
      station: "shows", sid: 2, paths: ["/old"], content: .files(FileSource(root: "/srv/shows")))
    let table = MountTable([
      Mount(station: "jazz", sid: 1, paths: ["/shows/live"], log: log), shows,
    ])
    let found = Routes.find(path, in: table)
    #expect(found?.mount.station == station)
    #expect(found?.row.name == station.map { _ in file == "-" ? "listen" : "file" })
    #expect(found?.parts ?? [] == (station == nil || file == "-" ? [] : [file]))
  }

  @Test(arguments: [
    ("/shows.m3u", "m3uPlaylist"), ("/shows/live.m3u", "file"), ("/shows/live.m3u/", "file"),
    ("/shows/live/clip", "clip"), ("/shows/live/pcm", "samples"), ("/shows/pcm.wav", "file"),
    ("/shows/clip/", "file"), ("/shows.pls", "plsPlaylist"), ("/listen.asx", "asxPlaylist"),
  ])
  func `a folder has its list, and what stands below a stream in it is the stream's`(
    path: String, name: String
  ) throws {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    let table = MountTable([
      Mount(station: "shows", sid: 1, content: .files(FileSource(root: "/srv/shows"))),
      Mount(station: "jazz", sid: 2, paths: ["/shows/live"], log: log),
    ])
    let found = try #require(Routes.find(path, in: table))
    #expect(found.row.name == name)
    #expect(found.row.isOfFiles == (found.mount.station == "shows"))
  }

  @Test(arguments: [
    ("/jazz/pcm", "samples", "jazz"), ("/jazz/pcm.wav", "samplesFile", "jazz"),
    ("/Live.mp3/pcm", "samples", "jazz"), ("/jazz/clip", "clip", "jazz"),
    ("/a.b/clip", "clip", "a.b"), ("/Live.mp3/clip", "clip", "jazz"),
    ("/jazz/clip/", "clip", "jazz"),
    ("/jazz/hls/live.m3u8", "hlsMultivariantPlaylist", "jazz"),
    ("/Live.mp3/hls/main.m3u8", "hlsPlaylist", "jazz"), ("/jazz/hls/clip.m3u8", "hlsClip", "jazz"),
    ("/jazz/hls/4f9a2c71b03d-6a/1.mp3", "hlsSegment", "jazz"),
    ("/jazz/hls/s6-7/4f9a2c71b03d-6a/1.mp3", "hlsSealedSegment", "jazz"),
    ("/jazz.m3u8", "hlsRedirect", "jazz"), ("/jazz/hls", nil, nil), ("/none.m3u8", nil, nil),
    ("/none/pcm", nil, nil), ("/pcm", nil, nil), ("/jazz/pcm.mp3", nil, nil),
    ("/none/clip", nil, nil), ("/clip", nil, nil), ("/jazz/clips", nil, nil),
    ("/jazz/x/clip", nil, nil), ("/jazz//clip", nil, nil), ("/stream/1/clip", nil, nil),
  ])
  func `clips and samples are asked for below their station`(
    path: String, name: String?, station: String?
  ) {
    let found = find(path)
    #expect(found?.name == name)
    #expect(found?.station == station)
  }

  @Test(arguments: [
    ("/{station}", "/a/b", "/a/b: "), ("/{station}.m3u", "/a.m3u", "/a: "),
    ("/{station}.m3u", "/a/b.c.m3u", "/a/b.c: "), ("/{station}.m3u", ".m3u", ": "),
    ("/{station}.m3u", "/a.m3u8", nil), ("/{station}.m3u", "m3u", nil),
    ("/{station}/clip", "/a/b/clip", "/a/b: "), ("/{station}/clip", "/clip", ": "),
    ("/{station}/clip", "clip", nil), ("/{station}/clip", "/a/clip/", nil),
    ("/{station}/x/{key}/{cell}", "/a/b/x/k/c.mp3", "/a/b: k c.mp3"),
    ("/{station}/x/{key}/{cell}", "/x/k/c", ": k c"),
    ("/{station}/x/{key}/{cell}", "/a/x/k/", nil), ("/{station}/x/{key}/{cell}", "/a/x//c", nil),
    ("/{station}/x/{key}/{cell}", "/a/y/k/c", nil), ("/{station}/x/{key}/{cell}", "/k/c", nil),
  ])
  func `a path ends as its pattern says, behind a name`(
    pattern: String, path: String, found: String?
  ) {
    let match = PathPattern(stringLiteral: pattern).match(path[...])
    #expect(match.map { "\($0.name): \($0.parts.joined(separator: " "))" } == found)
  }

  @Test(arguments: [
    ("SOURCE", "/jazz", true), ("SOURCE", "/api/v1/x", true), ("PUT", "/jazz", true),
    ("PUT", "/api/v1/bans", false), ("PUT", "/api/\u{301}", false), ("PUT", "/api\u{301}/x", true),
    ("GET", "/jazz", false), ("POST", "/jazz", false),
  ])
  func `a source is told by method and path`(method: String, path: String, isSource: Bool) {
    let head = HTTPRequestHead(method: method, target: path, path: path)
    #expect(Routes.isSource(head) == isSource)
  }

  @Test func `SHOUTcast's first stream is the number asked for`() {
    #expect(find("/;", sid: "2")?.station == "rock")
  }
}
