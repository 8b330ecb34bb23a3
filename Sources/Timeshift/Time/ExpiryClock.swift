import Synchronization
import Wire

/// The time that is certain: things are deleted for their age by it.
///
/// A wall clock may be wrong until it is set, by hours or by years, and what is deleted meanwhile stays deleted. A
/// clock that leapt is doubted for an hour of running, or for a day after a leap of more than a day. Meanwhile the
/// earlier time counts. The doubt ends sooner if the clock is right again, or has gone on for as long as the leap was.
///
/// An absence is a leap as well: nothing is deleted for its age in the hour after it. This is a pure value;
/// `ExpiryClock` holds it.
public struct BelievedTime: Hashable, Sendable {
  public struct Doubt: Hashable, Sendable {
    /// The wall clock's last reading.
    public var wall: WallTime
    /// How long the clock has gone on from where it leapt to, while the relay ran.
    public var steady: MediaTime

    public init(wall: WallTime, steady: MediaTime) {
      self.wall = wall
      self.steady = steady
    }
  }

  /// When the relay last ran, as far as is believed; nil for never.
  public private(set) var seen: WallTime?
  public private(set) var doubt: Doubt?
  /// The last reading of the monotonic clock, in nanoseconds.
  private var lookedAt: Int64?

  /// The smallest leap that is doubted: setting a clock, or a restart, makes smaller ones.
  static let leapMin = MediaTime(seconds: 120)
  private static let day = MediaTime(seconds: 86_400)
  /// How long a clock must go on after a leap of this length.
  static func proof(of leap: MediaTime) -> MediaTime {
    leap > day ? day : min(leap, MediaTime(seconds: 3600))
  }

  public init(seen: WallTime? = nil, doubt: Doubt? = nil) {
    self.seen = seen
    self.doubt = doubt
  }

  /// Whether the clock is doubted for more than an absence: it is more than a day off.
  public var isFarOff: Bool {
    guard let seen, let doubt else { return false }
    return Self.distance(doubt.wall, seen) > Self.day
  }

  /// The time by which things may be deleted.
  public mutating func now(_ moment: Moment) -> WallTime {
    let mono = moment.monotonic.nanoseconds
    let passed = max(0, mono.saturatingSubtract(lookedAt ?? mono))
    lookedAt = mono
    let expected = seen?.adding(nanoseconds: passed) ?? moment.wall
    let leap = Self.distance(moment.wall, expected)
    if leap <= Self.leapMin {
      believe(moment.wall)
      return moment.wall
    }
    // The same doubted clock still runs, also after a restart that took a while.
    if var doubt, Self.distance(moment.wall, doubt.wall.adding(nanoseconds: passed)) <= Self.day {
      doubt.wall = moment.wall
      doubt.steady += MediaTime(seconds: Double(passed) / 1e9)
      self.doubt = doubt
    } else {
      doubt = Doubt(wall: moment.wall, steady: .zero)
    }
    if let doubt, doubt.steady >= Self.proof(of: leap) {
      believe(moment.wall)
      return moment.wall
    }
    seen = expected
    return min(moment.wall, expected)
  }

  private mutating func believe(_ wall: WallTime) {
    seen = wall
    doubt = nil
  }

  private static func distance(_ one: WallTime, _ other: WallTime) -> MediaTime {
    max(one, other) - min(one, other)
  }
}

/// The relay's one `BelievedTime`, asked from any thread.
public final class ExpiryClock: Sendable {
  private let time: Mutex<BelievedTime>

  public init(_ time: BelievedTime = BelievedTime()) { self.time = Mutex(time) }

  public func now(at moment: Moment = .now()) -> WallTime { time.withLock { $0.now(moment) } }

  /// The state as of the last call of `now`.
  public var state: BelievedTime { time.withLock { $0 } }
}
