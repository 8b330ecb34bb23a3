import Testing
import Timeshift

@testable import Longwave

/// Which rendition a listener hears whose line is too slow.
struct StepDownTests {
  private static let steps = [
    StepDown.Step(station: "jazz", bitrate: 192), .init(station: "jazz-64", bitrate: 64),
    .init(station: "jazz-128", bitrate: 128),
  ]

  private func time(_ seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: 1).adding(seconds)
  }

  @Test func `a slow listener goes down one by one, and stays at the lowest rendition`() {
    var plan = StepDown()
    #expect(plan.exhausted(1, at: "jazz", Self.steps, now: time(0))?.station == "jazz-128")
    #expect(plan.exhausted(1, at: "jazz-128", Self.steps, now: time(20))?.station == "jazz-64")
    #expect(plan.exhausted(1, at: "jazz-64", Self.steps, now: time(40)) == nil)
    #expect(plan.exhausted(2, at: "jazz", [Self.steps[0]], now: time(40)) == nil)
  }

  @Test func `a listener comes back after a minute, later where its line is slow again`() {
    var plan = StepDown()
    _ = plan.exhausted(1, at: "jazz", Self.steps, now: time(0))
    #expect(plan.due(at: time(59)).isEmpty)
    #expect(plan.due(at: time(61)) == [.init(listener: 1, station: "jazz")])
    #expect(plan.due(at: time(62)).isEmpty)
    _ = plan.exhausted(1, at: "jazz", Self.steps, now: time(80))
    #expect(plan.due(at: time(190)).isEmpty)
    #expect(plan.due(at: time(201)) == [.init(listener: 1, station: "jazz")])
    // A line that was good for long is as good as new.
    #expect(plan.due(at: time(900)).isEmpty)
    #expect(plan.isIdle)
    _ = plan.exhausted(1, at: "jazz", Self.steps, now: time(1000))
    #expect(plan.due(at: time(1061)).count == 1)
  }

  @Test func `a listener never waits for more than an hour to come back`() {
    var plan = StepDown()
    var now = 0.0
    for _ in 0..<20 {
      _ = plan.exhausted(1, at: "jazz", Self.steps, now: time(now))
      #expect(plan.due(at: time(now + 3601)).count == 1)
      now += 3700
    }
  }

  @Test func `a listener steps up one by one, and is forgotten when it has gone`() {
    var plan = StepDown()
    _ = plan.exhausted(1, at: "jazz", Self.steps, now: time(0))
    _ = plan.exhausted(1, at: "jazz-128", Self.steps, now: time(20))
    #expect(plan.due(at: time(141)) == [.init(listener: 1, station: "jazz-128")])
    #expect(plan.due(at: time(262)) == [.init(listener: 1, station: "jazz")])
    _ = plan.exhausted(2, at: "jazz", Self.steps, now: time(262))
    plan.forget(1)
    plan.forget(2)
    #expect(plan.isIdle && plan.due(at: time(9999)).isEmpty)
  }
}
