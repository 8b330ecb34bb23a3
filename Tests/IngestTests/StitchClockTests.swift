import TestSupport
import Testing
import Timeshift

@testable import Ingest

/// However well arriving audio fits the log's end, the time away must fit as well; and what fits rightly is joined.
@Suite struct StitchClockTests {
  typealias Connection = AppenderModel.Connection

  /// The log ends `heard` seconds into a jingle. When the upstream is back it plays that again, and its burst begins
  /// `overlap` seconds before the place where the log ends in it.
  private func jingle(
    length: Double, heard: Double, away: Double, overlap: Double, burst: Double, restarts: Bool
  ) -> AppenderModel {
    let model = AppenderModel()
    let packet = AppenderModel.packet
    let end = 100.0
    let back = end + away
    // The second play stands where the burst begins `overlap` before the place at which the log ends in it.
    let again = back - burst + overlap - heard
    let plays = [end - heard, again].map { Int($0 / packet) }
    model.content = { n in
      let play = plays.last { n >= $0 && n < $0 + Int(length / packet) }
      return play.map { 1_000_000 + n - $0 } ?? n
    }
    model.play(Connection(burst: 0, lasts: end))
    model.wait(away)
    if restarts { model.restart() }
    model.play(Connection(burst: burst, lasts: 15))
    return model
  }

  @Test(
    arguments: [
      // Seconds: of the jingle, heard of it, away, of it again, burst.
      (8.0, 6.0, 40.0, 3.0, 4.0), (8, 6, 40, 3, 3.5), (8, 6, 40, 3, 10), (5, 5, 12, 5, 6),
      (10, 9, 300, 8, 20), (20, 19, 100, 15, 18), (4, 3, 12, 1, 1.5), (30, 28, 70, 20, 25),
      (8, 6, 3600, 3, 4),
    ], [false, true])
  func `a jingle that is played again while the upstream was away is heard again`(
    row: (length: Double, heard: Double, away: Double, overlap: Double, burst: Double),
    restarts: Bool
  ) throws {
    let model = jingle(
      length: row.length, heard: row.heard, away: row.away, overlap: row.overlap,
      burst: row.burst, restarts: restarts)
    let heard = model.heard
    let sent = (model.first..<model.end).map(model.content)
    #expect(Array(heard.suffix(sent.count)) == sent, "nothing of it is cut")
    let back = try #require(model.reconnections.last)
    #expect(abs(back.lostSeconds - (row.away - row.burst)) < 1)
    #expect(abs(back.repeatedSeconds - row.overlap) < 0.2 && back.stitchedSeconds == 0)
    #expect(model.held < 1.5)
  }

  /// A connection of a minute, an outage, and one more: what is between them is in the log once.
  private func joins(
    _ first: Connection, away: Double, _ second: Connection, restarts: Bool = false,
    wallStep: Double = 0, known: TimeAway? = nil
  ) -> AppenderModel {
    let model = AppenderModel()
    model.wait(60)
    model.play(first)
    model.wait(away)
    if restarts {
      model.clock.stepWall(seconds: wallStep)
      model.restart(away: known)
    }
    model.play(second)
    return model
  }

  private func expectWhole(_ model: AppenderModel, _ words: String) {
    let faults = model.faults
    #expect(faults.twice == 0 && faults.missing == 0, "\(words): \(faults)")
    #expect(model.gaps.isEmpty, "\(words)")
    #expect(model.held < 6, "\(words)")
  }

  @Test(arguments: [0.1, 1, 3, 10, 40, 100] as [Double], [1, 4, 10, 20, 60, 110] as [Double])
  func `a burst that overlaps the log is joined, however long the upstream was away`(
    away: Double, burst: Double
  ) {
    guard burst > away + 0.5 else { return }
    for restarts in [false, true] {
      let model = joins(
        Connection(burst: burst), away: away, Connection(burst: burst), restarts: restarts)
      expectWhole(model, "away \(away), burst \(burst), restarts \(restarts)")
    }
  }

