import Testing

@testable import Timeshift

@Suite struct AirTimesTests {
  /// A programme from second 0 on, by a clock that steps at some of them.
  private func air(_ steps: KeyValuePairs<Double, Double>) -> AirTimes {
    var air = AirTimes()
    for (second, ahead) in steps {
      air.set(
        at: LogPoint(position: UInt64(second * 16_000), media: MediaTime(seconds: second)),
        wall: WallTime(seconds: 100_000 + second + ahead))
    }
    return air
  }

  private func media(_ air: AirTimes, at second: Double) -> Double? {
    air.media(at: WallTime(seconds: 100_000 + second))?.seconds
  }

  @Test(arguments: [-3600.0, -150, -50_000])
  func `audio from before the clock was set back and right again is found by its time`(
    step: Double
  ) {
    let air = air([0: 0, 100: step, 106: 0])
    for second in [0.0, 10, 60, 99.5, 106, 120] {
      #expect(media(air, at: second) == second, "\(second)")
    }
    // While it was wrong, nothing aired at that time.
    #expect(media(air, at: 103) == 106 || media(air, at: 103) == 100)
    if step == -50_000 { #expect(media(air, at: 103 + step) == 103) }
  }

  @Test func `a moment at which nothing aired leads to the next packet`() {
    let air = air([0: 0, 100: 3600])
    #expect(media(air, at: 50) == 50 && media(air, at: 3750) == 150)
    #expect(media(air, at: 2000) == 100 && media(air, at: -5) == nil)
  }
}

@Suite struct AirClockTests {
  /// Edges arriving at `lateness` by a perfect clock.
  private func decide(
    _ clock: inout AirClock, at second: Double, lateness: Double, wallStep: Double = 0
  ) -> AirClock.Decision {
    let predicted = WallTime(seconds: 1000 + second + wallStep - lateness)
    return clock.decide(
      predicted: predicted,
      at: Moment(
        wall: WallTime(seconds: 1000 + second + wallStep),
        monotonic: MonotonicTime(nanoseconds: Int64(second * 1e9))))
  }

  private func settled() -> AirClock {
    var clock = AirClock()
    for second in 0..<7 { _ = decide(&clock, at: Double(second), lateness: 0) }
    return clock
  }

  @Test func `a run is provisional while its burst comes, and moves in place`() {
    var clock = AirClock()
    for step in 0..<20 {
      let decision = decide(&clock, at: Double(step), lateness: -1)
      #expect(decision == .move(by: -1_000_000_000))
      #expect(clock.isProvisional)
    }
    for step in 20..<27 { _ = decide(&clock, at: Double(step), lateness: 0) }
    #expect(!clock.isProvisional)
  }

  @Test func `audio from the future sets an anchor at once`() {
    var clock = settled()
    #expect(!clock.isProvisional)
    #expect(decide(&clock, at: 7, lateness: -0.2) == .keep)
    #expect(decide(&clock, at: 8, lateness: -0.5) == .anchor(by: -500_000_000))
  }

  @Test func `late audio sets an anchor only when ten seconds of lateness say so`() {
    var clock = settled()
    var decisions: [AirClock.Decision] = []
    for step in 0..<12 {
      let jitter = step == 5 ? 0.0 : 2.0
      decisions.append(decide(&clock, at: 7 + Double(step), lateness: jitter))
    }
    #expect(decisions.allSatisfy { $0 == .keep })
    decisions = (0..<25).map { decide(&clock, at: 20 + Double($0), lateness: 0.6) }
    #expect(decisions.contains(.anchor(by: 600_000_000)))
  }

  @Test func `a stall that is made up for sets no anchor`() {
    var clock = settled()
    #expect(decide(&clock, at: 7, lateness: 0) == .keep)
    #expect(decide(&clock, at: 27, lateness: 20) == .keep)
    #expect(decide(&clock, at: 27.5, lateness: 0) == .keep)
  }

  @Test func `a step of the clock sets an anchor at once`() {
    var clock = settled()
    #expect(decide(&clock, at: 7, lateness: 0, wallStep: 0) == .keep)
    let now = Moment(
      wall: WallTime(seconds: 1008 + 60), monotonic: MonotonicTime(nanoseconds: 8_000_000_000))
    let decision = clock.decide(predicted: WallTime(seconds: 1008), at: now)
    #expect(decision == .anchor(by: 60_000_000_000))
  }

  @Test func `flicks and nanoseconds agree over a century`() {
    for seconds in [0.0, 1, 0.5, 3600, 3.1e9] {
      let media = MediaTime(seconds: seconds)
      #expect(abs(media.nanoseconds - Int64(seconds * 1e9)) <= 1)
      #expect(abs(MediaTime(nanoseconds: media.nanoseconds).flicks - media.flicks) <= 1)
    }
  }
}
