import Testing
import Timeshift
import Wire

@testable import Server

/// What is kept beside a listener.
struct SidecarTests {
  private static let home = Home(
    Listener(
      fd: -1, slot: 3, cursor: 100, icy: ICYInterleaver(metaint: 0), codec: .mp3,
      pace: .placed(at: .zero, burst: .zero, now: 0), takenAt: 0))

  /// One thing after the other that a sidecar can hold.
  private static let things: [String: @Sendable (inout Sidecar) -> Void] = [
    "pause": { $0.pause = Pause(since: 0) },
    "home": { $0.home = home },
    "run": { $0.run = Run(since: .epoch, start: LogPoint(position: 0, media: .zero)) },
    "relink": { $0.relink = OggRelink(serial: 1) },
    "toldGaps": { $0.toldGaps = 0 },
    "promise": { $0.promise = SessionToken("promised-session") },
  ]

  @Test(arguments: things.keys.sorted())
  func `a sidecar comes with the first thing in it, and goes with the last`(_ name: String) throws {
    let sidecars = SlotRecords<Sidecar>()
    let put = try #require(Self.things[name])
    sidecars.change(3) { _ in }
    #expect(sidecars[3] == nil)
    sidecars.change(3, put)
    #expect(sidecars[3] != nil && sidecars[4] == nil)
    sidecars.change(3) { $0 = Sidecar() }
    #expect(sidecars[3] == nil)
  }

  @Test func `a sidecar holds several things until all of them have gone`() {
    let sidecars = SlotRecords<Sidecar>()
    sidecars.change(3) { $0.pause = Pause(since: 0) }
    sidecars.change(3) { $0.toldGaps = 7 }
    sidecars.change(3) { $0.pause = nil }
    #expect(sidecars[3]?.pointee.toldGaps == 7)
    #expect(sidecars.remove(3)?.toldGaps == 7)
    #expect(sidecars[3] == nil && sidecars.remove(3)?.toldGaps == nil)
  }

  @Test func `a line's state holds a rest and a shortfall until both have gone`() {
    let lines = SlotRecords<LineState>()
    lines.clear(3) { $0.shortfall = nil }
    lines.change(3) { $0.rest = [1, 2] }
    lines.change(3) { $0.shortfall = Shortfall(at: .zero, now: 0) }
    lines.change(3) { $0.rest = [] }
    #expect(lines[3]?.pointee.shortfall != nil)
    lines.clear(3) { $0.shortfall = nil }
    #expect(lines[3] == nil)
    lines.change(3) { $0.rest = [1] }
    #expect(lines.remove(3)?.rest == [1] && lines[3] == nil)
  }

  @Test func `a listener that goes to another station takes along what is its own`() {
    var sidecar = Sidecar()
    for put in Self.things.values { put(&sidecar) }
    sidecar.leaveStation()
    #expect(sidecar.pause == nil && sidecar.home == nil)
    #expect(sidecar.run != nil && sidecar.relink != nil)
    #expect(sidecar.toldGaps == 0 && sidecar.promise != nil)
  }

  @Test func `a standstill counts as no part of a pause`() {
    let sidecars = SlotRecords<Sidecar>()
    sidecars.change(3) { $0.pause = Pause(since: 5) }
    sidecars.change(4) { $0.pause = Pause(since: .max - 1) }
    sidecars.change(5) { $0.toldGaps = 1 }
    sidecars.bear(10)
    #expect(sidecars[3]?.pointee.pause?.since == 15)
    #expect(sidecars[4]?.pointee.pause?.since == .max)
    #expect(sidecars[5]?.pointee.pause == nil)
  }

  @Test func `a pause is over after its timeout, and never where there is none`() {
    let pause = Pause(since: 1_000_000_000)
    #expect(!pause.isOver(at: 3_999_999_999, timeout: 3))
    #expect(pause.isOver(at: 4_000_000_000, timeout: 3))
    #expect(!pause.isOver(at: .max, timeout: 0))
  }

  // MARK: Runs

  private static func point(_ seconds: Double) -> LogPoint {
    LogPoint(position: UInt64(seconds * 1000), media: MediaTime(seconds: seconds))
  }

  @Test func `a run counts what was sent before a jump, and begins anew behind it`() {
    var run = Run(since: .epoch, start: Self.point(10))
    run.end(at: MediaTime(seconds: 14))
    run.goOn(at: Self.point(2), now: WallTime(seconds: 60))
    #expect(run.before == MediaTime(seconds: 4) && run.jumps == 1)
    #expect(run.start.position == 2000 && run.since == WallTime(seconds: 60))
    // Nothing was sent: the listener stands in front of where it began.
    run.end(at: MediaTime(seconds: 1))
    #expect(run.before == MediaTime(seconds: 4))
  }

  @Test func `a run whose end is not known cannot be counted any more`() {
    var run = Run(since: .epoch, start: Self.point(10))
    run.end(at: nil)
    run.goOn(at: Self.point(20), now: .epoch)
    run.end(at: MediaTime(seconds: 24))
    #expect(run.before == nil && run.jumps == 1)
  }

  @Test func `a run is longer by frames that are not in the log, and unknown by other bytes`() {
    var run = Run(since: .epoch, start: Self.point(10))
    run.lengthen(by: [])
    #expect(run.before == .zero)
    // 128 kbit/s at 44.1 kHz: 417 bytes, 1152 samples.
    let frame = [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 413)
    run.lengthen(by: frame + frame)
    #expect(
      run.before == MediaTime(samples: 1152, rate: 44_100) + MediaTime(samples: 1152, rate: 44_100))
    run.lengthen(by: [1, 2, 3])
    #expect(run.before == nil)
  }
}
