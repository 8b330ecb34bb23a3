import Foundation
import GRDB
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Library

/// What was played, in a database of its own.
@Suite struct PlayStoreTests {
  private let folder = TemporaryDirectory()
  private var path: String { folder.file("plays.db") }

  private func play(
    _ item: UInt64, at seconds: Int64, of station: String = "night", isWhole: Bool? = true
  ) -> Play {
    let key = Play.Key(station: station, item: item, at: seconds * 1000)
    var play = Play(
      key, kind: .track, ended: (seconds + 200) * 1000, seconds: 200, isWhole: isWhole)
    (play.title, play.artist, play.album) = ("Title \(item)", "Artist", "Album")
    play.track = TrackKey(high: item, low: 7)
    (play.why, play.isrc, play.label) = ("order", "GBAYE0000001", "Verve")
    return play
  }

  private func store(
    _ plays: [Play], rowsMax: Int = PlayStore.rowsMax
  ) throws -> PlayStore {
    let store = PlayStore(path, rowsMax: rowsMax)
    try store.begin()
    try store.write(PlayChanges(plays: plays))
    return store
  }

  private func items(_ store: PlayStore, _ query: PlayQuery = PlayQuery()) throws -> [UInt64] {
    try store.page(query).plays.map(\.key.item)
  }

  @Test func `what was played is read as it was written`() throws {
    var live = Play(
      Play.Key(station: "night", item: 2, at: 2_000), kind: .live, ended: 9_000, seconds: 7.5,
      isWhole: false)
    live.title = "studio"
    let track = play(1, at: 1)
    let store = try store([track, live])
    try store.write(PlayChanges(heard: [track.key: 9_640_000, live.key: 400]))
    var (first, second) = (live, track)
    (first.heard, second.heard) = (400, 9_640_000)
    let page = try store.page(PlayQuery())
    #expect(page.plays == [first, second] && page.next == nil)
    #expect(second.listenerSeconds == 9640 && second.listeners == 48.2)
    #expect(first.listenerSeconds == 0 && first.listeners == 0.1)
  }

  @Test func `a play that goes on is one row, with all that was heard of it`() throws {
    var known = play(1, at: 1, isWhole: nil)
    known.seconds = 5
    let store = try store([known])
    #expect(try items(store).isEmpty)
    try store.write(PlayChanges(heard: [known.key: 1500]))
    store.close()

    // Behind a restart nothing is known of the file but its title.
    let again = PlayStore(path)
    try again.begin()
    #expect(try again.page(PlayQuery()).plays.map(\.isWhole) == [false])
    var resumed = Play(known.key, kind: .track, ended: 300_000, seconds: 200, isWhole: true)
    resumed.title = "Title 1"
    try again.write(PlayChanges(plays: [resumed], heard: [known.key: 2500]))
    // Begun once, what plays now stays open.
    try again.write(PlayChanges(plays: [play(2, at: 300, isWhole: nil)]))
    try again.begin()
    let plays = try again.page(PlayQuery()).plays
    try #require(plays.count == 1)
    #expect(plays[0].isWhole == true && plays[0].seconds == 200 && plays[0].heard == 4000)
    #expect(plays[0].isrc == "GBAYE0000001" && plays[0].album == "Album")
    #expect(plays[0].track == TrackKey(high: 1, low: 7) && plays[0].ended == 300_000)
  }

  @Test func `the plays of each track are counted, over restarts and until they are too old`()
    throws
  {
    let keys = (1...3).map { TrackKey(high: $0, low: 7) }
    func counts(_ store: PlayStore) -> [[Int64]] {
      keys.map { key in store.tracks[key].map { [Int64($0.plays), $0.last.unixSeconds] } ?? [] }
    }
    let running = play(1, at: 900, isWhole: nil)
    let first = try store([play(1, at: 100), play(2, at: 200), running])
    #expect(counts(first) == [[2, 900], [1, 200], []])
    // A play that goes on, or is over, is the same play.
    try first.write(PlayChanges(plays: [play(1, at: 900)]))
    #expect(counts(first) == [[2, 900], [1, 200], []])
    first.close()
    let again = PlayStore(path)
    try again.countTracks()
    #expect(counts(again) == [[2, 900], [1, 200], []])
    try again.write(PlayChanges(plays: [play(3, at: 1000), play(2, at: 1100)]))
    #expect(counts(again) == [[2, 900], [2, 1100], [1, 1000]])
    while !(try again.trim(before: WallTime(unixSeconds: 1000))) {}
    #expect(counts(again) == [[], [1, 1100], [1, 1000]])
  }

  @Test func `a count that nobody waits for ends, and takes nothing of what is known`() throws {
    let store = try store([play(1, at: 1)])
    let end = ReadEnd()
    end.end()
    #expect(throws: LibraryError.self) { try store.countTracks(until: end) }
    #expect(store.tracks[TrackKey(high: 1, low: 7)]?.plays == 1)
    try store.write(PlayChanges(plays: [play(2, at: 2)]))
    #expect(try items(store) == [2, 1])
  }

