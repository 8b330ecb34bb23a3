import Glibc
import Synchronization
import Timeshift
import Wire

/// The size of a folder's files. Files are measured now and then, and written bytes counted between, since a look at
/// thousands of files costs more than writing one.
package final class FolderSize: Sendable {
  let folder: String
  private let state = Mutex(State())

  /// Seconds for which a look counts; deleting files makes room after that time at most.
  static let keptSeconds = 5.0

  private struct State {
    var bytes: UInt64 = 0
    var lookedAt: MonotonicTime?
    var looks = 0
  }

  init(_ folder: String) { self.folder = folder }

  /// Number of looks at the folder.
  var looks: Int { state.withLock { $0.looks } }

  /// Counts bytes written since the last look.
  func add(_ bytes: Int) { state.withLock { $0.bytes += UInt64(max(0, bytes)) } }

  /// Returns the bytes of the folder's files. Blocks when it has to look.
  func bytes(at now: MonotonicTime = .now()) -> UInt64 {
    state.withLock { state in
      if let lookedAt = state.lookedAt, now.seconds(since: lookedAt) < Self.keptSeconds {
        return state.bytes
      }
      state.bytes = Self.bytes(in: folder)
      state.looks += 1
      // Counted from the end of the look: a folder that takes seconds to look at is not looked at all the time.
      state.lookedAt = max(now, .now())
      return state.bytes
    }
  }

  /// Returns the bytes of the files directly in `folder`. Deeper folders are not the relay's, and may hold a whole
  /// disk.
  package static func bytes(in folder: String) -> UInt64 {
    guard let entries = opendir(folder) else { return 0 }
    defer { closedir(entries) }
    var bytes: UInt64 = 0
    while let entry = readdir(entries) {
      var status = stat()
      let isKnown = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) {
          fstatat(dirfd(entries), $0, &status, AT_SYMLINK_NOFOLLOW) == 0
        }
      }
      if isKnown, status.isRegularFile {
        bytes = bytes.saturatingAdd(UInt64(clamping: status.st_size))
      }
    }
    return bytes
  }
}
