import Glibc

/// How a log stands with its disk.
public enum StorageState: Hashable, Sendable {
  case memoryOnly
  case healthy
  /// The log goes on in memory and tries the disk again every 10 s.
  case failed(String)
}

/// What the storage thread tells about one log.
public enum StorageEvent: Hashable, Sendable {
  case failed(String)
  case restored
  /// Audio from `position` on left the memory before it was written.
  case holeOpened(position: UInt64)
  /// Audio of a segment, from `position` on the first, is no longer what was written, or cannot be read. It is left out.
  /// Told once of a segment.
  case damaged(position: UInt64, file: String, reason: String)
  /// The oldest segment was given up, since the disk is full; what it lasted.
  case gaveUp(MediaTime)
  /// Files were taken away while they were written: what is lost with them, and could not be written again.
  case lost(LostAudio)
  /// Of what recovery set aside, in older starts too, the oldest files were deleted.
  case setAsideRemoved(files: Int, bytes: UInt64)
  /// Segments that were no longer what the log had written were renamed to `.bad` when it was opened.
  case setAside(Int)
  /// Segments that could not be read when it was opened are not part of it until it is opened again; why the first.
  case leftOut(Int, reason: String)
}

/// Audio whose files somebody took away.
public struct LostAudio: Hashable, Sendable {
  public var directory: String
  public var segments: Int
  public var media: MediaTime
  /// When the first of it was on air.
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

  /// The disk, or our part of it, is full.
  public var isFull: Bool { code == ENOSPC || code == EDQUOT }

  /// A file, or the folder for it, is not there.
  var isMissing: Bool { code == ENOENT }

  /// A file stands where none should, or the folder is another log's.
  var isReplaced: Bool { code == EEXIST || code == ESTALE }

  public var description: String { "\(call) \(path): \(reason)" }

  public init(call: String, path: String, code: Int32) {
    self.call = call
    self.path = path
    self.code = code
    reason = Shortage.reason(code) ?? String(cString: strerror(code))
  }

  /// A call that has not come back.
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
