import Glibc
import Wire

// Hot: these are added per listener and turn. A sum is one instruction and a branch that is never taken.
//
// The numbers inside are for this file alone. Callers calculate by the operations below, which limit their results to
// the type's range. `stored` is for times that are written down or kept in raw tables.

/// A length or a place on a station's media axis, in flicks of 1/705,600,000 s.
///
/// Every sample rate in use is a whole divisor of that, so sums of packets are exact for ever.
public struct MediaTime: Hashable, Comparable, Sendable {
  public static let flicksPerSecond: Int64 = 705_600_000
  public static let zero = MediaTime(flicks: 0)
  /// The largest time, 414 years: behind everything.
  public static let max = MediaTime(flicks: .max)

  @usableFromInline let flicks: Int64

  @inlinable public init(flicks: Int64) { self.flicks = flicks }

  /// Converts seconds, limited to 414 years either way.
  public init(seconds: Double) {
    flicks = Int64(bounded: (seconds * Double(Self.flicksPerSecond)).rounded())
  }

  /// The length of `samples` (per channel) at `rate` Hz.
  public init(samples: Int, rate: Int) {
    flicks = Int64(samples).saturatingMultiply(Self.flicksPerSecond) / Int64(Swift.max(1, rate))
  }

  /// Converts nanoseconds: one is 441/625 of a flick.
  public init(nanoseconds: Int64) {
    flicks = nanoseconds / 625 * 441 + nanoseconds % 625 * 441 / 625
  }

  public var seconds: Double { Double(flicks) / Double(Self.flicksPerSecond) }

  /// The time in nanoseconds, rounded towards zero, limited to 292 years.
  public var nanoseconds: Int64 {
    (flicks / 441).saturatingMultiply(625).saturatingAdd(flicks % 441 * 625 / 441)
  }

  /// The number of samples (per channel) in this time at `rate` Hz.
  public func samples(rate: Int) -> Int { Int(bounded: (seconds * Double(rate)).rounded()) }

  /// The time multiplied by a factor.
  public func scaled(by factor: Double) -> MediaTime {
    MediaTime(flicks: Int64(bounded: factor * Double(flicks)))
  }

