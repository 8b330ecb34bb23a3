import Wire

/// Decides when the anchor of the running audio moves and when a new one is set.
///
/// Air time is the wall clock at the edge minus the media distance from it. Packets arrive late by the network's jitter
/// but never early. So the least lateness of ten seconds shows where the clock stands, and audio from the future shows
/// it at once.
struct AirClock: Sendable {
  enum Decision: Hashable, Sendable {
    case keep
    /// The newest anchor moves by this many nanoseconds.
    case move(by: Int64)
    /// A new anchor is set at the edge, this many nanoseconds from where the old one puts the edge.
    case anchor(by: Int64)
  }

  /// Nanoseconds: less than a listener notices, more than jitter.
  static let tolerance: Int64 = 250_000_000
  static let window: Int64 = 10_000_000_000
  /// A join burst is over when no audio has come from the future for this many nanoseconds.
  static let settled: Int64 = 5_000_000_000

  /// Audio from the future by more nanoseconds than this is no jitter.
  static let growth: Int64 = tolerance / 10

  /// Whether a run has just begun, and the upstream may still be sending its past faster than real time.
  private(set) var isProvisional = true
  private var quietSince: Int64?
  private var windowStart: Int64?
  private var latenessMin = Int64.max
  private var clockDifference: Int64?

  mutating func startRun() {
    self = AirClock()
  }

  /// Decides about the anchor. `predicted` is the edge's air time by the newest anchor.
  mutating func decide(predicted: WallTime, at now: Moment) -> Decision {
    let lateness = now.wall.nanoseconds(since: predicted)
    let step = stepSinceLast(now)
    if isProvisional { return settle(lateness, now.monotonic.nanoseconds) }
    if step.magnitude > Self.tolerance.magnitude { return newAnchor(by: step) }
    if lateness < -Self.tolerance { return newAnchor(by: lateness) }
    return watch(lateness, now.monotonic.nanoseconds)
  }

  private mutating func stepSinceLast(_ now: Moment) -> Int64 {
    let difference = now.clockLead
    defer { clockDifference = difference }
    return difference.saturatingSubtract(clockDifference ?? difference)
  }

  private mutating func settle(_ lateness: Int64, _ now: Int64) -> Decision {
    guard let since = quietSince else {
      quietSince = now
      return lateness < 0 ? .move(by: lateness) : .keep
    }
    if lateness < -Self.growth { quietSince = now }
    if now.saturatingSubtract(since) >= Self.settled { isProvisional = false }
    return lateness < 0 ? .move(by: lateness) : .keep
  }

  private mutating func watch(_ lateness: Int64, _ now: Int64) -> Decision {
    let since = windowStart ?? now
    windowStart = since
    latenessMin = min(latenessMin, lateness)
    guard now.saturatingSubtract(since) >= Self.window else { return .keep }
    let least = latenessMin
    windowStart = nil
    latenessMin = .max
    return least > Self.tolerance ? .anchor(by: least) : .keep
  }

  private mutating func newAnchor(by distance: Int64) -> Decision {
    windowStart = nil
    latenessMin = .max
    return .anchor(by: distance)
  }
}

/// When the running audio began and last grew: a past that comes at once makes the whole run older with each packet.
struct RunGrowth: Sendable {
  var beganAt: MonotonicTime
  var grewAt: MonotonicTime
  /// Whether the run's times on air stay as they are: from now on only new anchors come, at the edge.
  var isSettled = false

  /// Seconds: over a long way a burst has pauses shorter than this.
  private static let pauseMax = 0.5
  /// Seconds: a burst over a slow line is not waited for longer.
  private static let growthMax = 4.0

  /// Whether the audio now on air is still unknown.
  func isGrowing(at now: MonotonicTime) -> Bool {
    now.seconds(since: grewAt) < Self.pauseMax && now.seconds(since: beganAt) < Self.growthMax
  }
}
