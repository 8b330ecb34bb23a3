import Timeshift
import Wire

/// A request for a clip that waits for an index.
struct ClipWish: DiskWish {
  var token: UInt64
  var reader: LogReader
  var request: ClipRequest
  /// The mount, as it was when the clip was asked for.
  var mount: Mount
  /// How far behind live the clip may reach; nil for as far as the window goes.
  var offsetMax: MediaTime?
  /// Time to give up, monotonic nanoseconds.
  var deadline: Int64

  /// How long a segment's index may take to come from the disk.
  static let patienceNanoseconds: Int64 = 5_000_000_000
}
