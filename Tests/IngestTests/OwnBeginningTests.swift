import Testing
import Timeshift

@testable import Ingest

/// An upstream sends something of its own to whoever connects, an advertisement or a jingle, and then its burst.
@Suite struct OwnBeginningTests {
  typealias Connection = AppenderModel.Connection

  private func isOwn(_ content: Int) -> Bool { content >= AppenderModel.own }

  @Test(
    arguments: [2.0, 6, 10], [(0.5, 1.5), (0.5, 6.0), (3, 5), (8, 12), (20, 30)])
  func `an upstream's own beginning is heard, and the repeated part of its burst is not`(
    own: Double, row: (away: Double, burst: Double)
  ) throws {
    for (restarts, isSame) in [(false, false), (false, true), (true, false), (true, true)] {
      let model = AppenderModel()
      model.wait(100)
      let connection = Connection(burst: row.burst, lasts: 60, own: own, isOwnSame: isSame)
      model.play(connection)
      model.wait(row.away)
      if restarts { model.restart() }
      model.play(connection)
      let (faults, heard) = (model.faults, model.heard)
      let back = try #require(model.reconnections.last)
      let words: Comment = "\(restarts), \(isSame): \(faults), \(back)"
      #expect(faults.twice == 0 && faults.missing == 0, words)
      let packets = Int(own / AppenderModel.packet)
      // What comes the same again is known to be no part of the programme; a new process sees it in the log.
      if isSame {
        #expect(heard.count { isOwn($0) } == packets && back.insertedSeconds == 0, words)
        #expect(back.lostSeconds == 0 && model.gaps.isEmpty && model.held < 0.6, words)
        continue
      }
      #expect(heard.count { isOwn($0) } == 2 * packets, words)
      // Where the log ended, all of it.
      let place = try #require(heard.lastIndex { isOwn($0) })
      #expect(heard[(place - packets + 1)...place].allSatisfy(isOwn), words)
      #expect(heard[place + 1] == heard[place - packets] + 1, words)
      #expect(abs(back.insertedSeconds - own) < 0.03 && back.lostSeconds == 0, words)
      #expect(back.repeatedSeconds == 0 && abs(back.stitchedSeconds - row.away) < 1, words)
      #expect(model.gaps.map(\.seconds) == [0] && model.held < 0.6, words)
    }
  }

  @Test(arguments: [0.2, 1, 8, 19], [2.0, 6])
  func `a relay restarted soon repeats nothing behind an upstream's own beginning`(
    lasts: Double, own: Double
  ) throws {
    for restarts in [[false, true, true], [true, true, true], [false, true, false]] {
      let model = AppenderModel()
      model.wait(100)
      model.play(Connection(burst: 20, lasts: 60, own: own))
      for isRestart in restarts {
        model.wait(0.5)
        if isRestart { model.restart() }
        model.play(Connection(burst: 20, lasts: lasts, own: own))
      }
      let (faults, told) = (model.faults, model.reconnections)
      let words: Comment = "\(restarts): \(faults), \(told)"
      #expect(faults.twice == 0 && faults.missing == 0, words)
      #expect(told.allSatisfy { $0.insertedSeconds < own + 0.03 && $0.lostSeconds == 0 }, words)
    }
  }

  @Test(arguments: [0.3, 1, 3, 7], [2.0, 5])
  func `a row of short connections with own beginnings repeats nothing`(
    lasts: Double, own: Double
  ) {
    let model = AppenderModel()
    model.wait(100)
    for number in 0..<20 {
      model.play(Connection(burst: 6, burstTakes: 0, lasts: lasts, own: own))
      model.wait(number == 10 ? 15 : 0.6)
    }
    let faults = model.faults
    let lost = model.gaps.reduce(0) { $0 + $1.seconds }
    #expect(faults.twice == 0 && abs(faults.missing - 9) < lasts + 1.5, "\(faults)")
    // What of an outage came as something else the clock cannot tell.
    #expect((0...9 + lasts).contains(lost), "\(model.gaps)")
    #expect(model.reconnections.count { $0.insertedSeconds > 0 } >= 17)
  }

  @Test(arguments: [30.0, 8, 5])
  func `a looping programme behind an own beginning repeats nothing and misses nothing`(
    round: Double
  ) {
    let model = AppenderModel()
    let packets = Int(round / AppenderModel.packet)
    model.content = { $0 % packets }
    model.wait(200)
    let connection = Connection(burst: 10, lasts: 60, own: 4)
    model.play(connection)
    model.wait(3)
    model.play(connection)
    let heard = model.heard.filter { !isOwn($0) }
    #expect(zip(heard, heard.dropFirst()).allSatisfy { ($0 + 1) % packets == $1 })
    #expect(abs(Double(heard.count) * AppenderModel.packet - 133) < 0.2)
  }

  /// The log ends with a jingle, and the burst of a programme that goes on has that once more in its middle.
  @Test(arguments: [40.0, 300], [12.0, 20]) func `a jingle that the clock rules out joins nothing`(
    away: Double, burst: Double
  ) {
    let model = AppenderModel()
    let ends = [160, 160 + away - 5].map { Int($0 / AppenderModel.packet) }
    let length = Int(6 / AppenderModel.packet)
    model.content = { n in
      ends.last { n < $0 && n >= $0 - length }.map { 1_000_000 + length + n - $0 } ?? n
    }
    model.wait(100)
    model.play(Connection(burst: 10, lasts: 60))
    model.wait(away)
    model.play(Connection(burst: burst, lasts: 20))
    let sent = (model.first..<model.end).map(model.content)
    #expect(Array(model.heard.suffix(sent.count)) == sent)
    #expect(model.held < 1.5)
    #expect(model.reconnections.last?.insertedSeconds == 0)
  }
}
