import Foundation
import Glibc
import Timeshift

/// Files that only their owner may read, from the first byte on, whatever had their name before.
enum SecretFile {
  /// Makes a database readable by its owner only, before anything is in it. SQLite gives its log and the index of the
  /// log the database's mode; those that an older version left readable by all are closed.
  ///
  /// None of them may be a link: what is written would go to another owner's file.
  static func guardDatabase(_ path: String) throws {
    try guardFile(path, O_RDWR | O_CREAT)
    for companion in [path + "-wal", path + "-shm"] {
      var status = stat()
      guard lstat(companion, &status) == 0 else { continue }
      try guardFile(companion, O_RDONLY)
    }
  }

  private static func guardFile(_ path: String, _ flags: Int32) throws {
    let file = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode)
    if file < 0, errno == ENOENT { return }
    if file < 0, errno == ELOOP {
      throw NotAFile(description: "\(path) is a link; put the file itself there")
    }
    guard file >= 0 else { throw error() }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw error() }
    guard status.isRegularFile else {
      throw NotAFile(description: "\(path) is not a file; move it away")
    }
    // The mode of another owner's file, which this process may write, is that owner's affair.
    if status.st_uid == geteuid(), fchmod(file, mode) != 0 { throw error() }
  }

  struct NotAFile: Error, CustomStringConvertible { var description: String }

  private static let mode: mode_t = 0o600

  private static func error() -> any Error { POSIXError(.init(rawValue: errno) ?? .EIO) }
}