  @Test(arguments: [-4e7, -3600, -10, 5, 10, 300, 3600, 86_400, 4e7])
  func `a wall clock that is set while the relay is down neither cuts nor repeats anything`(
    step: Double
  ) {
    for (away, burst) in [(1.0, 6.0), (3, 20), (30, 40)] {
      let connection = Connection(burst: burst)
      let model = joins(
        connection, away: away, connection, restarts: true, wallStep: step)
      expectWhole(model, "away \(away), burst \(burst)")
      #expect(abs((model.reconnections.last?.stitchedSeconds ?? 0) - away) < 1)
    }
    // Nothing of this burst was heard before.
    let model = joins(
      Connection(burst: 10), away: 30, Connection(burst: 10), restarts: true, wallStep: step)
    #expect(model.faults.twice == 0 && abs(model.faults.missing - 20) < 0.5)
    #expect(abs((model.gaps.last?.seconds ?? 0) - 20) < 1)
  }

  @Test(arguments: [(1.0, 6.0), (3, 20), (20, 60), (100, 110), (10, 12)], [0.0, 0.5, 1])
  func `equal packets join a burst where no clock tells how long the relay was down`(
    row: (away: Double, burst: Double), share: Double
  ) throws {
    let connection = Connection(burst: row.burst)
    let known = TimeAway.atLeast(row.away * share)
    let model = joins(connection, away: row.away, connection, restarts: true, known: known)
    expectWhole(model, "away \(row.away), at least \(row.away * share)")
    let back = try #require(model.reconnections.last)
    // Of a burst that is still coming not all is known to be new.
    #expect((0...row.away + 1).contains(back.stitchedSeconds))
    #expect(back.pausedSeconds == 0 && back.lostSeconds == 0)
  }

  @Test(
    arguments: [(30.0, 10.0, UInt8(0)), (500, 60, 1), (500, 60, 0), (12, 1, 1)], [0.0, 0.5, 1])
  func `a burst without an equal packet is not cut where no clock tells the time away`(
    row: (away: Double, burst: Double, encoding: UInt8), share: Double
  ) throws {
    var connection = Connection(burst: row.burst)
    let first = connection
    connection.encoding = row.encoding
    let known = TimeAway.atLeast(row.away * share)
    let model = joins(first, away: row.away, connection, restarts: true, known: known)
    #expect(Array(model.heard.suffix(model.end - model.first)) == Array(model.first..<model.end))
    #expect(model.held < 6)
    let told = try #require(model.reconnections.last).lostSeconds
    #expect(abs(told - max(0, row.away * share - row.burst)) < 1)
  }

  /// A laptop that is shut: the connection is lost, and monotonic time stands still.
  @Test(arguments: [(60.0, 3.0), (600, 20), (30, 40), (86_400, 10)])
  func `audio that went by while the machine slept is lost, and told as lost`(
    row: (slept: Double, burst: Double)
  ) throws {
    let model = AppenderModel()
    model.wait(60)
    model.play(Connection(burst: row.burst))
    model.sleep(row.slept)
    model.play(Connection(burst: row.burst))
    let lost = max(0, row.slept - row.burst)
    let back = try #require(model.reconnections.last)
    #expect(model.faults.twice == 0 && abs(model.faults.missing - lost) < 1)
    #expect(abs(back.lostSeconds - lost) < 1)
    #expect(abs((model.gaps.last?.seconds ?? 0) - lost) < 1)
    #expect(lost > 0 || abs(back.stitchedSeconds - row.slept) < 1)
  }

  @Test func `a burst is joined with drifting clocks, lagging servers and slow lines`() {
    let burst = Connection(burst: 20)
    expectWhole(joins(burst, away: 10, Connection(burst: 20, rate: 0.98)), "a slow clock")
    expectWhole(joins(Connection(burst: 20, rate: 1.02), away: 10, burst), "a fast clock")
    expectWhole(joins(burst, away: 10, Connection(burst: 20, burstTakes: 2)), "a slow line")
    expectWhole(joins(burst, away: 10, Connection(burst: 30, burstTakes: 10)), "a slower line")
    expectWhole(joins(burst, away: 10, Connection(burst: 20, behind: 3)), "a server behind")
    expectWhole(joins(burst, away: 10, Connection(burst: 40, behind: -20)), "a server ahead")
    for lasts in stride(from: 30.0, to: 40, by: 1.3) {
      let lumps = Connection(burst: 20, lasts: lasts, lump: 10)
      expectWhole(joins(lumps, away: 5, lumps), "10 s at a time")
    }
    expectWhole(
      joins(burst, away: 5, Connection(burst: 20), restarts: true, wallStep: -3600), "set back")
  }

