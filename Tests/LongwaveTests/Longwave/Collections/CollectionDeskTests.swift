import Logging
import Store
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Library
@testable import Longwave

/// Collections of a folder's tracks, in a database of their own.
@Suite struct CollectionDeskTests {
  /// A folder with some tracks, and a desk that knows them.
  private struct Scene {
    let folder = TemporaryDirectory()
    let data = TemporaryDirectory()
    let store: StationStore
    let music: MusicFolders
    let desk: CollectionDesk

    init(_ count: Int) async throws {
      for number in 0..<count {
        let name = "Artist \(number) - Title \(number).mp3"
        let first = UInt64(number) * 1000
        folder.write(name, NumberedFrames.stream(first..<first + 60))
        folder.age(name)
      }
      store = try await StationStore.open(data.file("longwave.db"))
      music = MusicFolders(data: data.path, tagProgram: nil)
      desk = CollectionDesk(store, music, logger: Logger(label: "test"))
      await desk.know([folder.path], of: "test")
      try await eventually("the music is known") { await desk.index.isWhole }
    }

    func `import`(_ lines: String..., to id: String) async throws {
      _ = try await desk.importList(
        Array(lines.joined(separator: "\n").utf8), name: "l.m3u", base: folder.path, to: id)
    }

    /// The places of an exported m3u8.
    func places(_ id: String) async throws -> [String] {
      let list = String(decoding: try await desk.export(id), as: UTF8.self)
      return list.split(separator: "\n").filter { $0.first != "#" }.map(String.init)
    }
  }

  @Test func `an exported list has all that is in its collections, and nothing without a place`()
    async throws
  {
    let scene = try await Scene(2)
    for id in ["outer", "inner", "gone"] { _ = try await scene.desk.create(id) }
    try await scene.import(
      "Artist 0 - Title 0.mp3", "https://example.org/a.mp3", to: "inner")
    let old = TrackKey(high: 7, low: 7)
    try await scene.desk.add(
      [
        StoredMember(.track(old), title: "Old", path: Array("/old/x.mp3".utf8)),
        StoredMember(.track(old)),
      ], to: "inner")
    try await scene.import("Artist 1 - Title 1.mp3", to: "outer")
    var new = CollectionDesk.NewMembers()
    new.collections = ["inner", "gone"]
    _ = try await scene.desk.add(new, to: "outer")
    try await scene.desk.remove("gone")
    let wanted = [
      "Artist 1 - Title 1.mp3", "Artist 0 - Title 0.mp3", "https://example.org/a.mp3",
      "/old/x.mp3",
    ]
    #expect(try await scene.places("outer") == wanted)
    #expect(try await scene.places("inner") == Array(wanted.dropFirst()))
    let shown = try await scene.desk.show("outer")
    #expect(shown.tracks == 4 && shown.missing == 2 && shown.members?.count == 3)
    await scene.music.end()
  }

  @Test(arguments: ["", " ", "\t \u{A0}", "\u{200B}\u{FEFF}", "\u{2800}\u{3164}\u{FE0F}"])
  func `a name of nothing but blanks is refused`(_ name: String) async throws {
    let scene = try await Scene(0)
    let refusal = RelayError.badField("name", "is empty; write a name, or null for none")
    await #expect(throws: refusal) { try await scene.desk.create("night", name: name) }
    _ = try await scene.desk.create("night", name: "Night")
    await #expect(throws: refusal) { try await scene.desk.change("night", name: .some(name)) }
    #expect(try await scene.desk.change("night", name: .some(nil)).name == nil)
    await scene.music.end()
  }

