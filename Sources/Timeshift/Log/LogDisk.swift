import Wire

/// Keeps a log's audio beyond the window in memory. The log's writer tells it of the edge; it changes the log's lists.
protocol LogDisk: AnyObject, Sendable {
  /// Fetches for readers what is in segments.
  var loader: SegmentLoader { get }
  /// Whether there is a folder, be it that its disk does not work at present.
  var hasFolder: Bool { get }
  /// The folder's id; nil without a folder.
  var folderID: LogID? { get }
  /// Whether the folder belongs to another log by now.
  var isDisplaced: Bool { get }

  /// Called by the log's writer when it has published. Waits for nothing.
  func published(edge: UInt64)
  /// Whether more than a window is unwritten; false while no disk is waited for.
  func isBehind(_ edge: UInt64) -> Bool
  /// Writes what is in memory and seals it. Blocks.
  func close()
}

/// A log's state towards its disk.
public enum StorageState: Hashable, Sendable {
  case memoryOnly
  case healthy
  /// The log goes on in memory and tries the disk again every 10 s.
  case failed(String)
}
