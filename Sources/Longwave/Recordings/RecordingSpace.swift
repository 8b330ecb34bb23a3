import Timeshift
import Wire

/// Where recordings go, and how much room they have there.
struct RecordingSpace: Sendable {
  private let size: FolderSize
  private let bytesMax: UInt64
  /// How files there are written and synced.
  var calls = FileCalls.posix

  init(_ section: RecordingSection, data: String) {
    size = FolderSize(section.folder ?? data + "/recordings")
    bytesMax = section.diskLimit
  }

  private init(_ size: FolderSize, bytesMax: UInt64) {
    (self.size, self.bytesMax) = (size, bytesMax)
  }

  var folder: String { size.folder }
  /// How often the folder was looked at.
  var looks: Int { size.looks }

  /// For a recording that began in another folder.
  func moved(_ folder: String) -> RecordingSpace {
    if folder == self.folder { return self }
    var other = RecordingSpace(FolderSize(folder), bytesMax: bytesMax)
    other.calls = calls
    return other
  }

  /// Something was written there.
  func count(_ bytes: Int) { size.add(bytes) }

  /// Blocks, now and then.
  func check() throws(RecordingError) {
    if size.bytes() < bytesMax { return }
    throw RecordingError(
      "\(folder) holds the \(SizeText.format(bytesMax)) it may; delete files, or raise recordings: disk-limit"
    )
  }
}
