import Foundation
import GRDB
import Glibc
import TestSupport
import Testing
import Threads
import Timeshift
import Wire

@testable import Library
@testable import Media

/// A database in a folder of its own, and folders to write into it.
struct LibraryFixture {
  let folder: TemporaryDirectory
  let store: LibraryStore

  init() throws {
    folder = TemporaryDirectory()
    store = LibraryStore(folder.path + "/library.db")
    try store.open()
  }

  static func key(_ number: Int) -> TrackKey {
    TrackKey(high: UInt64(number) &* 0x9E37_79B9_7F4A_7C15, low: UInt64(number))
  }

  static func file(
    _ path: String, _ number: Int, title: String = "Title", artist: String = "Artist",
    album: String = "Album", modified: Int64 = 1, year: Int? = nil,
    details: MusicDetails = MusicDetails()
  ) -> MusicFile {
    MusicFile(
      root: "/music", path: Array(path.utf8),
      identity: .init(
        device: 1, inode: .max, bytes: UInt64(number), modified: modified * 1_000_000_000),
      key: key(number), format: AudioFormat(codec: .mp3, sampleRate: 44100, channels: 2),
      seconds: 200, isExact: true, title: title, artist: artist, album: album, year: year,
      details: details)
  }

  static func folder(
    _ files: [MusicFile], refused: [MusicFolder.Refused] = [], isWhole: Bool = true
  ) -> MusicFolder {
    MusicFolder("/music", files: files, refused: refused, isWhole: isWhole)
  }

  static func refused(_ path: String, _ reason: String) -> MusicFolder.Refused {
    .init(
      path: Array(path.utf8), identity: .init(device: 1, inode: 2, bytes: 3, modified: 4),
      reason: reason)
  }

  @discardableResult func write(
    _ files: [MusicFile], refused: [MusicFolder.Refused] = [], isWhole: Bool = true,
    at now: Int64 = 1000
  ) throws -> LibraryChange {
    try store.write(
      Self.folder(files, refused: refused, isWhole: isWhole), as: "main",
      now: WallTime(unixSeconds: now))
  }

  func found(_ line: String) throws -> [String] {
    try #require(try store.tracks(TrackOrder(try SearchQuery(line)))).tracks.map(\.title)
  }

  /// Whether the table of words has for each track just the words that its rows give, and none else.
  func agrees() throws -> Bool {
    let columns = LibrarySchema.words.map(\.column)
    let places = columns.map { _ in "?" }.joined(separator: ", ")
    let fresh = try DatabaseQueue()
    try fresh.write { try LibrarySchema.make($0) }
    return try store.write { db in
      try fresh.write { fresh in
        for id in try Int64.fetchAll(db, sql: "SELECT id FROM track") {
          let texts = try LibraryWriter.texts(of: id, in: db) ?? []
          try fresh.execute(
            sql:
              "INSERT INTO search(rowid, \(columns.joined(separator: ", "))) VALUES (?, \(places))",
            arguments: StatementArguments([id] + texts))
        }
        return try Self.words(db) == Self.words(fresh)
      }
    }
  }

  private static func words(_ db: Database) throws -> Set<String> {
    try db.execute(sql: "CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, search, instance)")
    defer { try? db.execute(sql: "DROP TABLE temp.words") }
    return try Set(
      String.fetchAll(
        db, sql: "SELECT term || ' ' || doc || ' ' || col || ' ' || offset FROM temp.words"))
  }
}

struct LibraryStoreTests {
  typealias Fixture = LibraryFixture

