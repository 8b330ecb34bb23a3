/// Counts durations in buckets that grow with the value: exact below 64 µs, within 3 % above.
struct LatencyHistogram: Codable, Sendable {
  /// Below this many microseconds each has a bucket of its own; then 32 for each doubling.
  private static let linear: UInt64 = 64
  private static let bucketsMax = 64 + 32 * 30

  private var counts: [UInt64] = []
  private(set) var count: UInt64 = 0
  /// Microseconds; kept exactly.
  private(set) var max: UInt64 = 0

  @inline(__always)
  mutating func record(nanoseconds: Int64) {
    let microseconds = UInt64(Swift.max(0, nanoseconds)) / 1000
    let bucket = Self.bucket(of: microseconds)
    if bucket >= counts.count { counts += repeatElement(0, count: bucket + 1 - counts.count) }
    counts[bucket] += 1
    count += 1
    if microseconds > max { max = microseconds }
  }

  mutating func add(_ other: LatencyHistogram) {
    if other.counts.count > counts.count {
      counts += repeatElement(0, count: other.counts.count - counts.count)
    }
    for bucket in other.counts.indices { counts[bucket] += other.counts[bucket] }
    count += other.count
    max = Swift.max(max, other.max)
  }

  /// Milliseconds that `share` (0...1) of the values do not exceed; nil without any value.
  func milliseconds(at share: Double) -> Double? {
    guard count > 0 else { return nil }
    let wanted = UInt64((Double(count) * share).rounded(.up))
    var seen: UInt64 = 0
    for bucket in counts.indices {
      seen += counts[bucket]
      if seen >= Swift.max(1, wanted) {
        return Double(Swift.min(Self.upperEnd(of: bucket), max)) / 1000
      }
    }
    return Double(max) / 1000
  }

  private static func bucket(of value: UInt64) -> Int {
    if value < linear { return Int(value) }
    let doublings = 63 - value.leadingZeroBitCount - 5
    return Swift.min(bucketsMax - 1, 32 * doublings + Int(value >> UInt64(doublings)))
  }

  /// The largest value of a bucket.
  private static func upperEnd(of bucket: Int) -> UInt64 {
    if bucket < Int(linear) { return UInt64(bucket) }
    let doublings = UInt64(bucket / 32 - 1)
    return (UInt64(bucket % 32 + 32 + 1) << doublings) - 1
  }
}