  /// 1 Mbit/s: a burst of 60 s is twice what may be held. The programme is a loop, so that there are several places.
  @Test(arguments: [30.0, 1000]) func `a burst longer than can be held is joined`(
    period: Double
  ) {
    let model = AppenderModel(packetBytes: 3000)
    let packets = Int(period / AppenderModel.packet)
    model.wait(200)
    model.content = { $0 % packets }
    model.play(Connection(burst: 60))
    let before = model.heard.count
    for away in [6.0, 30] {
      model.wait(away)
      model.play(Connection(burst: 60, burstTakes: 0.4))
    }
    let last = (model.end - 1) % packets
    #expect(model.gaps.isEmpty && model.heard.last == last)
    // Both outages were made good, and no period more or less.
    let seconds = Double(model.heard.count - before) * AppenderModel.packet
    #expect(abs(seconds - (6 + 30 + 30 + 30)) < 1)
  }

  /// What the log has of a long burst is not held against the lead that it may have.
  @Test(arguments: [0.05, 0.2, 0.45, 1, 3]) func `a long burst that comes again is read to its end`(
    burstTakes: Double
  ) throws {
    let model = AppenderModel()
    model.wait(200)
    model.play(Connection(burst: 75, burstTakes: burstTakes, lasts: 5))
    model.wait(6)
    model.play(Connection(burst: 75, burstTakes: burstTakes, lasts: 20))
    expectWhole(model, "burst takes \(burstTakes)")
    let back = try #require(model.reconnections.last)
    #expect((6...burstTakes + 7).contains(back.stitchedSeconds) && back.pausedSeconds == 0)
    #expect(model.end - model.first > Int(90 / AppenderModel.packet))
  }

  @Test(arguments: [0.2, 0.4, 0.6, 1, 1.5], [6.0, 10, 20, 30])
  func `a burst over a long way is joined, however it comes`(roundTrip: Double, burst: Double) {
    let model = joins(
      Connection(burst: burst), away: 3,
      Connection(burst: burst, roundTrip: roundTrip, lasts: 40))
    #expect(model.faults.twice == 0 && model.faults.missing == 0, "\(model.faults)")
    #expect(model.gaps.isEmpty)
  }

  /// Twice as fast as it plays, and more.
  @Test(arguments: [(30.0, 30.0), (30, 15), (30, 10), (60, 20), (60, 8)])
  func `a burst over a slow line is joined when it has come to its end`(
    row: (burst: Double, takes: Double)
  ) {
    let model = AppenderModel()
    model.wait(100)
    model.play(Connection(burst: row.burst, lasts: 40))
    model.wait(3)
    model.play(Connection(burst: row.burst, burstTakes: row.takes, lasts: 60))
    #expect(model.faults.twice == 0 && model.faults.missing == 0, "\(model.faults)")
    #expect(model.gaps.isEmpty && model.held <= 30.5)
  }

  /// Behind the same URL is another server, which lags: what it has is in the log, and it catches up with nothing.
  @Test(arguments: [(12.0, 10.0), (20, 25), (8, 60), (30, 4)])
  func `a repetition by a lagging server is told, and is no longer than it must be`(
    row: (lag: Double, burst: Double)
  ) throws {
    let model = AppenderModel()
    model.wait(150)
    model.play(Connection(burst: 20, lasts: 60))
    model.wait(3)
    model.play(Connection(burst: row.burst, lasts: 60, behind: row.lag))
    let back = try #require(model.reconnections.last)
    let faults = model.faults
    let words: Comment = "\(faults), \(back)"
    #expect(faults.missing == 0, words)
    #expect(model.held < 6.1, words)
    // Where it has sent less than it lags, it may be the same played again, and is heard.
    guard row.burst + 5 > row.lag else {
      return #expect(back.repeatedSeconds > row.burst, words)
    }
    #expect(faults.twice < row.lag && back.lostSeconds == 0, words)
    #expect(abs(back.repeatedSeconds - faults.twice) < 0.5, words)
  }