  @Test func `what was found in a folder is known at the next start`() throws {
    let fixture = try Fixture()
    var details = MusicDetails()
    details.albumArtist = "Various"
    (details.disc, details.number, details.bitrate) = (2, 7, 192_000)
    details.genres = ["Jazz", "Soul; Funk"]
    (details.isrc, details.label) = ("GBAYE0000001", "Verve")
    (details.lyrics, details.isGuessed) = (.timed, true)
    details.picture = .init(offset: 100, bytes: 2000)
    var files = [
      Fixture.file("a/One.mp3", 1, title: "One", year: 1965, details: details),
      Fixture.file("b/Two\u{0301}.mp3", 2, title: "Two"),
    ]
    files[0].levels = TrackGain(track: -7.03, album: 2.5, trackPeak: 1.03, albumPeak: 0)
    files[1].levels.track = 0
    files[1].hasCover = true
    files.append(Fixture.file("c/Three.mp3", 3, title: "Three"))
    let refused = [Fixture.refused("c.flac", "is no MP3")]
    #expect(try fixture.write(files, refused: refused).added == 3)
    let pictures = try (1...3).map { try fixture.store.track(Fixture.key($0))?.hasPicture }
    #expect(pictures == [true, true, false])
    fixture.store.close()
    let again = LibraryStore(fixture.store.path)
    try again.open()
    let known = try again.known("main", at: "/music")
    #expect(Array(known.files) == files)
    #expect(known.refused == refused)
    #expect(known.isWhole)
    #expect(try again.write(known, as: "main").isNone)
    #expect(try again.known("other", at: "/music").files.isEmpty)
    #expect(try again.memory(of: "main") == nil)
    let memory = RootMemory(device: .max, files: 3, scanned: 1000, state: .suspect)
    try again.keep(memory, of: "main", at: "/music")
    #expect(try again.memory(of: "main") == memory)
  }

  @Test func `a root that was never recalled keeps what is known of it over a start`() throws {
    let fixture = try Fixture()
    try fixture.write([Fixture.file("a.mp3", 1)])
    let memory = RootMemory(device: 1, files: 1, scanned: 1000, state: .ok)
    try fixture.store.keep(memory, of: "main", at: "/music")
    #expect(try fixture.store.path(of: "main") == "/music")
    #expect(try fixture.store.memory(of: "main") == memory)
    #expect(try fixture.store.known("main", at: "/music").isWhole)
    #expect(try fixture.store.path(of: "other") == nil)
  }

