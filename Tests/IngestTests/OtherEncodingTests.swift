import TestSupport
import Testing
import Timeshift

@testable import Ingest

/// Another encoding of the programme goes on: no packet is equal, and only the clock tells what of its burst was heard.
@Suite struct OtherEncodingTests {
  typealias Connection = AppenderModel.Connection

  private func change(
    from first: Connection = Connection(burst: 10, lasts: 60), away: Double, to second: Connection,
    restarts: Bool = false
  ) -> AppenderModel {
    let model = AppenderModel()
    model.wait(100)
    model.play(first)
    model.wait(away)
    if restarts { model.restart() }
    model.play(second)
    return model
  }

  @Test(arguments: [0.5, 1, 5, 20] as [Double], [2, 10, 30, 60] as [Double])
  func `another encoding's burst loses what was heard before, and tells it`(
    away: Double, burst: Double
  ) throws {
    for (sampleRate, restarts) in [(48_000, false), (44_100, false), (44_100, true)] {
      let model = change(
        away: away,
        to: Connection(burst: burst, lasts: 20, encoding: 1, sampleRate: sampleRate),
        restarts: restarts)
      let faults = model.faults
      let back = try #require(model.reconnections.last)
      let words: Comment = "away \(away), burst \(burst), \(sampleRate) Hz: \(faults), \(back)"
      // A second of 44.1 kHz has as many samples as one of 48: here its packets are as long.
      #expect(faults.twice < 0.7, words)
      #expect(abs(faults.missing - max(0, away - burst)) < 0.7, words)
      #expect(abs(back.lostSeconds - faults.missing) < 0.7, words)
      #expect(abs(back.overlapSeconds - max(0, burst - away)) < 0.7, words)
      #expect(model.held < 1.2, words)
    }
  }

  @Test func `an unequal burst from the same upstream is new, and is heard whole`() {
    let model = change(away: 1, to: Connection(burst: 10, lasts: 20, isSame: true, encoding: 1))
    #expect(abs(model.faults.twice - 9) < 1 && model.faults.missing == 0)
  }

  @Test func `another encoding without a burst loses nothing, and is not held back`() throws {
    let model = change(away: 3, to: Connection(burst: 0, lasts: 20, encoding: 1))
    #expect(model.faults.twice == 0 && abs(model.faults.missing - 3) < 0.1)
    #expect(model.held < 0.6)
    #expect(try #require(model.reconnections.last).overlapSeconds == 0)
  }

  @Test func `a burst over a slow line is waited for as long as it is all repetition`() {
    let model = change(away: 2, to: Connection(burst: 20, burstTakes: 3, lasts: 20, encoding: 1))
    #expect(model.faults.twice < 1 && model.faults.missing < 1)
    #expect(model.held < 5.1)
  }

  /// How many seconds of audio the line brings in one.
  @Test(arguments: [1.3, 1.6, 1.9, 2.2, 3, 4, 6], [(1.0, 20.0), (1, 100), (8, 100)])
  func `a burst over a slow line is left out as repeated, or told as heard again`(
    rate: Double, row: (away: Double, lasts: Double)
  ) {
    let model = change(
      away: row.away,
      to: Connection(burst: 20, burstTakes: 20 / (rate - 1), lasts: row.lasts, encoding: 1))
    let faults = model.faults
    let told = model.reconnections.reduce(0) { $0 + $1.repeatedSeconds }
    let words: Comment = "\(faults), \(model.reconnections)"
    // Of one that ends before its burst, nobody knows how long that was.
    let isWhole = row.lasts > 20 / (rate - 1)
    #expect(faults.missing < 0.7 && told > faults.twice - (isWhole ? 1.2 : 18), words)
    #expect(told < faults.twice + 0.7, words)
    #expect(rate < 4 || row.away > 1 || (faults.twice < 1.2 && told == 0), words)
    #expect(model.held < (rate < 2 ? 5.1 : 7.6), words)
  }

