import Timeshift

/// What one station's window has of the disk: bytes of audio and index at most, and of its newest part the seconds that
/// stay however full other programs make the disk.
struct DiskShare: Hashable, Sendable {
  var bytes: UInt64
  var reserve: Double

  /// Of a log with a window of so many seconds; one without any is in memory, and no part of the disk binds it.
  func configuration(window seconds: Double) -> LogConfiguration {
    LogConfiguration(
      retention: MediaTime(seconds: seconds), retentionBytes: seconds > 0 ? bytes : .max,
      reserve: MediaTime(seconds: reserve))
  }
}
