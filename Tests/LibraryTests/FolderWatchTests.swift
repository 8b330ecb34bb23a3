import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Library

/// What the kernel tells of changes in folders.
@Suite struct FolderWatchTests {
  private let folder = TemporaryDirectory()

  /// A watch, and all that it has told.
  private final class Watched: Sendable {
    private let told = Mutex(FolderWatch.Changes())
    let watch: FolderWatch

    init() throws {
      let shared = Shared()
      watch = try FolderWatch(isWanted: MusicScan.isWanted) { shared.call() }
      shared.calls.withLock { $0 = { [weak self] in self?.take() } }
    }

    private final class Shared: Sendable {
      let calls = Mutex<(@Sendable () -> Void)?>(nil)
      func call() { calls.withLock { $0 }?() }
    }

    private func take() {
      let changes = watch.takeChanges()
      told.withLock { told in
        for (root, folders) in changes.folders {
          told.folders[root, default: []].formUnion(folders)
        }
        told.lost.formUnion(changes.lost)
      }
    }

    var changes: FolderWatch.Changes { told.withLock { $0 } }

    func folders(of root: String) -> Set<String> {
      Set(changes.folders[root, default: []].map { String(decoding: $0, as: UTF8.self) })
    }

    func forget() { told.withLock { $0 = FolderWatch.Changes() } }
  }

  private func watched(_ folders: String...) throws -> Watched {
    // All of them first, since making one is a change, too.
    for name in folders where !name.isEmpty { folder.makeFolders(of: name + "/x") }
    let watched = try Watched()
    for name in folders { try watched.watch.add(Array(name.utf8), in: folder.path) }
    return watched
  }

  @Test func `files that come, go, change and move are told with their folders, others are not`()
    async throws
  {
    let watched = try watched("", "a", "b")
    let all = folder.path
    folder.write("a/notes.jpg", [1])
    folder.write("a/.hidden.mp3", [1])
    folder.write("1.mp3", [1])
    try await eventually("the first is told") { watched.folders(of: all) == [""] }
    watched.forget()
    folder.write("a/2.mp3", [1])
    try await eventually("a file in a folder is told") { watched.folders(of: all) == ["a"] }
    watched.forget()
    rename(folder.file("a/2.mp3"), folder.file("b/2.mp3"))
    try await eventually("a move is told on both sides") {
      watched.folders(of: all) == ["a", "b"]
    }
    watched.forget()
    unlink(folder.file("b/2.mp3"))
    try await eventually("a deletion is told") { watched.folders(of: all) == ["b"] }
    watched.forget()
    folder.write("a/cover.jpg", [1])
    try await eventually("a picture beside music is told") { watched.folders(of: all) == ["a"] }
    #expect(watched.changes.lost.isEmpty)
  }

  @Test func `a folder that moves away or is deleted is watched no more`() async throws {
    let watched = try watched("", "a", "a/b", "a-c", "d")
    let (watch, root) = (watched.watch, folder.path)
    rename(folder.file("a"), folder.file("e"))
    try await eventually("the folder and what is in it left") {
      !watch.isWatching(Array("a/b".utf8), in: root)
    }
    #expect(!watch.isWatching(Array("a".utf8), in: root))
    #expect(watch.isWatching(Array("a-c".utf8), in: root))
    rmdir(folder.file("d"))
    try await eventually("the deleted one left") { !watch.isWatching(Array("d".utf8), in: root) }
    try await eventually("both are told") { watched.folders(of: root) == [""] }
    #expect(watch.count(in: root) == 2)
    // A new one of the old name is not watched before somebody has looked into it.
    mkdir(folder.file("d"), 0o700)
    #expect(!watch.isWatching(Array("d".utf8), in: root))
    watch.leave(root)
    #expect(watch.count(in: root) == 0)
  }

  @Test func `a root that is deleted is lost as a whole`() async throws {
    let watched = try watched("", "a")
    rmdir(folder.file("a"))
    rmdir(folder.path)
    try await eventually("it is told") { watched.changes.lost == [folder.path] }
    mkdir(folder.path, 0o700)
    try watched.watch.add([], in: folder.path)
    watched.forget()
    folder.write("1.mp3", [1])
    try await eventually("what comes in its place is watched") {
      watched.folders(of: folder.path) == [""]
    }
  }

  @Test func `one folder in two roots is told to both, also when one of them is left`()
    async throws
  {
    folder.makeFolders(of: "music/a/b/x")
    symlink(folder.file("music"), folder.file("same"))
    let (one, other) = (folder.file("music"), folder.file("same"))
    let watched = try Watched()
    let watch = watched.watch
    for root in [one, other] {
      for name in ["", "a", "a/b"] { try watch.add(Array(name.utf8), in: root) }
    }
    #expect(watch.count(in: one) == 3 && watch.count(in: other) == 3)
    folder.write("music/a/1.mp3", [1])
    try await eventually("both are told") {
      watched.folders(of: one) == ["a"] && watched.folders(of: other) == ["a"]
    }
    watched.forget()
    watch.leave(one)
    #expect(watch.count(in: one) == 0 && watch.count(in: other) == 3)
    folder.write("music/a/2.mp3", [1])
    try await eventually("the other is told") { watched.folders(of: other) == ["a"] }
    #expect(watched.folders(of: one).isEmpty)
    try watch.add([], in: one)
    rename(folder.file("music/a"), folder.file("music/c"))
    try await eventually("what moved away is watched no more") { watch.count(in: other) == 1 }
    try await eventually("both have changed") {
      watched.folders(of: one) == [""] && watched.folders(of: other).contains("")
    }
    #expect(watched.changes.lost.isEmpty)
  }

  @Test func `what cannot be watched is left out, and a watch that has ended takes nothing`() throws
  {
    let watched = try watched("")
    for name in ["none", "1.mp3", "link"] {
      folder.write("1.mp3", [1])
      symlink("/tmp", folder.file("link"))
      try watched.watch.add(Array(name.utf8), in: folder.path)
    }
    #expect(watched.watch.count(in: folder.path) == 1)
    watched.watch.end()
    try watched.watch.add([], in: folder.path)
    #expect(watched.watch.count(in: folder.path) == 0)
  }

  @Test func `events are read from the kernel's bytes, cut ones left out`() {
    func event(_ watch: Int32, _ mask: Int32, _ name: [UInt8]) -> [UInt8] {
      [UInt32(bitPattern: watch), UInt32(bitPattern: mask), 7, UInt32(name.count)]
        .flatMap { word in withUnsafeBytes(of: word) { Array($0) } } + name
    }
    let bytes = event(1, IN_CREATE, Array("a.mp3".utf8) + [0, 0, 0]) + event(-1, IN_Q_OVERFLOW, [])
    let events = FolderEvent.events(in: bytes)
    #expect(events.map(\.watch) == [1, -1])
    #expect(events[0].name == Array("a.mp3".utf8) && events[1].name.isEmpty)
    #expect(events[0].has(IN_CREATE) && events[1].has(IN_Q_OVERFLOW) && !events[0].has(IN_DELETE))
    for count in 0..<bytes.count {
      #expect(FolderEvent.events(in: Array(bytes.prefix(count))).count == (count < 24 ? 0 : 1))
    }
  }
}
