import Testing

@testable import Reactor

@Suite struct StandstillTests {
  private func seconds(_ seconds: Double) -> Int64 { Int64(seconds * 1e9) }

  /// Seconds: the turn before, when the next was due, when it began, and what was missed.
  @Test(
    arguments: [
      (10.0, 10.02, 10.02, 0.0), (10, 10.02, 10.9, 0), (10, 10.02, 15.02, 5), (10, 9, 10.5, 0),
      (10, 9, 13, 3), (10, 70, 40, 0), (10, 70, 70.5, 0), (10, 70, 75, 5), (10, nil, 4000, 0),
    ] as [(Double, Double?, Double, Double)])
  func `what is missed is the time after a turn was due`(
    row: (turn: Double, due: Double?, now: Double, missed: Double)
  ) {
    var standstill = Standstill()
    let missed = standstill.missed(
      since: seconds(row.turn), due: row.due.map(seconds), at: seconds(row.now))
    #expect(missed == seconds(row.missed))
  }

  @Test func `a loop that is busy without end gets little time for it`() {
    var standstill = Standstill()
    var all: Int64 = 0
    for turn in 0..<1000 {
      let began = Double(turn) * 1.5
      all += standstill.missed(
        since: seconds(began), due: seconds(began), at: seconds(began + 1.5))
    }
    #expect(all > 0 && all < seconds(1500.0 / 10))
  }
}
