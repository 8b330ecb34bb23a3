import Timeshift

/// What a new connection brings faster than it plays: the upstream's newest past.
///
/// Its length is the greatest lead over real time that what came ever had.
struct Burst {
  /// Less is how a network delivers, seconds.
  private static let rise = 0.05

  private(set) var began: MonotonicTime?
  /// Of all that came, seconds.
  private(set) var arrived = 0.0
  private(set) var packets = 0
  private var arrivedAt = MonotonicTime(nanoseconds: 0)
  /// How long it is so far, seconds.
  private(set) var lead = 0.0
  /// How many packets had come when it last grew, and when that was.
  private(set) var packetsInIt = 0
  private(set) var grewAt = MonotonicTime(nanoseconds: 0)
  /// The longest that it stood still and grew again, seconds: on a long way it comes in windows.
  private(set) var pause: Double

  /// - Parameter pause: what is known of it before, seconds: the way there and back.
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

  /// Whether the programme has come behind it, as fast as it plays.
  var isFollowed: Bool { arrivedAt.seconds(since: grewAt) > Self.followed }
  /// Seconds.
  private static let followed = 0.2

  /// How long it has not grown, seconds.
  func quiet(at now: MonotonicTime) -> Double { now.seconds(since: grewAt) }
}
