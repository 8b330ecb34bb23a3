import Glibc
import Media
import TestSupport
import Testing
import Wire

@testable import Library

/// Folders as nobody would make them on purpose.
@Suite struct OddFolderTests {
  private let folder = TemporaryDirectory(in: "/dev/shm")

  private func music(_ number: Int) -> [UInt8] {
    NumberedFrames.stream(UInt64(number * 100)..<UInt64(number * 100 + 20))
  }

  /// Writes a file of a name that is no text, an hour old.
  private func write(_ name: [UInt8], _ number: Int) {
    folder.write("new", music(number))
    folder.age("new")
    let path = Array((folder.path + "/").utf8) + name + [0]
    let result = path.withUnsafeBytes {
      rename(folder.file("new"), $0.baseAddress!.assumingMemoryBound(to: CChar.self))
    }
    #expect(result == 0)
  }

  private func look(_ known: MusicFolder? = nil) -> MusicLook {
    MusicScan(folder.path, known: known, tags: nil).look()
  }

  @Test func `names are bytes: two that look alike are two files`() {
    let names: [[UInt8]] = [
      Array("line\nend.mp3".utf8), [0xff, 0xfe] + Array(".mp3".utf8), Array("-rf .mp3".utf8),
      Array(" .mp3".utf8), Array("caf\u{e9}.mp3".utf8), Array("cafe\u{301}.mp3".utf8),
      Array(repeating: UInt8(ascii: "x"), count: 251) + Array(".mp3".utf8),
    ]
    for (number, name) in names.enumerated() { write(name, number) }
    let found = look()
    #expect(Set(found.folder.files.map(\.path)) == Set(names))
    #expect(Set(found.folder.files.map(\.key)).count == names.count)
    let again = look(found.folder)
    #expect(again.folder == found.folder && again.read == 0 && again.isSame)
    // What people are shown has one line.
    #expect(found.folder.files.allSatisfy { !$0.shownPath.contains("\n") })
    for name in names {
      let place = found.folder.files.place(of: name)
      #expect(place.map { found.folder.files[$0].path } == name)
    }
  }

  @Test func `pipes, sockets, devices and links are no files`() {
    for (name, kind) in [("pipe.mp3", S_IFIFO), ("socket.mp3", S_IFSOCK), ("null.mp3", S_IFCHR)] {
      // Devices are the superuser's.
      _ = mknod(folder.file(name), kind | 0o600, 0x103)
    }
    folder.write("real.mp3", music(1))
    folder.age("real.mp3")
    symlink("real.mp3", folder.file("link.mp3"))
    symlink(".", folder.file("circle"))
    symlink("/", folder.file("all"))
    symlink("none", folder.file("none.mp3"))
    let found = look()
    #expect(found.folder.files.map(\.title) == ["real"] && found.folder.refused.isEmpty)
  }

  @Test func `a file of a terabyte that has nothing in it costs no more than another`() {
    folder.write("empty.mp3", [])
    folder.write("begun.mp3", music(1))
    for name in ["empty.mp3", "begun.mp3"] {
      #expect(truncate(folder.file(name), 1 << 40) == 0)
      folder.age(name)
    }
    let found = look()
    #expect(found.looked == 2 && found.folder.files.count + found.folder.refused.count == 2)
    #expect(found.folder.refused.map(\.path) == [Array("empty.mp3".utf8)])
  }

  @Test func `a hundred thousand empty folders are looked through, and hold no file`() {
    for top in 0..<100 {
      mkdir(folder.file("\(top)"), 0o700)
      for name in 0..<1000 { mkdir(folder.file("\(top)/\(name)"), 0o700) }
    }
    var entered = 0
    let found = MusicScan(folder.path, tags: nil, enter: { _ in entered += 1 }).look()
    #expect(entered == 100_101 && found.looked == 0 && found.folder.isWhole)
  }

  @Test func `folders deeper than the deepest are left out`() {
    var path = "d"
    for _ in 0..<40 { path += "/d" }
    folder.makeFolders(of: path + "/x.mp3")
    folder.write(path + "/x.mp3", music(1))
    folder.write("d/1.mp3", music(2))
    folder.age(path + "/x.mp3")
    folder.age("d/1.mp3")
    #expect(look().folder.files.map(\.title) == ["1"])
  }

  @Test func `a file in the place of a root is no root, but music of a programme`() {
    folder.write("1.mp3", music(1))
    folder.age("1.mp3")
    let path = folder.file("1.mp3")
    let root = MusicScan(path, takesFile: false, tags: nil).look()
    #expect(root.trouble == .unreadable("it is a file; name the folder that it is in"))
    let file = MusicScan(path, tags: nil).look()
    #expect(file.folder.files.map(\.title) == ["1"] && file.folder.files.first?.path == [])
    #expect(MusicScan(path, known: file.folder, tags: nil).look().isSame)
    mkfifo(folder.file("pipe"), 0o600)
    let pipe = MusicScan(folder.file("pipe"), tags: nil).look()
    #expect(pipe.trouble == .unreadable("it is neither a folder nor a file"))
  }

  @Test func `a root that is deleted and made again is what it has then`() {
    folder.write("1.mp3", music(1))
    folder.age("1.mp3")
    let known = look().folder
    unlink(folder.file("1.mp3"))
    rmdir(folder.path)
    #expect(look(known).trouble == .missing("No such file or directory"))
    mkdir(folder.path, 0o700)
    folder.write("2.mp3", music(2))
    folder.age("2.mp3")
    let found = look(known)
    #expect(found.trouble == nil && found.folder.files.map(\.title) == ["2"])
    #expect(found.gone == 1 && found.added == 1)
  }

  @Test func `a file that grows while it is read waits, and what was known of it stays`() {
    folder.write("1.mp3", music(1))
    folder.age("1.mp3")
    let known = look().folder
    folder.write("1.mp3", music(2) + music(3))
    folder.age("1.mp3", hours: 2)
    let path = folder.file("1.mp3")
    let found = MusicScan(
      folder.path, known: known, tags: nil,
      goesOn: { _ in
        let file = open(path, O_WRONLY | O_APPEND)
        #expect(Glibc.write(file, [0], 1) == 1)
        close(file)
        return true
      }
    ).look()
    #expect(found.folder == known && found.unsettled == [[]] && found.isSame)
  }

  @Test func `what artists have in common is kept once`() {
    let texts = SharedTexts()
    var (one, other) = (file("An artist of a long name"), file("An artist of a " + "long name"))
    texts.share(&one)
    texts.share(&other)
    let places = [one, other].map { file in
      var artist = file.artist
      return artist.withUTF8 { UInt(bitPattern: $0.baseAddress) }
    }
    #expect(places[0] == places[1])
    // Equal to Swift, and two texts for everybody else.
    var (composed, marks) = (file("Caf\u{e9} del Mar, Ibiza"), file("Cafe\u{301} del Mar, Ibiza"))
    texts.share(&composed)
    texts.share(&marks)
    #expect(composed.artist.utf8.count + 1 == marks.artist.utf8.count)
  }

  private func file(_ artist: String) -> MusicFile {
    MusicFile(
      root: "/m", path: [1], identity: .init(device: 0, inode: 0, bytes: 0, modified: 0),
      key: TrackKey(high: 0, low: 0),
      format: AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2), title: "x", artist: artist)
  }
}
