/// A report of the storage threads about one log.
public enum StorageEvent: Hashable, Sendable {
  case failed(String)
  case restored
  /// Audio from `position` on left the memory before it was written.
  case holeOpened(position: UInt64)
  /// Audio of a segment is no longer what was written, or cannot be read, first at `position`. It is left out. Reported
  /// once per segment.
  case damaged(position: UInt64, file: String, reason: String)
  /// The oldest segment, of this length, was given up because the disk is full.
  case gaveUp(MediaTime)
  /// Files were removed while the log was open: the audio lost with them that could not be written again.
  case lost(LostAudio)
  /// The oldest of the files set aside were deleted, those of earlier starts included.
  case setAsideRemoved(files: Int, bytes: UInt64)
  /// Segments that were not what the log had written were renamed to `.bad` when the log was opened.
  case setAside(Int)
  /// Segments that could not be read at opening are not part of the log until it is opened again. `reason` is the first
  /// one's.
  case leftOut(Int, reason: String)
}

/// Audio whose files were removed.
public struct LostAudio: Hashable, Sendable {
  public var directory: String
  public var segments: Int
  public var media: MediaTime
  /// The air time of the first lost audio.
  public var since: WallTime
}