  @Test
  func `a write ends behind a transaction when the relay does, and what is closed stays closed`()
    throws
  {
    let fixture = try Fixture()
    let files = (0..<1200).map { Fixture.file("\(1000 + $0).mp3", $0) }
    var asked = 0
    #expect(throws: LibraryError.self) {
      _ = try fixture.store.write(Fixture.folder(files), as: "main") {
        asked += 1
        return asked < 2
      }
    }
    let written = try fixture.store.count().tracks
    #expect(written > 0 && written < 1200)
    fixture.store.close()
    #expect(throws: LibraryError.self) { try fixture.store.open() }
    let again = LibraryStore(fixture.store.path)
    _ = try again.write(Fixture.folder(files), as: "main")
    #expect(try again.count().tracks == 1200)
    let foreign = LibraryStore(fixture.store.path) { false }
    #expect(throws: LibraryError.self) { try foreign.open() }
  }

  @Test func `a file that moved to another root is missing in none`() throws {
    let fixture = try Fixture()
    let store = fixture.store
    func write(_ files: [MusicFile], _ root: String) throws {
      _ = try store.write(Fixture.folder(files), as: root, now: WallTime(unixSeconds: 1000))
    }
    try write([Fixture.file("a.mp3", 1)], "one")
    try write([], "one")
    try write([Fixture.file("b.mp3", 1)], "two")
    #expect(try store.roots().values.allSatisfy { $0.missing == 0 })
    #expect(try store.track(Fixture.key(1))?.files.map(\.root) == ["two"])
  }

  @Test func `measures outlive a start, and numbers beyond all bounds are left out`() throws {
    let fixture = try Fixture()
    let measure = TrackMeasure(loudness: -9.5, truePeak: -0.1, cueIn: 0.5, cueOut: 200)
    try fixture.store.keep([
      Fixture.key(1): measure, Fixture.key(2): TrackMeasure(),
      Fixture.key(3): TrackMeasure(loudness: .infinity, truePeak: -1, cueIn: -5),
    ])
    fixture.store.close()
    let again = LibraryStore(fixture.store.path)
    try again.open()
    let found = try again.measures()
    #expect(found[Fixture.key(1)] == measure && found[Fixture.key(2)] == TrackMeasure())
    #expect(found[Fixture.key(3)] == TrackMeasure(truePeak: -1))
  }

  @Test func `a file whose tags could not be read is asked again after a start`() throws {
    let fixture = try Fixture()
    var file = Fixture.file("a.mp3", 1)
    file.isRead = false
    try fixture.write([file])
    #expect(try fixture.store.known("main", at: "/music").files.map(\.isRead) == [false])
  }

  @Test func `files that have not changed cost no write`() throws {
    let fixture = try Fixture()
    let files = (0..<1200).map { Fixture.file("\($0).mp3", $0, title: "Title \($0)") }
    #expect(try fixture.write(files).added == 1200)
    let before = try fixture.store.read { try Int.fetchOne($0, sql: "SELECT total_changes()") }
    #expect(try fixture.write(files).isNone)
    var changed = files
    changed[700].title = "Another"
    let change = try fixture.write(changed)
    #expect((change.added, change.changed, change.gone) == (0, 1, 0))
    #expect(try fixture.found("another") == ["Another"])
    #expect(try fixture.found("\"title 700\"").isEmpty)
    #expect(before == 0, "a reader writes nothing")
  }

  @Test func `equal audio is one track with several files`() throws {
    let fixture = try Fixture()
    try fixture.write([
      Fixture.file("a.mp3", 1, title: "One"), Fixture.file("b.mp3", 1, title: "One"),
    ])
    let track = try #require(try fixture.store.track(Fixture.key(1)))
    #expect(track.files.map { String(decoding: $0.path, as: UTF8.self) } == ["a.mp3", "b.mp3"])
    #expect(try fixture.store.count().tracks == 1)
    #expect(try fixture.store.known("main", at: "/music").files.count == 2)
  }

  @Test func `a copy without tags takes no title away`() throws {
    let fixture = try Fixture()
    var guessed = MusicDetails()
    guessed.isGuessed = true
    try fixture.write([
      Fixture.file("a.mp3", 1, title: "Sinnerman"),
      Fixture.file("b.mp3", 1, title: "b", details: guessed),
    ])
    #expect(try fixture.store.track(Fixture.key(1))?.title == "Sinnerman")
    // The only file that is left says what it is.
    try fixture.write([Fixture.file("b.mp3", 1, title: "b", modified: 2, details: guessed)])
    #expect(try fixture.store.track(Fixture.key(1))?.title == "b")
  }

  @Test func `a file that was moved stays the same track`() throws {
    let fixture = try Fixture()
    try fixture.write([Fixture.file("old/a.mp3", 1)], at: 1000)
    try fixture.write([Fixture.file("new/a.mp3", 1)], at: 2000)
    let track = try #require(try fixture.store.track(Fixture.key(1)))
    #expect(track.files.map(\.path) == [Array("new/a.mp3".utf8)])
    #expect(track.added == WallTime(unixSeconds: 1))
    #expect(try fixture.found("path:old").isEmpty)
    #expect(try fixture.found("path:new") == ["Title"])
  }

  @Test func `music is new when it comes after the first look`() throws {
    let fixture = try Fixture()
    try fixture.write([Fixture.file("a.mp3", 1, modified: 500)], at: 1000)
    try fixture.write(
      [Fixture.file("a.mp3", 1, modified: 500), Fixture.file("b.mp3", 2, modified: 600)], at: 2000)
    #expect(try fixture.store.track(Fixture.key(1))?.added == WallTime(unixSeconds: 500))
    #expect(try fixture.store.track(Fixture.key(2))?.added == WallTime(unixSeconds: 2000))
  }

  @Test func `a file that is gone stays listed until its time is over`() throws {
    let fixture = try Fixture()
    let both = [Fixture.file("a.mp3", 1, title: "A"), Fixture.file("b.mp3", 2, title: "B")]
    try fixture.write(both, at: 1000)
    let change = try fixture.write([both[0]], at: 2000)
    #expect((change.added, change.changed, change.gone) == (0, 0, 1))
    let gone = try #require(try fixture.store.track(Fixture.key(2)))
    #expect(gone.files.map(\.missingSince) == [WallTime(unixSeconds: 2000)])
    #expect(gone.problem == "its file is gone")
    #expect(try fixture.store.roots()["main"]?.missing == 1)
    // It is found, and comes back as what it was.
    #expect(try fixture.found("b") == ["B"])
    try fixture.store.drop(missingBefore: WallTime(unixSeconds: 2000))
    #expect(try fixture.store.track(Fixture.key(2)) != nil)
    try fixture.write(both, at: 3000)
    #expect(try fixture.store.track(Fixture.key(2))?.problem == nil)
    try fixture.write([both[0]], at: 4000)
    try fixture.store.drop(missingBefore: WallTime(unixSeconds: 5000)) { Set($0) }
    #expect(try fixture.store.track(Fixture.key(2)) != nil, "somebody holds it")
    try fixture.store.drop(missingBefore: WallTime(unixSeconds: 5000))
    #expect(try fixture.store.track(Fixture.key(2)) == nil)
    #expect(try fixture.found("b").isEmpty)
    #expect(try fixture.agrees())
  }

  @Test func `a folder that was not looked through as a whole loses nothing`() throws {
    let fixture = try Fixture()
    try fixture.write([Fixture.file("a.mp3", 1), Fixture.file("b.mp3", 2)])
    #expect(try fixture.write([Fixture.file("c.mp3", 3)], isWhole: false).gone == 0)
    let away = MusicFolder("/music", isWhole: true).away("cannot be opened")
    #expect(try fixture.store.write(away, as: "main").isNone)
    #expect(try fixture.store.roots()["main"]?.tracks == 3)
  }

  @Test func `a file that cannot be played is listed with the reason, and its track says so`()
    throws
  {
    let fixture = try Fixture()
    let file = Fixture.file("a.mp3", 1)
    try fixture.write([file], refused: [Fixture.refused("b.wav", "has no audio")])
    try fixture.write([], refused: [Fixture.refused("a.mp3", "ends too early")])
    #expect(try fixture.store.problems().problems.map(\.reason) == ["ends too early"])
    #expect(try fixture.store.track(Fixture.key(1))?.problem == "ends too early")
    #expect(try fixture.store.known("main", at: "/music").files.isEmpty)
    #expect(try fixture.store.roots()["main"]?.missing == 0)
    var order = TrackOrder(try SearchQuery(""))
    order.isPlayable = true
    #expect(try fixture.store.tracks(order)?.tracks.isEmpty == true)
    try fixture.write([file])
    #expect(try fixture.store.problems().problems.isEmpty)
    #expect(try fixture.store.track(Fixture.key(1))?.problem == nil)
    #expect(try fixture.store.tracks(order)?.tracks.count == 1)
  }

  @Test func `other audio at a path is another track`() throws {
    let fixture = try Fixture()
    try fixture.write([Fixture.file("a.mp3", 1, title: "Old")], at: 1000)
    try fixture.write([Fixture.file("a.mp3", 2, title: "New", modified: 2)], at: 2000)
    #expect(try fixture.store.track(Fixture.key(1))?.problem == "its file is gone")
    #expect(try fixture.store.track(Fixture.key(2))?.problem == nil)
    #expect(try fixture.store.known("main", at: "/music").files.map(\.title) == ["New"])
    #expect(try fixture.agrees())
  }

  @Test func `a root that nobody names any more is gone as a whole`() throws {
    let fixture = try Fixture()
    try fixture.write([Fixture.file("a.mp3", 1)])
    try fixture.store.leave(rootsBut: ["main"])
    #expect(try fixture.store.roots()["main"]?.missing == 0)
    try fixture.store.leave(rootsBut: [])
    #expect(try fixture.store.roots()["main"]?.missing == 1)
  }

  // MARK: The file

  @Test func `a database that is deleted while it is open is made anew by the next write`() throws {
    let fixture = try Fixture()
    let files = [Fixture.file("a.mp3", 1, title: "A")]
    try fixture.write(files)
    let generation = fixture.store.generation
    for end in ["", "-wal"] {
      try FileManager.default.removeItem(atPath: fixture.store.path + end)
    }
    #expect(try fixture.write(files).added == 1)
    #expect(fixture.store.generation == generation + 1)
    #expect(try fixture.found("a") == ["A"])
    fixture.store.close()
    #expect(
      try DatabaseQueue(path: fixture.store.path).read {
        try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM track")
      } == 1)
  }

  @Test(arguments: ["", "no database at all", String(repeating: "SQLite format 3\0", count: 600)])
  func `a damaged database is set aside and made anew`(_ content: String) throws {
    let fixture = try Fixture()
    fixture.store.close()
    for end in ["-wal", "-shm"] { unlink(fixture.store.path + end) }
    try Data(content.utf8).write(to: URL(filePath: fixture.store.path))
    let store = LibraryStore(fixture.store.path)
    try store.open()
    #expect(try store.write(Fixture.folder([Fixture.file("a.mp3", 1)]), as: "main").added == 1)
    let isAside = FileManager.default.fileExists(atPath: store.path + ".bad")
    #expect(isAside == !content.isEmpty)
    #expect(store.popRemarks().isEmpty == content.isEmpty)
  }

  @Test func `a damaged page is noticed, and all is made anew`() throws {
    let fixture = try Fixture()
    let files = (0..<3000).map { Fixture.file("folder/\($0).mp3", $0, title: "Title \($0)") }
    try fixture.write(files)
    fixture.store.close()
    let handle = try FileHandle(forUpdating: URL(filePath: fixture.store.path))
    try handle.seek(toOffset: 8192)
    try handle.write(contentsOf: Data(repeating: 0xA5, count: 200_000))
    try handle.close()
    let store = LibraryStore(fixture.store.path)
    try store.open()
    #expect(try store.write(Fixture.folder(files), as: "main").added == 3000)
    #expect(store.popRemarks().count == 1)
  }

  @Test func `a database of another version is set aside`() throws {
    let fixture = try Fixture()
    try fixture.write([Fixture.file("a.mp3", 1)])
    fixture.store.close()
    try DatabaseQueue(path: fixture.store.path).write {
      try $0.execute(sql: "PRAGMA user_version = 99")
    }
    let store = LibraryStore(fixture.store.path)
    try store.open()
    #expect(try store.known("main", at: "/music").files.isEmpty)
    #expect(store.popRemarks().count == 1)
  }

  @Test func `a folder that is not there is an error that says so`() throws {
    let store = LibraryStore("/proc/library.db")
    #expect { try store.open() } throws: { "\($0)".contains("/proc/library.db") }
    #expect(throws: LibraryError.self) { try store.count() }
  }

  @Test func `the file is nobody else's to read`() throws {
    let fixture = try Fixture()
    var status = stat()
    #expect(lstat(fixture.store.path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  // MARK: Random

  @Test func `after 10,000 edits words and tables agree`() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix(seed: seed)
    let fixture = try Fixture()
    let words = [
      "Nina", "Talk", "Grass", "R.E.M.", "邓丽君", "ß", "Ø", "don't", "x", "", "AND", "1984",
    ]
    func text(_ random: inout SplitMix) -> String {
      (0..<Int.random(in: 0...3, using: &random)).map { _ in
        words.randomElement(using: &random) ?? ""
      }
      .joined(separator: " ")
    }
    var files: [String: MusicFile] = [:]
    var refused: [String: MusicFolder.Refused] = [:]
    var (edits, time) = (0, Int64(1000))
    while edits < 10_000 {
      let count = Int.random(in: 1...400, using: &random)
      for _ in 0..<count {
        let path =
          "\(Int.random(in: 0...30, using: &random))/\(Int.random(in: 0...40, using: &random)).mp3"
        let isGone = Int.random(in: 0..<4, using: &random) == 0
        files[path] = nil
        refused[path] = nil
        if isGone {
          if Bool.random(using: &random) { refused[path] = Fixture.refused(path, text(&random)) }
          continue
        }
        var details = MusicDetails()
        details.albumArtist = text(&random)
        details.genres = [text(&random)].filter { !$0.isEmpty }
        details.isGuessed = Bool.random(using: &random)
        files[path] = Fixture.file(
          path, Int.random(in: 0...500, using: &random), title: text(&random),
          artist: text(&random),
          album: text(&random), modified: Int64.random(in: 1...3, using: &random), details: details)
      }
      edits += count
      time += 100
      let isWhole = Int.random(in: 0..<8, using: &random) != 0
      try fixture.write(
        Array(files.values), refused: Array(refused.values), isWhole: isWhole, at: time)
      if Int.random(in: 0..<4, using: &random) == 0 {
        let held = Fixture.key(Int.random(in: 0...500, using: &random))
        try fixture.store.drop(missingBefore: WallTime(unixSeconds: time - 200)) {
          Set($0).intersection([held])
        }
      }
    }
    try fixture.write(Array(files.values), refused: Array(refused.values), at: time + 1)
    #expect(try fixture.agrees(), "seed \(seed)")
    let known = try fixture.store.known("main", at: "/music")
    #expect(
      known.files.map(\.path) == Fixture.folder(Array(files.values)).files.map(\.path),
      "seed \(seed)")
    #expect(Set(known.refused) == Set(refused.values), "seed \(seed)")
    #expect(Set(known.files.map(\.key)) == Set(files.values.map(\.key)), "seed \(seed)")
    let roots = try #require(try fixture.store.roots()["main"])
    #expect(known.files.count == files.count, "seed \(seed)")
    #expect(roots.tracks == Set(files.values.map(\.key)).count, "seed \(seed)")
  }

  @Test func `no index of the log lies on the disk, which others could cut off`() throws {
    let fixture = try LibraryFixture()
    try fixture.write([LibraryFixture.file("a.mp3", 1)])
    #expect(try fixture.store.count().tracks == 1)
    let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
    #expect(names.sorted() == ["library.db", "library.db-wal"])
    fixture.store.close()
    let again = LibraryStore(fixture.folder.file("library.db"))
    try again.open()
    #expect(try again.count().tracks == 1)
    again.close()
  }

  @Test func `a folder whose name means something in an address has its own database`() throws {
    let folder = TemporaryDirectory()
    let name = "a?vfs=none#%41 ü"
    folder.makeFolders(of: name + "/x")
    let store = LibraryStore(folder.file(name + "/library.db"))
    try store.open()
    #expect(try store.count().tracks == 0)
    #expect(FileManager.default.fileExists(atPath: folder.file(name + "/library.db")))
    store.close()
  }

  @Test func `a link in place of the database is refused in words, and stays`() throws {
    let folder = TemporaryDirectory()
    let (link, file) = (folder.file("library.db"), folder.file("elsewhere.db"))
    for content in [nil, [UInt8](repeating: 7, count: 9000)] {
      if let content { folder.write("elsewhere.db", content) }
      if symlink(file, link) != 0 { #expect(errno == EEXIST) }
      let store = LibraryStore(link)
      #expect { try store.open() } throws: { "\($0)".contains("is a link; put the file itself") }
      #expect { try store.count() } throws: { "\($0)".contains("is a link") }
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == file)
      #expect(FileManager.default.fileExists(atPath: file) == (content != nil))
      if let content { #expect(folder.read("elsewhere.db") == content) }
      store.close()
    }
  }

  @Test func `a read for which nobody waits ends, and its connection reads on`() async throws {
    let fixture = try LibraryFixture()
    let end = ReadEnd()
    let reading = fixture.store.reading(until: end)
    let isRead = Flag()
    let endless = Task {
      await Blocking.run {
        (try? reading.read { db in
          isRead.set()
          return try Int.fetchOne(db, sql: LibraryFixture.endless)
        }) == nil
      }
    }
    try await eventually("it is read") { isRead.isSet }
    end.end()
    #expect(await endless.value)
    #expect(throws: LibraryError.self) { try reading.read { _ in true } }
    for _ in 0..<5 { #expect(try fixture.store.count().tracks == 0) }
    #expect(fixture.store.isOpen)
  }
}

extension LibraryFixture {
  /// A question that has no end by itself.
  static let endless = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n
    """
}
