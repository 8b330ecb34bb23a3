import Synchronization
import Wire

/// What time it certainly is: by it things are deleted for their age.
///
/// A wall clock may be wrong until somebody sets it, by hours or by years, and what was deleted meanwhile stays so. One
/// that has leapt from when the relay last ran, and what has passed since, is doubted: until it is right again, or has gone
/// on from there for an hour of the relay's life, or a day where it leapt further than a day, the earlier of the two times
/// counts. An absence is a leap as well: nothing is deleted for its age in the hour behind it. Pure; `ExpiryClock` holds it.
public struct BelievedTime: Hashable, Sendable {
  public struct Doubt: Hashable, Sendable {
    /// What the clock said last.
    public var wall: WallTime
    /// For how long it has gone on from where it leapt to, while the relay ran.
    public var steady: MediaTime

    public init(wall: WallTime, steady: MediaTime) {
      self.wall = wall
      self.steady = steady
    }
  }

  /// When the relay last ran, as far as is believed; nil: never.
  public private(set) var seen: WallTime?
  public private(set) var doubt: Doubt?
  /// Monotonic nanoseconds.
  private var lookedAt: Int64?

  /// Less is how clocks are set, and how long a restart takes.
  static let leapMin = MediaTime(seconds: 120)
  private static let day = MediaTime(seconds: 86_400)
  /// How long a clock has to go on that has leapt by so much.
  static func proof(of leap: MediaTime) -> MediaTime {
    leap > day ? day : min(leap, MediaTime(seconds: 3600))
  }

  public init(seen: WallTime? = nil, doubt: Doubt? = nil) {
    self.seen = seen
    self.doubt = doubt
  }

  /// A clock that is doubted for more than an absence.
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
    // The same clock, also behind a restart that took a while.
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

  /// As of the last question.
  public var state: BelievedTime { time.withLock { $0 } }
}
