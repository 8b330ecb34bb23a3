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
}
