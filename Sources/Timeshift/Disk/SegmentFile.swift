import Glibc
import Synchronization
import Wire

/// A segment by name, and the place where its open index stands for all readers.
final class SegmentFile: Sendable {
  let directory: String
  let start: LogPoint
  /// What this process adds to the media times in its files (see `LogJoint`).
  let mediaShift: MediaTime
  let format: AudioFormat
  /// Where in the audio file the first packet stands: behind the stream headers.
  let headerBytes: Int
  /// The CRC of its index's header: no other segment, of whatever log, has the same.
  let seed: UInt32
  /// Nothing will be written to it any more.
  let isSealed: Atomic<Bool>
  /// The loader has been asked for it.
  let isRequested = Atomic<Bool>(false)
  /// Its damage has been told.
  let isTold = Atomic<Bool>(false)
  /// Spans that were found damaged, by their number in the index: known before a reader comes to them.
  private let damage = Mutex<[Int: LogPoint]>([:])
  /// There are such.
  private let isDamaged = Atomic<Bool>(false)
  /// All of it was found whole, so that whoever opens it again need not look; what is fetched is looked at all the same.
  private let isKnownWhole = Atomic<Bool>(false)
  /// Where it ends, once it is sealed.
  let end = Atomic<UInt64>(0)
  /// When the scrubber reads it, monotonic nanoseconds.
  let scrubAt = Atomic<Int64>(.min)
  /// Since when there was no descriptor or memory for it, monotonic nanoseconds; `.max`: there was.
  private let refusedSince = Atomic<Int64>(.max)
  /// Open while readers need it and the handles suffice.
  let index = Mutex<SegmentIndex?>(nil)

  init(
    directory: String, start: LogPoint, format: AudioFormat, headerBytes: Int, seed: UInt32,
    isSealed: Bool, mediaShift: MediaTime = .zero
  ) {
    self.seed = seed
    self.mediaShift = mediaShift
    self.directory = directory
    self.start = start
    self.format = format
    self.headerBytes = headerBytes
    self.isSealed = Atomic(isSealed)
  }

  /// The same files, seen by a log whose media times are later by `shift`. Of one that nobody has opened.
  func moved(by shift: MediaTime) -> SegmentFile {
    let file = SegmentFile(
      directory: directory, start: start.moved(by: shift), format: format,
      headerBytes: headerBytes, seed: seed, isSealed: isSealed.load(ordering: .acquiring),
      mediaShift: mediaShift + shift)
    file.end.store(end.load(ordering: .acquiring), ordering: .releasing)
    file.scrubAt.store(scrubAt.load(ordering: .relaxed), ordering: .relaxed)
    return file
  }

  func isServed() { refusedSince.store(.max, ordering: .relaxed) }

  /// There is no descriptor or memory for it again; whether that has lasted for so long.
  func isRefused(for nanoseconds: Int64, at now: Int64) -> Bool {
    let since = refusedSince.load(ordering: .relaxed)
    if since == .max { refusedSince.store(now, ordering: .relaxed) }
    return since != .max && now - since >= nanoseconds
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
    let found = SegmentScan(index, shift: mediaShift) { [start, headerBytes] span in
      span.end.position - start.position + UInt64(headerBytes) <= audioBytes
    }
    guard let scan = found, scan.header.start == start, scan.seed == seed else {
      throw StorageError("not an index of this segment", path: indexPath)
    }
    return SegmentIndex(scan, audio: audio, isFinal: isFinal)
  }

  /// What was found when the spans `places` were looked at.
  func note(
    _ found: [(place: Int, damage: SpanDamage)], in places: Range<Int>, of index: SegmentIndex
  ) {
    isKnownWhole.store(index.isFinal && isAll(index) && index.states.isWhole, ordering: .releasing)
    guard !found.isEmpty || isDamaged.load(ordering: .acquiring) else { return }
    damage.withLock { damage in
      for place in places { damage[place] = nil }
      for (place, found) in found where found.isContent { damage[place] = found.start }
      isDamaged.store(!damage.isEmpty, ordering: .releasing)
    }
  }

  /// Whether an index has all of the sealed segment.
  func isAll(_ index: SegmentIndex) -> Bool {
    index.end.position >= end.load(ordering: .acquiring)
  }

  /// Its index was opened anew: what is known need not be found again.
  func mark(_ index: SegmentIndex) {
    if isKnownWhole.load(ordering: .acquiring), index.isFinal, isAll(index) {
      for place in 0..<index.spanCount { index.states.set(place, .whole) }
    }
    guard isDamaged.load(ordering: .acquiring) else { return }
    damage.withLock { damage in
      for (place, start) in damage
      where place < index.spanCount && index.spanPoint(place) == start {
        index.states.set(place, .damaged)
      }
    }
  }

  /// Where the first damage begins that is known at or after `position`.
  func damage(from position: UInt64) -> LogPoint? {
    guard isDamaged.load(ordering: .acquiring) else { return nil }
    return damage.withLock { damage in
      damage.values.filter { $0.position >= position }.min { $0.position < $1.position }
    }
  }

  /// The index goes first: audio without an index is set aside and never believed. What is another log's by now stays.
  func remove(_ files: FileCalls) {
    if isOthers(files) { return }
    _ = files.remove(indexPath)
    _ = files.remove(audioPath)
  }

  private func isOthers(_ files: FileCalls) -> Bool {
    guard let file = try? LogFile(indexPath, O_RDONLY, files),
      let bytes = try? file.read(SegmentFormat.headerBytes, at: 0),
      case .header(_, let found) = bytes.withUnsafeBytes({ SegmentHeader.read($0) })
    else { return false }
    return found != seed
  }

  /// Never believed again: its files get another ending.
  func putAside(_ files: FileCalls) {
    for path in [indexPath, audioPath] { _ = files.rename(path, path + SetAside.ending) }
  }
}
