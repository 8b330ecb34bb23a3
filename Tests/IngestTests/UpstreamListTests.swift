import Testing
import Wire

@testable import Ingest

@Suite struct UpstreamListTests {
  @Test(arguments: [1, 2, 64, 255, 256, 257, 258, 300, 5000])
  func `a playlist is expanded within a list of URLs of any length`(count: Int) {
    var list = UpstreamList((0..<count).map { "u\($0)" })
    let entries = (0..<1000).map { PlaylistEntry(url: "p\($0)") }
    for _ in 0..<UpstreamList.depthMax {
      let isTaken = list.expand(into: entries)
      #expect(isTaken)
    }
    #expect(list.entries.count <= UpstreamList.entriesMax)
    for origin in [-1, 0, count, Int.max] { list.select(origin: origin) }
    for _ in 0..<2 * count { _ = list.failed(hopeless: true) }
    #expect(list.current.origin >= 0 && list.isHopeless)
  }

  @Test func `the next URL is tried at once and the round ends with the last`() {
    var list = UpstreamList(["a", "b", "c"])
    #expect(list.current.url == "a")
    let step1 = list.failed(hopeless: false)
    #expect(!step1)
    #expect(list.current.url == "b")
    let step2 = list.failed(hopeless: true)
    #expect(!step2)
    #expect(list.current.url == "c")
    let step3 = list.failed(hopeless: true)
    #expect(step3)
    #expect(list.current.url == "a")
    #expect(!list.isHopeless)
  }

  @Test func `a round of nothing but hopeless answers is hopeless`() {
    var list = UpstreamList(["a", "b"])
    _ = list.failed(hopeless: true)
    let isOver = list.failed(hopeless: true)
    #expect(isOver && list.isHopeless)
    _ = list.failed(hopeless: false)
    let isOverAgain = list.failed(hopeless: true)
    #expect(isOverAgain && !list.isHopeless)
  }

  @Test func `an upstream that has played begins a new round when it fails`() {
    var list = UpstreamList(["a", "b"])
    let step4 = list.failed(hopeless: false)
    #expect(!step4)
    list.beginRound()
    let step5 = list.failed(hopeless: false)
    #expect(!step5)
    #expect(list.current.url == "a")
    let step6 = list.failed(hopeless: false)
    #expect(step6)
  }

  @Test
  func
    `a playlist's entries are tried in its place and the playlist is fetched again after the round`()
  {
    var list = UpstreamList(["list", "backup"])
    let step7 = list.expand(into: [PlaylistEntry(url: "x"), PlaylistEntry(url: "y")])
    #expect(step7)
    #expect(list.current.url == "x")
    let step8 = list.failed(hopeless: false)
    #expect(!step8)
    #expect(list.current.url == "y")
    let step9 = list.failed(hopeless: false)
    #expect(!step9)
    #expect(list.current.url == "backup" && list.current.origin == 1)
    let step10 = list.failed(hopeless: false)
    #expect(step10)
    #expect(list.current.url == "list")
  }

  @Test func `playlists nest three deep`() {
    var list = UpstreamList(["0"])
    for depth in 1...3 {
      let isExpanded = list.expand(into: [PlaylistEntry(url: "\(depth)")])
      #expect(isExpanded)
    }
    let step11 = list.expand(into: [PlaylistEntry(url: "4")])
    #expect(!step11)
    let step12 = list.expand(into: [])
    #expect(!step12)
  }

  @Test func `files of a playlist follow each other and begin again`() {
    var list = UpstreamList(["list", "backup"])
    _ = list.expand(into: [PlaylistEntry(url: "x"), PlaylistEntry(url: "y")])
    let step13 = list.completed()
    #expect(!step13)
    #expect(list.current.url == "y")
    let step14 = list.completed()
    #expect(step14)
    #expect(list.current.url == "x")
  }

  @Test func `a playlist cannot make the list longer than its bound`() {
    var list = UpstreamList(["list", "backup"])
    let many = (0..<1000).map { PlaylistEntry(url: "\($0)") }
    let step15 = list.expand(into: many)
    #expect(step15)
    #expect(list.entries.count == UpstreamList.entriesMax)
    #expect(list.entries.last?.url == "backup")
  }
}
