import TestSupport
import Testing
import Wire

@testable import Programmes

/// The order of a cycle, and what edits do to it.
@Suite struct ShuffleTests {
  /// Published with the algorithm (`vectors_sip64`): key and message are the bytes 0, 1, 2, …
  @Test func `hashes are those of SipHash 2-4`() {
    let (one, two): (UInt64, UInt64) = (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908)
    #expect(SipHash(one, two).finish() == 0x726f_db47_dd0e_0e31)
    var eight = SipHash(one, two)
    eight.add(one)
    #expect(eight.finish() == 0x93f5_f579_9a93_2462)
    #expect(eight.finish(8...14) == 0xa129_ca61_49be_45e5)
  }

  @Test func `a text's hash is that of its bytes`() {
    var hash = SipHash(1, 2)
    hash.add(0x6867_6665_6463_6261)
    #expect(SipHash.of("abcdefghij", 1, 2) == hash.finish([0x69, 0x6a]))
  }

  /// Written down once: another process, build or machine must agree, or stations change their order at an upgrade.
  @Test func `one seed and the same tracks give the same order everywhere`() {
    let catalogue = Music.catalogue(12, artists: 3)
    let order = Shuffle(seed: 7).order(of: catalogue, source: SipHash.of("hot"), cycle: 1)
    #expect(order == [4, 3, 5, 7, 0, 1, 11, 9, 2, 10, 6, 8])
    let next = Shuffle(seed: 7).order(of: catalogue, source: SipHash.of("hot"), cycle: 2)
    #expect(next == [8, 7, 3, 11, 4, 6, 2, 10, 9, 5, 1, 0])
    #expect(Shuffle(seed: 7).slots([3, 1], choice: 9, cycle: 1) == [0, 0, 0, 1])
  }

  @Test func `another seed, cycle or source is another order`() {
    let catalogue = Music.catalogue(50, artists: 5)
    func order(_ seed: Int64, _ source: UInt64, _ cycle: Int64) -> [UInt32] {
      Shuffle(seed: seed).order(of: catalogue, source: source, cycle: cycle)
    }
    #expect(Set([order(1, 1, 1), order(2, 1, 1), order(1, 2, 1), order(1, 1, 2)]).count == 4)
  }

  @Test func `another track moves those of its artist only`() {
    let tracks = (0..<90).map { Music.track($0, artist: "artist \($0 % 9)") }
    let shuffle = Shuffle(seed: 3)
    func order(_ tracks: [Catalogue.Track]) -> [TrackKey] {
      let catalogue = Catalogue(tracks)
      return shuffle.order(of: catalogue, source: 1, cycle: 1).map { catalogue.tracks[Int($0)].key }
    }
    let moved = Set(tracks.filter { $0.artist == tracks[4].artist }.map(\.key))
    let before = order(tracks).filter { !moved.contains($0) }
    let after = order(tracks + [Music.track(500, artist: "artist 4")])
    #expect(after.filter { !moved.contains($0) && $0 != Music.key(500) } == before)
  }

  @Test func `weights are kept in each round of turns`() {
    let shuffle = Shuffle(seed: 11)
    for cycle in 0..<50 as Range<Int64> {
      let slots = shuffle.slots([3, 1, 5], choice: 1, cycle: cycle)
      #expect((0..<3).map { index in slots.count { $0 == index } } == [3, 1, 5])
    }
  }

  /// The least distance of two tracks of one artist, in tracks, and how many were relaxed.
  private static func spread(_ catalogue: Catalogue, items: Int, wanted: Int) -> (
    least: Int, relaxed: Int
  ) {
    let separate = Separate(artist: wanted * 240, title: 0, album: 0)
    let programme = Programme(PlayRules(.play(Music.hot), order: .shuffle, separate: separate))
    var plan = Plan(programme, [Music.hot: catalogue])
    var (last, least, relaxed): ([UInt64: Int], Int, Int) = ([:], .max, 0)
    for (index, item) in plan.items(items).enumerated() {
      guard let artist = item.track?.artist else { continue }
      if let before = last[artist] { least = min(least, index - before) }
      last[artist] = index
      relaxed += item.relaxed.isEmpty ? 0 : 1
    }
    return (least, relaxed)
  }

  /// The same look-ahead on an order that does not spread.
  private static func plainSpread(_ catalogue: Catalogue, items: Int) -> Int {
    var (last, least, index): ([UInt64: Int], Int, Int) = ([:], .max, 0)
    var random = SplitMix(seed: 7)
    while index < items {
      for track in catalogue.tracks.shuffled(using: &random) {
        if let before = last[track.artist] { least = min(least, index - before) }
        last[track.artist] = index
        index += 1
      }
    }
    return least
  }

  @Test func `a year of sixty artists keeps each half a round away from itself`() {
    let catalogue = Music.catalogue(1800, artists: 60)
    let year = Self.spread(catalogue, items: 131_000, wanted: 30)
    print("least distance \(year.least), \(year.relaxed) relaxed")
    #expect(year.least >= 30)
    #expect(year.relaxed == 0)
    #expect(Self.plainSpread(catalogue, items: 131_000) == 1)
  }

  @Test func `a hundred thousand tracks are played as a few are`() throws {
    let clock = ContinuousClock()
    let tracks = (0..<100_000).map { Music.track($0, artist: "artist \($0 % 7000)") }
    var catalogue = Catalogue([])
    let made = clock.measure { catalogue = Catalogue(tracks) }
    var plan = Plan(Programme(playing: Music.hot, order: .shuffle), [Music.hot: catalogue])
    let first = clock.measure { _ = plan.upcoming(from: 0) }
    var played: Set<TrackKey> = []
    let others = clock.measure { played = Set(plan.items(2000).keys) }
    print("catalogue \(made), order \(first), 2,000 items \(others)")
    #expect(played.count == 2000)
    // A restart finds what was played.
    let left = plan.state.cycles["shuffle hot"]?.left
    var again = Plan(plan.programme, plan.stock, in: .utc, state: try plan.state.stored())
    #expect(again.items(1, from: 480_000_000).keys == plan.items(1, from: 480_000_000).keys)
    #expect(left == 98_000 && again.state.cycles["shuffle hot"]?.left == 97_999)
  }

  @Test func `one artist among many is spread over the whole cycle`() {
    let tracks = (0..<1800).map { Music.track($0, artist: $0 < 30 ? "much" : "artist \($0)") }
    let year = Self.spread(Catalogue(tracks), items: 131_000, wanted: 30)
    print("least distance \(year.least), \(year.relaxed) relaxed")
    #expect(year.least >= 30)
    #expect(year.relaxed == 0)
  }
}
