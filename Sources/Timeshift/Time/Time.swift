import Glibc
import Wire

// Hot: sums of these are made per listener and turn. Each is one instruction and a branch that is never taken.
//
// The numbers inside are for this file alone: whoever calculates does so by the operations below, which hold what they
// make to what the type can say. Who writes times down, or keeps them in raw tables, has `stored`.

/// A length or a place on a station's media axis, in flicks: 1/705,600,000 s, of which every sample rate in use
/// is a whole divisor, so that sums of packets are exact for ever.
public struct MediaTime: Hashable, Comparable, Sendable {
  public static let flicksPerSecond: Int64 = 705_600_000
  public static let zero = MediaTime(flicks: 0)
  /// 414 years: behind everything.
  public static let max = MediaTime(flicks: .max)

  @usableFromInline let flicks: Int64

  @inlinable public init(flicks: Int64) { self.flicks = flicks }

  /// Held to 414 years either way.
  public init(seconds: Double) {
    flicks = Int64(bounded: (seconds * Double(Self.flicksPerSecond)).rounded())
  }

  /// How long `samples` (per channel) last at `rate` Hz.
  public init(samples: Int, rate: Int) {
    flicks = Int64(samples).saturatingMultiply(Self.flicksPerSecond) / Int64(Swift.max(1, rate))
  }

  /// A nanosecond is 441/625 of a flick.
  public init(nanoseconds: Int64) {
    flicks = nanoseconds / 625 * 441 + nanoseconds % 625 * 441 / 625
  }

  public var seconds: Double { Double(flicks) / Double(Self.flicksPerSecond) }

  /// Rounded towards zero; held to 292 years.
  public var nanoseconds: Int64 {
    (flicks / 441).saturatingMultiply(625).saturatingAdd(flicks % 441 * 625 / 441)
  }

  /// How many samples (per channel) sound in it at `rate` Hz.
  public func samples(rate: Int) -> Int { Int(bounded: (seconds * Double(rate)).rounded()) }

  /// A share of it.
  public func scaled(by factor: Double) -> MediaTime {
    MediaTime(flicks: Int64(bounded: factor * Double(flicks)))
  }

  /// Where what plays stands so many nanoseconds later, at `rate` media seconds a second.
  @inlinable public func advanced(nanoseconds: Int64, rate: Double) -> MediaTime {
    // 705,600,000 flicks a second: 0.7056 a nanosecond.
    self + MediaTime(flicks: Int64(bounded: Double(nanoseconds) * rate * 0.7056))
  }

  @inlinable public static func < (a: MediaTime, b: MediaTime) -> Bool { a.flicks < b.flicks }
  @inlinable public static func + (a: MediaTime, b: MediaTime) -> MediaTime {
    MediaTime(flicks: a.flicks.saturatingAdd(b.flicks))
  }
  @inlinable public static func - (a: MediaTime, b: MediaTime) -> MediaTime {
    MediaTime(flicks: a.flicks.saturatingSubtract(b.flicks))
  }
  @inlinable public static func += (a: inout MediaTime, b: MediaTime) { a = a + b }
  @inlinable public static func -= (a: inout MediaTime, b: MediaTime) { a = a - b }
}

/// A moment on the wall clock, of the years 1970 to 2200: nanoseconds since 1970-01-01T00:00:00Z. It may step.
public struct WallTime: Hashable, Comparable, Sendable {
  /// 1970-01-01T00:00:00Z; also where it is not known when something was on air.
  public static let epoch = WallTime(nanoseconds: 0)

  @usableFromInline let sinceEpoch: Int64

  /// Held to the years 1970 to 2200.
  @inlinable public init(nanoseconds: Int64) {
    sinceEpoch = min(Swift.max(0, nanoseconds), Bounds.moments.upperBound)
  }

  /// Held to the years 1970 to 2200.
  public init(seconds: Double) {
    self.init(nanoseconds: Int64(bounded: (seconds * 1e9).rounded()))
  }

  /// Seconds since 1970; held to the years 1970 to 2200.
  public init(unixSeconds: Int64) {
    self.init(nanoseconds: unixSeconds.saturatingMultiply(1_000_000_000))
  }

  public var seconds: Double { Double(sinceEpoch) / 1e9 }

  /// Whole seconds since 1970.
  public var unixSeconds: Int64 { sinceEpoch / 1_000_000_000 }

  /// Whole milliseconds since 1970.
  public var milliseconds: Int64 { sinceEpoch / 1_000_000 }

  public func adding(nanoseconds: Int64) -> WallTime {
    WallTime(nanoseconds: sinceEpoch.saturatingAdd(nanoseconds))
  }

  public func adding(seconds: Double) -> WallTime {
    adding(nanoseconds: Int64(nanosecondsIn: seconds))
  }

  /// How far it is behind `earlier`; below 0 if it is in front of it. Both are positive, so it cannot overflow.
  public func nanoseconds(since earlier: WallTime) -> Int64 { sinceEpoch - earlier.sinceEpoch }

