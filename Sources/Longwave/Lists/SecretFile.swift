import Foundation
import Glibc

/// A file that its owner alone may read, from its first byte on, whatever was there before under its name.
enum SecretFile {
  /// Writes it at once or not at all.
  static func write(_ bytes: [UInt8], to path: String) throws {
    let draft = "\(path).\(UUID().uuidString)"
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard file >= 0 else { throw error() }
    do {
      let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
      try handle.write(contentsOf: Data(bytes))
      try handle.synchronize()
      guard rename(draft, path) == 0 else { throw error() }
    } catch {
      unlink(draft)
      throw error
    }
  }

  /// Makes a database nobody else's to read before anything is in it. SQLite gives its log and its index of the log
  /// the database's mode; those that an older version left open to all are closed.
  static func guardDatabase(_ path: String) throws {
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode)
    guard file >= 0 else { throw error() }
    defer { close(file) }
    // A file of somebody else's, which we may write, is theirs to guard.
    if fchmod(file, mode) != 0, errno != EPERM { throw error() }
    for companion in [path + "-wal", path + "-shm"] { _ = chmod(companion, mode) }
  }

  private static let mode: mode_t = 0o600

  private static func error() -> any Error { POSIXError(.init(rawValue: errno) ?? .EIO) }
}
