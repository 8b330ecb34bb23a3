import Testing
import Timeshift

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

  @Test func `held audio counts towards the lead`() {
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

  @Test func `a clock that goes back, as of a machine that is restored, holds nothing up`() throws {
    var brake = LeadBrake(leadMax: 2)
    brake.appended(seconds: 2.1, bytes: 0, at: at(3600))
    #expect(try #require(brake.pause(at: at(0))) == 0.25)
    brake.appended(seconds: 0.1, bytes: 0, at: at(0))
    #expect(brake.pause(at: at(1)) == nil)
  }

  // MARK: A standstill

  /// A live connection that was there, and then for so long nobody to look.
  private func stopped(for seconds: Double, isLive: Bool = true) -> LeadBrake {
    var brake = LeadBrake(leadMax: 90)
    brake.appended(seconds: 8, bytes: 0, isLive: isLive, at: at(0))
    brake.appended(seconds: 0.01, bytes: 0, isLive: isLive, at: at(seconds))
    return brake
  }

  @Test func `audio that waited in a standstill is no lead, and what comes behind it is`() {
    var brake = stopped(for: 600)
    brake.appended(seconds: 600, bytes: 0, isLive: true, at: at(600))
    #expect(brake.pause(at: at(600)) == nil)
    brake.appended(seconds: 95, bytes: 0, isLive: true, at: at(600))
    #expect(brake.pause(at: at(600)) != nil)
  }

  @Test func `audio of a file did not wait in a standstill`() {
    var brake = stopped(for: 600, isLive: false)
    brake.appended(seconds: 100, bytes: 0, isLive: false, at: at(600))
    #expect(brake.pause(at: at(600)) != nil)
  }

  @Test func `a new connection brings nothing of what a standstill held back`() {
    var brake = stopped(for: 600)
    brake.connectionBegins()
    brake.appended(seconds: 1, bytes: 0, isLive: true, at: at(601))
    brake.appended(seconds: 99, bytes: 0, isLive: true, at: at(601))
    #expect(brake.pause(at: at(601)) != nil)
  }

  @Test func `half an hour that comes over a slow line comes to its end`() {
    var brake = stopped(for: 1800)
    var stops = 0
    for second in 0..<3000 {
      brake.appended(seconds: 1.6, bytes: 0, isLive: true, at: at(1800 + Double(second)))
      if brake.pause(at: at(1800 + Double(second))) != nil { stops += 1 }
    }
    #expect(stops == 0)
  }

  @Test func `audio that nobody kept in a standstill is not expected for ever`() {
    var brake = stopped(for: 600)
    for second in 0..<70_000 {
      brake.appended(seconds: 1, bytes: 0, isLive: true, at: at(601 + Double(second)))
    }
    #expect(brake.lead(at: at(70_600)) > -1)
  }
}
