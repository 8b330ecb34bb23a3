import Media
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Library

struct MatchRankTests {
  typealias Fixture = LibraryFixture

  @Test func `a word in a title weighs most, then in an artist, an album, a path or genre`() throws
  {
    let fixture = try Fixture()
    var details = MusicDetails()
    details.genres = ["Aurora"]
    // Backwards, so that the order of writing is no help.
    try fixture.write([
      Fixture.file("aurora.mp3", 1, title: "Four"),
      Fixture.file("3.mp3", 2, title: "Three", album: "Aurora"),
      Fixture.file("2.mp3", 3, title: "Two", artist: "Aurora"),
      Fixture.file("1.mp3", 4, title: "Aurora"),
      Fixture.file("5.mp3", 5, title: "Five", details: details),
    ])
    #expect(try fixture.found("auror") == ["Aurora", "Two", "Three", "Four"])
    #expect(try fixture.found("auror genre:auror") == [])
    #expect(try fixture.found("genre:auror") == ["Five"])
  }

  @Test func `of two columns the shorter one matches better`() throws {
    let fixture = try Fixture()
    try fixture.write([
      Fixture.file("1.mp3", 1, title: "Blue Monday and all the days behind it"),
      Fixture.file("2.mp3", 2, title: "Blue Monday"),
      Fixture.file("3.mp3", 3, title: "Blue Monday Remixed"),
    ])
    #expect(
      try fixture.found("blue mon") == [
        "Blue Monday", "Blue Monday Remixed", "Blue Monday and all the days behind it",
      ])
  }

  @Test func `a word that all have decides nothing against one that few have`() throws {
    let fixture = try Fixture()
    // The title has the common word, the artist the rare one; then the other way round.
    try fixture.write(
      [
        Fixture.file("1.mp3", 1, title: "The Way", artist: "The Best", album: "Kinks"),
        Fixture.file("2.mp3", 2, title: "Lola", artist: "Kinks", album: "The Album"),
      ] + (3..<40).map { Fixture.file("\($0).mp3", $0, title: "The Song \($0)") })
    #expect(try fixture.found("the kinks") == ["Lola", "The Way"])
  }

  @Test func `a beginning of any length finds its word in its column`() throws {
    let fixture = try Fixture()
    try fixture.write([
      Fixture.file("1.mp3", 1, title: "Wonderwalls"),
      Fixture.file("2.mp3", 2, title: "Other", artist: "Wonderwalls"),
      Fixture.file("3.mp3", 3, title: "Wonder"), Fixture.file("4.mp3", 4, title: "Μουσική"),
      Fixture.file("5.mp3", 5, title: "音楽図鑑"),
    ])
    for length in 1...11 {
      let word = "wonderwalls".prefix(length)
      let all = length <= 6 ? ["Other", "Wonder", "Wonderwalls"] : ["Other", "Wonderwalls"]
      #expect(try fixture.found(String(word)).sorted() == all, "\(word)")
      #expect(try fixture.found("artist:\(word)") == ["Other"], "\(word)")
    }
    for length in 1...7 {
      #expect(try fixture.found(String("μουσικη".prefix(length))) == ["Μουσική"])
    }
    for length in 1...4 { #expect(try fixture.found(String("音楽図鑑".prefix(length))) == ["音楽図鑑"]) }
  }

  @Test func `pages of a thousand ranked tracks have each once, in the order of one search`() throws
  {
    let fixture = try Fixture()
    // "song" is in more tracks than a word is counted in; 600 have the other word, in titles of three lengths.
    try fixture.write(
      (0..<1300).map { number in
        let word = number % 13 < 6 ? "Rain" : "Snow"
        return Fixture.file(
          "\(number).mp3", number,
          title: "Song " + Array(repeating: word, count: number % 3 + 1).joined(separator: " "),
          artist: number % 5 == 0 ? "Rain" : "Sun")
      })
    var order = TrackOrder(try SearchQuery("son rai"))
    order.limit = 1000
    let whole = try #require(try fixture.store.tracks(order))
    #expect(whole.next == nil && whole.total == whole.tracks.count)
    #expect(whole.tracks.count > 600)
    // Of the first, both the title and the artist have the word.
    let first = try #require(whole.tracks.first)
    #expect(first.artist == "Rain" && first.title.contains("Rain"))
    order.limit = 170
    var keys: [TrackKey] = []
    repeat {
      let page = try #require(try fixture.store.tracks(order))
      #expect(page.total == whole.total)
      keys += page.tracks.map(\.key)
      order.after = page.next
    } while order.after != nil
    #expect(keys == whole.tracks.map(\.key))
  }

  @Test func `of more tracks than are ranked the oldest come first, page for page`() throws {
    let fixture = try Fixture()
    let count = TrackSearch.rankedMax + 100
    try fixture.write(
      (0..<count).map {
        Fixture.file("\(10_000 + $0).mp3", $0, title: $0 == count - 1 ? "Broad" : "Broad \($0)")
      })
    var order = TrackOrder(try SearchQuery("broa"))
    order.limit = 3
    let first = try #require(try fixture.store.tracks(order))
    #expect(first.total == nil)
    order.after = first.next
    let second = try #require(try fixture.store.tracks(order))
    #expect((first.tracks + second.tracks).map(\.title) == (0..<6).map { "Broad \($0)" })
    // What is just the line comes first even so.
    #expect(try fixture.found("broad").first == "Broad")
  }

  @Test func `a change of the tracks between two pages is no error`() throws {
    let fixture = try Fixture()
    let files = (0..<30).map { Fixture.file("\($0).mp3", $0, title: "Song \($0)") }
    try fixture.write(files)
    var order = TrackOrder(try SearchQuery("song artist"))
    order.limit = 10
    order.after = try #require(try fixture.store.tracks(order)).next
    try fixture.write(
      files.enumerated().map { index, file in
        var file = file
        if index % 2 == 0 { file.title = "Other \(index)" }
        file.identity.modified += 1
        return file
      })
    let page = try #require(try fixture.store.tracks(order))
    #expect(page.total == 15)
    #expect(page.tracks.allSatisfy { $0.title.hasPrefix("Song") })
  }
}
