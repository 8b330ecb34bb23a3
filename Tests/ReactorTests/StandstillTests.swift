import Testing

@testable import Reactor

@Suite struct StandstillTests {
  private func seconds(_ seconds: Double) -> Int64 { Int64(seconds * 1e9) }

  /// Seconds: the turn before, when the next was due, when it began, and what was missed.
  @Test(
    arguments: [
      (10.0, 10.02, 10.02, 0.0), (10, 10.02, 10.9, 0), (10, 10.02, 15.02, 5), (10, 9, 10.5, 0),
      (10, 9, 13, 3), (10, 70, 40, 0), (10, 70, 70.5, 0), (10, 70, 75, 5), (10, nil, 4000, 0),
    ] as [(Double, Double?, Double, Double)], [false, true])
  func `a standstill lasts from when a turn was due`(
    row: (turn: Double, due: Double?, now: Double, missed: Double), works: Bool
  ) {
    var standstill = Standstill()
    let missed = standstill.missed(
      since: seconds(row.turn), due: row.due.map(seconds), at: seconds(row.now),
      work: { works ? seconds(row.now - row.turn) : 0 })
    #expect(missed == seconds(row.missed))
  }

  /// Of an hour in which a turn comes every 1.5 s, or every `turn`, and the loop works for `share` of it.
  private func given(turn: Double = 1.5, share: Double) -> Double {
    var standstill = Standstill()
    let (length, end) = (seconds(turn), seconds(3600))
    var (began, all): (Int64, Int64) = (0, 0)
    while began < end {
      all += standstill.missed(since: began, due: began, at: began + length) {
        Int64(Double(began + length) * share)
      }
      began += length
    }
    return Double(all) / 1e9
  }

  @Test func `a loop that is busy without end gets little time for it`() {
    let given = given(share: 1)
    #expect(given > 0 && given < 3600.0 / 10)
  }

  @Test(arguments: [1.5, 5, 20])
  func `a loop that other processes keep from running is given all of that time`(
    turn: Double
  ) {
    #expect(given(turn: turn, share: 0) > 3590 - turn)
    let half = given(turn: max(2.5, turn), share: 0.5)
    #expect(half > 1700 && half < 1900)
  }

  @Test(arguments: [2, 5, 12, 29, 31]) func `each of several standstills counts`(apart: Double) {
    var standstill = Standstill()
    // A turn takes a millisecond of work, every 25 ms.
    var (now, work): (Int64, Int64) = (0, 0)
    for _ in 0..<4 {
      for _ in 0..<Int(apart / 0.025) {
        let missed = standstill.missed(
          since: now, due: now + 25_000_000, at: now + 25_000_000, work: { work })
        #expect(missed == 0)
        now += 25_000_000
        work += 1_000_000
      }
      let stopped = now + seconds(20)
      let missed = standstill.missed(
        since: now, due: now + 25_000_000, at: stopped, work: { work })
      #expect(abs(missed - seconds(20)) < seconds(0.3))
      now = stopped
    }
  }
}
