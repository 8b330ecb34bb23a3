import Glibc

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

  /// Whether descriptors or memory were short; this says nothing about the file.
  public var isShortage: Bool { Shortage.codes.contains(code) }

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
