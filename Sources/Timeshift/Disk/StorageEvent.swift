import Glibc

/// A log's state towards its disk.
public enum StorageState: Hashable, Sendable {
  case memoryOnly
  case healthy
  /// The log goes on in memory and tries the disk again every 10 s.
  case failed(String)
}

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

/// A call on a file that could not be done, or a file that cannot be read.
public struct StorageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The system call, or what was being done.
  public var call: String
  public var path: String
  /// errno; 0 when the file's content is at fault.
  public var code: Int32
  public var reason: String

  /// Whether the disk, or this user's share of it, is full.
  public var isFull: Bool { code == ENOSPC || code == EDQUOT }

  /// Whether a file, or its folder, does not exist.
  var isMissing: Bool { code == ENOENT }

  /// Whether a file stands where none should, or the folder is another log's.
  var isReplaced: Bool { code == EEXIST || code == ESTALE }

  public var description: String { "\(call) \(path): \(reason)" }

  public init(call: String, path: String, code: Int32) {
    self.call = call
    self.path = path
    self.code = code
    reason = Shortage.reason(code) ?? String(cString: strerror(code))
  }

  /// Describes a call that has not returned.
  public init(noAnswerFrom path: String) {
    self.init("the disk does not answer", path: path)
    call = "open"
  }

  public init(_ reason: String, path: String) {
    call = "read"
    self.path = path
    code = 0
    self.reason = reason
  }
}
