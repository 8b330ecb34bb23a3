import TestSupport
import Testing
import Timeshift

@testable import Longwave

/// A wall clock that is set while the relay runs.
@Suite struct ClockStepTests {
  @Test(arguments: [-86_400.0, -2, 2, 3600])
  func `a clock that is set is noticed once, and by how much`(
    by seconds: Double
  ) {
    let clock = ManualClock()
    var step = ClockStep()
    var told: [Double?] = []
    func look() { told.append(step.seconds(at: clock.now)?.rounded()) }
    look()
    clock.advance(seconds: 1)
    look()
    clock.stepWall(seconds: seconds)
    look()
    look()
    clock.advance(seconds: 3600)
    look()
    #expect(told == [nil, nil, seconds, nil, nil])
  }
}
