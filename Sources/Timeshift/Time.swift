import Glibc

/// A length or a place on a station's media axis, in flicks: 1/705,600,000 s, of which every sample rate in use
/// is a whole divisor, so that sums of packets are exact for ever.
public struct MediaTime: Hashable, Comparable, Sendable {
  public static let flicksPerSecond: Int64 = 705_600_000
  public static let zero = MediaTime(flicks: 0)

  public var flicks: Int64

  @inlinable public init(flicks: Int64) { self.flicks = flicks }

  public init(seconds: Double) {
    flicks = Int64((seconds * Double(Self.flicksPerSecond)).rounded())
  }

  /// How long `samples` (per channel) last at `rate` Hz.
  public init(samples: Int, rate: Int) {
    flicks = Int64(samples) * Self.flicksPerSecond / Int64(rate)
  }

  public var seconds: Double { Double(flicks) / Double(Self.flicksPerSecond) }

  /// How many samples (per channel) sound in it at `rate` Hz.
  public func samples(rate: Int) -> Int { Int((seconds * Double(rate)).rounded()) }

  @inlinable public static func < (a: MediaTime, b: MediaTime) -> Bool { a.flicks < b.flicks }
  @inlinable public static func + (a: MediaTime, b: MediaTime) -> MediaTime {
    MediaTime(flicks: a.flicks + b.flicks)
  }
  @inlinable public static func - (a: MediaTime, b: MediaTime) -> MediaTime {
    MediaTime(flicks: a.flicks - b.flicks)
  }
  @inlinable public static func += (a: inout MediaTime, b: MediaTime) { a.flicks += b.flicks }
  @inlinable public static func -= (a: inout MediaTime, b: MediaTime) { a.flicks -= b.flicks }
}

/// A moment on the wall clock: nanoseconds since 1970-01-01T00:00:00Z. It may step.
public struct WallTime: Hashable, Comparable, Sendable {
  public var nanoseconds: Int64

  @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
  public init(seconds: Double) { nanoseconds = Int64((seconds * 1e9).rounded()) }

  public var seconds: Double { Double(nanoseconds) / 1e9 }

  @inlinable public static func < (a: WallTime, b: WallTime) -> Bool {
    a.nanoseconds < b.nanoseconds
  }
}

/// A reading of the monotonic clock, in nanoseconds. It never steps.
public struct MonotonicTime: Hashable, Comparable, Sendable {
  public var nanoseconds: Int64

  @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static func now() -> MonotonicTime {
    MonotonicTime(nanoseconds: readClock(CLOCK_MONOTONIC))
  }

  @inlinable public static func < (a: MonotonicTime, b: MonotonicTime) -> Bool {
    a.nanoseconds < b.nanoseconds
  }
}

/// Both clocks read together. Everything in the packet path is told the time and never asks for it, so that a day
/// can pass in a test.
public struct Moment: Hashable, Sendable {
  public var wall: WallTime
  public var monotonic: MonotonicTime

  public init(wall: WallTime, monotonic: MonotonicTime) {
    self.wall = wall
    self.monotonic = monotonic
  }

  public static func now() -> Moment {
    Moment(wall: WallTime(nanoseconds: readClock(CLOCK_REALTIME)), monotonic: .now())
  }
}

private func readClock(_ id: clockid_t) -> Int64 {
  var time = timespec()
  clock_gettime(id, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