  @Test func `a favourite that is added many times at once is one`() async throws {
    let scene = try await Scene(2)
    let keys = await scene.desk.index.files.values.map(\.key)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<24 {
        group.addTask {
          var new = CollectionDesk.NewMembers()
          new.tracks = [keys[number % 2]]
          _ = try await scene.desk.add(new, to: CollectionDesk.favourites)
        }
      }
      try await group.waitForAll()
    }
    let members = try await scene.desk.show(CollectionDesk.favourites).members ?? []
    #expect(Set(members.compactMap(\.track?.key)) == Set(keys) && members.count == 2)
    await scene.music.end()
  }

  @Test func `one page follows the other, and what changes between them is seen`() async throws {
    let scene = try await Scene(4)
    _ = try await scene.desk.create("night")
    try await scene.import(
      "Artist 0 - Title 0.mp3", "Artist 1 - Title 1.mp3", "Artist 2 - Title 2.mp3", to: "night")
    func page(_ after: MemberMark?) async throws -> CollectionView {
      try await scene.desk.show("night", limit: 2, after: after)
    }
    let first = try await page(nil)
    #expect(first.members?.map(\.title) == ["Title 0", "Title 1"] && first.tracks == 3)
    let second = try await page(first.next)
    #expect(second.members?.map(\.title) == ["Title 2"] && second.next == nil)
    try await scene.import("Artist 3 - Title 3.mp3", to: "night")
    let longer = try await page(first.next)
    #expect(longer.members?.map(\.title) == ["Title 2", "Title 3"] && longer.tracks == 4)
    let next = try #require(first.next)
    #expect(MemberMark(next.text) == next)
    _ = try await scene.desk.move(
      member: next.member, of: "night", before: try #require(first.members?.first?.id))
    #expect(try await page(next).members?.map(\.title) == ["Title 2", "Title 3"])
    try await scene.desk.remove(member: next.member, of: "night")
    #expect(try await page(next).members?.map(\.title) == ["Title 2", "Title 3"])
    await #expect(throws: RelayError.unknownMember(next.member, of: "night")) {
      try await page(MemberMark(member: next.member))
    }
    _ = try await scene.desk.change("night", name: .some("Night"))
    #expect(try await page(nil).name == "Night")
    await scene.music.end()
  }

  @Test func `a rule's tracks come by the page, by their place`() async throws {
    let scene = try await Scene(5)
    _ = try await scene.desk.create("rule", rule: #"{"all":[],"sort":"title"}"#)
    func page(_ after: MemberMark?) async throws -> CollectionView {
      try await scene.desk.show("rule", limit: 2, after: after)
    }
    let first = try await page(nil)
    #expect(first.members?.map(\.title) == ["Title 0", "Title 1"] && first.tracks == 5)
    let second = try await page(first.next)
    #expect(second.members?.map(\.title) == ["Title 2", "Title 3"])
    let third = try await page(second.next)
    #expect(third.members?.map(\.id) == [5] && third.next == nil)
    await #expect(throws: RelayError.unknownMember(6, of: "rule")) {
      try await page(MemberMark(member: 6))
    }
    let next = try #require(first.next)
    #expect(MemberMark(next.text) == next)
    _ = try await scene.desk.change(
      "rule", rule: #"{"all":[{"isNot":{"title":"Title 1"}}],"sort":"title"}"#)
    #expect(try await page(next).members?.map(\.title) == ["Title 2", "Title 3"])
    _ = try await scene.desk.change(
      "rule",
      rule: #"{"all":[{"isNot":{"title":"Title 1"}},{"isNot":{"title":"Title 0"}}],"sort":"title"}"#
    )
    #expect(try await page(next).members?.map(\.title) == ["Title 2", "Title 3"])
    _ = try await scene.desk.change("rule", rule: #"{"all":[],"sort":"title"}"#)
    // What is counted of all is what is counted of one.
    let all = try await scene.desk.list()
    #expect(all.map(\.tracks) == [5] && all[0].seconds == first.seconds && first.seconds > 0)
    await scene.music.end()
  }

  @Test func `a collection that a station plays by way of others is used, and stays`() async throws
  {
    let scene = try await Scene(2)
    for id in ["inner", "outer", "free"] { _ = try await scene.desk.create(id) }
    try await scene.import("Artist 0 - Title 0.mp3", to: "inner")
    var new = CollectionDesk.NewMembers()
    new.collections = ["inner"]
    _ = try await scene.desk.add(new, to: "outer")
    _ = try await scene.desk.create("rule", rule: #"{"all":[{"inCollection":"outer"}]}"#)
    await scene.desk.use { ["rule": ["night"], "free": []] }
    for id in ["inner", "outer", "rule"] {
      #expect(try await scene.desk.show(id).usedBy == ["night"], "\(id)")
      await #expect(throws: RelayError.collectionInUse(id, stations: ["night"])) {
        try await scene.desk.remove(id)
      }
    }
    let all = try await scene.desk.list()
    #expect(all.map(\.usedBy) == [[], ["night"], ["night"], ["night"]])
    try await scene.desk.remove("free")
    await scene.music.end()
  }

  @Test func `a list's line that is no address of the web is told as missing`() async throws {
    let scene = try await Scene(1)
    _ = try await scene.desk.create("night")
    let found = try await scene.desk.importList(
      Array("ftp://example.org/a.mp3\nhttps://example.org/b.mp3".utf8), name: "l.m3u",
      to: "night")
    #expect(found.added == 1 && found.missing.map(\.line) == [1])
    await scene.music.end()
  }

  @Test func `what finds the tracks of a list is made once for all pieces of it`() async throws {
    let scene = try await Scene(3)
    _ = try await scene.desk.create("night")
    try await scene.import("Artist 0 - Title 0.mp3", to: "night")
    let first = try #require(await scene.desk.match)
    try await scene.import("Artist 1 - Title 1.mp3", to: "night")
    #expect(await scene.desk.match == first)
    // What was found since is looked for anew.
    let name = "Artist 9 - Title 9.mp3"
    scene.folder.write(name, NumberedFrames.stream(9000..<9060))
    scene.folder.age(name)
    try await eventually("it is found") {
      let found = try await scene.desk.importList(
        Array(name.utf8), name: "l.m3u", base: scene.folder.path, to: "night")
      return found.added == 1
    }
    #expect(await scene.desk.match != first)
    await scene.music.end()
  }

  @Test func `what a list has in place of an entry is told as missing, in the list's order`()
    async throws
  {
    let scene = try await Scene(1)
    _ = try await scene.desk.create("night")
    let long = String(repeating: "x", count: 60_000)
    let found = try await scene.desk.importList(
      Array("none.mp3\n\(long)\nArtist 0 - Title 0.mp3\nfile://\n\u{1}.mp3\n".utf8), name: "l.m3u",
      to: "night")
    #expect(found.added == 1 && found.missing.map(\.line) == [1, 2, 4, 5])
    #expect(found.missing.allSatisfy { $0.text.utf8.count < 300 && !$0.reason.isEmpty })
    await scene.music.end()
  }

  @Test func `a station that came by command plays no tracks of folders that are closed to it`()
    async throws
  {
    let scene = try await Scene(1)
    let closed = try await Scene(3)
    _ = try await scene.desk.create("night")
    await scene.desk.know([closed.folder.path], open: [], of: "own")
    try await eventually("both folders are known") { await scene.desk.index.isWhole }
    try await scene.import(
      "Artist 0 - Title 0.mp3", "\(closed.folder.path)/Artist 1 - Title 1.mp3",
      "\(closed.folder.path)/Artist 2 - Title 2.mp3", to: "night")
    let found = Mutex<[String: MusicFolder]>([:])
    func titles(_ id: String) -> [String]? {
      found.withLock { $0[id]?.files.map(\.title) }
    }
    for (id, isFree) in [("own", true), ("other", false)] {
      await scene.desk.follow(["night"], as: id, isFree: isFree) { music in
        found.withLock { $0[id] = music["night"] }
      }
    }
    #expect(titles("own") == ["Title 0", "Title 1", "Title 2"])
    #expect(titles("other") == ["Title 0"])
    let refused = found.withLock { $0["other"]?.refused ?? [] }
    #expect(refused.count == 2 && refused[0].reason.contains("server: paths:"))
    // Its folder is opened.
    await scene.desk.know([closed.folder.path], open: [closed.folder.path], of: "own")
    try await eventually("all titles") { titles("other") == ["Title 0", "Title 1", "Title 2"] }
    await scene.music.end()
    await closed.music.end()
  }
}
