import Synchronization
import Timeshift

/// All clocks, moved by hand, so that a day passes in a second.
public final class ManualClock: Sendable {
  private let moment: Mutex<Moment>

  /// Begins at 2026-01-01T00:00:00Z, with a monotonic clock that has nothing to do with it.
  public init() {
    moment = Mutex(
      Moment(
        wall: WallTime(seconds: 1_767_225_600), monotonic: MonotonicTime(nanoseconds: 1_000_000)))
  }

  public var now: Moment { moment.withLock { $0 } }

  public func advance(seconds: Double) {
    let nanoseconds = Int64((seconds * 1e9).rounded())
    moment.withLock {
      $0.wall = $0.wall.adding(nanoseconds: nanoseconds)
      $0.monotonic = $0.monotonic.adding(nanoseconds: nanoseconds)
      $0.sinceBoot = $0.sinceBoot.adding(nanoseconds: nanoseconds)
    }
  }

  /// The machine sleeps: the monotonic clock stands still.
  public func sleep(seconds: Double) {
    moment.withLock {
      let awake = $0.monotonic
      $0 = $0.adding(seconds: seconds)
      $0.monotonic = awake
    }
  }

  /// The machine has been started anew, so many seconds ago.
  public func reboot(seconds ago: Double) {
    moment.withLock { $0.sinceBoot = MonotonicTime(nanoseconds: 0).adding(ago) }
  }

  /// The administrator, or NTP, sets the clock: only wall time changes.
  public func stepWall(seconds: Double) {
    moment.withLock { $0.wall = $0.wall.adding(nanoseconds: Int64((seconds * 1e9).rounded())) }
  }
}
