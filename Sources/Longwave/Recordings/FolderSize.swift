import Glibc
import Synchronization
import Timeshift
import Wire

/// What the files of a folder come to: looked at now and then, and counted between, since a look at thousands of files
/// costs more than one of them does.
final class FolderSize: Sendable {
  let folder: String
  private let state = Mutex(State())

  /// Seconds that a look counts. Whoever deletes files for room waits no longer than that.
  static let keptSeconds = 5.0

  private struct State {
    var bytes: UInt64 = 0
    var lookedAt: MonotonicTime?
    var looks = 0
  }

  init(_ folder: String) { self.folder = folder }

  /// How often the folder was looked at.
  var looks: Int { state.withLock { $0.looks } }

  /// Has been written there since.
  func add(_ bytes: Int) { state.withLock { $0.bytes += UInt64(max(0, bytes)) } }

  /// Blocks where it has to look.
  func bytes(at now: MonotonicTime = .now()) -> UInt64 {
    state.withLock { state in
      if let lookedAt = state.lookedAt, now.seconds(since: lookedAt) < Self.keptSeconds {
        return state.bytes
      }
      state.bytes = Self.sum(of: folder)
      state.looks += 1
      // From its end on: a folder that takes seconds to look at is not looked at all the time.
      state.lookedAt = max(now, .now())
      return state.bytes
    }
  }

  private static func sum(of folder: String) -> UInt64 {
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