  /// Seconds: there and back, which libcurl has measured; the outage; the burst.
  @Test(
    arguments: [0.35, 0.5, 0.6, 0.8, 1, 1.5], [(1.0, 10.0), (3, 20), (12, 30), (20, 30), (3, 3)])
  func `a burst over a long way comes in windows, and nothing of it is heard again`(
    roundTrip: Double, row: (away: Double, burst: Double)
  ) throws {
    let model = change(
      away: row.away,
      to: Connection(burst: row.burst, roundTrip: roundTrip, lasts: 40, encoding: 1))
    let faults = model.faults
    let back = try #require(model.reconnections.last)
    let words: Comment = "\(roundTrip) s, \(row): \(faults), \(back)"
    #expect(faults.twice < 0.7 && faults.missing < 0.7, words)
    #expect(abs(back.overlapSeconds - max(0, row.burst - row.away)) < 0.7, words)
    // All of it is repetition meanwhile.
    #expect(model.held < 7.5 * max(0.35, roundTrip), words)
  }

  @Test(arguments: [0.35, 0.6, 1, 2]) func `a long way without a burst costs little more`(
    roundTrip: Double
  ) {
    let model = AppenderModel()
    model.wait(100)
    model.play(Connection(burst: 10, lasts: 60))
    model.wait(3)
    // What is live comes evenly, however late.
    model.play(Connection(burst: 0, lasts: 20, encoding: 1), roundTrip: roundTrip)
    #expect(model.faults.twice == 0 && abs(model.faults.missing - 3) < 0.1)
    #expect(model.held < 0.6 + 1.5 * roundTrip)
  }

  @Test func `a line that fell behind has not heard as much`() {
    // 40 s of programme have come in a minute: 20 s behind.
    let slow = Connection(burst: 0, lasts: 60, rate: 0.67)
    let model = change(from: slow, away: 1, to: Connection(burst: 60, lasts: 20, encoding: 1))
    #expect(model.faults.twice < 1 && model.faults.missing < 5)
  }

  @Test(arguments: [0.8, 1.5, 5] as [Double])
  func `a short connection's repeated audio is left out, however little`(
    overlap: Double
  ) {
    let model = AppenderModel()
    model.wait(100)
    model.play(Connection(burst: 10, lasts: 60))
    model.wait(8)
    model.play(Connection(burst: 0.5, lasts: 0.3, encoding: 1))
    model.wait(0.2)
    model.play(
      Connection(burst: 8.5 + overlap, burstTakes: 0.3, lasts: 0.45, encoding: 2))
    #expect(model.faults.twice < 0.7 && model.faults.missing < 0.7, "\(model.faults)")
    #expect(model.heard.count > Int((10 + 60 + 8) / AppenderModel.packet), "its rest is heard")
  }

  @Test func `a file, or who sends without end, loses nothing of its beginning`() {
    let file = change(
      away: 1, to: Connection(burst: 20, lasts: 20, encoding: 1, hasLength: true))
    #expect(abs(file.faults.twice - 19) < 1 && file.faults.missing == 0)
    let endless = change(away: 1, to: Connection(burst: 90, lasts: 20, encoding: 1))
    #expect(abs(endless.faults.twice - 89) < 1 && endless.faults.missing == 0)
  }
}

/// Bodies of known length, one after the other.
@Suite struct FileJoinTests {
  typealias Connection = AppenderModel.Connection

  @Test(arguments: [0.3, 1, 2.4, 10] as [Double])
  func `a stream that names a length and begins again where its clock stands is joined`(
    overlap: Double
  ) {
    let model = AppenderModel()
    model.wait(60)
    for _ in 0..<4 {
      model.play(
        Connection(burst: overlap + 0.5, lasts: 8, hasLength: true), endsAsFile: true)
      model.wait(0.5)
    }
    #expect(model.faults.twice == 0 && model.faults.missing == 0)
    #expect(model.gaps.isEmpty)
  }

  @Test func `a file that is played again, and others between, are heard from their beginning`() {
    let model = AppenderModel()
    model.wait(60)
    // A, A, B, A, B, each of 10 s, from a place that no clock has.
    var expected: [Int] = []
    for file in [1, 1, 2, 1, 2] {
      model.content = { [unowned model] n in file * 1_000_000 + n - model.first }
      model.play(
        Connection(burst: 10, burstTakes: 0, lasts: 0.3, stillStands: true, hasLength: true),
        endsAsFile: true)
      model.wait(10)
      expected += (0..<model.end - model.first).map { file * 1_000_000 + $0 }
    }
    #expect(model.heard == expected)
    #expect(model.gaps.isEmpty)
  }
}
