import Glibc
import Synchronization
import Wire

/// A segment by name, and the place where its open index stands for all readers.
final class SegmentFile: Sendable {
  let directory: String
  let start: LogPoint
  let format: AudioFormat
  /// Where in the audio file the first packet stands: behind the stream headers.
  let headerBytes: Int
  /// Nothing will be written to it any more.
  let isSealed: Atomic<Bool>
  /// The loader has been asked for it.
  let isRequested = Atomic<Bool>(false)
  /// Open while readers need it and the handles suffice.
  let index = Mutex<SegmentIndex?>(nil)

  init(
    directory: String, start: LogPoint, format: AudioFormat, headerBytes: Int, isSealed: Bool
  ) {
    self.directory = directory
    self.start = start
    self.format = format
    self.headerBytes = headerBytes
    self.isSealed = Atomic(isSealed)
  }

  var audioPath: String { path(format.codec.fileExtension) }
  var indexPath: String { path(SegmentFormat.indexExtension) }

  private func path(_ kind: String) -> String {
    "\(directory)/\(SegmentFormat.name(start.position)).\(kind)"
  }

  /// Opens both files and reads the index, as far as there is audio for it; of the audio nothing.
  func load(_ files: FileCalls) throws(StorageError) -> SegmentIndex {
    // Asked before the file is read: what is sealed afterwards is loaded again.
    let isFinal = isSealed.load(ordering: .acquiring)
    let file = try LogFile(indexPath, O_RDONLY, files)
    let size = try file.size()
    guard size <= SegmentFormat.indexBytesMax else {
      throw StorageError("longer than any index is", path: indexPath)
    }
    let index = try file.read(Int(size), at: 0)
    let audio = try LogFile(audioPath, O_RDONLY, files)
    let audioBytes = try audio.size()
    let found = SegmentScan(index) { [start, headerBytes] span in
      span.end.position - start.position + UInt64(headerBytes) <= audioBytes
    }
    guard let scan = found, scan.header.start == start else {
      throw StorageError("not an index of this segment", path: indexPath)
    }
    return SegmentIndex(scan, audio: audio, isFinal: isFinal)
  }

  /// The index goes first: audio without an index is set aside and never believed.
  func remove(_ files: FileCalls) {
    _ = files.remove(indexPath)
    _ = files.remove(audioPath)
  }
}
