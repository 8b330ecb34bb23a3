import TestSupport
import Testing
import Timeshift
import Wire

@testable import Longwave
@testable import LongwaveAPI

// A wall clock that somebody sets while something is recorded.
extension RecordingTests {
  /// Records in steps of a second, each with a second of audio, until it ends.
  ///
  /// - Parameter steps: by how many seconds the wall clock is set forward, by the second in which that happens.
  private func record(
    steps: [Int: Double], _ options: (Moment) throws -> RecordingEntry.Options
  ) throws -> RecordingEntry {
    let clock = ManualClock()
    var window = LogConfiguration()
    window.windowBytes = 8 << 20
    let station = NumberedLog(log: PacketLog(memoryOnly: window, at: clock.now), seconds: 0)
    let start = clock.now
    let entry = try RecordingEntry(id: 1, options: options(start), startedAt: start.wall.stored)
    let work = work(entry, station.log)
    for second in 0..<300 {
      clock.stepWall(seconds: steps[second] ?? 0)
      station.append(38, at: clock.now)
      if try work.attempt(isEnding: false, at: clock.now) { break }
      clock.advance(seconds: 1)
    }
    return work.entry
  }

  @Test(arguments: [0, 3600, -3600, -45, 86_400, -10, 15.0])
  func `a recording of a given length is that long whatever the wall clock does`(
    step: Double
  ) throws {
    let done = try record(steps: [20: step]) { start in
      let body = try #require(JSON.parse(Array(#"{"station":"jazz","seconds":60}"#.utf8)))
      var options = try RecordingBody.options(body, now: start.wall, in: .utc)
      options.from = start.wall.stored
      return options
    }
    #expect(abs(done.seconds - 60) < 3, "\(done.seconds)")
    #expect(done.missedSeconds == 0 && done.files.count == 1)
  }

  private func untilSecond50(_ start: Moment) -> RecordingEntry.Options {
    var options = RecordingEntry.Options(station: "jazz", name: "x")
    options.from = start.wall.stored
    options.until = start.wall.adding(seconds: 50).stored
    return options
  }

  @Test func `an end in a standstill of the process waits for what came meanwhile`() throws {
    let clock = ManualClock()
    let station = NumberedLog(
      log: PacketLog(memoryOnly: LogConfiguration(), at: clock.now), seconds: 0)
    let entry = RecordingEntry(
      id: 1, options: untilSecond50(clock.now), startedAt: clock.now.wall.stored)
    let work = work(entry, station.log)
    for second in 0..<80 {
      // Its turn comes before what waits in the kernel is taken.
      if second == 20 { clock.advance(seconds: 60) }
      if try work.attempt(isEnding: false, at: clock.now) { break }
      station.append(second == 20 ? 61 * 38 : 38, at: clock.now)
      clock.advance(seconds: 1)
    }
    #expect(abs(work.entry.seconds - 50) < 3, "\(work.entry.seconds)")
  }

  @Test func `a show that lay in a standstill is recorded when it has come out of the kernel`()
    throws
  {
    let clock = ManualClock()
    let station = NumberedLog(
      log: PacketLog(memoryOnly: LogConfiguration(), at: clock.now), seconds: 0)
    for _ in 0..<20 {
      station.append(38, at: clock.now)
      clock.advance(seconds: 1)
    }
    var options = untilSecond50(clock.now.adding(seconds: 5))
    clock.advance(seconds: 90)
    options.until = options.until.map { $0 - 20_000_000_000 }
    let entry = RecordingEntry(id: 1, options: options, startedAt: clock.now.wall.stored)
    let work = work(entry, station.log)
    var isOver = false
    for second in 0..<40 where !isOver {
      isOver = try work.attempt(isEnding: false, at: clock.now)
      // Its turns come before what waits in the kernel is taken.
      station.append(second == 3 ? 91 * 38 : 38, at: clock.now)
      clock.advance(seconds: 1)
    }
    #expect(isOver && abs(work.entry.seconds - 30) < 3, "\(work.entry.seconds)")
  }

  /// A recording until second 50 of a station that has been on air for 30 s.
  private func begun() throws -> (ManualClock, NumberedLog, RecordingWork) {
    let clock = ManualClock()
    let station = NumberedLog(
      log: PacketLog(memoryOnly: LogConfiguration(), at: clock.now), seconds: 0)
    let entry = RecordingEntry(
      id: 1, options: untilSecond50(clock.now), startedAt: clock.now.wall.stored)
    let work = work(entry, station.log)
    for _ in 0..<30 {
      station.append(38, at: clock.now)
      #expect(try !work.attempt(isEnding: false, at: clock.now))
      clock.advance(seconds: 1)
    }
    return (clock, station, work)
  }

  /// - Parameter burst: seconds of what the relay was away for that its upstream brings, some seconds after the start.
  @Test(arguments: [66, 0])
  func `an end while the relay was away waits for what the upstream brings after the start`(
    burst: UInt64
  ) throws {
    let (clock, station, before) = try begun()
    clock.advance(seconds: 60)
    let after = work(before.entry, station.log)
    var seconds = 0
    while try seconds < 40 && !after.attempt(isEnding: false, at: clock.now) {
      if seconds == 5 { station.append(burst * 38, at: clock.now) }
      clock.advance(seconds: 1)
      seconds += 1
    }
    #expect(seconds < 12 && after.entry.missedSeconds == 0, "\(seconds)")
    #expect(abs(after.entry.seconds - (burst > 0 ? 50 : 30)) < 3, "\(after.entry.seconds)")
  }

  @Test func `a burst that comes in pieces is waited for before an end by time`() throws {
    let (clock, station, work) = try begun()
    // Its upstream comes back behind the end, and sends 25 s of its past, of which the last 5 s are not asked for.
    for _ in 0..<25 {
      clock.advance(seconds: 1)
      #expect(try !work.attempt(isEnding: false, at: clock.now))
    }
    station.log.markGap(seconds: 0.5, cause: .upstreamAway)
    var isOver = false
    for _ in 0..<25 where !isOver {
      station.append(38, at: clock.now)
      isOver = try work.attempt(isEnding: false, at: clock.now)
      clock.advance(seconds: 0.1)
    }
    for _ in 0..<20 where !isOver {
      isOver = try work.attempt(isEnding: false, at: clock.now)
      clock.advance(seconds: 0.1)
    }
    #expect(isOver && abs(work.entry.seconds - 47) < 2, "\(work.entry.seconds)")
  }

  @Test func `a clock that leaps ahead and is set right again ends nothing`() throws {
    let done = try record(steps: [10: 7200, 12: -7200], untilSecond50)
    #expect(abs(done.seconds - 50) < 3, "\(done.seconds)")
  }

  @Test func `a clock that stays where it leapt to is believed after a while`() throws {
    let done = try record(steps: [10: 7200], untilSecond50)
    #expect(abs(done.seconds - 40) < 5, "\(done.seconds)")
  }
}
