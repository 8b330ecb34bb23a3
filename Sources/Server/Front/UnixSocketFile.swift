import Glibc
import Synchronization

/// Which file the administration's socket has: its device and inode as of the binding.
final class UnixSocketFile: Sendable {
  private struct Identity: Hashable, Sendable {
    var disk: UInt64
    var number: UInt64

    init?(at path: String) {
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
      (disk, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
  }

  private let identity = Mutex<Identity?>(nil)

  /// Notes the socket that was bound there just now.
  func set(at path: String) {
    let bound = Identity(at: path)
    identity.withLock { $0 = bound }
  }

  /// Whether that socket is still there.
  func isFound(at path: String) -> Bool {
    let found = Identity(at: path)
    return found != nil && identity.withLock { $0 } == found
  }
}
