import Synchronization
import TestSupport
import Testing
import Timeshift

@testable import Server

/// When something runs, and for whom.
struct DemandTests {
  /// A plan whose time is moved by hand.
  private final class Planned {
    var plan = DemandPlan()
    private let clock = ManualClock()

    func runOn(_ seconds: Double, keeps: Bool = false, isSooner: Bool = true) {
      plan.runOn(seconds, keeps: keeps, isSooner: isSooner, at: clock.now.monotonic)
    }

    func look(after seconds: Double) -> Demand.Look {
      clock.advance(seconds: seconds)
      return plan.look(at: clock.now.monotonic)
    }
  }

  @Test func `a plan wanted for any reason is not over`() {
    let planned = Planned()
    planned.plan.set(.listener, 2)
    planned.plan.set(.recording, 1)
    planned.runOn(10)
    #expect(planned.look(after: 9) == .early)
    #expect(planned.look(after: 1) == .wanted)
    planned.plan.set(.listener, 0)
    planned.runOn(10)
    #expect(planned.look(after: 10) == .wanted)
    #expect(planned.plan.reasons == [.recording: 1])
    planned.plan.set(.recording, 0)
    planned.runOn(10)
    #expect(planned.look(after: 10) == .over)
    #expect(planned.plan.due == nil && planned.look(after: 10) == .early)
  }

  @Test func `a shorter grace does not end what is kept for longer`() {
    let planned = Planned()
    planned.runOn(30, keeps: true)
    planned.runOn(2)
    #expect(planned.look(after: 29) == .early)
    #expect(planned.look(after: 1) == .over)
    // What was kept then is not kept the next time.
    planned.runOn(2)
    #expect(planned.look(after: 2) == .over)
  }

  @Test func `a caller who gives up may end a demand sooner, one who asks may not`() {
    let planned = Planned()
    planned.runOn(600, isSooner: false)
    planned.runOn(60, isSooner: false)
    #expect(planned.look(after: 60) == .early)
    planned.runOn(2)
    #expect(planned.look(after: 2) == .over)
  }

  @Test func `a reason that comes in the last moment is seen`() {
    let planned = Planned()
    planned.runOn(5, keeps: true)
    planned.plan.set(.fallback, 1)
    #expect(planned.look(after: 5) == .wanted)
  }

  @Test func `a demand has one call under way, however many ask`() {
    let calls = Calls()
    let demand = Demand { _ in calls.add() }
    for _ in 0..<1000 { demand.ask() }
    #expect(calls.count == 1 && demand.isRunning)
    demand.follow(.wanted)
    demand.ask()
    demand.abandon()
    demand.abandon()
    #expect(calls.count == 3)
  }

  @Test func `a demand that runs is looked at when it is due, and then runs no longer`()
    async throws
  {
    let looks = Calls()
    let demand = Demand { _ in
    } whenDue: {
      looks.add()
    }
    demand.runOn(0, keeps: false)
    demand.ask()
    demand.runOn(0.01, keeps: true)
    try await eventually("it is due") { looks.count > 0 }
    #expect(demand.look() == .over && !demand.isRunning)
    #expect(looks.count == 1, "what did not run was not looked at")
  }
}

private final class Calls: Sendable {
  private let calls = Mutex(0)
  var count: Int { calls.withLock { $0 } }
  func add() { calls.withLock { $0 += 1 } }
}
