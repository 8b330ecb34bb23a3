import Server
import Testing

@testable import Longwave

/// What strangers are told of which minutes others went back to.
@Suite struct ReplayHistoryTests {
  private static func seen(_ listeners: Int, _ people: Set<UInt32>) -> ReplaySample.Minute {
    var few = FewPeople()
    for person in people.sorted() { few.note(person) }
    return ReplaySample.Minute(listeners: listeners, people: few)
  }

  private static let crowd: Set<UInt32> = [1, 2, 3]

  @Test func `a minute is told once three people have heard it, one after the other as well`() {
    var history = ReplayHistory()
    for person: UInt32 in [1, 2, 1, 2, 2] {
      history.keep([100: Self.seen(1, [person])], in: 90...200)
      #expect(history.levels().bytes == [])
    }
    history.keep([100: Self.seen(1, [3])], in: 90...200)
    #expect(history.levels().first == 100 && history.levels().bytes == [255])
  }

  @Test func `two people who hear a minute for hours are not seen beside others`() {
    var history = ReplayHistory()
    let others = Self.seen(10, Self.crowd)
    history.keep([100: others, 101: Self.seen(100_000, [8, 9]), 102: others], in: 90...200)
    #expect(history.levels().bytes == [255, 0, 255])
  }

  @Test func `replay levels are coarse: one more of many listeners changes nothing`() {
    for listeners in 1...1000 {
      var history = ReplayHistory()
      history.keep(
        [100: Self.seen(1000, Self.crowd), 101: Self.seen(listeners, Self.crowd)], in: 90...200)
      let step = (listeners * 8 + 999) / 1000
      #expect(history.levels().bytes == [255, UInt8(step * 255 / 8)], "\(listeners)")
    }
  }

  @Test func `minutes that have left the window are forgotten, whoever comes back to them`() {
    var history = ReplayHistory()
    history.keep([100: Self.seen(9, Self.crowd), 110: Self.seen(9, Self.crowd)], in: 90...200)
    #expect(history.levels().bytes.count == 11)
    history.keep([100: Self.seen(9, Self.crowd)], in: 101...210)
    #expect(history.levels().first == 110 && history.count == 1)
    history.keep([:], in: 111...211)
    #expect(history.isEmpty && history.levels().bytes == [])
    // A minute that is not there cannot be heard.
    history.keep([212: Self.seen(9, Self.crowd)], in: 111...211)
    #expect(history.isEmpty)
  }

  @Test func `the newest day of a long window counts`() {
    var history = ReplayHistory()
    let all = Dictionary(uniqueKeysWithValues: (Int64(0)...4999).map { ($0, Self.seen(1, [1])) })
    history.keep(all, in: 0...4999)
    #expect(history.count == 1440)
    history.keep([3560: Self.seen(1, [2, 3]), 3559: Self.seen(1, [2, 3])], in: 0...4999)
    #expect(history.levels().first == 3560 && history.levels().bytes == [255])
    #expect(MemoryLayout<ReplaySample.Minute>.stride <= 24)
  }

  @Test func `numbers that cannot be end nothing`() {
    for window in [Int64.min...Int64.min, .min ... .max, 0 ... .max, Int64.max...Int64.max] {
      var history = ReplayHistory()
      let seen = Dictionary(
        uniqueKeysWithValues: [Int64.min, -1, 0, .max - 1, .max].map {
          ($0, Self.seen(.max, Self.crowd))
        })
      history.keep(seen, in: window)
      history.keep(seen, in: window)
      #expect(history.levels().bytes.count <= 1440)
      _ = history.told(of: "jazz").json.text
    }
  }
}
