/// Distribution of values: counts by upper bound, as Prometheus has them. Counts only grow.
public struct Histogram: Hashable, Sendable {
  /// Upper bounds, ascending; above the last is one more bucket.
  public let bounds: [Double]
  /// Count of each bucket by itself; one more than bounds.
  public private(set) var counts: [UInt64]
  public private(set) var sum = 0.0

  public init(bounds: [Double]) {
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count + 1)
  }

  public var count: UInt64 { counts.reduce(0, +) }

  public mutating func add(_ value: Double) {
    guard value.isFinite else { return }
    counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
    // Time behind live is never negative, but a clock's last digit may make it so.
    sum += max(0, value)
  }

  /// Adds the counts of another histogram with the same bounds.
  public mutating func add(_ other: Histogram) {
    precondition(bounds == other.bounds, "histograms of other bounds do not add up")
    for index in counts.indices { counts[index] += other.counts[index] }
    sum += other.sum
  }
}

/// Distribution of listeners in time, sampled now and then: every listener counts once a sample.
public struct PlaceHistograms: Hashable, Sendable {
  /// Seconds from the last byte a socket took to the live edge.
  public var lag = Histogram(bounds: [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600])
  /// Seconds from the play point to the live edge.
  public var offset = Histogram(
    bounds: [1, 5, 10, 30, 60, 300, 900, 3600, 14_400, 43_200, 86_400])

  public init() {}

  public mutating func add(_ other: PlaceHistograms) {
    lag.add(other.lag)
    offset.add(other.offset)
  }
}
