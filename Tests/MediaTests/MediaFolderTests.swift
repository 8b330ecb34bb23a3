import Glibc
import TestSupport
import Testing

@testable import Media

/// What a path below a folder may mean, with the kernel's help and without.
@Suite struct MediaFolderTests {
  private let scratch: TemporaryDirectory
  private let root: String

  init() throws {
    scratch = TemporaryDirectory()
    root = scratch.file("shows")
    mkdir(root, 0o755)
    mkdir(root + "/deep", 0o755)
    for name in ["shows/a.mp3", "shows/deep/b.mp3", "shows/.c.mp3", "secret.mp3"] {
      scratch.write(name, Array(name.utf8))
    }
    symlink("../secret.mp3", root + "/out.mp3")
    symlink(scratch.file("secret.mp3"), root + "/absolute.mp3")
    symlink("..", root + "/up")
    mkfifo(root + "/pipe.mp3", 0o644)
  }

  @Test(arguments: [false, true])
  func `a file in the folder is opened`(withoutOpenat2: Bool) throws {
    for path in ["a.mp3", "deep/b.mp3"] {
      let file = try MediaFolder.open(path, in: root, withoutOpenat2: withoutOpenat2)
      #expect(file.bytes == UInt64("shows/\(path)".utf8.count))
    }
  }