  @Test(arguments: [(10.0, 14.0), (5, 8), (4, 6), (10, 12)])
  func `an upstream that delivers in lumps is joined at whatever phase it is left`(
    row: (lump: Double, burst: Double)
  ) {
    for lasts in stride(from: 40.0, to: 52, by: 1.3) {
      let lumps = Connection(burst: row.burst, lasts: lasts, lump: row.lump)
      let model = joins(lumps, away: 3, lumps)
      // What is lost with the lump that did not come, and more than the burst has of it.
      let (faults, back) = (model.faults, model.reconnections)
      let words: Comment = "\(row), \(lasts) s: \(faults), \(back)"
      #expect(faults.twice == 0 && faults.missing <= max(0, row.lump + 3.1 - row.burst), words)
      #expect(back.allSatisfy { $0.pausedSeconds == 0 && $0.repeatedSeconds == 0 }, words)
      #expect(abs((back.last?.lostSeconds ?? -1) - faults.missing) < 1, words)
    }
  }

  @Test func `an upstream that sends without end is joined without its clock`() {
    expectWhole(
      joins(Connection(burst: 20), away: 5, Connection(burst: 105, behind: -85)), "without end")
  }

  @Test func `an encoder that pushes may have waited`() throws {
    let model = joins(
      Connection(burst: 0, isPush: true), away: 20,
      Connection(burst: 3, stoodStill: 19, isPush: true))
    expectWhole(model, "waited")
    #expect(abs(try #require(model.reconnections.last).pausedSeconds - 19) < 1.5)
  }

  @Test func `an upstream that stood still goes on where it was, and it is said`() throws {
    for burst in [2.0, 4, 10, 60] {
      let model = joins(
        Connection(burst: burst), away: 40,
        Connection(burst: burst, stoodStill: 40, stillStands: true))
      model.wait(1)
      expectWhole(model, "stands, burst \(burst)")
      #expect(abs(try #require(model.reconnections.last).pausedSeconds - 40) < 1)
    }
    // It goes on as soon as it is asked.
    let model = joins(Connection(burst: 10), away: 40, Connection(burst: 10, stoodStill: 40))
    expectWhole(model, "goes on")
    // A run that is longer than the time away cannot be a repetition.
    expectWhole(
      joins(Connection(burst: 60), away: 20, Connection(burst: 60, stoodStill: 15)), "for a while")
  }

  /// Seconds: the connection's length, its burst, the way there and back.
  @Test(arguments: [
    (6.0, 4.0, 0.0), (15, 4, 0), (15, 4, 1), (40, 20, 0.6), (40, 40, 1), (40, 40, 1.5),
  ])
  func `silence proves no standstill, since all of it is equal`(
    row: (lasts: Double, burst: Double, roundTrip: Double)
  ) throws {
    let model = AppenderModel()
    let silent = [90.0..<110.0, 1650.0..<1720.0].map {
      Int($0.lowerBound / AppenderModel.packet)..<Int($0.upperBound / AppenderModel.packet)
    }
    model.content = { n in silent.contains { $0.contains(n) } ? 1_000_000 + n % 5 : n }
    model.play(Connection(burst: 0, lasts: 100))
    model.wait(1600)
    model.play(Connection(burst: row.burst, roundTrip: row.roundTrip, lasts: row.lasts))
    let back = try #require(model.reconnections.last)
    #expect(back.pausedSeconds == 0 && abs(back.lostSeconds - 1600 + row.burst) < 1, "\(back)")
  }

  @Test func `a loop whose round is longer than the burst proves no standstill`() throws {
    let model = AppenderModel()
    let loop = Int(94 / AppenderModel.packet)..<Int(106 / AppenderModel.packet)
    let round = Int(3 / AppenderModel.packet)
    model.content = { n in
      loop.contains(n) ? 1_000_000 + (n - loop.lowerBound) % round : n
    }
    model.play(Connection(burst: 0, lasts: 100))
    model.wait(3)
    model.play(Connection(burst: 2, lasts: 8))
    let back = try #require(model.reconnections.last)
    #expect(back.pausedSeconds == 0 && abs(back.lostSeconds - 1) < 0.5, "\(back)")
  }

