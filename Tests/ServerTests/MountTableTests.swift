import Testing
import Timeshift
import Wire

@testable import Server

struct MountTableTests {
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

  @Test func `numbers and bit rates lead to nothing that is not listed`() {
    func mount(_ station: String, _ sid: Int, of original: String? = nil, isListed: Bool) -> Mount {
      var mount = Mount(station: station, sid: sid, content: .nothing)
      (mount.renditionOf, mount.isListed) = (original, isListed)
      return mount
    }
    let table = MountTable([
      mount("jingle", 1, isListed: false), mount("jazz", 2, isListed: true),
      mount("jazz-64", 3, of: "jazz", isListed: false),
      mount("jingle-64", 4, of: "jingle", isListed: false),
    ])
    #expect(
      ["1", "2", "3", "9"].map { table.mount(numbered: $0)?.station } == [nil, "jazz", nil, nil])
    #expect(table.mount(numbered: nil)?.station == "jazz")
    #expect(MountTable([mount("jingle", 1, isListed: false)]).mount(numbered: nil) == nil)
    let (jazz, jingle) = (table.mount(station: "jazz")!, table.mount(station: "jingle")!)
    #expect(
      table.problem(withBitrateAt: jazz) != nil && table.problem(withBitrateAt: jingle) == nil)
    #expect(table.mount(jazz, within: 1).station == "jazz")
  }
}