  @Test(
    arguments: [
      "../secret.mp3", "deep/../../secret.mp3", "out.mp3", "absolute.mp3", "up/secret.mp3",
      "up/shows/a.mp3", "pipe.mp3", ".c.mp3", "deep", "deep/", "/a.mp3", "deep//b.mp3", "a.mp3/x",
      "a.mp3\u{0}", "./a.mp3", "nothing.mp3", "deep/..",
    ], [false, true])
  func `a path that leads out of the folder, or to no file, is not found`(
    path: String, withoutOpenat2: Bool
  ) {
    #expect(throws: MediaFolder.Refusal.notFound) {
      try MediaFolder.open(path, in: root, withoutOpenat2: withoutOpenat2)
    }
  }

  @Test func `a root may be a file, and may be missing`() throws {
    #expect(try MediaFolder.open("", in: root + "/a.mp3").bytes == 11)
    #expect(throws: MediaFolder.Refusal.isFolder) { try MediaFolder.open("", in: root) }
    #expect(throws: MediaFolder.Refusal.self) { try MediaFolder.open("a.mp3", in: root + "/none") }
    #expect(
      try MediaFolder.list(root) { $0.hasSuffix(".mp3") }.map(\.path) == ["a.mp3", "deep/b.mp3"])
    #expect(try MediaFolder.list(root + "/a.mp3") { _ in false }.map(\.path) == [""])
    withExtendedLifetime(scratch) {}
  }

  @Test func `a name that no request can have is not listed`() throws {
    scratch.write("shows/line\nbreak.mp3", [1])
    scratch.write("shows/\u{7F}.mp3", [1])
    #expect(
      try MediaFolder.list(root) { $0.hasSuffix(".mp3") }.map(\.path) == ["a.mp3", "deep/b.mp3"])
  }

  @Test(arguments: [false, true])
  func `a file whose name is no text is found and opened by its bytes`(
    withoutOpenat2: Bool
  ) throws {
    let names: [[UInt8]] = [
      Array("deep/\n".utf8) + [0xff, 0xfe], Array("-rf ".utf8), Array("deep/".utf8) + [0xc3],
    ]
    for name in names {
      let path = Array((root + "/").utf8) + name + [0]
      let file = path.withUnsafeBytes {
        creat($0.baseAddress!.assumingMemoryBound(to: CChar.self), 0o644)
      }
      #expect(file >= 0 && write(file, "x", 1) == 1)
      close(file)
    }
    var found: [[UInt8]] = []
    var walk = FolderWalk(seenMax: 100, depthMax: 4) { name, _ in
      name.first != UInt8(ascii: ".")
    } take: {
      found.append($0)
      #expect($1.bytes > 0)
      return true
    }
    walk.walk(open(root, O_RDONLY | O_DIRECTORY), real: nil)
    #expect(!walk.isOver)
    let texts = [Array("a.mp3".utf8), Array("deep/b.mp3".utf8)]
    #expect(Set(found) == Set(names + texts))
    for name in names {
      #expect(
        try MediaFolder.open(bytes: name, in: root, withoutOpenat2: withoutOpenat2).bytes == 1)
    }
    for outside in ["../secret.mp3", "deep/../../secret.mp3", "out.mp3", "a.mp3\u{0}", "pipe.mp3"] {
      #expect(throws: MediaFolder.Refusal.notFound) {
        try MediaFolder.open(bytes: Array(outside.utf8), in: root, withoutOpenat2: withoutOpenat2)
      }
    }
  }

  @Test func `a piece of a file is what stands there, and shorter at the end`() throws {
    let file = try MediaFolder.open("a.mp3", in: root)
    #expect(try file.piece(at: 6, count: 3) == Array("a.m".utf8))
    #expect(try file.piece(at: 6, count: 100) == Array("a.mp3".utf8))
    #expect(try file.piece(at: 100, count: 10).isEmpty)
  }

  @Test func `a list ends, however many names there are`() throws {
    mkdir(root + "/many", 0o755)
    for number in 0..<500 {
      scratch.write("shows/many/\(number).txt", [])
      scratch.write("shows/many/\(number).mp3", [])
    }
    var walk = MediaWalk()
    walk.seenMax = 300
    _ = try MediaFolder.list(root, &walk) { $0.hasSuffix(".mp3") }
    #expect(walk.seen <= 300)
    var few = MediaWalk()
    few.entriesMax = 10
    #expect(try MediaFolder.list(root, &few) { $0.hasSuffix(".mp3") }.count == 10)
    var short = MediaWalk()
    short.pathBytesMax = 100
    #expect(try MediaFolder.list(root, &short) { $0.hasSuffix(".mp3") }.count < 20)
    var late = MediaWalk(until: 0)
    _ = try MediaFolder.list(root, &late) { $0.hasSuffix(".mp3") }
    #expect(late.seen <= 512)
    #expect(try MediaFolder.list(root) { $0.hasSuffix(".mp3") }.count == 502)
  }

  @Test func `folders in each other, and links in circles, are followed so far and no further`()
    throws
  {
    var folder = root
    for _ in 0..<40 {
      symlink("..", folder + "/up")
      symlink(root, folder + "/top")
      scratch.write(String(folder.dropFirst(scratch.file("").utf8.count)) + "/x.mp3", [])
      folder += "/d"
      mkdir(folder, 0o755)
    }
    let paths = try MediaFolder.list(root) { $0 == "x.mp3" }.map(\.path)
    #expect(paths.count == 17)
    #expect(paths.allSatisfy { !$0.contains("up") && !$0.contains("top") })
  }

  @Test(arguments: [false, true])
  func `a hidden folder is not found, whatever leads to it`(withoutOpenat2: Bool) throws {
    let hidden = try #require(PrivateFolder(root + "/deep"))
    for path in ["deep/b.mp3", "link.mp3"] {
      symlink("deep/b.mp3", root + "/link.mp3")
      #expect(throws: MediaFolder.Refusal.notFound) {
        try MediaFolder.open(path, in: root, hidden: hidden, withoutOpenat2: withoutOpenat2)
      }
    }
    #expect(throws: MediaFolder.Refusal.notFound) {
      try MediaFolder.open("", in: root + "/deep/b.mp3", hidden: hidden)
    }
    #expect(throws: MediaFolder.Refusal.notFound) {
      try MediaFolder.open("b.mp3", in: root + "/deep", hidden: hidden)
    }
    _ = try MediaFolder.open("a.mp3", in: root, hidden: hidden, withoutOpenat2: withoutOpenat2)
    #expect(
      try MediaFolder.list(root, hidden: hidden) { $0.hasSuffix(".mp3") }.map(\.path) == ["a.mp3"])
    // A place in it may be open to all.
    let open = try #require(PrivateFolder(root, except: [root + "/deep"]))
    _ = try MediaFolder.open("deep/b.mp3", in: root, hidden: open, withoutOpenat2: withoutOpenat2)
    #expect(throws: MediaFolder.Refusal.notFound) {
      try MediaFolder.open("a.mp3", in: root, hidden: open, withoutOpenat2: withoutOpenat2)
    }
  }
}
