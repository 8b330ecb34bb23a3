import Synchronization
import Wire

/// What time it certainly is: by it things are deleted for their age.
///
/// A wall clock may be wrong by years until somebody sets it, and what was deleted meanwhile stays so. One that is more
/// than a day away from when the relay last ran, and what has passed since, is doubted: until it is right again, or has
/// gone on from there for a day of the relay's life, the earlier of the two times counts. Pure; `ExpiryClock` holds it.
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

  static let leapMax = MediaTime(seconds: 86_400)
  static let proof = MediaTime(seconds: 86_400)

  public init(seen: WallTime? = nil, doubt: Doubt? = nil) {
    self.seen = seen
    self.doubt = doubt
  }

  /// The time by which things may be deleted.
  public mutating func now(_ moment: Moment) -> WallTime {
    let mono = moment.monotonic.nanoseconds
    let passed = max(0, mono.saturatingSubtract(lookedAt ?? mono))
    lookedAt = mono
    let expected = seen?.adding(nanoseconds: passed) ?? moment.wall
    if Self.isNear(moment.wall, expected) {
      believe(moment.wall)
      return moment.wall
    }
    if var doubt, Self.isNear(moment.wall, doubt.wall.adding(nanoseconds: passed)) {
      doubt.wall = moment.wall
      doubt.steady += MediaTime(seconds: Double(passed) / 1e9)
      self.doubt = doubt
    } else {
      doubt = Doubt(wall: moment.wall, steady: .zero)
    }
    if let doubt, doubt.steady >= Self.proof {
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

  private static func isNear(_ one: WallTime, _ other: WallTime) -> Bool {
    max(one, other) - min(one, other) <= leapMax
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
