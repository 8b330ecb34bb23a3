/// What the disk has not given since it last gave something, and whether it counts as down for that.
///
/// It does when it has given nothing for a second, of several segments: a bad place of one is another matter. From
/// `retryInterval` on behind its last failure it is tried again.
struct DiskOutage {
  static let segmentsMin = 3
  static let nanosecondsMin: Int64 = 1_000_000_000

  /// Nanoseconds.
  let retryInterval: Int64
  /// Monotonic nanoseconds: of the first failure, and of the last.
  private var since: Int64 = 0
  private var last: Int64 = 0
  /// Where some of the segments begin that it did not give; empty: it has given what it was asked for.
  private var starts: Set<UInt64> = []

  init(retryInterval: Int64) { self.retryInterval = retryInterval }

  mutating func gave() { starts.removeAll() }

  mutating func gaveNothing(of start: UInt64, at now: Int64) {
    if starts.isEmpty { since = now }
    last = now
    if starts.count < Self.segmentsMin { starts.insert(start) }
  }

  func isDown(at now: @autoclosure () -> Int64) -> Bool {
    starts.count >= Self.segmentsMin && last - since >= Self.nanosecondsMin
      && now() < last + retryInterval
  }
}
