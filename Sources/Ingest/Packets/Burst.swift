import Timeshift

/// Measures what a new connection brings faster than it plays: the upstream's newest past.
///
/// The burst's length is the greatest lead over real time that the arriving audio ever had.
struct Burst {
  /// Seconds; a smaller growth is only how a network delivers.
  private static let rise = 0.05

  private(set) var began: MonotonicTime?
  /// The seconds of all arrived audio.
  private(set) var arrived = 0.0
  private(set) var packets = 0
  private var arrivedAt = MonotonicTime(nanoseconds: 0)
  /// The burst's length so far, in seconds.
  private(set) var lead = 0.0
  /// The number of packets when the burst last grew, and the time of that.
  private(set) var packetsInIt = 0
  private(set) var grewAt = MonotonicTime(nanoseconds: 0)
  /// The longest pause after which the burst grew again, in seconds: on a long way it comes in windows.
  private(set) var pause: Double

  /// - Parameter pause: the pause to expect, in seconds: the round trip.
  init(pause: Double = 0) { self.pause = pause }

  mutating func arrive(seconds: Double, at now: MonotonicTime) {
    let began = began ?? now
    self.began = began
    arrived += seconds
    packets += 1
    arrivedAt = now
    let lead = arrived - now.seconds(since: began)
    guard packets == 1 || lead > self.lead + Self.rise else { return }
    if packets > 1 { pause = max(pause, quiet(at: now)) }
    (self.lead, packetsInIt, grewAt) = (lead, packets, now)
  }

  /// Whether the programme has followed the burst, as fast as it plays.
  var isFollowed: Bool { arrivedAt.seconds(since: grewAt) > Self.followed }
  /// Seconds without growth after which the programme has followed.
  private static let followed = 0.2

  /// Whether more of the burst may come.
  func isGrowing(at now: MonotonicTime) -> Bool {
    quiet(at: now) < max(Self.growthPause, Self.pauses * pause)
  }

  /// The seconds without growth after which the burst is over, `least` at least.
  func overAfter(_ least: Double) -> Double { max(least, Self.pauses * pause) }

  /// Seconds without growth. Longer than a round trip, of which a connection needs several for its first megabyte.
  ///
  /// If the burst's own pauses are longer, `pauses` of those count.
  private static let growthPause = 0.3
  private static let pauses = 1.5

  /// The seconds since the burst last grew.
  func quiet(at now: MonotonicTime) -> Double { now.seconds(since: grewAt) }
}
