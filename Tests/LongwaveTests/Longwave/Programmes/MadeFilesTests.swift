import Glibc
import Library
import Media
import Settings
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Longwave
@testable import Timeshift

/// The folder of tracks that were made to fit.
@Suite struct MadeFilesTests {
  private static let piece = [UInt8](repeating: 7, count: 30_000_000)

  private let folder = TemporaryDirectory()

  private func files(_ change: (inout FileCalls) -> Void = { _ in }) -> MadeFiles {
    var calls = FileCalls.posix
    calls.free = { _ in 1 << 40 }
    change(&calls)
    let files = MadeFiles(folder.file("renditions"), calls: calls)
    var settings = CacheSettings()
    settings.renditions = 100_000_000
    files.use(settings)
    return files
  }

  private func make(_ files: MadeFiles, _ name: String, _ bytes: [UInt8] = Self.piece) throws {
    let draft = try files.begin(name, UInt64(bytes.count))
    try files.write(bytes, at: 0, to: draft)
    try files.finish(draft)
  }

  private var names: [String] {
    FileCalls.posix.list(folder.file("renditions")).names.sorted()
  }

  @Test func `a file is there when it is whole, also after a restart, and what was begun is gone`()
    throws
  {
    let first = files()
    #expect(first.open("a.mp3") == nil)
    let draft = try first.begin("a.mp3", 3)
    try first.write([1, 2, 3], at: 0, to: draft)
    try first.write([9], at: 0, to: draft)
    #expect(first.open("a.mp3") == nil && first.figures.files == 0)
    try first.finish(draft)
    #expect(try first.open("a.mp3")?.piece(at: 0, count: 9) == [9, 2, 3])
    let other = try first.begin("b.mp3", 3)
    _ = other
    #expect(names.count == 2)
    let second = files()
    #expect(second.open("b.mp3") == nil && second.open("a.mp3") != nil)
    #expect(names == ["a.mp3"] && second.figures == .init(bytes: 3, files: 1))
    second.drop("a.mp3")
    #expect(second.open("a.mp3") == nil && names.isEmpty && second.figures.files == 0)
  }

  @Test func `what was used longest ago makes room, and what plays stays open`() throws {
    let files = files()
    for name in ["a.mp3", "b.mp3", "c.mp3"] {
      try make(files, name)
      usleep(2000)
    }
    let open = try #require(files.open("a.mp3"))
    usleep(2000)
    try make(files, "d.mp3")
    #expect(names == ["a.mp3", "c.mp3", "d.mp3"] && files.figures.bytes == 90_000_000)
    // What would never fit costs the others nothing.
    #expect(throws: MakingFailure.self) { try files.begin("large.mp3", 101_000_000) }
    #expect(names.count == 3)
    #expect(try open.piece(at: 0, count: 2) == [7, 7])
  }

  @Test func `what was used longest ago goes also where the disk has less left than is to stay`()
    throws
  {
    let room = Mutex(1_000_000_050)
    let files = files { calls in
      calls.free = { _ in UInt64(room.withLock { $0 }) }
      calls.remove = { path in
        room.withLock { $0 += 30 }
        return FileCalls.posix.remove(path)
      }
    }
    for name in ["a.mp3", "b.mp3", "c.mp3"] {
      try make(files, name, Array(repeating: 1, count: 30))
      usleep(2000)
    }
    #expect(names.count == 3)
    room.withLock { $0 = 1_000_000_010 }
    try make(files, "d.mp3", Array(repeating: 1, count: 30))
    #expect(names == ["b.mp3", "c.mp3", "d.mp3"])
    // Nothing goes in vain.
    room.withLock { $0 = 900_000_000 }
    #expect(throws: MakingFailure.self) { try files.begin("e.mp3", 30) }
    #expect(names.count == 3)
  }

  @Test func `a disk that is full, or has less left than is to stay, loses nothing`() throws {
    try make(files(), "a.mp3", [1])
    let short = files { $0.free = { _ in 1_000_000_100 } }
    #expect(throws: MakingFailure.self) { try short.begin("b.mp3", 200) }
    let full = files { $0.write = { _, _, _ in Int(-ENOSPC) } }
    let draft = try full.begin("b.mp3", 3)
    #expect(throws: StorageError.self) { try full.write([1, 2], at: 0, to: draft) }
    full.abandon(draft)
    let unsure = files { $0.sync = { _ in -EIO } }
    let other = try unsure.begin("b.mp3", 3)
    #expect(throws: StorageError.self) { try unsure.finish(other) }
    #expect(names == ["a.mp3"] && files().open("a.mp3") != nil)
  }

  @Test func `a name says of which track a file was made, and how`() throws {
    let format = try #require(MadeFormat(sampleRate: 44_100, channels: 2, bitrate: 192))
    #expect(
      MadeFiles.name(of: TrackKey(high: 1, low: 0xAB), as: format)
        == "000000000000000100000000000000ab-192-44100-2.mp3")
  }
}
