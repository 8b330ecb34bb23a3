import Glibc
import Wire

/// Where recordings go, and how much room they have there.
struct RecordingSpace: Hashable, Sendable {
  let folder: String
  private let bytesMax: UInt64

  init(_ section: RecordingSection, data: String) {
    folder = section.folder ?? data + "/recordings"
    bytesMax = section.diskLimit
  }

  private init(folder: String, bytesMax: UInt64) {
    (self.folder, self.bytesMax) = (folder, bytesMax)
  }

  /// For a recording that began in another folder.
  func moved(_ folder: String) -> RecordingSpace {
    RecordingSpace(folder: folder, bytesMax: bytesMax)
  }

  /// Adds up the files in the folder. Blocks.
  func check() throws(RecordingError) {
    guard let entries = opendir(folder) else { return }
    defer { closedir(entries) }
    var bytes: UInt64 = 0
    while let entry = readdir(entries) {
      var status = stat()
      let isKnown = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) {
          fstatat(dirfd(entries), $0, &status, AT_SYMLINK_NOFOLLOW) == 0
        }
      }
      if isKnown, status.st_mode & S_IFMT == S_IFREG { bytes += UInt64(status.st_size) }
    }
    if bytes < bytesMax { return }
    throw RecordingError(
      "\(folder) holds the \(SizeText.format(bytesMax)) it may; delete files, or raise recordings: disk-limit"
    )
  }
}
