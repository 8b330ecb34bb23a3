import Testing

@testable import Server

@Suite struct StationAudienceTests {
  @Test(arguments: [
    (0.0, 60), (1, 60), (3840, 60), (3841, 120), (86_400, 1380), (1e300, 60_000_000), (-5, 60),
    (.nan, 60),
  ])
  func `64 buckets of whole minutes cover the window`(window: Double, seconds: Int) {
    let audience = StationAudience(window: window)
    #expect(audience.seconds == seconds && audience.buckets.count == 64)
  }

  @Test func `a listener is counted in the bucket of its place`() {
    var audience = StationAudience(window: 600)
    for behind in [0, 59.9, 60, 119, 600, -3, 1e300, .infinity, .nan] {
      audience.count(behind: behind)
    }
    var expected = [Int](repeating: 0, count: 64)
    (expected[0], expected[1], expected[10], expected[63]) = (4, 2, 1, 2)
    #expect(audience.buckets == expected)
  }

  @Test func `loops' counts add up`() {
    var sum = StationAudience(window: 60)
    for _ in 0..<3 {
      var part = StationAudience(window: 60)
      part.count(behind: 70)
      part.states[.paused] += 1
      part.players = ["VLC": 2, nil: 1]
      sum.add(part)
    }
    #expect(sum.buckets[1] == 3 && sum.states[.paused] == 3 && sum.states[.live] == 0)
    #expect(sum.players == ["VLC": 6, nil: 3])
  }

  @Test func `players are told by name as far as there is room`() {
    var audience = StationAudience(window: 60)
    for number in 1...30 { audience.players["player \(number)"] = number }
    audience.players[nil] = 100
    let (most, other) = audience.players(most: 20)
    #expect(most.count == 20 && most.first?.name == nil && most.first?.listeners == 100)
    #expect(most.last?.listeners == 12 && other == (1...11).reduce(0, +))
  }
}
