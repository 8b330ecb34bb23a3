/// How long things took: counts by upper bound, each bound twice the one before. They only grow.
///
/// A flat value without a pointer: adding allocates nothing, and costs a few instructions.
public struct DurationCounts: Sendable {
  /// The first bound is 2^13 ns (8 µs), the last 2^34 ns (17 s).
  private static let firstPower = 13
  private static let lastPower = 34

  /// Count of each bucket by itself; the last one is above all bounds.
  private var counts = InlineArray<23, UInt64>(repeating: 0)
  private var nanoseconds: UInt64 = 0

  public init() {}

  /// Adds a duration; a negative one, of a clock's last digit, is none.
  public mutating func add(nanoseconds: Int64) {
    let duration = UInt64(max(0, nanoseconds))
    let power = duration <= 1 ? 0 : UInt64.bitWidth - (duration - 1).leadingZeroBitCount
    counts[max(Self.firstPower, min(power, Self.lastPower + 1)) - Self.firstPower] &+= 1
    self.nanoseconds &+= duration
  }

  public mutating func add(_ other: DurationCounts) {
    for index in counts.indices { counts[index] &+= other.counts[index] }
    nanoseconds &+= other.nanoseconds
  }

  /// Sum of the durations, in seconds.
  public var seconds: Double { Double(nanoseconds) / 1e9 }

  public var count: UInt64 { counts.indices.reduce(0) { $0 &+ counts[$1] } }

  /// Returns how many durations were at most as long as each bound, in seconds; the last bound is infinite.
  ///
  /// - Parameter step: every how many-th bound is told.
  public func upTo(each step: Int = 1) -> [(bound: Double, count: UInt64)] {
    var (told, below): ([(bound: Double, count: UInt64)], UInt64) = ([], 0)
    for index in counts.indices {
      below &+= counts[index]
      if index == counts.count - 1 {
        told.append((.infinity, below))
      } else if index % step == 0 {
        told.append((Double(UInt64(1) << UInt64(Self.firstPower + index)) / 1e9, below))
      }
    }
    return told
  }
}
