import TestSupport
import Testing
import Timeshift

@testable import Server

@Suite struct ListeningTimesTests {
  private static let second: Int64 = 1_000_000_000

  @Test func `a listener's time counts on until it leaves`() {
    var times = ListeningTimes()
    times.joined("jazz", at: 10 * Self.second)
    times.joined("jazz", at: 20 * Self.second)
    times.joined("rock", at: 20 * Self.second)
    #expect(times.milliseconds(at: 30 * Self.second) == ["jazz": 30_000, "rock": 10_000])
    times.left("jazz", at: 30 * Self.second)
    #expect(times.milliseconds(at: 40 * Self.second)["jazz"] == 40_000)
    times.left("jazz", at: 50 * Self.second)
    for at in [50, 60, 1_000_000] {
      #expect(times.milliseconds(at: Int64(at) * Self.second)["jazz"] == 50_000)
    }
  }

  @Test func `a sum never shrinks, whoever comes and goes`() {
    var (times, random) = (ListeningTimes(), SplitMix(seed: 1))
    var (here, now, last) = (0, Int64(0), Int64(0))
    for _ in 0..<10_000 {
      now += Int64.random(in: 0..<3_000_000, using: &random)
      if here == 0 || Bool.random(using: &random) {
        times.joined("jazz", at: now)
        here += 1
      } else {
        times.left("jazz", at: now)
        here -= 1
      }
      let sum = times.milliseconds(at: now)["jazz"] ?? 0
      #expect(sum >= last)
      last = sum
    }
  }

  @Test func `a station that is gone is forgotten with its last listener`() {
    var times = ListeningTimes()
    times.joined("jazz", at: 0)
    times.joined("rock", at: 0)
    times.left("rock", at: Self.second)
    times.keep(only: MountTable())
    #expect(times.milliseconds(at: Self.second) == ["jazz": 1000])
    times.left("jazz", at: Self.second)
    times.keep(only: MountTable())
    #expect(times.milliseconds(at: Self.second).isEmpty)
    // Of a listener that nobody counted.
    times.left("jazz", at: Self.second)
    #expect(times.milliseconds(at: Self.second).isEmpty)
  }
}
