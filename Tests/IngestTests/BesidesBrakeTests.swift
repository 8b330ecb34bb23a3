import Testing
import Timeshift

@testable import Ingest

@Suite struct BesidesBrakeTests {
  private func at(_ seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64((1000 + seconds) * 1e9))
  }

  @Test func `a burst with two great pictures passes, comments without end do not`() {
    var brake = BesidesBrake()
    brake.received(31 << 20, at: at(0))
    let first = brake.pause(at: at(0))
    for _ in 0..<64 { brake.received(16 * 1024, at: at(0)) }
    brake.received(1, at: at(0))
    let then = brake.pause(at: at(0))
    #expect(first == nil && then != nil)
  }

  @Test func `an upstream that is braked for comments goes on by a megabyte a second`() {
    var brake = BesidesBrake()
    var (now, received) = (0.0, 0)
    while now < 3600 {
      brake.received(16 * 1024, at: at(now))
      received += 16 * 1024
      now += brake.pause(at: at(now)) ?? 0
    }
    #expect(received < 3633 << 20 && received > 3600 << 20)
  }

  @Test func `audio at any rate is never braked as comments, however long its packets`() {
    var brake = BesidesBrake()
    for _ in 0..<100_000 {
      for _ in 0..<4 { brake.received(16 * 1024, at: at(0)) }
      brake.received(-64 * 1024, at: at(0))
    }
    #expect(brake.pause(at: at(0)) == nil)
  }
}
