import Library
import TestSupport
import Testing
import Wire

@testable import Longwave

/// Which item was on air when.
@Suite struct PlaySpansTests {
  private func key(_ item: UInt64) -> Play.Key { Play.Key(station: "night", item: item, at: 0) }

  /// Items 1 to 3 from 10 s on, 10 s each; a pause before 3, which plays.
  private var spans: PlaySpans {
    var spans = PlaySpans()
    spans.set(key(1), from: 10_000, until: PlaySpans.open)
    spans.set(key(1), from: 10_000, until: 20_000)
    spans.set(key(2), from: 20_000, until: 30_000)
    spans.set(key(3), from: 35_000, until: PlaySpans.open)
    return spans
  }

  @Test(
    arguments: [
      (0..<5000, [:]), (0..<12_000, [1: 2000]), (12_000..<15_000, [1: 3000]),
      (18_000..<23_000, [1: 2000, 2: 3000]), (28_000..<33_000, [2: 2000]),
      (31_000..<34_000, [:]), (33_000..<38_000, [3: 3000]), (90_000..<95_000, [3: 5000]),
      (0..<100_000, [1: 10_000, 2: 10_000, 3: 65_000]), (15_000..<15_000, [:]),
    ] as [(Range<Int64>, [UInt64: Int64])])
  func `a time is divided among what was on air in it`(
    times: Range<Int64>, wanted: [UInt64: Int64]
  ) {
    let shares = spans.shares(of: times).map { ($0.key.item, $0.milliseconds) }
    #expect(Dictionary(shares) { $0 + $1 } == wanted)
  }

  @Test func `what is known of before a restart comes in its order, and changes nothing`() {
    var spans = PlaySpans()
    spans.set(key(3), from: 30_000, until: PlaySpans.open)
    // Two that overlap: where one begins, the other is over.
    spans.learn(key(1), from: 10_000, until: 22_000)
    spans.learn(key(2), from: 20_000, until: 29_000)
    spans.learn(key(3), from: 29_000, until: 31_000)
    let shares = spans.shares(of: 0..<40_000).map { ($0.key.item, $0.milliseconds) }
    #expect(shares.map(\.0) == [1, 2, 3] && shares.map(\.1) == [10_000, 9000, 10_000])
  }

  @Test func `items of long ago are forgotten`() {
    var spans = PlaySpans()
    for item in 0..<UInt64(PlaySpans.max) + 5 {
      spans.set(key(item), from: Int64(item) * 1000, until: Int64(item) * 1000 + 1000)
    }
    #expect(spans.count == PlaySpans.max)
    #expect(spans.shares(of: 0..<6000).map(\.key.item) == [5])
  }

  @Test func `pieces of who goes on listening join without a hole`() {
    let random = UInt64.random(in: 0...UInt64.max)
    print("seed \(random)")
    var generator = SplitMix(seed: random)
    var spans = PlaySpans()
    var from: Int64 = 0
    for item in 0..<50 as Range<UInt64> {
      let until = from + Int64.random(in: 1...9000, using: &generator)
      spans.set(key(item), from: from, until: until)
      from = until
    }
    var sums: [Play.Key: Int64] = [:]
    var place: Int64 = 0
    while place < from {
      let next = min(from, place + Int64.random(in: 1...7000, using: &generator))
      for share in spans.shares(of: place..<next) {
        sums[share.key, default: 0] += share.milliseconds
      }
      place = next
    }
    let whole = spans.shares(of: 0..<from)
    #expect(sums == Dictionary(uniqueKeysWithValues: whole.map { ($0.key, $0.milliseconds) }))
    #expect(whole.count == 50 && sums.values.reduce(0, +) == from)
  }
}
