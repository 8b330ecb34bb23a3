import TestSupport
import Testing
import Wire

@testable import Timeshift

@Suite struct DelayedReaderTests {
  private static let delay = MediaTime(seconds: 60)
  /// An index has an entry for each half second.
  private static let tolerance = 0.6

  let clock = ManualClock()

  private func memoryLog() -> PacketLog {
    var configuration = LogConfiguration()
    configuration.windowBytes = 16 << 20
    return PacketLog(memoryOnly: configuration, at: clock.now)
  }

  private func reader(of log: PacketLog) -> LogReader {
    LogReader(log, delay: Self.delay, at: clock.now)
  }

  /// Seconds on the clock that does not step.
  private var seconds: Double { Double(clock.now.monotonic.nanoseconds) / 1e9 }

  @Test(arguments: [-86_400.0, -3600, -40, 40, 3600, 86_400])
  func `a step of the wall clock is not heard: what is due is what was sent so long ago`(
    step: Double
  ) {
    let log = memoryLog()
    let reader = reader(of: log)
    let began = seconds
    var worst = 0.0
    func follow() {
      reader.refresh(at: clock.now)
      let due = max(0, seconds - began - Self.delay.seconds)
      worst = max(worst, abs(reader.edge.media.seconds - due))
      let shown = log.snapshot(delay: Self.delay, at: clock.now).edge.media.seconds
      worst = max(worst, abs(shown - due))
    }
    log.feed(seconds: 90, by: clock, turn: follow)
    clock.stepWall(seconds: step)
    follow()
    // Until well behind the place in the log where the clock stepped.
    log.feed(seconds: 100, by: clock, turn: follow)
    clock.stepWall(seconds: -step / 2)
    log.feed(seconds: 100, by: clock, turn: follow)
    #expect(worst < Self.tolerance)
  }

  @Test func `a clock that steps while nothing comes changes nothing of what is due`() {
    let log = memoryLog()
    let reader = reader(of: log)
    log.feed(seconds: 70, by: clock)
    var before = -1.0
    for second in 1...50 {
      clock.advance(seconds: 1)
      clock.stepWall(seconds: second % 2 == 0 ? 5000 : -7000)
      reader.refresh(at: clock.now)
      #expect(abs(reader.edge.media.seconds - 10 - Double(second)) < Self.tolerance)
      #expect(reader.edge.media.seconds > before)
      before = reader.edge.media.seconds
    }
  }

  @Test(arguments: [-3600.0, 3600])
  func `an outage is a silence of its own length though the clock stepped in it`(step: Double) {
    let log = memoryLog()
    let reader = reader(of: log)
    log.feed(seconds: 80, by: clock)
    clock.advance(seconds: 15)
    clock.stepWall(seconds: step)
    clock.advance(seconds: 15)
    log.markGap(seconds: 30, cause: .upstreamAway)
    log.feed(seconds: 20, by: clock)
    for (second, media) in [(130.0, 70.0), (140, 80), (150, 80), (165, 80), (180, 90)] {
      clock.advance(seconds: second - seconds)
      reader.refresh(at: clock.now)
      #expect(abs(reader.edge.media.seconds - media) < Self.tolerance, "second \(second)")
    }
  }

  @Test func `a clip of what is due is waited for while nobody knows how far that goes`() throws {
    let settings = LogConfiguration(retention: MediaTime(seconds: 3600))
    let first = try LogOnDisk(settings, clock: clock)
    first.feed(seconds: 300)
    first.log.close()
    let disk = try LogOnDisk(settings, in: first.directory, clock: clock)
    let reader = reader(of: disk.log)
    let (from, to) = (reader.air(at: .init(seconds: 150)), reader.air(at: .init(seconds: 160)))
    var waits = 0
    for _ in 0..<50 {
      reader.refresh(at: clock.now)
      switch reader.clip(from: from, to: to) {
      case .clip(let clip):
        #expect(waits > 0 && abs(clip.start.media.seconds - 150) < Self.tolerance)
        return
      case .loading: waits += 1
      case .nothing: Issue.record("it is there")
      }
      disk.turn()
    }
    Issue.record("it never came")
  }

  private static let boots = (1...2).map { BootID(bytes: [UInt8](repeating: $0, count: 16)) }

