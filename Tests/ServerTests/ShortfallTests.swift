import Testing
import Timeshift

@testable import Server

/// When a line counts as too slow for its station.
struct ShortfallTests {
  /// Seconds at which it was told in a time of looks twice a second.
  /// - Parameter cursor: media seconds that have been taken by a second.
  private func told(
    burst: Double = 4, rate: Double = 1, over seconds: Int = 120, _ cursor: (Double) -> Double
  ) -> [Double] {
    var shortfall = Shortfall(at: MediaTime(seconds: 1000 + cursor(0)), now: 0)
    return (1...2 * seconds).compactMap { step in
      let second = Double(step) / 2
      let seconds = shortfall.follow(
        to: MediaTime(seconds: 1000 + cursor(second)), burst: MediaTime(seconds: burst), rate: rate,
        now: Int64(second * 1e9))
      #expect(seconds.map { $0 >= 15 } ?? true)
      return seconds == nil ? nil : second
    }
  }

  @Test
  func `a line that takes four fifths is told of once, after what was ahead and fifteen seconds`() {
    // 5 s ahead last for 25 s.
    #expect(told { 0.8 * $0 } == [40.5])
    #expect(told(burst: 0) { 0.8 * $0 } == [20.5])
  }

  @Test func `a line that keeps up is not told of, in whatever pieces it takes`() {
    #expect(told { $0 }.isEmpty)
    #expect(told { 2 * ($0 / 2).rounded(.down) }.isEmpty)
    #expect(told { 5 * ($0 / 5).rounded(.down) }.isEmpty)
    // A station whose own clock is slow.
    #expect(told(rate: 0.9) { 0.9 * $0 }.isEmpty)
  }

  @Test(arguments: [3.0, 6, 7.5, 9, 12, 20, 31])
  func `a line that stood still once is not told of`(seconds: Double) {
    for begin in stride(from: 20.0, to: 30, by: 0.5) {
      #expect(told { $0 < begin ? $0 : max(begin, $0 - seconds) }.isEmpty)
    }
  }

  @Test func `a line that takes nothing is paused`() {
    #expect(told { _ in 0 }.isEmpty)
    #expect(told { $0 < 60 ? 0 : $0 - 60 }.isEmpty)
  }

  @Test func `a line that got better and worse again is told of again`() {
    let twice = told(over: 300) {
      $0 < 100 ? 0.5 * $0 : $0 < 200 ? 50 + ($0 - 100) : 150 + 0.5 * ($0 - 200)
    }
    #expect(twice.count == 2 && twice.first == 25.5)
  }

  @Test(arguments: [-500.0, -31, 31, 500])
  func `a jump is neither slow nor fast`(by seconds: Double) {
    #expect(told { $0 < 60 ? $0 : $0 + seconds }.isEmpty)
    #expect(told { $0 < 60 ? 0.5 * $0 : 0.5 * $0 + seconds }.count == 1)
  }
}