  @Test func `pages go from the newest to the oldest, each play once, whatever comes meanwhile`()
    throws
  {
    let all = (0..<25).flatMap { number in
      // Two of a moment, of different stations.
      [play(number, at: Int64(number)), play(number, at: Int64(number), of: "jazz")]
    }
    let store = try store(all)
    for station in ["night", nil] {
      var query = PlayQuery(station: station, limit: 7)
      var found: [Play.Key] = []
      var pages = 0
      repeat {
        let page = try store.page(query)
        found += page.plays.map(\.key)
        query.after = page.next.flatMap { PlayQuery.Place($0.text) }
        #expect((query.after == nil) == (page.next == nil))
        pages += 1
        try store.write(PlayChanges(plays: [play(100 + UInt64(pages), at: 1000)]))
      } while query.after != nil && pages < 20
      // What has come meanwhile may be there in the second round.
      found = found.filter { $0.item < 100 }
      let wanted = station == nil ? all : all.filter { $0.key.station == "night" }
      #expect(Set(found) == Set(wanted.map(\.key)) && found.count == wanted.count)
      #expect(found.map(\.at) == found.map(\.at).sorted(by: >))
      try store.write(PlayChanges())
      _ = try store.trim(before: WallTime(unixSeconds: 0))
    }
  }

  @Test(
    arguments: [
      (nil, nil, [5, 4, 3, 2, 1]), (3000, nil, [5, 4, 3]), (nil, 3000, [2, 1]),
      (2000, 4000, [3, 2]),
      (2001, 4001, [4, 3]), (9000, nil, []),
    ] as [(Int64?, Int64?, [UInt64])])
  func `a time has what began in it, its end left out`(
    from: Int64?, to: Int64?, wanted: [UInt64]
  ) throws {
    let store = try store((1...5).map { play(UInt64($0), at: Int64($0)) })
    func time(_ milliseconds: Int64?) -> WallTime? {
      milliseconds.map { WallTime(nanoseconds: $0 * 1_000_000) }
    }
    #expect(
      try items(store, PlayQuery(station: "night", from: time(from), to: time(to))) == wanted)
    #expect(try items(store, PlayQuery(from: time(from), to: time(to))) == wanted)
    #expect(try items(store, PlayQuery(station: "other")).isEmpty)
  }

  @Test func `what is too old goes, and of too many the oldest`() throws {
    let store = try store((1...30).map { play(UInt64($0), at: Int64($0)) }, rowsMax: 20)
    let time = WallTime(unixSeconds: 6)
    var turns = 0
    while try !store.trim(before: time), turns < 100 { turns += 1 }
    #expect(try items(store) == (11...30).reversed())
    while try !store.trim(before: WallTime(unixSeconds: 25)), turns < 100 { turns += 1 }
    #expect(try items(store) == (25...30).reversed())
    #expect(turns < 100)
  }

  @Test func `the newest plays of a station are known in their order, also what plays`() throws {
    let store = try store(
      [play(1, at: 1), play(2, at: 2), play(3, at: 3, isWhole: nil), play(9, at: 9, of: "jazz")])
    #expect(try store.newest(of: "night", count: 2).map(\.key.item) == [2, 3])
  }

  @Test(arguments: ["damaged", "deleted", "of another kind"])
  func `a database that is lost is begun anew`(how: String) throws {
    let store = try store([play(1, at: 1)])
    if how == "of another kind" {
      store.close()
      let other = try DatabaseQueue(path: path)
      try other.write { try $0.execute(sql: "PRAGMA user_version = 99") }
      try other.close()
    } else if how == "damaged" {
      store.close()
      folder.write("plays.db", [UInt8](repeating: 7, count: 9000))
    } else {
      for name in ["plays.db", "plays.db-wal", "plays.db-shm"] {
        try? FileManager.default.removeItem(atPath: folder.file(name))
      }
    }
    let again = how == "deleted" ? store : PlayStore(path)
    try again.write(PlayChanges(plays: [play(2, at: 2)]))
    #expect(try items(again) == [2])
    // Nor are the plays counted that went with it.
    #expect(again.tracks[TrackKey(high: 1, low: 7)] == nil)
    #expect(again.tracks[TrackKey(high: 2, low: 7)]?.plays == 1)
    let remarks = again.popRemarks()
    let isKept = FileManager.default.fileExists(atPath: path + ".bad")
    #expect(isKept == (how != "deleted") && remarks.count == (isKept ? 1 : 0))
    #expect(remarks.allSatisfy { $0.hasSuffix("is now \(path).bad, and a new one is begun") })
  }

  @Test func `rows that were changed by hand end nothing`() throws {
    let store = try store((1...4).map { play(UInt64($0), at: Int64($0)) })
    store.close()
    let other = try DatabaseQueue(path: path)
    try other.write { db in
      try db.execute(sql: "UPDATE play SET kind = 'x' WHERE item = 1")
      try db.execute(sql: "UPDATE play SET item = -5 WHERE item = 2")
      try db.execute(sql: "UPDATE play SET seconds = 'x', heard = -9, track = x'01' WHERE item = 3")
      try db.execute(sql: "UPDATE play SET heard = 9223372036854775807, at = -7 WHERE item = 4")
    }
    try other.close()
    let again = PlayStore(path)
    try again.begin()
    try again.write(PlayChanges(heard: [play(4, at: 4).key: .max]))
    let plays = try again.page(PlayQuery()).plays
    #expect(plays.map(\.key.item) == [3, 4])
    #expect(plays.map(\.seconds) == [0, 200] && plays[0].heard == 0 && plays[0].track == nil)
    #expect(plays[1].key.at == 0 && plays[1].listenerSeconds == 1_125_899_906_843)
  }

  @Test(arguments: [
    ("5-7", "5-7"), ("0-0", "0-0"), ("", nil), ("5", nil), ("5-", nil), ("-5-7", nil),
    ("5-7-9", nil), ("5--7", nil), ("x-y", nil), ("99999999999999999999-1", nil),
  ])
  func `a place in the list is what was told`(text: String, wanted: String?) {
    #expect(PlayQuery.Place(text)?.text == wanted)
  }
}
