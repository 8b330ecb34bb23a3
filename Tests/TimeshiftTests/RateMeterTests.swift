import TestSupport
import Testing

@testable import Timeshift

@Suite struct RateMeterTests {
  /// `seconds` of a station whose clock runs `speed` times ours, with jitter up to 300 ms.
  private func run(
    _ meter: inout RateMeter, from start: Double = 0, seconds: Int, speed: Double,
    seed: UInt64 = 17
  ) {
    var random = SplitMix(seed: seed)
    for step in 0..<(seconds * 4) {
      let time = start + Double(step) / 4
      let late = Double.random(in: 0..<0.3, using: &random)
      meter.published(
        edge: MediaTime(seconds: (time - late) * speed),
        at: MonotonicTime(nanoseconds: Int64(time * 1e9)))
    }
  }

  @Test func `the rate is one until a minute is known`() {
    var meter = RateMeter()
    run(&meter, seconds: 59, speed: 1.001)
    #expect(meter.rate == 1)
  }

  @Test func `a station that runs 100 ppm fast is measured within 20 ppm`() {
    var meter = RateMeter()
    run(&meter, seconds: 2000, speed: 1.0001)
    #expect(abs(meter.rate - 1.0001) < 0.00002)
  }

  @Test func `the rate never leaves two per mille`() {
    var meter = RateMeter()
    run(&meter, seconds: 300, speed: 1.05)
    #expect(meter.rate == 1.002)
    meter = RateMeter()
    run(&meter, seconds: 300, speed: 0.9)
    #expect(meter.rate == 0.998)
  }

  @Test func `a gap keeps what was known until a minute of the new run`() {
    var meter = RateMeter()
    run(&meter, seconds: 2000, speed: 1.0005)
    let known = meter.rate
    meter.startRun()
    run(&meter, from: 5000, seconds: 50, speed: 0.999)
    #expect(meter.rate == known)
    run(&meter, from: 5050, seconds: 600, speed: 0.999)
    #expect(meter.rate < 0.9995)
  }

  @Test func `a log does not count the burst at its start`() {
    let clock = ManualClock()
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    for _ in 0..<40 { log.feed(50, at: clock.now) }
    log.feed(seconds: 120, by: clock)
    #expect(abs(log.rate - 1) < 0.00005)
  }
}