  /// The media time after this many nanoseconds, at `rate` media seconds a second.
  @inlinable public func advanced(nanoseconds: Int64, rate: Double) -> MediaTime {
    // 705,600,000 flicks a second are 0.7056 a nanosecond.
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

/// A moment on the wall clock, which may step: nanoseconds since 1970-01-01T00:00:00Z, up to the year 2200.
public struct WallTime: Hashable, Comparable, Sendable {
  /// 1970-01-01T00:00:00Z; also stands for an unknown air time.
  public static let epoch = WallTime(nanoseconds: 0)

  @usableFromInline let sinceEpoch: Int64

  /// Makes a moment, limited to the years 1970 to 2200.
  @inlinable public init(nanoseconds: Int64) {
    sinceEpoch = min(Swift.max(0, nanoseconds), Bounds.moments.upperBound)
  }

  /// Makes a moment of seconds since 1970, limited to the years 1970 to 2200.
  public init(seconds: Double) {
    self.init(nanoseconds: Int64(bounded: (seconds * 1e9).rounded()))
  }

  /// Makes a moment of whole seconds since 1970, limited to the years 1970 to 2200.
  public init(unixSeconds: Int64) {
    self.init(nanoseconds: unixSeconds.saturatingMultiply(1_000_000_000))
  }

  public var seconds: Double { Double(sinceEpoch) / 1e9 }

  /// Whole seconds since 1970.
  public var unixSeconds: Int64 { sinceEpoch / 1_000_000_000 }

  /// Whole milliseconds since 1970.
  public var milliseconds: Int64 { sinceEpoch / 1_000_000 }

  /// Makes a moment of milliseconds since 1970, limited to the years 1970 to 2200.
  public init(milliseconds: Int64) {
    self.init(nanoseconds: milliseconds.saturatingMultiply(1_000_000))
  }

  public func adding(nanoseconds: Int64) -> WallTime {
    WallTime(nanoseconds: sinceEpoch.saturatingAdd(nanoseconds))
  }

  public func adding(seconds: Double) -> WallTime {
    adding(nanoseconds: Int64(nanosecondsIn: seconds))
  }

  /// The nanoseconds from `earlier` to this moment; negative if this one comes first. Both are positive, so nothing
  /// overflows.
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
  /// The reading in nanoseconds, in which loops count as well.
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
  /// The flicks as a number, for raw tables and for writing down.
  @inlinable public var stored: Int64 { flicks }

  @inlinable public init(stored: Int64) { self.init(flicks: stored) }
}

extension MediaTime {
  /// The whole seconds before this time.
  var second: Int64 { flicks / Self.flicksPerSecond }

  /// The nearest whole second.
  var nearestSecond: Int64 { flicks.saturatingAdd(Self.flicksPerSecond / 2) / Self.flicksPerSecond }

  /// - Parameter second: At most the second of a time of a log.
  init(second: Int64) { self.init(flicks: second.saturatingMultiply(Self.flicksPerSecond)) }
}

// Times as counts of other times.
extension MediaTime {
  /// The smallest length of time.
  public static let flick = MediaTime(flicks: 1)

  /// - Parameter milliseconds: limited to 292 years.
  init(milliseconds: Int64) { self.init(nanoseconds: milliseconds.saturatingMultiply(1_000_000)) }

  /// The whole milliseconds in this time.
  var milliseconds: Int64 { nanoseconds / 1_000_000 }

  /// How many whole lengths are before this time; fewer than none before zero.
  func count(of length: MediaTime) -> Int64 {
    let (whole, rest) = flicks.quotientAndRemainder(dividingBy: Swift.max(1, length.flicks))
    return rest < 0 ? whole - 1 : whole
  }

  /// This length so many times.
  func times(_ count: Int64) -> MediaTime { MediaTime(flicks: flicks.saturatingMultiply(count)) }
}

extension WallTime {
  /// Nanoseconds since 1970, for writing down.
  @inlinable public var stored: Int64 { sinceEpoch }

  /// Makes a moment, limited to the years 1970 to 2200.
  @inlinable public init(stored: Int64) { self.init(nanoseconds: stored) }
}

/// A reading of all clocks together. The packet path is told the time and never asks for it, so a day can pass in a
/// test.
public struct Moment: Hashable, Sendable {
  public var wall: WallTime
  public var monotonic: MonotonicTime
  /// The time since the machine's start. Unlike the monotonic clock, this one goes on while the machine sleeps.
  ///
  /// This clock measures how long the world went on without the relay; the monotonic clock measures how long the relay
  /// waits.
  public var sinceBoot: MonotonicTime

  /// - Parameter sinceBoot: nil if the machine has not slept.
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

  /// How far the wall clock is ahead of the monotonic one, in nanoseconds. It changes when the wall clock steps.
  public var clockLead: Int64 { wall.stored.saturatingSubtract(monotonic.nanoseconds) }

  /// How long the machine has slept since its start, in nanoseconds.
  var slept: Int64 { sinceBoot.nanoseconds(since: monotonic) }

  /// The monotonic clock's reading when the clock since the machine's start shows `time`, if the machine does not sleep
  /// before.
  public func monotonic(at time: MonotonicTime) -> MonotonicTime {
    time.adding(nanoseconds: -slept)
  }

  /// A file's time in nanoseconds since 1970, limited to 64 bits: some files are dated beyond.
  public static func nanoseconds(of time: timespec) -> Int64 {
    Int64(time.tv_sec).saturatingMultiply(1_000_000_000).saturatingAdd(Int64(time.tv_nsec))
  }

  /// All clocks later by `seconds`; earlier for negative seconds.
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
