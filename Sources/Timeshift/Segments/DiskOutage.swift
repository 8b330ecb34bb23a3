/// The segments that the disk has not given since it last gave one, and whether the disk counts as down.
///
/// The disk is down when it has given nothing for a second, of several segments; a bad place in one segment is not
/// enough. It is tried again `retryInterval` after its last failure.
struct DiskOutage {
  static let segmentsMin = 3
  static let nanosecondsMin: Int64 = 1_000_000_000

  /// Nanoseconds from the last failure to the next attempt.
  let retryInterval: Int64
  /// The times of the first and the last failure, in monotonic nanoseconds.
  private var since: Int64 = 0
  private var last: Int64 = 0
  /// The starts of some segments that the disk did not give; empty once it has given what was asked for.
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
