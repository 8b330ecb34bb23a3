import Testing
import Timeshift
import Wire

@testable import Server

struct MountTableTests {
  private func table() -> MountTable {
    func mount(_ id: String, _ sid: Int, _ paths: [String] = []) -> Mount {
      Mount(station: id, sid: sid, paths: paths, log: PacketLog(memoryOnly: .init(), at: .now()))
    }
    return MountTable([mount("jazz", 1, ["/Live.mp3"]), mount("rock", 2), mount("a.b", 3)])
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
    ("/jazz.m3u8", nil),
  ])
  func `a path leads to its station`(path: String, station: String?) {
    switch table().find(path) {
    case .stream(let mount): #expect(mount.station == station)
    case .playlist(let mount, _): Issue.record("\(path) is a playlist of \(mount.station)")
    case .clip(let mount), .file(let mount, _), .samples(let mount, _):
      Issue.record("\(path) is a clip or a file of \(mount.station)")
    case nil: #expect(station == nil)
    }
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
    switch table().find(path, sid: sid) {
    case .playlist(let mount, let found):
      #expect(mount.station == station && found.rawValue == kind)
    case .stream(let mount), .clip(let mount), .file(let mount, _), .samples(let mount, _):
      Issue.record("\(path) is no playlist of \(mount.station)")
    case nil: #expect(station == nil)
    }
  }

  @Test(arguments: [
    ("/jazz.m3u", "/jazz"), ("/Jazz_128.mp3.m3u", "/Jazz_128.mp3"),
    ("/Jazz_128.pls", "/Jazz_128.mp3"),
    ("/b.xspf", "/b"), ("/listen.pls", "/Jazz_128.mp3"), ("/listen", "/Jazz_128.mp3"),
  ])
  func `a playlist leads to the name that it was asked by`(path: String, name: String) {
    let mount = Mount(station: "jazz", paths: ["/Jazz_128.mp3", "/b"], content: .nothing)
    #expect(mount.name == "/Jazz_128.mp3" && mount.name(ofPlaylist: path) == name)
  }

  @Test func `a rendition's path below its original is not its name`() {
    var mount = Mount(station: "jazz-64", paths: ["/jazz/64"], content: .nothing)
    mount.renditionOf = "jazz"
    #expect(mount.name == "/jazz-64")
    mount.paths.append("/Jazz_64.mp3")
    #expect(mount.name == "/Jazz_64.mp3")
  }

  @Test(arguments: [
    ("/jazz", "jazz"), ("jazz", "jazz"), ("/jazz.mp3", "jazz"), ("/Jazz_128.mp3", "jazz"),
    ("Jazz_128.mp3", "jazz"), ("/Jazz_128.mp3.ogg", "jazz"), ("/a.b", "a.b"),
    ("/jazz_128.mp3", nil),
    ("/Jazz_128", nil), ("/", nil), ("", nil), ("/JAZZ", nil), ("/.mp3", nil),
  ])
  func `a mount's name means its station`(name: String, station: String?) {
    let all = ["jazz": ["/jazz", "/Jazz_128.mp3"], "a.b": ["/a.b"]]
    #expect(MountName.find(name, in: all.keys.sorted(), paths: { all[$0]! }) == station)
  }

  @Test(arguments: [
    ("/shows", "shows", ""), ("/shows/", "shows", ""), ("/shows/a/b.mp3", "shows", "a/b.mp3"),
    ("/shows/clip", "shows", "clip"), ("/shows/a;b", "shows", "a;b"), ("/shows/a/", "shows", "a/"),
    ("/old/a.mp3", "shows", "a.mp3"), ("/stream/2", "shows", ""), ("/shows.mp3", nil, ""),
    ("/jazz/a.mp3", nil, ""), ("/shows/live", "jazz", "-"),
  ])
  func `below a mount of files every path is one of them`(
    path: String, station: String?, file: String
  ) {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    let shows = Mount(
      station: "shows", sid: 2, paths: ["/old"], content: .files(FileSource(root: "/srv/shows")))
    let table = MountTable([
      Mount(station: "jazz", sid: 1, paths: ["/shows/live"], log: log), shows,
    ])
    switch table.find(path) {
    case .file(let mount, let path): #expect(mount.station == station && path == file)
    case .stream(let mount): #expect(mount.station == station && file == "-")
    case .playlist, .clip, .samples: Issue.record("\(path) is something else")
    case nil: #expect(station == nil)
    }
  }

  @Test(arguments: ["/jazz/pcm": false, "/jazz/pcm.wav": true, "/Live.mp3/pcm": false])
  func `samples are asked for below their station`(path: String, isWAV: Bool) {
    guard case .samples(let mount, isWAV) = table().find(path) else {
      Issue.record("\(path) is no request for samples")
      return
    }
    #expect(mount.station == "jazz")
    for none in ["/none/pcm", "/pcm", "/jazz/pcm.mp3"] {
      if case .some = table().find(none) { Issue.record("\(none) is something") }
    }
  }

  @Test(arguments: ["/jazz/clip": "jazz", "/a.b/clip": "a.b", "/Live.mp3/clip": "jazz"])
  func `a clip is asked for below its station`(path: String, station: String) {
    guard case .clip(let mount) = table().find(path) else {
      Issue.record("\(path) is no clip")
      return
    }
    #expect(mount.station == station)
    for none in ["/none/clip", "/clip", "/jazz/clips"] {
      if case .some = table().find(none) { Issue.record("\(none) is something") }
    }
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
    guard case .stream(let mount) = table().find("/;", sid: "2") else {
      Issue.record("nothing found")
      return
    }
    #expect(mount.station == "rock")
  }
}
