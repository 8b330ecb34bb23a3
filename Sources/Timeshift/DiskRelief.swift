/// What the logs on one disk may give up of their past when it is full.
///
/// Nobody says whose bytes fill a disk. What is given up for our own growth comes back to us: the next writes go through.
/// What another program takes does not, however much is given up; so it goes one segment at a time, with a wait where
/// the last one did not help, and the newest part of the window stays.
struct DiskRelief: Hashable, Sendable {
  /// Nanoseconds from one segment to the next, while they do not help.
  static let interval: Int64 = 10_000_000_000

  private struct Given: Hashable, Sendable {
    var bytes: UInt64
    /// Monotonic nanoseconds.
    var at: Int64
    /// Bytes that could be written since.
    var written: UInt64 = 0
    /// Index and headers come on top of what is counted as written.
    var hasHelped: Bool { written >= bytes / 2 }
  }

  private var last: Given?

  mutating func wrote(_ bytes: UInt64) {
    guard let written = last?.written else { return }
    let sum = written.addingReportingOverflow(bytes)
    last?.written = sum.overflow ? .max : sum.partialValue
  }

  /// Whether a log's oldest segment may go now.
  ///
  /// - Parameters:
  ///   - kept: how much that log has without it.
  ///   - floor: how much stays whoever fills the disk.
  func mayGiveUp(kept: MediaTime, floor: MediaTime, at now: Int64) -> Bool {
    guard let last, !last.hasHelped else { return true }
    return kept >= floor && now >= last.at && now - last.at >= Self.interval
  }

  mutating func gaveUp(_ bytes: UInt64, at now: Int64) { last = Given(bytes: bytes, at: now) }
}
