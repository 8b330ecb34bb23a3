import Glibc

/// A file whose bytes may not be on the disk yet.
enum UnsyncedFile: Sendable {
  case open(LogFile)
  /// It is opened for this alone, so that none is kept open for a disk that takes its time.
  case closed(String)

  /// Throws where the disk does not take it, or it was taken away while it is written. What else has gone meanwhile, or cannot be opened, is the kernel's to write.
  func sync(_ files: FileCalls) throws(StorageError) {
    switch self {
    case .open(let file):
      try file.sync()
      if file.isMissing { throw StorageError(call: "stat", path: file.path, code: ENOENT) }
    case .closed(let path): try (try? LogFile(path, O_RDONLY, files))?.sync()
    }
  }
}