  /// Seconds: the relay was stopped, the kernel kept, the next connection's burst.
  @Test(
    arguments: [
      (40.0, 10.0, 3.0), (40, 30, 3), (20, 0, 3), (25, 5, 10), (30, 29, 0.5), (12, 8, 20),
      (600, 10, 3), (600, 10, 60), (3600, 100, 30),
    ], [UInt8(0), 1])
  func `an upstream closed in a standstill misses what it had not sent`(
    row: (stopped: Double, kept: Double, burst: Double), encoding: UInt8
  ) throws {
    let model = AppenderModel()
    model.wait(60)
    model.play(Connection(burst: 10), standstill: (row.stopped, row.kept))
    model.wait(0.3)
    model.play(Connection(burst: row.burst, encoding: encoding))
    let missing = max(0, row.stopped + 0.3 - row.kept - row.burst)
    let back = try #require(model.reconnections.last)
    let words: Comment = "\(row): \(model.faults), \(back)"
    #expect(model.faults.twice < 0.7 && abs(model.faults.missing - missing) < 0.7, words)
    #expect(abs(back.lostSeconds - missing) < 0.7, words)
    #expect(missing < 0.5 || abs((model.gaps.last?.seconds ?? 0) - missing) < 0.7, words)
  }

  /// An outage of `away` seconds in 40 s of silence that is the same again every `period` packets; and how many seconds too
  /// many were heard.
  private func backInSilence(
    every period: Int, away: Double, _ connection: Connection
  ) -> (model: AppenderModel, twice: Double) {
    let model = AppenderModel()
    let silent = Int(150 / AppenderModel.packet)..<Int(190 / AppenderModel.packet)
    model.content = { n in silent.contains(n) ? 1_000_000 + n % period : n }
    model.wait(100)
    model.play(Connection(burst: 10, lasts: 70))
    let first = model.first
    model.wait(away)
    model.play(connection)
    return (model, Double(model.heard.count - (model.end - first)) * AppenderModel.packet)
  }

  /// Of a burst that is equal everywhere only its end tells how much of it is new.
  @Test(arguments: [0.1, 0.16, 0.3, 0.6, 1], [6.0, 12, 20, 30])
  func `a burst in silence and loops is decided by its whole, on however long a way`(
    roundTrip: Double, burst: Double
  ) throws {
    for (period, away) in [(1, 2.0), (5, 2), (77, 2), (1, 4.5), (5, 4.5)] {
      let (model, twice) = backInSilence(
        every: period, away: away, Connection(burst: burst, roundTrip: roundTrip, lasts: 40))
      let words: Comment = "every \(period), \(away) s away: \(twice) s more"
      #expect(abs(twice) < 0.3 + Double(period) * AppenderModel.packet, words)
      let back = try #require(model.reconnections.last)
      #expect(back.lostSeconds == 0 && back.pausedSeconds == 0 && back.repeatedSeconds == 0, words)
      #expect(model.gaps.isEmpty, words)
      #expect(model.held < 6.5 * max(0.35, roundTrip), words)
    }
  }

  @Test(arguments: [1.0, 2, 4])
  func `a burst in silence and loops is decided by its whole over a slow line too`(takes: Double) {
    for period in [1, 5, 77] {
      let (_, twice) = backInSilence(
        every: period, away: 2, Connection(burst: 14, burstTakes: takes, lasts: 40))
      #expect(abs(twice) < 0.3 + Double(period) * AppenderModel.packet, "every \(period)")
    }
  }

  @Test(arguments: [1.0, 1.8, 4]) func `a long burst comes to what is behind a gap in its own time`(
    takes: Double
  ) throws {
    let model = joins(Connection(burst: 5, lasts: 100), away: 20, Connection(burst: 2, lasts: 8))
    model.wait(2)
    let before = model.gaps.count
    model.play(Connection(burst: 40, burstTakes: takes))
    #expect(model.faults.twice == 0 && model.gaps.count == before)
    #expect(try #require(model.reconnections.last).lostSeconds == 0)
  }
}
