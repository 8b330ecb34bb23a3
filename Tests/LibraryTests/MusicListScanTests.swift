import Glibc
import Media
import TestSupport
import Testing
import Wire

@testable import Library

/// What a list has, by the files that it names.
@Suite struct MusicListScanTests {
  private let folder = TemporaryDirectory()

  private func age(_ name: String, hours: Int = 1) {
    let time = timeval(tv_sec: Glibc.time(nil) - 3600 * hours, tv_usec: 0)
    #expect(
      [time, time].withUnsafeBufferPointer { utimes(folder.file(name), $0.baseAddress) } == 0)
  }

  /// Writes a file that is an hour old: one that was just written waits for the next look.
  private func write(_ name: String, _ bytes: [UInt8], hoursOld: Int = 1) {
    folder.write(name, bytes)
    age(name, hours: hoursOld)
  }

  private func write(_ name: String, _ text: String, hoursOld: Int = 1) {
    write(name, Array(text.utf8), hoursOld: hoursOld)
  }

  private func addMusic(_ names: String...) {
    for (number, name) in names.enumerated() {
      let first = UInt64(number * 100)
      write(name, NumberedFrames.stream(first..<first + 20))
    }
  }

  private func makeFolder(_ name: String) { #expect(mkdir(folder.file(name), 0o755) == 0) }

  private func look(
    _ list: String = "l.m3u", _ known: MusicList? = nil, isFree: Bool = false,
    folders: [String] = [], hidden: PrivateFolder? = nil
  ) -> MusicList {
    MusicListScan(
      folder.file(list), ListRights(isFree: isFree, folders: folders), hidden: hidden, tags: nil
    ).look(known)
  }

  @Test func `a list has its files in its order, as often as it names them`() {
    makeFolder("sub")
    addMusic("a.mp3", "b.mp3", "sub/c.mp3")
    write("zeros.mp3", [UInt8](repeating: 0, count: 10_000))
    write(
      "l.m3u",
      "#EXTM3U\nsub/c.mp3\nb.mp3\nnone.mp3\n./a.mp3\nsub/../b.mp3\nhttp://h/x.mp3\nzeros.mp3\n")
    let found = look().music
    #expect(found.files.map(\.title) == ["c", "b", "a", "b"] && found.isWhole)
    #expect(
      found.refused.map(\.reason) == [
        "line 4: none.mp3 is not there",
        "line 7: is an address, and addresses in lists are not played yet",
        "line 8: zeros.mp3 has no audio of a known format",
      ])
  }

  @Test func `names that are no UTF-8, with blanks, or of Windows are found`() throws {
    makeFolder("M")
    addMusic(" lead.mp3", "M/a b.mp3")
    let name: [UInt8] = [0x6D, 0xFC] + Array(".mp3".utf8)
    let path = Array(folder.path.utf8) + [0x2F] + name
    try #require(
      rename(folder.file(" lead.mp3"), folder.file("x.mp3")) == 0
        && (path + [0]).withUnsafeBytes {
          rename(folder.file("x.mp3"), $0.bindMemory(to: CChar.self).baseAddress!)
        } == 0)
    addMusic(" lead.mp3")
    write("l.m3u", Array("#EXTM3U\n lead.mp3\n.\\M\\a b.mp3\nM/a%20b.mp3 \n".utf8) + name)
    let found = look().music
    #expect(found.files.map(\.title) == ["lead", "a b", "a b", "m\u{FFFD}"], "\(found.refused)")
  }

  @Test func `a list names nothing outside of what is open, unless it is free to`() {
    let other = TemporaryDirectory()
    other.write("o.mp3", NumberedFrames.stream(0..<20))
    let time = timeval(tv_sec: Glibc.time(nil) - 3600, tv_usec: 0)
    #expect(
      [time, time].withUnsafeBufferPointer { utimes(other.file("o.mp3"), $0.baseAddress) } == 0)
    let up = String(repeating: "../", count: 20)
    write("l.m3u", "\(other.path)/o.mp3\n\(up)\(other.path.dropFirst())/o.mp3\nin.mp3\n")
    #expect(symlink(other.file("o.mp3"), folder.file("in.mp3")) == 0)
    let closed = look().music
    #expect(closed.files.isEmpty && closed.refused.count == 3)
    #expect(closed.refused[0].reason.contains("lies outside of the list's folder"))
    #expect(closed.refused[2].reason == "line 3: in.mp3 is not there")
    #expect(look(folders: [other.path]).music.files.map(\.title) == ["o", "o"])
    #expect(look(folders: [other.path + "x"]).music.files.isEmpty)
    #expect(look(isFree: true).music.files.map(\.title) == ["o", "o"])
    #expect(look(isFree: true, hidden: PrivateFolder(other.path)).music.files.isEmpty)
  }

  @Test func `lists in a list are played in their place, and a circle of them ends`() {
    makeFolder("sub")
    addMusic("a.mp3", "sub/b.mp3")
    write("l.m3u", "a.mp3\nsub/in.m3u\nl.m3u\na.mp3\nnone.pls\n")
    write("sub/in.m3u", "b.mp3\n../l.m3u\n")
    let found = look().music
    #expect(found.files.map(\.title) == ["a", "b", "a"])
    #expect(
      found.refused.map(\.reason) == [
        "line 2: sub/in.m3u, line 2: ../l.m3u is in a circle of lists",
        "line 3: l.m3u is in a circle of lists",
        "line 5: none.pls cannot be read: it is gone, or no regular file",
      ])
  }

  @Test func `a list's own folder is where links lead, not what its path looks like`() {
    for name in ["home", "srv", "srv/music", "srv/music/me"] { makeFolder(name) }
    addMusic("home/secret.mp3", "srv/music/open.mp3")
    write("srv/music/party.m3u", "\(folder.file("home/secret.mp3"))\nopen.mp3\nsecret.mp3\n")
    #expect(symlink(folder.file("srv/music/me"), folder.file("home/Music")) == 0)
    for list in ["home/Music/../party.m3u", "srv/music/party.m3u"] {
      let found = look(list, folders: [folder.file("srv/music")]).music
      #expect(!found.files.contains { $0.title == "secret" }, "\(list)")
    }
    #expect(
      look("srv/music/party.m3u", folders: [folder.file("srv/music")]).music.files.map(\.title)
        == ["open"])
  }

  @Test func `lists that name each other a hundred times end, too`() {
    let names = (0..<10).map { "\($0).m3u" }
    for name in names {
      let all = names.map { "\($0)\n" }.joined()
      write(name, String(repeating: all, count: 10))
    }
    let found = look("0.m3u").music
    let refused = found.refused.count
    #expect(found.files.isEmpty && refused > 50_000 && refused < 200_000, "\(refused)")
  }

  @Test func `a list that has changed is read once it stands still`() throws {
    addMusic("a.mp3", "b.mp3")
    write("l.m3u", "a.mp3\n")
    let first = look()
    #expect(!MusicListScan.hasChanged(first) && look("l.m3u", first) == first)
    folder.write("l.m3u", Array("a.mp3\nb.mp".utf8))
    #expect(MusicListScan.hasChanged(first))
    let half = look("l.m3u", first)
    #expect(half.music.files == first.music.files && !half.isSettled)
    write("l.m3u", "a.mp3\nb.mp3\n")
    #expect(look("l.m3u", half).music.files.map(\.title) == ["a", "b"])
  }

  @Test func `a list that is away, cut off or none keeps its last content`() {
    addMusic("a.mp3")
    let whole =
      "<playlist><trackList><track><location>a.mp3</location></track></trackList></playlist>"
    write("l.xspf", whole)
    let first = look("l.xspf")
    #expect(first.music.files.map(\.title) == ["a"])
    for (bytes, reason) in [
      (Array(whole.utf8.dropLast(40)), "cut off"), ([0, 1, 2], "is not text"),
    ] {
      write("l.xspf", bytes, hoursOld: 2)
      let found = look("l.xspf", first).music
      #expect(found.files == first.music.files && found.problem?.contains(reason) == true)
    }
    #expect(unlink(folder.file("l.xspf")) == 0)
    let gone = look("l.xspf", first)
    #expect(gone.music.files == first.music.files)
    #expect(gone.music.problem?.contains("No such file") == true && MusicListScan.hasChanged(gone))
    write("l.xspf", whole, hoursOld: 3)
    #expect(look("l.xspf", gone).music.problem == nil)
    let never = look("none.m3u").music
    #expect(never.files.isEmpty && !never.isWhole && never.problem != nil)
  }

  @Test func `a file of a list that could not be played is left out until it changes`() throws {
    addMusic("a.mp3", "b.mp3")
    write("l.m3u", "a.mp3\nb.mp3\na.mp3\n")
    var found = look()
    let file = try #require(found.music.files.first)
    #expect(found.refuse(file, "stops") && !found.refuse(file, "stops"))
    let second = look("l.m3u", found)
    #expect(second.music.files.map(\.title) == ["b"])
    #expect(second.music.refused.map(\.reason) == ["line 1: a.mp3 stops", "line 3: a.mp3 stops"])
    age("a.mp3", hours: 2)
    #expect(look("l.m3u", second).music.files.map(\.title) == ["a", "b", "a"])
  }

  @Test func `a cue sheet's parts of a file are tracks by themselves, as the sheet calls them`()
    throws
  {
    addMusic("1.mp3", "all.mp3")
    write("all.mp3", NumberedFrames.stream(0..<300))
    write(
      "l.cue",
      """
      FILE "1.mp3" MP3
      TRACK 01 AUDIO
      INDEX 01 00:00:00
      FILE "all.mp3" MP3
      TRACK 02 AUDIO
      TITLE "New Grass"
      PERFORMER "Talk Talk"
      INDEX 01 00:00:00
      TRACK 03 AUDIO
      INDEX 01 00:03:15
      TRACK 04 AUDIO
      INDEX 01 03:00:00
      """)
    let list = look("l.cue")
    let files = Array(list.music.files)
    #expect(files.map(\.title) == ["1", "New Grass", "all"])
    try #require(files.count == 3)
    #expect(files[1].artist == "Talk Talk" && files[0].cue == nil && files[0].whole == nil)
    #expect(files[1].cue == TrackCue(from: 0, to: 3.2))
    #expect(files[2].cue == TrackCue(from: 3.2, to: 180))
    #expect(files[1].whole == files[2].whole && files[1].whole != nil)
    #expect(Set(files.map(\.key) + files.map(\.wholeKey)).count == 4)
    let off = abs(files[2].heardSeconds - (300 * 1152 / 44_100 - 3.2))
    #expect(off < 0.03)
    #expect(
      list.music.refused.map(\.reason) == [
        "line 11: all.mp3 ends before this part of it begins"
      ])
    // Nothing has changed, and the file is not looked at as one of another length.
    #expect(look("l.cue", list) == list)
    // A file that cannot be played has no parts any more.
    var broken = list
    let isRefused = broken.refuse(files[1], "stops")
    #expect(isRefused)
    let next = look("l.cue", broken).music
    #expect(next.files.map(\.title) == ["1"])
    #expect(next.refused.map(\.reason) == [5, 9, 11].map { "line \($0): all.mp3 stops" })
  }

  @Test func `the first files are told before all were looked at, where nothing was known`() {
    let names = (0..<MusicScan.firstFiles + 5).map { "\(1000 + $0).mp3" }
    for (number, name) in names.enumerated() {
      let first = UInt64(number * 100)
      write(name, NumberedFrames.stream(first..<first + 20))
    }
    write("l.m3u", names.reversed().joined(separator: "\n"))
    var told: [MusicList] = []
    let scan = MusicListScan(folder.file("l.m3u"), ListRights(isFree: false), tags: nil)
    let found = scan.look(nil) { told.append($0) }
    #expect(told.map(\.music.files.count) == [MusicScan.firstFiles])
    #expect(told.first?.music.isWhole == false && told.first?.music.files.first?.title == "1204")
    #expect(found.music.files.count == names.count)
  }
}
