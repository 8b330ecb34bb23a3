/// Decides what the logs on one full disk give up of their past.
///
/// Nothing tells whose bytes fill a disk. Room given up for the logs' own growth returns to the logs: their next writes
/// succeed. Room that another program takes does not return, however much is given up. So segments go one at a time,
/// with a wait where the last one did not help. Below the floor only as much goes as the logs themselves have written.
struct DiskRelief: Hashable, Sendable {
  /// The nanoseconds between two segments while giving up does not help.
  static let interval: Int64 = 10_000_000_000

  /// The oldest segment of the log that holds most.
  struct Offer {
    var bytes: UInt64
    /// The length of that log without the segment.
    var kept: MediaTime
    /// The length that is kept whatever fills the disk.
    var floor: MediaTime
    /// Whether the logs hold most of the disk: the disk is theirs.
    var isOwnDisk: Bool
  }

  /// When a segment last went, in monotonic nanoseconds; nil if none has gone.
  private var gaveUpAt: Int64?
  /// Bytes written for which nothing was given up yet; at most one segment's.
  private var earned: UInt64 = 0
  /// The size of the largest segment ever offered, in bytes.
  private var largest: UInt64 = 0

  mutating func wrote(_ bytes: UInt64) {
    let sum = earned.addingReportingOverflow(bytes)
    earned = sum.overflow ? .max : sum.partialValue
  }

  /// Whether a segment may go now.
  mutating func mayGiveUp(_ offer: Offer, at now: Int64) -> Bool {
    largest = max(largest, offer.bytes)
    earned = min(earned, largest)
    // Only audio counts as written; index, headers and pages come on top.
    if earned >= offer.bytes / 4 * 3 { return true }
    // A process that begins on its own full disk has not written anything yet.
    guard let gaveUpAt else { return offer.kept >= offer.floor || offer.isOwnDisk }
    return offer.kept >= offer.floor && now >= gaveUpAt && now - gaveUpAt >= Self.interval
  }

  mutating func gaveUp(_ bytes: UInt64, at now: Int64) {
    gaveUpAt = now
    earned -= min(earned, bytes)
  }
}
