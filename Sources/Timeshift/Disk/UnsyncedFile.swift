import Glibc

/// A file whose bytes may not be on the disk yet.
enum UnsyncedFile: Sendable {
  case open(LogFile)
  /// A path opened only for the sync, so that a slow disk keeps no files open.
  case closed(String)

  /// Syncs the file. A file that is gone, or that cannot be opened, is left to the kernel.
  ///
  /// - Throws: if the disk fails, or a file still being written was removed.
  func sync(_ files: FileCalls) throws(StorageError) {
    switch self {
    case .open(let file):
      try file.sync()
      if file.isMissing { throw StorageError(call: "stat", path: file.path, code: ENOENT) }
    case .closed(let path): try (try? LogFile(path, O_RDONLY, files))?.sync()
    }
  }
}
