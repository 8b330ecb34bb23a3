import Glibc
import TestSupport
import Testing
import Wire

@testable import Timeshift

/// Times at the ends of what they can say: nothing done to them ends the process.
@Suite struct TimeBoundsTests {
  private static let flicks: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]

  @Test func `sums of media times end at the largest and smallest`() {
    let all = Self.flicks.map { MediaTime(flicks: $0) }
    for a in all {
      for b in all {
        let (sum, overflows) = a.stored.addingReportingOverflow(b.stored)
        #expect((a + b).stored == (overflows ? (b.stored < 0 ? .min : .max) : sum))
        _ = (a - b, a < b)
        var c = a
        c += b
        c -= b
      }
      _ = (a.seconds, a.samples(rate: .max), a.scaled(by: .infinity), a.scaled(by: .nan))
      _ = MediaTime(nanoseconds: a.nanoseconds)
      _ = a.advanced(nanoseconds: .max, rate: 1e300)
    }
    #expect(MediaTime(samples: .max, rate: 0) > .zero && MediaTime(samples: .min, rate: 1) < .zero)
    #expect(MediaTime(seconds: .nan) == .zero && MediaTime(seconds: .infinity) == .max)
  }

  @Test func `moments stay between 1970 and 2200`() {
    let walls = [Int64.min, -1, 0, 1_795_197_600_000_000_000, .max].map {
      WallTime(nanoseconds: $0)
    }
    for wall in walls {
      for flicks in Self.flicks {
        for other in [wall + MediaTime(flicks: flicks), wall - MediaTime(flicks: flicks)] {
          #expect(Bounds.moments.contains(other.stored))
        }
      }
      for number in [Double.nan, .infinity, -.infinity, 1e300, -1e300] {
        #expect(Bounds.moments.contains(wall.adding(seconds: number).stored))
        #expect(Bounds.moments.contains(WallTime(seconds: number).stored))
      }
      #expect(Bounds.moments.contains(wall.adding(nanoseconds: .min).stored))
      for other in walls { _ = (wall - other, wall.seconds(since: other)) }
      #expect(wall.rfc3339.utf8.count == 24 && wall.httpDate.utf8.count == 29)
    }
    #expect(WallTime(unixSeconds: .max).rfc3339 == "2200-12-31T23:59:59.999Z")
    #expect(WallTime(unixSeconds: .min) == .epoch)
  }

  @Test func `a file of any date has one`() {
    var time = timespec()
    for seconds in [Int.min, -1, 0, 15_032_385_535, .max] {
      (time.tv_sec, time.tv_nsec) = (seconds, 999_999_999)
      _ = Moment.nanoseconds(of: time)
    }
  }

  @Test(arguments: [0, 1e-9, 3600, 1e9, 1e300, .infinity])
  func `a reader of any delay has an answer for any moment`(delay: Double) {
    let station = NumberedLog(
      log: PacketLog(memoryOnly: LogConfiguration(), at: .now()), seconds: 5)
    let log = station.log
    let reader = LogReader(log, delay: MediaTime(seconds: delay))
    for time in [Int64.min, 0, 1_795_197_600_000_000_000, .max] {
      let wall = WallTime(nanoseconds: time)
      #expect(reader.point(at: wall) != nil)
      _ = reader.clip(from: wall, to: .init(nanoseconds: .max))
      let now = Moment(wall: wall, monotonic: MonotonicTime(nanoseconds: time))
      reader.refresh(at: now)
      _ = log.snapshot(delay: reader.delay, at: now)
      _ = log.titles(limit: 9, delay: reader.delay, at: now)
    }
    for flicks in Self.flicks {
      #expect(reader.point(atOrBefore: MediaTime(flicks: flicks)) != nil)
      #expect(reader.spanPoint(atOrBefore: MediaTime(flicks: flicks)) != nil)
      _ = reader.air(at: MediaTime(flicks: flicks))
    }
  }

  @Test func `clocks that jump from one end to the other move the air, and nothing else`() {
    var clock = AirClock()
    for (wall, monotonic) in [(Int64.max, Int64.max), (.min, 0), (.max, .max), (0, .max)] {
      for _ in 0..<3 {
        _ = clock.decide(
          predicted: WallTime(nanoseconds: wall < 0 ? .max : .max - wall),
          at: Moment(
            wall: WallTime(nanoseconds: wall), monotonic: MonotonicTime(nanoseconds: monotonic)))
      }
    }
    var meter = RateMeter()
    for time in [Int64.min, 0, .max, .min, .max] {
      for flicks in Self.flicks {
        meter.published(
          edge: MediaTime(flicks: flicks), at: MonotonicTime(nanoseconds: time))
      }
    }
    #expect((0.998...1.002).contains(meter.rate))
  }
}
