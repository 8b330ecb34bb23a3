import TestSupport
import Testing
import Timeshift
import Wire

@testable import Ingest

/// An upstream that is a relay names positions in its log: where it goes on is known, and not found by guessing.
@Suite struct RelayJointTests {
  private static let log = LogID.random()

  private static func relay(_ change: (inout AppenderModel.Connection) -> Void = { _ in })
    -> AppenderModel.Connection
  {
    var connection = AppenderModel.Connection()
    connection.relay = (log, 0)
    change(&connection)
    return connection
  }

  @Test(arguments: [1.0, 4, 10, 60])
  func `a relay that stood still is gone on with, whatever its burst`(burst: Double) {
    let model = AppenderModel()
    model.wait(100)
    model.play(Self.relay { $0.burst = burst })
    model.wait(9)
    model.play(
      Self.relay {
        $0.burst = burst
        $0.stoodStill = 9
      })
    #expect(model.faults == (0, 0))
    #expect(model.gaps.isEmpty)
    #expect(model.reconnections.allSatisfy { $0.repeatedSeconds == 0 && $0.lostSeconds == 0 })
  }

  @Test func `silence goes on at its position, where no packet differs from another`() {
    let model = AppenderModel()
    model.content = { _ in 7 }
    model.wait(100)
    model.play(Self.relay())
    let before = (model.first, model.end)
    model.wait(3)
    model.play(Self.relay { $0.burst = 20 })
    #expect(model.heard.count == model.end - before.0)
    #expect(model.gaps.isEmpty)
  }

  @Test func `a restart knows where in the relay's log it has come to`() {
    let model = AppenderModel()
    model.content = { $0 % 40 }
    model.wait(100)
    model.play(Self.relay())
    let first = model.first
    model.restart(away: .atLeast(0))
    model.wait(11)
    model.play(Self.relay { $0.burst = 20 })
    #expect(model.heard.count == model.end - first)
  }

  @Test func `a relay's own figure of what is missing is the gap's length`() {
    let model = AppenderModel()
    model.wait(100)
    model.play(Self.relay())
    model.wait(30)
    model.play(
      Self.relay {
        $0.lost = 26.5
        $0.gaps = [(0, 9)]
      })
    #expect(model.faults.twice == 0)
    #expect(model.gaps.map(\.seconds) == [26.5])
    #expect(model.reconnections.map(\.lostSeconds) == [26.5])
  }

  @Test func `a gap of the relay's is told at its packet, once`() {
    let model = AppenderModel()
    model.wait(100)
    model.play(Self.relay())
    let end = model.end
    model.wait(2)
    model.play(Self.relay { $0.gaps = [(end - 50, 3), (end + 10, 1.25), (end + 20, 0.5)] })
    #expect(model.faults == (0, 0))
    #expect(model.gaps.map(\.seconds) == [1.25, 0.5])
    let places = model.gaps.map { Int($0.position) / 64 - (model.heard.count - model.end) }
    #expect(places == [end + 10, end + 20])
    #expect(model.reconnections.map(\.lostSeconds) == [1.75])
  }

  @Test func `a relay that lost its last packets and went on elsewhere repeats nothing`() {
    let model = AppenderModel()
    model.wait(100)
    model.play(Self.relay())
    let end = model.end
    // Its last ten packets are others now, and a second is missing in front of them.
    model.content = { $0 >= end - 10 ? $0 + 5000 : $0 }
    model.wait(2)
    model.play(
      Self.relay {
        $0.burst = 8
        $0.gaps = [(end - 10, 1)]
      })
    #expect(model.faults.twice == 0)
    let lost = 1 - 10 * AppenderModel.packet
    #expect(model.gaps.count == 1 && abs(model.gaps[0].seconds - lost) < 0.001)
    #expect(model.heard.filter { $0 >= end + 4990 }.first == end - 10 + 5000)
  }

  @Test(arguments: [-300, -3, -1, 1, 3, 300])
  func `positions that mean something else are not believed`(shift: Int) {
    let model = AppenderModel()
    model.wait(100)
    model.play(Self.relay())
    model.wait(2)
    model.play(Self.relay { $0.relay?.shift = shift })
    #expect(model.faults == (0, 0))
  }

  @Test func `a relay with another log is joined by its packets`() {
    let model = AppenderModel()
    model.wait(100)
    model.play(Self.relay())
    model.wait(2)
    model.play(Self.relay { $0.relay?.log = .random() })
    #expect(model.faults == (0, 0) && model.gaps.isEmpty)
    #expect(model.appender.resume?.known.upperBound == UInt64(model.end * 64))
  }

  @Test(arguments: [10.0, 20], [1.0, 4])
  func `audio that a server had before it went away is heard once`(ago: Double, seconds: Double) {
    let model = AppenderModel()
    model.wait(100)
    model.play(AppenderModel.Connection())
    model.wait(2)
    model.play(
      {
        var connection = AppenderModel.Connection()
        connection.past = (ago, seconds)
        return connection
      }())
    #expect(model.faults == (0, 0))
    #expect(model.reconnections.map(\.insertedSeconds) == [0])
  }

  @Test func `a relay that resends no faster than it plays is not waited for without end`() {
    let model = AppenderModel()
    model.wait(200)
    model.play(Self.relay())
    model.wait(2)
    model.play(
      Self.relay {
        $0.behind = 60
        $0.lasts = 20
      })
    #expect(model.held < 12)
  }

  @Test func `a resume asks for two seconds again, or for all that is known`() throws {
    let model = AppenderModel()
    #expect(model.appender.resume == nil)
    model.wait(100)
    model.play(Self.relay { $0.lasts = 1 })
    let known = try #require(model.appender.resume).known
    #expect(known.upperBound == UInt64(model.end * 64))
    let seconds = Double(known.count / 64) * AppenderModel.packet
    #expect((2.0..<2.1).contains(seconds))
    model.wait(1)
    model.play(AppenderModel.Connection())
    #expect(model.appender.resume == nil)
  }
}
