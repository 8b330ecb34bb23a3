import Timeshift
import Wire

/// The folder of recordings, and how much room they have in it.
package struct RecordingSpace: Sendable {
  private let size: FolderSize
  private let bytesMax: UInt64
  /// Writes and syncs the files in the folder.
  var calls = FileCalls.posix

  package init(_ section: RecordingSection, data: String) {
    size = FolderSize(section.folder(inData: data))
    bytesMax = section.diskLimit
  }

  private init(_ size: FolderSize, bytesMax: UInt64) {
    (self.size, self.bytesMax) = (size, bytesMax)
  }

  package var folder: String { size.folder }
  /// Number of looks at the folder.
  var looks: Int { size.looks }

  /// Returns the space for a recording that began in another folder.
  func moved(_ folder: String) -> RecordingSpace {
    if folder == self.folder { return self }
    var other = RecordingSpace(FolderSize(folder), bytesMax: bytesMax)
    other.calls = calls
    return other
  }

  /// Counts bytes that were written to the folder.
  func count(_ bytes: Int) { size.add(bytes) }

  /// Throws when the folder holds as much as it may. Blocks now and then.
  func check() throws(RecordingError) {
    if size.bytes() < bytesMax { return }
    throw RecordingError(
      "\(folder) holds the \(SizeText.format(bytesMax)) it may; delete files, or raise recordings: disk-limit"
    )
  }
}
