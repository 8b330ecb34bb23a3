import TestSupport
import Testing
import Timeshift
import Wire

@testable import Library

struct LibrarySearchTests {
  typealias Fixture = LibraryFixture

  private func titles(_ order: TrackOrder, in store: LibraryStore) throws -> [String] {
    try #require(try store.tracks(order)).tracks.map(\.title)
  }

  /// Takes page for page, until there is none.
  private func all(_ order: TrackOrder, by limit: Int, in store: LibraryStore) throws -> [TrackKey]
  {
    var order = order
    order.limit = limit
    var keys: [TrackKey] = []
    repeat {
      let page = try #require(try store.tracks(order))
      #expect(page.tracks.count <= limit)
      keys += page.tracks.map(\.key)
      order.after = page.next
    } while order.after != nil
    return keys
  }

  @Test func `an exact title comes first, then an exact artist, then what matches best`() throws {
    let fixture = try Fixture()
    try fixture.write([
      Fixture.file("1.mp3", 1, title: "Talk Talk", artist: "X"),
      Fixture.file("2.mp3", 2, title: "It's My Life", artist: "Talk Talk"),
      Fixture.file("3.mp3", 3, title: "Let's talk talk", artist: "Y"),
      Fixture.file("4.mp3", 4, title: "Other", artist: "Z", album: "Talk about Talk"),
      Fixture.file("talk talk/5.mp3", 5, title: "Path"),
    ])
    #expect(
      try fixture.found("TALK TALK") == [
        "Talk Talk", "It's My Life", "Let's talk talk", "Other", "Path",
      ])
  }

  @Test func `two letters find a name that has no more`() throws {
    let fixture = try Fixture()
    try fixture.write([
      Fixture.file("1.mp3", 1, title: "U2 is not it", artist: "X"),
      Fixture.file("2.mp3", 2, title: "One", artist: "U2"),
      Fixture.file("3.mp3", 3, title: "!!!", artist: "Z"),
    ])
    #expect(try fixture.found("u2") == ["One", "U2 is not it"])
    #expect(try fixture.found("!!!") == ["!!!"])
    #expect(try fixture.found("???").isEmpty)
    #expect(try fixture.found("'; DROP TABLE track; --").isEmpty)
    #expect(try fixture.found("'''") == [])
  }

  @Test(
    arguments: TrackOrder.Sort.allCases,
    ["", "title", "ti", "title artist", "artist:artist year:1950-1999", "Title 7"])
  func `pages have every track once, in the order of one page`(
    _ sort: TrackOrder.Sort, _ line: String
  ) throws {
    let fixture = try Fixture()
    try fixture.write(
      (0..<157).map { number in
        var details = MusicDetails()
        details.number = number % 3 == 0 ? nil : number % 7 + 1
        return Fixture.file(
          "\(number).mp3", number, title: "Title \(number % 40)", artist: "Artist \(number % 5)",
          album: "Album \(number % 11)", modified: Int64(number % 13), year: 1900 + number,
          details: details)
      })
    for number in 0..<50 { fixture.store.plays.add(Fixture.key(number * 3), at: Int64(number % 9)) }
    var order = TrackOrder(try SearchQuery(line))
    order.sort = sort
    let whole = try all(order, by: 1000, in: fixture.store)
    #expect(!whole.isEmpty)
    #expect(Set(whole).count == whole.count)
    for limit in [1, 7, whole.count] {
      #expect(try all(order, by: limit, in: fixture.store) == whole, "\(limit) a page")
    }
    #expect(try #require(try fixture.store.tracks(order)).total == whole.count)
  }

  @Test func `tracks are sorted by what is asked for`() throws {
    let fixture = try Fixture()
    func file(_ number: Int, _ title: String, _ artist: String, _ track: Int, _ modified: Int64)
      -> MusicFile
    {
      var details = MusicDetails()
      details.number = track
      return Fixture.file(
        "\(number).mp3", number, title: title, artist: artist, modified: modified, details: details)
    }
    try fixture.write([
      file(1, "c", "B", 2, 30), file(2, "Ä", "B", 1, 20), file(3, "b", "a", 1, 40),
    ])
    var order = TrackOrder(try SearchQuery(""))
    #expect(try titles(order, in: fixture.store) == ["b", "Ä", "c"])
    order.sort = .title
    #expect(try titles(order, in: fixture.store) == ["Ä", "b", "c"])
    order.sort = .added
    #expect(try titles(order, in: fixture.store) == ["b", "c", "Ä"])
    fixture.store.plays.add(Fixture.key(2), at: 10)
    fixture.store.plays.add(Fixture.key(1), at: 20)
    order.sort = .lastPlayed
    #expect(try titles(order, in: fixture.store) == ["c", "Ä", "b"])
    order.after = TrackPlace([.integer(5)])
    #expect(try fixture.store.tracks(order) == nil)
  }

  @Test(arguments: TrackOrder.Sort.allCases, ["", "title", "t", "title 3", "long"])
  func `a page goes on behind a track that is gone`(
    _ sort: TrackOrder.Sort, _ line: String
  ) throws {
    let fixture = try Fixture()
    var files = (0..<40).map { number in
      Fixture.file(
        "\(number).mp3", number + 1, title: "Title \(number % 7)", artist: "A \(number % 3)",
        modified: Int64(number % 5))
    }
    let long = String(repeating: "ö", count: 500)
    for number in 0..<6 {
      files.append(
        Fixture.file(
          "long \(number).mp3", 90 + number, title: "Long \(long)", artist: "\(long)\(number)"))
    }
    try fixture.write(files)
    for number in 0..<20 { fixture.store.plays.add(Fixture.key(number * 2), at: Int64(number % 4)) }
    var order = TrackOrder(try SearchQuery(line))
    order.sort = sort
    let whole = try all(order, by: 1000, in: fixture.store)
    #expect(whole.count >= 6)
    order.limit = 4
    var (keys, gone): ([TrackKey], [TrackKey]) = ([], [])
    while true {
      let page = try #require(try fixture.store.tracks(order))
      keys += page.tracks.map(\.key)
      guard let next = page.next else { break }
      #expect(TrackPlace(bytes: next.bytes)?.bytes == next.bytes)
      order.after = TrackPlace(bytes: next.bytes)
      let last = try #require(page.tracks.last?.key)
      // What cannot be told apart by its first letters alone is found by its row.
      let isLong = files.contains { $0.key == last && $0.title.hasPrefix("Long") }
      if sort == .lastPlayed { fixture.store.plays.add(last, at: 1000) }
      if isLong { continue }
      gone.append(last)
      files.removeAll { $0.key == last }
      try fixture.write(files, at: Int64(1000 + gone.count))
      try fixture.store.drop(missingBefore: WallTime(unixSeconds: 100_000))
    }
    #expect(keys == whole, "\(gone.count) are gone")
  }

  @Test(arguments: ["alpha", String(repeating: "other ", count: 30) + "words"])
  func `a page of ranks goes on where it ended, though its last track has other words`(
    album: String
  ) throws {
    let fixture = try Fixture()
    var files = (0..<40).map { number in
      let title = "Alpha" + String(repeating: " word", count: number / 4)
      return Fixture.file("\(number).mp3", number + 1, title: title, artist: "A \(number)")
    }
    try fixture.write(files)
    var order = TrackOrder(try SearchQuery("alph"))
    let whole = try all(order, by: 1000, in: fixture.store)
    order.limit = 7
    let first = try #require(try fixture.store.tracks(order))
    let last = try #require(first.tracks.last?.key)
    let index = try #require(files.firstIndex { $0.key == last })
    files[index] = Fixture.file(
      "\(index).mp3", index + 1, title: album == "alpha" ? "Alpha" : "Alpha \(album)",
      artist: album, modified: 7)
    try fixture.write(files, at: 1000)
    order.after = first.next
    order.limit = 1000
    let rest = try #require(try fixture.store.tracks(order)).tracks.map(\.key)
    // It may come again where it stands now.
    #expect(rest.filter { $0 != last } == Array(whole.dropFirst(7)))
  }

  @Test func `a word in a column that few tracks have is worth what its column is`() throws {
    let fixture = try Fixture()
    var files = (0..<300).map { Fixture.file("\($0).mp3", $0, title: "Title \($0)", album: "") }
    files.append(Fixture.file("a.mp3", 400, title: "One", album: "Zebra"))
    files.append(Fixture.file("zebra/b.mp3", 401, title: "Two", album: ""))
    files.append(Fixture.file("c.mp3", 402, title: "Zebra of three", album: ""))
    try fixture.write(files)
    let order = TrackOrder(try SearchQuery("zebr"))
    #expect(try titles(order, in: fixture.store) == ["Zebra of three", "One", "Two"])
  }

  @Test func `above 1,000 no total is told`() throws {
    let fixture = try Fixture()
    try fixture.write(
      (0..<1001).map { Fixture.file("\($0).mp3", $0, title: $0 == 0 ? "One" : "Two") })
    #expect(try fixture.store.tracks(TrackOrder(try SearchQuery("artist")))?.total == nil)
    #expect(try fixture.store.tracks(TrackOrder(try SearchQuery("two")))?.total == 1000)
    #expect(try fixture.store.tracks(TrackOrder(try SearchQuery("")))?.total == nil)
  }

  @Test func `a field that has to have what is no word finds nothing`() throws {
    let fixture = try Fixture()
    try fixture.write([Fixture.file("a.mp3", 1, artist: "!!!"), Fixture.file("b.mp3", 2)])
    func total(_ line: String) throws -> Int? {
      try fixture.store.tracks(TrackOrder(try SearchQuery(line)))?.total
    }
    #expect(try total("!!!") == 1 && total("artist:!!!") == 0 && total("title:? artist") == 0)
    let query = try SearchQuery("", fields: [(.artist, "?")])
    #expect(try fixture.store.artists(query).names.isEmpty)
  }

  @Test func `fields narrow what is found`() throws {
    let fixture = try Fixture()
    try fixture.write([
      Fixture.file("a/1.mp3", 1, title: "One", artist: "Nina Simone", year: 1965),
      Fixture.file("b/2.mp3", 2, title: "Two", artist: "Nina Hagen", year: 1978),
    ])
    _ = try fixture.store.write(
      Fixture.folder([Fixture.file("c/3.mp3", 3, title: "Three", artist: "Nina")]), as: "nas")
    func found(_ fields: [(SearchQuery.Field, String)], year: String? = nil, root: String? = nil)
      throws -> [String]
    {
      var order = TrackOrder(try SearchQuery("nina", fields: fields, year: year))
      order.root = root
      return try titles(order, in: fixture.store).sorted()
    }
    #expect(try found([]) == ["One", "Three", "Two"])
    #expect(try found([(.artist, "hagen nina")]) == ["Two"])
    #expect(try found([(.title, "o")]) == ["One"])
    #expect(try found([], year: "1970-") == ["Two"])
    #expect(try found([], root: "nas") == ["Three"])
    #expect(try found([(.path, "a")], root: "main") == ["One"])
  }

  @Test func `artists and albums are listed by name`() throws {
    let fixture = try Fixture()
    func file(_ number: Int, _ artist: String, _ album: String, owner: String = "") -> MusicFile {
      var details = MusicDetails()
      details.albumArtist = owner
      return Fixture.file(
        "\(number).mp3", number, artist: artist, album: album, year: 1980 + number, details: details
      )
    }
    try fixture.write([
      file(1, "Ärzte", "Hits"), file(2, "Ärzte", "Hits"), file(3, "arzte", "More"),
      file(4, "Blur", "Hits"), file(5, "Cure", "Mix", owner: "Various"),
      file(6, "Blur", "Mix", owner: "Various"),
      file(7, "", ""),
    ])
    let (artists, next) = try fixture.store.artists(limit: 2)
    #expect(artists.map(\.name.count) == [5, 4])
    #expect(artists.map(\.tracks) == [3, 2])
    #expect(artists.map(\.albums) == [2, 2])
    #expect(next == "Blur")
    #expect(try fixture.store.artists(after: next).names.map(\.name) == ["Cure"])
    let blur = try SearchQuery("", fields: [(.artist, "bl")])
    #expect(try fixture.store.artists(blur).names.map(\.name) == ["Blur"])
    let albums = try fixture.store.albums(limit: 3)
    #expect(albums.names.map(\.name) == ["Hits", "Hits", "Mix"])
    #expect(albums.names.map(\.tracks) == [2, 1, 2])
    #expect(albums.names.map(\.artist) == ["Ärzte", "Blur", "Various"])
    #expect(try fixture.store.albums(after: albums.next).names.map(\.name) == ["More"])
    #expect(try fixture.store.albums(artist: "BLUR").names.map(\.name) == ["Hits", "Mix"])
    let count = try fixture.store.count()
    #expect((count.tracks, count.artists, count.albums) == (7, 3, 4))
  }

  @Test func `folders are listed with all that is in them, by page`() throws {
    let fixture = try Fixture()
    let paths = [
      "a/1.mp3", "a/b/2.mp3", "a/b/3.mp3", "a-b/4.mp3", "a.mp3", "z/y/x/5.mp3", "z/6.mp3",
    ]
    try fixture.write(paths.enumerated().map { Fixture.file($1, $0) })
    func names(_ path: String, after: String? = nil, limit: Int = 100) throws -> [String] {
      try fixture.store.folders(
        in: "main", below: Array(path.utf8), after: after.map { Array($0.utf8) }, limit: limit
      ).folders.map { "\(String(decoding: $0.path, as: UTF8.self)) \($0.files)" }
    }
    #expect(try names("") == ["a-b 1", "a 3", "z 2"])
    #expect(try names("", limit: 1) == ["a-b 1"])
    #expect(try names("", after: "a-b", limit: 1) == ["a 3"])
    #expect(try names("", after: "a") == ["z 2"])
    // A page begins in the folder that is asked for.
    #expect(try names("a", after: "0") == ["a/b 2"] && names("a", after: "") == ["a/b 2"])
    #expect(try names("a") == ["a/b 2"])
    #expect(try names("a/b").isEmpty)
    #expect(try names("no").isEmpty)
    #expect(try fixture.store.folders(in: "other").folders.isEmpty)
  }

  @Test func `problems are listed by page`() throws {
    let fixture = try Fixture()
    try fixture.write([], refused: (0..<5).map { Fixture.refused("\($0).wav", "has no audio") })
    let first = try fixture.store.problems(limit: 3)
    #expect(first.hasMore)
    let last = try #require(first.problems.last)
    let second = try fixture.store.problems(after: (last.root, last.path), limit: 3)
    #expect(!second.hasMore)
    #expect(
      (first.problems + second.problems).map { String(decoding: $0.path, as: UTF8.self) }
        == (0..<5).map { "\($0).wav" })
    #expect(try fixture.store.problems(in: "nas").problems.isEmpty)
  }
}
