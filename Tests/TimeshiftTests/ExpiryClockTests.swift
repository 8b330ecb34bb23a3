import TestSupport
import Testing

@testable import Timeshift

/// By what time things are deleted for their age.
@Suite struct ExpiryClockTests {
  private static let day = 86_400.0
  private let start = Moment(
    wall: WallTime(unixSeconds: 1_795_197_600), monotonic: MonotonicTime(nanoseconds: 0))

  /// The clock, `ahead` of where it should be after `seconds`.
  private func moment(_ seconds: Double, ahead: Double = 0) -> Moment {
    var moment = start.adding(seconds: seconds)
    moment.wall = moment.wall.adding(seconds: ahead)
    return moment
  }

  @Test func `a clock that goes on is believed, over a restart as well`() {
    var time = BelievedTime()
    #expect(time.now(start) == start.wall)
    #expect(time.now(moment(3600)) == moment(3600).wall)
    var next = BelievedTime(seen: time.seen)
    let later = moment(3600 + 60)
    #expect(next.now(later) == later.wall && next.doubt == nil)
  }

  @Test(arguments: [600, 3600, Self.day / 2, Self.day])
  func `an absence ends nothing until the relay has run for a while`(absence: Double) {
    var time = BelievedTime(seen: start.wall)
    let proof = min(absence, 3600)
    for minute in 0..<Int(proof / 60) {
      let passed = Double(minute) * 60
      #expect(time.now(moment(absence + passed)) == start.wall.adding(seconds: passed))
    }
    #expect(time.now(moment(absence + proof)) == moment(absence + proof).wall)
    #expect(time.doubt == nil)
  }

  // One that holds local time for UTC is hours off.
  @Test(arguments: [0.5, 1, 2, 13]) func `a clock that is hours ahead at a start ends nothing`(
    hours: Double
  ) {
    var time = BelievedTime(seen: start.wall)
    for second in stride(from: 30.0, to: 900, by: 60) {
      let told = time.now(moment(second, ahead: hours * 3600))
      #expect(told <= moment(second).wall)
    }
    #expect(time.now(moment(960)) == moment(960).wall && time.doubt == nil)
  }

  @Test
  func
    `a clock that is forty days ahead at a start ends nothing, and costs nothing once it is set`()
  {
    var time = BelievedTime(seen: start.wall)
    let leap = 40 * Self.day
    #expect(time.now(moment(60, ahead: leap)) == start.wall)
    // What has passed since is certain.
    #expect(time.now(moment(3660, ahead: leap)) == start.wall.adding(seconds: 3600))
    #expect(time.now(moment(3720)) == moment(3720).wall && time.doubt == nil)
  }

  @Test func `a clock that leaps while the relay runs is doubted too, either way`() {
    var time = BelievedTime()
    _ = time.now(start)
    #expect(time.now(moment(60, ahead: 400 * Self.day)) == moment(60).wall)
    #expect(
      time.now(moment(120, ahead: -400 * Self.day)) == moment(120, ahead: -400 * Self.day).wall)
    #expect(time.now(moment(180)) == moment(180).wall)
  }

  @Test func `a clock that has gone on for a day of running is believed, over restarts`() {
    let leap = 40 * Self.day
    var time = BelievedTime(seen: start.wall)
    var last = WallTime.epoch
    for hour in 0...30 {
      if hour % 5 == 4 { time = BelievedTime(seen: time.seen, doubt: time.doubt) }
      last = time.now(moment(Double(hour) * 3600, ahead: leap))
      if hour < 23 { #expect(last < start.wall.adding(seconds: 2 * Self.day)) }
    }
    #expect(last == moment(30 * 3600, ahead: leap).wall && time.doubt == nil)
  }

  @Test func `a clock that leaps on and on is never believed`() {
    var time = BelievedTime(seen: start.wall)
    for hour in 0..<100 {
      let told = time.now(moment(Double(hour) * 3600, ahead: Double(hour + 2) * 2 * Self.day))
      #expect(told <= moment(Double(hour) * 3600).wall)
    }
  }
}
