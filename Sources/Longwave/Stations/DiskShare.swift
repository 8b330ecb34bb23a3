import Timeshift

/// One station's share of the disk for its window: the most bytes of audio and index. Some seconds of its newest
/// part stay however full other programs make the disk.
struct DiskShare: Hashable, Sendable {
  var bytes: UInt64
  var reserve: Double

  /// Returns the configuration of a log with a window of so many seconds. A log without a window is in memory, so no
  /// share limits its bytes.
  func configuration(window seconds: Double) -> LogConfiguration {
    LogConfiguration(
      retention: MediaTime(seconds: seconds), retentionBytes: seconds > 0 ? bytes : .max,
      reserve: MediaTime(seconds: reserve))
  }
}
