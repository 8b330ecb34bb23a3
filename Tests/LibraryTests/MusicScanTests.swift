import Glibc
import Media
import TestSupport
import Testing
import Wire

@testable import Library

/// What music a folder has, by the names of its files.
@Suite struct MusicScanTests {
  private let folder = TemporaryDirectory()

  /// Writes a file that is an hour old: one that was just written waits for the next look.
  private func write(_ name: String, _ bytes: [UInt8], hoursOld: Int = 1) {
    folder.write(name, bytes)
    folder.age(name, hours: hoursOld)
  }

  private func music(_ number: Int) -> [UInt8] {
    NumberedFrames.stream(UInt64(number * 100)..<UInt64(number * 100 + 20))
  }

  private func look(_ known: MusicFolder? = nil) -> MusicFolder {
    MusicScan(folder.path, known: known, tags: nil).look().folder
  }

  @Test func `a folder's music is told from what is none, and says what its names say`() {
    write("02 Nina Simone - Sinnerman.mp3", music(1))
    write("b.MP3", music(2))
    write("zeros.mp3", [UInt8](repeating: 0, count: 100_000))
    write("page.mp3", Array("<html>".utf8))
    for name in [".hidden.mp3", "notes.txt", "half.mp3.part", "mp3"] { write(name, music(3)) }
    folder.write("new.mp3", music(4))
    let look = MusicScan(folder.path, tags: nil).look()
    let found = look.folder
    #expect(found.isWhole && look.unsettled == [[]] && found.problem == nil)
    #expect(look.looked == 5 && look.read == 4 && look.added == 4)
    #expect(found.files.map(\.title) == ["Sinnerman", "b"])
    #expect(found.files.map(\.artist) == ["Nina Simone", ""])
    #expect(found.files.allSatisfy { $0.format.sampleRate == 44_100 && $0.seconds > 0.4 })
    #expect(
      Set(found.refused.map { String(decoding: $0.path, as: UTF8.self) }) == [
        "zeros.mp3", "page.mp3",
      ])
  }

  @Test func `frames in free format are no packets for a log`() throws {
    let scratch = TemporaryDirectory()
    try Tool.must(
      ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=f=300:d=2", scratch.file("a.wav")],
      in: scratch)
    for (name, options) in [("free", ["--freeformat", "-b", "400"]), ("plain", ["-b", "128"])] {
      try Tool.must(
        ["lame", "--quiet"] + options + [scratch.file("a.wav"), folder.file(name + ".mp3")],
        in: scratch)
      folder.age(name + ".mp3")
    }
    let found = look()
    #expect(found.files.map(\.coding) == [.free, .packets])
  }

  @Test func `a file knows whether a picture lies beside it, though nothing else has changed`() {
    for name in ["a", "a/b", "c"] { #expect(mkdir(folder.file(name), 0o755) == 0) }
    for (number, name) in ["1.mp3", "a/2.mp3", "a/b/3.mp3", "c/4.mp3"].enumerated() {
      write(name, music(number))
    }
    write("a/cover.jpg", [0xFF, 0xD8, 0xFF])
    write("c/Folder.PNG", [1])
    write("cover.jpg", [])
    func covers(_ found: MusicFolder) -> [Bool] { found.files.map(\.hasCover) }
    let first = MusicScan(folder.path, tags: nil).look()
    #expect(covers(first.folder) == [false, true, false, false] && first.looked == 4)
    #expect(look(first.folder) == first.folder)
    // A look at some folders knows nothing of the others.
    unlink(folder.file("a/cover.jpg"))
    write("c/front.webp", [1])
    let second = MusicScan(folder.path, known: first.folder, tags: nil)
      .look(at: [Array("c".utf8)]) { _ in true }.folder
    #expect(covers(second) == [false, true, false, true])
    #expect(covers(look(second)) == [false, false, false, true])
  }

  @Test func `what has not changed is as it was, and what has is read anew`() throws {
    write("a.mp3", music(1))
    write("b.mp3", music(2))
    write("c.mp3", [])
    let first = look()
    #expect(look(first) == first)
    write("b.mp3", music(3), hoursOld: 2)
    write("c.mp3", music(4), hoursOld: 2)
    let second = look(first)
    #expect(second.files.map(\.title) == ["a", "b", "c"] && second.refused.isEmpty)
    #expect(second.files[0] == first.files[0])
    #expect(second.files[1].key != first.files[1].key)
    // Another name leaves the track what it is.
    write("d.mp3", music(1))
    #expect(look(second).files.last?.key == first.files[0].key)
  }

  @Test func `a folder that is away says so, and what was known of it is kept`() throws {
    write("a.mp3", music(1))
    let known = look()
    let gone = MusicScan(folder.path + "/none", known: known, tags: nil).look()
    #expect(gone.trouble == .missing("No such file or directory") && gone.folder == known)
    let away = known.away("is away")
    #expect(away.files == known.files && away.problem == "is away")
    #expect(look(away) == known)
  }

  @Test func `the first files are found before all were looked at, in the order of their paths`() {
    for number in 0..<MusicScan.firstFiles + 5 {
      write("\(1000 + number).mp3", music(number))
    }
    let first = MusicScan(folder.path, tags: nil).first()
    #expect(first.files.count == MusicScan.firstFiles && !first.isWhole)
    let all = look()
    #expect(all.files.count == MusicScan.firstFiles + 5 && all.isWhole)
    #expect(first.files.map(\.path) == all.files.prefix(MusicScan.firstFiles).map(\.path))
    let other = TemporaryDirectory()
    other.write("a.mp3", music(1))
    #expect(!MusicScan(other.path, tags: nil).first().isWhole)
    other.age("a.mp3")
    #expect(MusicScan(other.path, tags: nil).first().isWhole)
  }

  @Test func `a file that could not be played is left out until it changes`() throws {
    write("a.mp3", music(1))
    write("b.mp3", music(2))
    var found = look()
    let isLeftOut = found.refuse(found.files[1], "it has no audio")
    let isStranger = !found.refuse(Self.stranger, "gone")
    #expect(isLeftOut && isStranger && found.files.count == 1)
    #expect(look(found) == found)
    write("b.mp3", music(2), hoursOld: 2)
    #expect(look(found).files.count == 2)
  }

  private static let stranger = MusicFile(
    root: "/x", path: [1], identity: .init(device: 0, inode: 0, bytes: 0, modified: 0),
    key: TrackKey(high: 0, low: 0),
    format: AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2), title: "x")

  // MARK: Parts

  /// Makes folders, and files that are an hour old.
  private func tree(_ paths: String...) {
    for (number, path) in paths.enumerated() {
      folder.makeFolders(of: path)
      write(path, music(number + 10))
    }
  }

  private func paths(_ folder: MusicFolder) -> [String] {
    folder.files.map { String(decoding: $0.path, as: UTF8.self) }
  }

  private func look(
    _ known: MusicFolder, at folders: String..., watched: Set<String>
  ) -> MusicLook {
    MusicScan(folder.path, known: known, tags: nil)
      .look(at: folders.map { Array($0.utf8) }) {
        watched.contains(String(decoding: $0, as: UTF8.self))
      }
  }

  @Test func `a look at a changed folder leaves the others alone, and finds new ones in it`() {
    tree("a/1.mp3", "a/b/2.mp3", "a-c/3.mp3", "d/4.mp3")
    let known = look()
    #expect(paths(known) == ["a-c/3.mp3", "a/1.mp3", "a/b/2.mp3", "d/4.mp3"])
    #expect(paths(known.part(Array("a".utf8))) == ["a/1.mp3", "a/b/2.mp3"])
    tree("a/5.mp3", "a/new/deep/6.mp3", "a/b/7.mp3", "d/8.mp3")
    unlink(folder.file("a/1.mp3"))
    let found = look(known, at: "a", watched: ["a", "a/b", "d"])
    // In a/b and d something has changed, too, which is told by itself.
    #expect(
      paths(found.folder) == ["a-c/3.mp3", "a/5.mp3", "a/b/2.mp3", "a/new/deep/6.mp3", "d/4.mp3"])
    #expect(found.added == 2 && found.gone == 1 && found.changed == 0 && found.looked == 2)
    let next = look(found.folder, at: "d", "a/b", watched: ["a", "a/b", "d"])
    #expect(next.folder == look() && next.added == 2)
  }

  @Test func `a folder that is gone or was moved takes its files with it`() {
    tree("a/b/1.mp3", "a/b/c/2.mp3", "a/3.mp3", "4.mp3")
    let known = look()
    rename(folder.file("a/b"), folder.file("e"))
    let found = look(known, at: "", "a", "a/b", watched: ["a", "a/b", "a/b/c"])
    #expect(paths(found.folder) == ["4.mp3", "a/3.mp3", "e/1.mp3", "e/c/2.mp3"])
    #expect(found.folder == look() && found.gone == 2 && found.added == 2)
    rename(folder.file("a"), folder.path + "-away")
    defer { TemporaryDirectory.removeAll(folder.path + "-away") }
    let rest = look(found.folder, at: "", watched: ["e", "e/c"])
    #expect(paths(rest.folder) == ["4.mp3", "e/1.mp3", "e/c/2.mp3"])
  }

  @Test func `a folder whose root is away is as it was`() {
    tree("a/1.mp3")
    let known = look()
    rename(folder.path, folder.path + "-away")
    let gone = look(known, at: "a", watched: ["a"])
    #expect(gone.trouble != nil && gone.folder == known)
    rename(folder.path + "-away", folder.path)
  }

  @Test func `a root that is replaced while it is looked through is not believed`() {
    tree("a/1.mp3", "2.mp3")
    let known = look()
    let path = folder.path
    let found = MusicScan(
      path, known: known, tags: nil,
      enter: { folder in
        guard folder.isEmpty else { return }
        rename(path, path + "-away")
        mkdir(path, 0o700)
      }
    ).look()
    #expect(found.trouble == .replaced && found.folder == known)
    rmdir(path)
    rename(path + "-away", path)
  }

  @Test func `a look that nobody waits for ends, and changes nothing`() {
    tree("1.mp3", "2.mp3", "3.mp3")
    var steps = 0
    let found = MusicScan(
      folder.path, tags: nil,
      goesOn: { _ in
        steps += 1
        return steps < 2
      }
    ).look()
    #expect(found.trouble == .ended && found.folder.files.isEmpty && steps == 2)
  }
}
