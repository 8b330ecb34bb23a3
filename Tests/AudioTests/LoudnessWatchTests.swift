import Testing

@testable import Audio

/// The rule for loudness out of bounds: what it tells of loudness by the second.
@Suite struct LoudnessWatchTests {
  private typealias Change = LoudnessWatch.Change

  /// Tells the short-term loudness of each second; nil is dead air, whose short-term loudness is that of before.
  private func told(_ watch: LoudnessWatch, _ seconds: [Double?]) -> [Change] {
    var (watch, last) = (watch, -120.0)
    return seconds.enumerated().compactMap { second, loudness in
      last = loudness ?? last
      return watch.add(last, at: Double(second), for: 1, isSilent: loudness == nil)
    }
  }

  private func many(_ loudness: Double?, _ count: Int) -> [Double?] {
    Array(repeating: loudness, count: count)
  }

  private let both = LoudnessWatch(below: -30, above: -9, for: 10)

  @Test func `loudness within bounds is nothing to tell, up to the bounds themselves`() {
    #expect(told(both, many(-30, 60) + many(-20, 60) + many(-9, 60)) == [])
    #expect(told(LoudnessWatch(below: nil, above: nil, for: 3), many(-60, 60)) == [])
  }

  @Test func `a crossing is told once when it has lasted, and once when it is over`() {
    let soft = many(-20, 5) + many(-35, 25) + many(-20, 30)
    #expect(
      told(both, soft)
        == [.out(.below, since: 5, loudness: -35), .back(at: 30, seconds: 25)])
    let loud = many(-20, 5) + many(-6, 10) + many(-20, 30)
    #expect(
      told(both, loud) == [.out(.above, since: 5, loudness: -6), .back(at: 15, seconds: 10)])
  }

  @Test func `a crossing that does not last is not told`() {
    let flicker = (0..<20).flatMap { _ in many(-35, 9) + many(-29, 1) }
    #expect(told(both, flicker) == [])
  }

  @Test func `loudness that hovers at the bound goes neither back nor out again`() {
    var near = many(-31, 10)
    for _ in 0..<50 { near += [-29.9, -29.1, -30.2] }
    #expect(told(both, near) == [.out(.below, since: 0, loudness: -31)])
    #expect(told(both, near + [-29]).last == .back(at: 160, seconds: 160))
    var loud = many(-8, 10)
    for _ in 0..<50 { loud += [-9.1, -9.9, -8.5] }
    #expect(told(both, loud) == [.out(.above, since: 0, loudness: -8)])
    #expect(told(both, loud + [-10]).last == .back(at: 160, seconds: 160))
  }

  @Test func `bounds closer than the way back have their middle as the way back`() {
    let close = LoudnessWatch(below: -23, above: -22, for: 3)
    #expect(
      told(close, many(-24, 3) + many(-22.6, 2) + [-22.5])
        == [.out(.below, since: 0, loudness: -24), .back(at: 5, seconds: 5)])
  }

  @Test func `loudness that goes from below one bound to above the other crosses twice`() {
    #expect(
      told(both, many(-40, 12) + many(-5, 12))
        == [
          .out(.below, since: 0, loudness: -40), .back(at: 12, seconds: 12),
          .out(.above, since: 13, loudness: -5),
        ])
  }

  @Test func `a loudness watch may have one bound only`() {
    let low = LoudnessWatch(below: -30, above: nil, for: 3)
    #expect(told(low, many(0, 30) + many(-31, 3)) == [.out(.below, since: 30, loudness: -31)])
    let high = LoudnessWatch(below: nil, above: -9, for: 3)
    #expect(told(high, many(-60, 30) + many(-8, 3)) == [.out(.above, since: 30, loudness: -8)])
  }

  @Test func `dead air is out of no bounds, and what follows counts from its own sound on`() {
    // The loudness of 3 s falls while it gets silent, and rises again behind the silence.
    let falling: [Double?] = [-30.5, -33, -120]
    let dead = many(-20, 10) + falling + many(nil, 30) + [-33, -31, -30.5] + many(-20, 30)
    #expect(told(LoudnessWatch(below: -30, above: nil, for: 3), dead) == [])
    // Silence by the loudness itself, without a rule that says so.
    #expect(told(both, many(-20, 5) + many(-71, 300) + many(-20, 5)) == [])
    // Soft sound on both sides of dead air is not put together.
    #expect(told(both, many(-35, 6) + many(nil, 5) + many(-35, 8) + many(-20, 9)) == [])
    // A pause of a second is none.
    #expect(
      told(both, many(-35, 6) + many(nil, 1) + many(-35, 8))
        == [.out(.below, since: 0, loudness: -35)])
  }

  @Test func `dead air behind soft sound leaves it soft`() {
    #expect(
      told(both, many(-35, 10) + many(nil, 20) + many(-35, 10) + many(-20, 3))
        == [.out(.below, since: 0, loudness: -35), .back(at: 40, seconds: 40)])
  }

  @Test func `missing seconds begin the count towards a crossing anew`() {
    var watch = both
    var changes: [Change] = []
    for second in Array(0..<8) + Array(20..<28) + Array(30..<33) {
      let change = watch.add(-40, at: Double(second), for: 1, isSilent: false)
      if let change { changes.append(change) }
    }
    // A hole as long as the loudness's own span is none.
    #expect(changes == [.out(.below, since: 20, loudness: -40)])
  }
}
