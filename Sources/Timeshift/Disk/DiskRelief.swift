/// What the logs on one disk may give up of their past when it is full.
///
/// Nobody says whose bytes fill a disk. What is given up for our own growth comes back to us: the next writes go through.
/// What another program takes does not, however much is given up; so it goes one segment at a time, with a wait where
/// the last one did not help. Below the floor only so much goes as the logs themselves have written.
struct DiskRelief: Hashable, Sendable {
  /// Nanoseconds from one segment to the next, while they do not help.
  static let interval: Int64 = 10_000_000_000

  /// The oldest segment of the log that holds most.
  struct Offer {
    var bytes: UInt64
    /// How much that log has without it.
    var kept: MediaTime
    /// How much stays whoever fills the disk.
    var floor: MediaTime
    /// The logs have most of the disk: it is theirs.
    var isOwnDisk: Bool
  }

  /// When a segment went last, monotonic nanoseconds; nil: none has gone.
  private var gaveUpAt: Int64?
  /// Bytes written and not given up for, at most one segment's.
  private var earned: UInt64 = 0
  /// Of the largest segment that was ever offered.
  private var largest: UInt64 = 0

  mutating func wrote(_ bytes: UInt64) {
    let sum = earned.addingReportingOverflow(bytes)
    earned = sum.overflow ? .max : sum.partialValue
  }

  /// Whether a segment may go now.
  mutating func mayGiveUp(_ offer: Offer, at now: Int64) -> Bool {
    largest = max(largest, offer.bytes)
    earned = min(earned, largest)
    // Only audio is counted as written: index, headers and pages come on top.
    if earned >= offer.bytes / 4 * 3 { return true }
    // A process that begins on a full disk of its own has not written anything yet.
    guard let gaveUpAt else { return offer.kept >= offer.floor || offer.isOwnDisk }
    return offer.kept >= offer.floor && now >= gaveUpAt && now - gaveUpAt >= Self.interval
  }

  mutating func gaveUp(_ bytes: UInt64, at now: Int64) {
    gaveUpAt = now
    earned -= min(earned, bytes)
  }
}
