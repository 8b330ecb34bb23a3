import Testing
import Wire

@testable import Library

/// Which tracks of a library an imported list means.
@Suite struct ListMatchTests {
  private static func key(_ number: UInt64) -> TrackKey { TrackKey(high: number, low: 0) }

  private let match = ListMatch(
    files: [
      .init(root: "/srv/music/", path: Array("Rock/a.mp3".utf8), track: key(1)),
      .init(root: "/srv/music", path: Array("Bj\u{F6}rk/b.mp3".utf8), track: key(2)),
      .init(root: "/mnt/nas", path: Array("x/c d.mp3".utf8), track: key(3)),
      .init(root: "/mnt/nas", path: [0x6D, 0xFC, 0x2E], track: key(4)),
    ],
    tracks: [
      .init(key: key(5), artist: "Talk Talk", title: "New Grass", seconds: 580),
      .init(key: key(6), artist: "Talk Talk", title: "New Grass", seconds: 300),
      .init(key: key(7), artist: "Nina Simone", title: "Sinnerman", seconds: 619),
    ])

  private func answer(
    _ path: String, artist: String? = nil, title: String? = nil, seconds: Double? = nil,
    base: String? = "/srv/music/lists"
  ) -> ListMatch.Answer {
    let entry = TrackListEntry(
      .path(Array(path.utf8)), title: title, artist: artist, seconds: seconds)
    return match.answer(to: entry, base: base.map { Array($0.utf8) })
  }

  @Test(
    arguments: [
      ("../Rock/a.mp3", 1), ("Rock/a.mp3", 1), ("/srv/music/Rock/a.mp3", 1), ("/Rock/a.mp3", 1),
      ("..\\Rock\\a.mp3", 1), ("D:\\Rock\\A.MP3", 1), ("rock/A.mp3", 1), ("x/c%20d.mp3", 3),
      ("Bjo\u{308}rk/b.mp3", 2), ("BJO\u{308}RK/B.mp3", 2), ("Bj%C3%B6rk/b.mp3", 2),
    ] as [(String, UInt64)])
  func `a path leads to its track, from the list's folder, from a root, or nearly so`(
    path: String, track: UInt64
  ) {
    #expect(answer(path) == .track(Self.key(track)))
  }

  @Test func `bytes that are no text are compared as they are`() {
    let entry = TrackListEntry(.path([0x6D, 0xFC, 0x2E]))
    #expect(match.answer(to: entry, base: nil) == .track(Self.key(4)))
  }

  @Test func `where no path leads to a track, artist, title and length do`() {
    #expect(
      answer("gone.mp3", artist: "talk talk", title: "NEW GRASS", seconds: 301.5)
        == .track(Self.key(6)))
    #expect(answer("gone.mp3", artist: "Nina Simone", title: "Sinnerman") == .track(Self.key(7)))
    #expect(answer("old/Nina Simone - Sinnerman.mp3", seconds: 618) == .track(Self.key(7)))
    for seconds in [nil, 302.5, 400] {
      let found = answer("gone.mp3", artist: "Talk Talk", title: "New Grass", seconds: seconds)
      #expect(found == .none("is no track of the library, also not by artist and title"))
    }
  }

  @Test func `addresses are kept, and what no track is says why`() {
    #expect(
      match.answer(to: TrackListEntry(.url("http://h/")), base: nil) == .url("http://h/"))
    #expect(answer("in/b.m3u") == .none("is a list; import it by itself"))
    var part = TrackListEntry(.path(Array("Rock/a.mp3".utf8)))
    part.part = .init(begin: 0, end: 10)
    #expect(match.answer(to: part, base: nil) == .none(TrackListEntry.Part.unmatched))
  }
}
