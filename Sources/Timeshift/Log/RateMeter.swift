import Wire

/// Measures the station's own speed: media seconds per second of this machine's monotonic clock.
///
/// An upstream's clock differs from this one by up to ±100 ppm, 8.6 s a day. Of every ten seconds the meter keeps the
/// moment at which the edge was furthest ahead (the least late one). A line through the last 30 minutes of such moments
/// is the rate.
struct RateMeter: Sendable {
  static let window: Int64 = 10_000_000_000
  static let pointsMax = 180  // 30 minutes
  static let pointsMin = 7  // a minute between the first and the last
  static let clamp = 0.002

  private struct Point: Sendable {
    var time: Int64
    /// Edge minus clock, in nanoseconds.
    var lead: Int64
  }

  private(set) var rate = 1.0
  private var points: [Point] = []
  private var best: Point?
  private var windowStart: Int64 = 0

  /// Begins a new run; the measured rate stays until a minute of the run is known.
  mutating func startRun() {
    points.removeAll(keepingCapacity: true)
    best = nil
  }

  mutating func published(edge: MediaTime, at now: MonotonicTime) {
    let point = Point(
      time: now.nanoseconds, lead: edge.nanoseconds.saturatingSubtract(now.nanoseconds))
    guard let held = best else {
      best = point
      windowStart = point.time
      return
    }
    if point.time.saturatingSubtract(windowStart) < Self.window {
      if point.lead > held.lead { best = point }
      return
    }
    points.append(held)
    if points.count > Self.pointsMax { points.removeFirst() }
    best = point
    windowStart = point.time
    if points.count >= Self.pointsMin { measure() }
  }

  private mutating func measure() {
    let first = points[0]
    let count = Double(points.count)
    var sumT = 0.0
    var sumL = 0.0
    var sumTT = 0.0
    var sumTL = 0.0
    for point in points {
      let time = Double(point.time.saturatingSubtract(first.time))
      let lead = Double(point.lead.saturatingSubtract(first.lead))
      sumT += time
      sumL += lead
      sumTT += time * time
      sumTL += time * lead
    }
    let spread = count * sumTT - sumT * sumT
    guard spread > 0 else { return }
    let slope = (count * sumTL - sumT * sumL) / spread
    rate = 1 + min(max(slope, -Self.clamp), Self.clamp)
  }
}
