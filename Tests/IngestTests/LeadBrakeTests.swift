import Testing
import Timeshift

@testable import Ingest

@Suite struct LeadBrakeTests {
  private func at(_ seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64((1000 + seconds) * 1e9))
  }

  @Test func `a burst of a minute passes and two do not`() throws {
    var brake = LeadBrake(leadMax: 90)
    brake.appended(seconds: 60, bytes: 0, at: at(0))
    #expect(brake.pause(at: at(0)) == nil)
    brake.appended(seconds: 60, bytes: 0, at: at(0))
    let pause = try #require(brake.pause(at: at(0)))
    #expect(abs(pause - 30) < 0.01)
    #expect(brake.pause(at: at(30.1)) == nil)
  }

  @Test func `time without audio is no credit`() {
    var brake = LeadBrake(leadMax: 90)
    brake.appended(seconds: 1, bytes: 0, at: at(0))
    brake.appended(seconds: 91, bytes: 0, at: at(3600))
    #expect(brake.pause(at: at(3600)) != nil)
  }

  @Test func `an upstream 100 ppm fast is never stopped`() {
    var brake = LeadBrake(leadMax: 90)
    var longest = 0.0
    for hour in 0..<24 * 60 {
      brake.appended(seconds: 3600 * 1.0001, bytes: 0, at: at(Double(hour) * 3600))
      longest = max(longest, brake.lead(at: at(Double(hour + 1) * 3600)))
    }
    #expect(longest < 1)
  }

  @Test func `what is held counts`() {
    var brake = LeadBrake(leadMax: 90)
    brake.appended(seconds: 60, bytes: 0, at: at(0))
    #expect(brake.pause(held: 29, at: at(0)) == nil)
    #expect(brake.pause(held: 31, at: at(0)) != nil)
  }

  @Test func `packets that claim to last no time are stopped by their bytes`() {
    var brake = LeadBrake(leadMax: 90)
    for _ in 0..<30_000 { brake.appended(seconds: 0.000_001, bytes: 32_000, at: at(0)) }
    #expect(brake.pause(at: at(0)) != nil)
  }

  @Test func `pages of a sample each are stopped by their number`() {
    var brake = LeadBrake(leadMax: 90)
    var passed = 0
    while brake.pause(at: at(0)) == nil, passed < 1_000_000 {
      brake.appended(seconds: 0.000_002, bytes: 40, at: at(0))
      passed += 1
    }
    #expect(passed < 100_000)
  }

  @Test func `the finest packets that anybody makes are stopped by their length alone`() {
    var brake = LeadBrake(leadMax: 90)
    for _ in 0..<Int(89 / 0.0025) { brake.appended(seconds: 0.0025, bytes: 80, at: at(0)) }
    #expect(brake.pause(at: at(0)) == nil)
  }
}
