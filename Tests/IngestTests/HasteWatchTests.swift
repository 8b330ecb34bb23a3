import TestSupport
import Testing
import Timeshift

@testable import Ingest

@Suite struct HasteWatchTests {
  private func at(_ seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64((1000 + seconds) * 1e9))
  }

  /// When an upstream is found too fast, looked at once a second, and the rate that is told; `media`: what has come by
  /// then.
  private func found(
    isBraked: (Double) -> Bool = { _ in false }, _ media: (Double) -> Double
  ) -> (second: Double, rate: Double)? {
    var watch = HasteWatch()
    for second in stride(from: 0.0, to: 600, by: 1) {
      let braked = isBraked(media(second) - second)
      if let rate = watch.look(seconds: media(second), isBraked: braked, at: at(second)) {
        return (second, rate)
      }
    }
    return nil
  }

  @Test(arguments: [0, 4, 60] as [Double], [1.2, 1.5, 4] as [Double])
  func `an upstream above eleven tenths for 20 s is too fast, whatever its burst`(
    burst: Double, rate: Double
  ) throws {
    // A burst comes within a second; a second at the pace of playing ends it.
    let found = try #require(
      found { $0 == 0 ? 0 : $0 <= 1 ? burst + 1 : burst + 1 + max(0, $0 - 2) * rate })
    #expect((20...60).contains(found.second))
    #expect(abs(found.rate - rate) < 0.3)
  }

  @Test func `an upstream never slower is too fast once it is ahead as no burst is`() throws {
    let found = try #require(found(isBraked: { $0 > 90 }) { $0 < 31 ? 4 * $0 : 93 + $0 })
    #expect((25...60).contains(found.second) && found.rate > 2)
  }

  @Test(arguments: [0.93, 1, 1.02, 1.05] as [Double], [0.1, 1, 4, 10, 14] as [Double])
  func `an upstream at about real time is not too fast, in lumps of any size`(
    rate: Double, lump: Double
  ) {
    #expect(found { ($0 * rate / lump).rounded(.down) * lump } == nil)
  }

  @Test(arguments: [10, 60, 75] as [Double], [1, 10, 40] as [Double])
  func `a burst is not too fast, however long it takes`(burst: Double, seconds: Double) {
    #expect(found { $0 + burst * min(1, $0 / seconds) } == nil)
  }

  @Test(arguments: [2.0, 4, 10], [6.0, 12, 19])
  func `bursts of a fallback that comes and goes are not too fast`(burst: Double, stay: Double) {
    #expect(
      found { $0 + ($0 > 100 ? burst : 0) + ($0 > 100 + stay ? burst : 0) } == nil)
  }

  @Test func `audio that makes up for a pause is not too fast`() {
    #expect(found { $0 < 100 ? $0 : $0 < 140 ? 100 : min($0, 100 + ($0 - 140) * 3) } == nil)
  }

  @Test func `haste is told once, and a machine that stood still begins anew`() {
    var watch = HasteWatch()
    var told = 0
    for second in 0..<200 {
      let media = Double(second) * 2
      if watch.look(seconds: media, isBraked: false, at: at(Double(second))) != nil { told += 1 }
    }
    #expect(told == 1)
    watch = HasteWatch()
    for second in 0..<600 where second % 19 < 15 {
      #expect(watch.look(seconds: Double(second), isBraked: false, at: at(Double(second))) == nil)
    }
  }
}
