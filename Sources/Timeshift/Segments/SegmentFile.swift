import Glibc
import Synchronization
import Wire

/// A segment's files by name, and its open index, shared by all readers.
final class SegmentFile: Sendable {
  let directory: String
  let start: LogPoint
  /// How much this process adds to the media times in the files (see `LogJoint`).
  let mediaShift: MediaTime
  let format: AudioFormat
  /// The offset of the first packet in the audio file, behind the stream headers.
  let headerBytes: Int
  /// The CRC of the index's header; no other segment of any log has the same.
  let seed: UInt32
  /// Whether the segment is complete: nothing more is written to it.
  let isSealed: Atomic<Bool>
  /// Whether the loader has been asked for the segment.
  let isRequested = Atomic<Bool>(false)
  /// Whether the segment's damage has been reported.
  let isTold = Atomic<Bool>(false)
  /// Where the disk gave nothing, and when that was first, in monotonic nanoseconds, until it is asked again.
  private let unread = Mutex<[UInt64: Int64]>([:])
  /// Damaged spans by their number in the index, known before a reader reaches them.
  private let damage = Mutex<[Int: LogPoint]>([:])
  /// Whether `damage` has any entry.
  private let isDamaged = Atomic<Bool>(false)
  /// Whether all of the segment was found whole. A newly opened index then needs no check; fetched audio is checked all
  /// the same.
  private let isKnownWhole = Atomic<Bool>(false)
  /// The end position, once the segment is sealed.
  let end = Atomic<UInt64>(0)
  /// When the scrubber next reads the segment, in monotonic nanoseconds.
  let scrubAt = Atomic<Int64>(.min)
  /// Since when descriptors or memory were short for the segment, in monotonic nanoseconds; `.max` if they are not.
  private let refusedSince = Atomic<Int64>(.max)
  /// The open index, while readers need it and the handles suffice.
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

  /// The same files for a log whose media times are later by `shift`. Called before any reader opens the segment.
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

  /// Notes that descriptors or memory are short for the segment. True: they have been for `nanoseconds`.
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

  /// Opens both files and reads the index, as far as its audio exists; reads no audio.
  func load(_ files: FileCalls) throws(StorageError) -> SegmentIndex {
    // Read before the file: an index read before sealing is loaded again.
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

  /// Most places that are remembered as not given.
  private static let unreadMax = 64

  /// Whether the disk has given nothing at a place before, at least `nanoseconds` ago; notes the place.
  func isUnreadAgain(at position: UInt64, after nanoseconds: Int64, at now: Int64) -> Bool {
    unread.withLock { unread in
      if let first = unread[position] { return now - first >= nanoseconds }
      if unread.count == Self.unreadMax { unread.removeAll() }
      unread[position] = now
      return false
    }
  }

  /// Whether there are places that the disk has to be asked for again.
  var hasUnread: Bool { unread.withLock { !$0.isEmpty } }

  /// Remembers the damage that a check of the spans `places` found.
  func note(
    _ found: [(place: Int, damage: SpanDamage)], in places: Range<Int>, of index: SegmentIndex
  ) {
    // A check ends at what the disk does not give.
    let given = min(found.first { !$0.damage.isContent }?.place ?? .max, index.spanCount)
    unread.withLock { unread in
      if unread.isEmpty { return }
      for place in places where place < given { unread[index.spanPoint(place).position] = nil }
    }
    isKnownWhole.store(index.isFinal && isAll(index) && index.states.isWhole, ordering: .releasing)
    guard !found.isEmpty || isDamaged.load(ordering: .acquiring) else { return }
    damage.withLock { damage in
      for place in places { damage[place] = nil }
      for (place, found) in found where found.isContent { damage[place] = found.start }
      isDamaged.store(!damage.isEmpty, ordering: .releasing)
    }
  }

  /// Whether an index covers all of the sealed segment.
  func isAll(_ index: SegmentIndex) -> Bool {
    index.end.position >= end.load(ordering: .acquiring)
  }

  /// Marks in a newly opened index what is known already, so that it need not be found again.
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

  /// The beginning of the first known damage at or after `position`.
  func damage(from position: UInt64) -> LogPoint? {
    guard isDamaged.load(ordering: .acquiring) else { return nil }
    return damage.withLock { damage in
      damage.values.filter { $0.position >= position }.min { $0.position < $1.position }
    }
  }

  /// Deletes the files, unless they belong to another log by now. The index goes first: audio without an index is set
  /// aside and never believed.
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
}