  /// A log of 100 s, opened again 10 s after it was closed.
  private func restarted(
    clockIsOffBy offset: Double = 0, from old: BootID? = boots[0], to new: BootID? = boots[0]
  ) throws -> LogOnDisk {
    let disk = try LogOnDisk(clock: clock, boot: old)
    disk.feed(seconds: 100)
    disk.log.close()
    clock.advance(seconds: 10)
    clock.stepWall(seconds: offset)
    if new != old, new != nil { clock.reboot(seconds: 6) }
    return try LogOnDisk(in: disk.directory, clock: clock, boot: new)
  }

  private func edge(of reader: LogReader, on disk: LogOnDisk) -> Double {
    for _ in 0..<20 {
      reader.refresh(at: clock.now)
      disk.turn()
    }
    return reader.edge.media.seconds
  }

  @Test(arguments: [-3600.0, 3600])
  func `a delayed reader goes on by the clock after a restart, and ignores a step then`(
    step: Double
  ) throws {
    let disk = try restarted()
    let reader = reader(of: disk.log)
    #expect(abs(edge(of: reader, on: disk) - 50) < Self.tolerance)
    disk.log.markGap(seconds: 10, cause: .restart)
    disk.feed(seconds: 5)
    clock.stepWall(seconds: step)
    for (passed, media) in [(10.0, 60.0), (40, 90), (55, 100), (75, 115), (100, 140)] {
      let now = seconds - 110
      if passed > now { disk.feed(seconds: passed - now) }
      #expect(abs(edge(of: reader, on: disk) - media) < Self.tolerance, "second \(passed)")
    }
  }

  @Test(arguments: [-4e7, -86_400, -3600, -12, 12, 300, 3600, 86_400, 4e7])
  func `a restart of the relay alone goes on by the machine's clock, whatever the wall clock says`(
    offset: Double
  ) throws {
    let disk = try restarted(clockIsOffBy: offset)
    let reader = reader(of: disk.log)
    #expect(abs(edge(of: reader, on: disk) - 50) < Self.tolerance)
    disk.log.markGap(seconds: 10, cause: .restart)
    disk.feed(seconds: 5)
    clock.stepWall(seconds: -offset)
    #expect(abs(edge(of: reader, on: disk) - 55) < Self.tolerance)
    disk.feed(seconds: 60)
    #expect(abs(edge(of: reader, on: disk) - 105) < Self.tolerance)
    #expect(disk.isWholeAndKnown)
  }

  /// With and without an id of the machine's start, and by who did not write it.
  @Test(
    arguments: [(boots[0], boots[1]), (boots[0], nil), (nil, boots[1]), (nil, nil)],
    [-4e7, -86_400, -12, 4e7])
  func `a delayed reader misses nothing when no clock tells how long a restart took`(
    boots: (BootID?, BootID?), offset: Double
  ) throws {
    let disk = try restarted(clockIsOffBy: offset, from: boots.0, to: boots.1)
    let reader = reader(of: disk.log)
    #expect(abs(edge(of: reader, on: disk) - 40) < Self.tolerance)
    disk.log.markGap(seconds: 10, cause: .restart)
    disk.feed(seconds: 5)
    clock.stepWall(seconds: -offset)
    #expect(abs(edge(of: reader, on: disk) - 45) < Self.tolerance)
    disk.feed(seconds: 60)
    #expect(abs(edge(of: reader, on: disk) - 105) < Self.tolerance)
  }

  @Test func `a restart of the machine goes on by the wall clock`() throws {
    let disk = try restarted(from: Self.boots[0], to: Self.boots[1])
    #expect(abs(edge(of: reader(of: disk.log), on: disk) - 50) < Self.tolerance)
  }

  @Test func `a wall clock that stepped before the machine was started again is not heard`() throws
  {
    let first = try LogOnDisk(clock: clock, boot: Self.boots[0])
    first.feed(seconds: 80)
    clock.stepWall(seconds: -3600)
    first.feed(seconds: 20)
    first.log.close()
    clock.advance(seconds: 10)
    clock.reboot(seconds: 6)
    let disk = try LogOnDisk(in: first.directory, clock: clock, boot: Self.boots[1])
    let reader = reader(of: disk.log)
    #expect(abs(edge(of: reader, on: disk) - 50) < Self.tolerance)
    for second in 1...45 {
      clock.advance(seconds: 1)
      #expect(abs(edge(of: reader, on: disk) - 50 - Double(second)) < Self.tolerance)
    }
  }
}