  public func seconds(since earlier: WallTime) -> Double {
    Double(nanoseconds(since: earlier)) / 1e9
  }

  @inlinable public static func < (a: WallTime, b: WallTime) -> Bool {
    a.sinceEpoch < b.sinceEpoch
  }
  public static func + (a: WallTime, b: MediaTime) -> WallTime {
    a.adding(nanoseconds: b.nanoseconds)
  }
  public static func - (a: WallTime, b: MediaTime) -> WallTime {
    WallTime(nanoseconds: a.sinceEpoch.saturatingSubtract(b.nanoseconds))
  }
  public static func - (a: WallTime, b: WallTime) -> MediaTime {
    MediaTime(nanoseconds: a.nanoseconds(since: b))
  }
}

/// A reading of the monotonic clock, in nanoseconds. It never steps.
public struct MonotonicTime: Hashable, Comparable, Sendable {
  /// What loops count in: theirs are the same nanoseconds.
  public let nanoseconds: Int64

  @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static func now() -> MonotonicTime {
    MonotonicTime(nanoseconds: readClock(CLOCK_MONOTONIC))
  }

  public func adding(nanoseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: self.nanoseconds.saturatingAdd(nanoseconds))
  }

  public func adding(_ seconds: Double) -> MonotonicTime {
    adding(nanoseconds: Int64(nanosecondsIn: seconds))
  }

  public func nanoseconds(since earlier: MonotonicTime) -> Int64 {
    nanoseconds.saturatingSubtract(earlier.nanoseconds)
  }

  public func seconds(since earlier: MonotonicTime) -> Double {
    Double(nanoseconds(since: earlier)) / 1e9
  }

  @inlinable public static func < (a: MonotonicTime, b: MonotonicTime) -> Bool {
    a.nanoseconds < b.nanoseconds
  }
}

extension MediaTime {
  /// For raw tables and what is written down.
  @inlinable public var stored: Int64 { flicks }

  @inlinable public init(stored: Int64) { self.init(flicks: stored) }
}

extension WallTime {
  /// For what is written down: nanoseconds since 1970.
  @inlinable public var stored: Int64 { sinceEpoch }

  /// Held to the years 1970 to 2200.
  @inlinable public init(stored: Int64) { self.init(nanoseconds: stored) }
}

/// All clocks read together. Everything in the packet path is told the time and never asks for it, so that a day
/// can pass in a test.
public struct Moment: Hashable, Sendable {
  public var wall: WallTime
  public var monotonic: MonotonicTime
  /// Since the machine was started. Unlike the monotonic clock this one goes on while the machine sleeps: by it is
  /// measured how long the world went on without us, and by the other how long we wait.
  public var sinceBoot: MonotonicTime

  /// - Parameter sinceBoot: nil: the machine has not slept.
  public init(wall: WallTime, monotonic: MonotonicTime, sinceBoot: MonotonicTime? = nil) {
    self.wall = wall
    self.monotonic = monotonic
    self.sinceBoot = sinceBoot ?? monotonic
  }

  public static func now() -> Moment {
    Moment(
      wall: WallTime(nanoseconds: readClock(CLOCK_REALTIME)), monotonic: .now(),
      sinceBoot: MonotonicTime(nanoseconds: readClock(CLOCK_BOOTTIME)))
  }

  /// By how much the wall clock is ahead of the monotonic one, in nanoseconds: it changes when the wall clock steps.
  public var clockLead: Int64 { wall.stored.saturatingSubtract(monotonic.nanoseconds) }

  /// For how long the machine has slept since it was started, in nanoseconds.
  var slept: Int64 { sinceBoot.nanoseconds(since: monotonic) }

  /// Where the monotonic clock stands when the one since the machine's start shows `time`, unless it sleeps until then.
  public func monotonic(at time: MonotonicTime) -> MonotonicTime {
    time.adding(nanoseconds: -slept)
  }

  /// Nanoseconds since 1970 as the kernel has them of files, held to what 64 bits say: some are dated beyond.
  public static func nanoseconds(of time: timespec) -> Int64 {
    Int64(time.tv_sec).saturatingMultiply(1_000_000_000).saturatingAdd(Int64(time.tv_nsec))
  }

  /// All clocks so much later; earlier below 0.
  public func adding(seconds: Double) -> Moment {
    let nanoseconds = Int64(nanosecondsIn: seconds)
    return Moment(
      wall: wall.adding(nanoseconds: nanoseconds),
      monotonic: monotonic.adding(nanoseconds: nanoseconds),
      sinceBoot: sinceBoot.adding(nanoseconds: nanoseconds))
  }
}

private func readClock(_ id: clockid_t) -> Int64 {
  var time = timespec()
  clock_gettime(id, &time)
  return Moment.nanoseconds(of: time)
}
