import Testing
import Timeshift

@testable import Server

struct PacingTests {
  private let second: Int64 = 1_000_000_000

  @Test func `a play point advances at the station's own rate`() {
    var pace = Pace.placed(at: .zero, burst: MediaTime(seconds: 4), now: 0)
    pace.advance(to: 10 * second, rate: 1)
    #expect(abs(pace.playPoint.seconds - 10) < 1e-6)
    pace.advance(to: 20 * second, rate: 1.001)
    #expect(abs(pace.playPoint.seconds - 20.01) < 1e-6)
    #expect(abs(pace.owed.seconds - 24.01) < 1e-6)
  }

  @Test func `the play point waits while the socket stalls, so credit never exceeds the burst`() {
    var pace = Pace.placed(at: .zero, burst: MediaTime(seconds: 4), now: 0)
    let cursor = MediaTime(seconds: 4)
    pace.advance(to: 600 * second, rate: 1)
    pace.wait(at: cursor)
    #expect((pace.owed - cursor).seconds == 4)
  }

  @Test func `a clock read twice in a turn moves nothing back`() {
    var pace = Pace.placed(at: .zero, burst: .zero, now: 5 * second)
    pace.advance(to: 4 * second, rate: 1)
    #expect(pace.playPoint == .zero)
  }

  @Test(arguments: [(0, 1), (1_000, 1), (1_300, 2), (3_000, 9), (5_000, 16), (100_000, 16)])
  func `the tick grows with the listeners`(listeners: Int, phases: Int) {
    #expect(TickPlan.phases(listeners: listeners) == phases)
  }

  @Test(arguments: [0, 1, 7, 16, 1000, 4999], [1, 3, 16])
  func `the phases of a tick cover every listener once`(count: Int, phases: Int) {
    let served = (0..<phases).flatMap { slot in
      Array(TickPlan.range(slot: slot, phases: phases, count: count))
    }
    #expect(served == Array(0..<count))
  }

  @Test(arguments: [(1, 20), (4, 5), (7, 3), (10, 3), (16, 3)])
  func `placed listeners are served in every so manieth walk, also when walks are late`(
    phases: Int, walks: Int
  ) {
    let tick = Int64(phases) * TickPlan.slotNanoseconds
    for late in [-tick / 3, 0, tick / 3] {
      let due = TickPlan.due(after: 0, phases: phases)
      #expect((1...100).first { Int64($0) * tick + late >= due } == walks)
    }
  }

  @Test func `every policy for slow listeners acts where it should and nowhere else`() {
    func decide(
      _ behind: ListenerSettings.Behind, lag: Double, surge: Double = 0, placed: Bool = false,
      stalled: Double = 1, blocked: Bool = false
    ) -> SlowListenerPolicy.Decision {
      var settings = ListenerSettings()
      settings.behind = behind
      settings.pauseTimeout = 300
      return SlowListenerPolicy(settings: settings).decide(
        lag: MediaTime(seconds: lag), burst: MediaTime(seconds: 4), surge: surge, isPlaced: placed,
        stalled: stalled, isBlocked: blocked)
    }
    #expect(decide(.shift, lag: 3) == .wait)
    #expect(decide(.shift, lag: 5) == .place)
    #expect(decide(.shift, lag: 500, placed: true) == .wait)
    #expect(decide(.skip, lag: 33) == .wait)
    #expect(decide(.skip, lag: 35) == .skip)
    #expect(decide(.skip, lag: 35, blocked: true) == .wait)
    #expect(decide(.drop, lag: 33, blocked: true) == .wait)
    #expect(decide(.drop, lag: 35, blocked: true) == .drop(.tooSlow))
    #expect(
      decide(.shift, lag: 500, placed: true, stalled: 300, blocked: true) == .drop(.pauseTimeout))
    #expect(decide(.shift, lag: 500, placed: true, stalled: 300) == .wait)
    // What came faster than it plays nobody is late by; a placed listener's play point does not go with it.
    #expect(decide(.shift, lag: 40, surge: 37) == .wait)
    #expect(decide(.shift, lag: 40, surge: 35) == .place)
    #expect(decide(.skip, lag: 70, surge: 37) == .wait)
    #expect(decide(.drop, lag: 70, surge: 37) == .wait)
    #expect(decide(.drop, lag: 70, surge: 35) == .drop(.tooSlow))
    #expect(decide(.skip, lag: 35, surge: 37, placed: true) == .skip)
  }

  @Test func `a surge is what comes faster than it plays, and is over when a better line is level`()
  {
    var surge = EdgeSurge(edge: .zero, at: 0)
    func turn(edge: Double, at seconds: Double) -> Double {
      surge.follow(MediaTime(seconds: edge), at: Int64(seconds * 1e9))
      return surge.seconds
    }
    for second in 1...100 { #expect(turn(edge: Double(second), at: Double(second)) == 0) }
    // An outage of 40 s, and all of it comes at once.
    #expect(turn(edge: 100, at: 140) == 0)
    #expect(turn(edge: 140, at: 140.1) > 39)
    #expect(abs(turn(edge: 180, at: 180) - 20) < 0.5)
    #expect(turn(edge: 221, at: 221) == 0)
    // The loop stands still for 50 s, and finds what came meanwhile.
    surge.bear(50_000_000_000)
    #expect(abs(turn(edge: 271, at: 271) - 50) < 0.1)
    // A hole is no burst.
    #expect(turn(edge: 9000, at: 272) == 300)
  }
}
