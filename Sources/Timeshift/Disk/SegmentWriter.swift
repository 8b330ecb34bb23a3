import CLinux
import Glibc
import Wire

/// Writes the active segment: audio first, then the entries that vouch for it.
///
/// Only what is in both files counts (`end`). A failed write leaves the files as they were, as far as the disk allows
/// cutting them back; the next attempt writes over the same places. A segment ends sealed, or is let go and found by
/// a `FolderScan`.
struct SegmentWriter {
  let file: SegmentFile
  private let audio: LogFile
  private let index: LogFile
  private let seed: UInt32
  private(set) var end: LogPoint
  private var indexLength: UInt64
  private var packets: UInt32 = 0
  private var spans: UInt32 = 0
  /// The marks encoded again, for the footer's tail.
  private var tail: [UInt8] = []
  /// Whether bytes may stand behind the counted end of one of the files.
  private var isTorn = false
  private(set) var needsSync = true

  /// The most bytes of marks in a segment, 1 MiB: no honest station changes its title more often within a minute. At
  /// that size another segment begins.
  private static let tailBytesMax = 1 << 20
  /// The most bytes of an index. A minute's index is 10 KB; readers accept eight times this. At that size another
  /// segment begins.
  private static let indexBytesMax: UInt64 = 8 << 20
  /// The most bytes of audio in a segment: offsets have 32 bits.
  private static let audioBytesMax: UInt64 = 1 << 30
  /// A segment is at most an eighth of the log's share of the disk, so that the oldest part can go.
  ///
  /// The limit is no less than 1 MiB, since a file system rounds small files up.
  private static let shareBytesMin: UInt64 = 1 << 20

  /// Makes a segment's files; never writes over an existing file.
  ///
  /// - Parameters:
  ///   - header: the index's header.
  ///   - headers: the stream headers at the audio file's beginning, as many bytes as `file` says.
  init(
    _ file: SegmentFile, header bytes: [UInt8], headers: [UInt8], files: FileCalls
  ) throws(StorageError) {
    self.file = file
    seed = file.seed
    audio = try LogFile(file.audioPath, O_RDWR | O_CREAT | O_EXCL, files)
    do throws(StorageError) {
      index = try LogFile(file.indexPath, O_RDWR | O_CREAT | O_EXCL, files)
    } catch {
      // The next start would set aside audio without an index, and report it as damage.
      _ = files.remove(file.audioPath)
      throw error
    }
    end = file.start
    indexLength = UInt64(bytes.count)
    do throws(StorageError) {
      if !headers.isEmpty { try audio.write(headers) }
      try index.write(bytes)
    } catch {
      file.remove(files)
      throw error
    }
  }

  /// Goes on with a found segment; cuts both files to their believed length.
  init(_ cut: SegmentCut, files: FileCalls) throws(StorageError) {
    file = cut.file
    seed = file.seed
    audio = try LogFile(file.audioPath, O_RDWR, files)
    index = try LogFile(file.indexPath, O_RDWR, files)
    end = cut.end
    indexLength = UInt64(cut.indexLength)
    packets = UInt32(cut.packets)
    spans = UInt32(cut.spans)
    for title in cut.marks.titles { remember(.title(title)) }
    for gap in cut.marks.gaps { remember(.gap(gap)) }
    for origin in cut.marks.origins { remember(.origin(origin)) }
    for number in cut.marks.numbers { remember(.number(number)) }
    for (point, wall) in cut.marks.anchors {
      remember(.anchor(position: point.position, media: point.media, wall: wall))
    }
    for (media, time) in cut.marks.boots { remember(.boot(media: media, time: time)) }
    for (media, seconds) in cut.marks.loudness {
      remember(.loudness(media: media, seconds: seconds))
    }
    try audio.truncate(to: audioLength)
    try index.truncate(to: indexLength)
  }

  private var audioLength: UInt64 {
    UInt64(file.headerBytes) + end.position - file.start.position
  }

  var info: SegmentInfo {
    SegmentInfo(start: file.start, end: end, bytes: audioLength + indexLength, file: file)
  }

  /// - Parameter share: the bytes that the log may have on the disk.
  func isFull(_ segment: MediaTime, share: UInt64) -> Bool {
    end.media - file.start.media >= segment || audioLength >= Self.audioBytesMax
      || indexLength >= Self.indexBytesMax || tail.count >= Self.tailBytesMax
      || audioLength + indexLength >= max(share / 8, Self.shareBytesMin)
  }

  /// Writes packets of one block, from the segment's end on, and their marks in order. Writes as many as `SpanPlan`
  /// accepts at once.
  mutating func write(
    _ range: Range<Int>, of block: Block, marks: [SegmentRecord], lists: LogLists,
    spanMax: MediaTime
  ) throws(StorageError) {
    let first = block.entries[range.lowerBound]
    precondition(
      block.start.position + UInt64(first.offset) == end.position
        && first.start == end.media.stored,
      "a segment goes on where it ended")
    let plan = SpanPlan(
      range, of: block, marks: marks, air: lists.air, spanMax: spanMax, seed: seed,
      less: file.mediaShift)
    let last = block.entries[plan.packetsEnd - 1]
    let bytes = UnsafeRawBufferPointer(
      start: block.base + Int(first.offset), count: Int(last.offset + last.bytes - first.offset))
    do {
      if isTorn { try cutBack() }
      isTorn = true
      try audio.write(bytes, at: audioLength)
      try index.write(plan.bytes, at: indexLength)
      isTorn = false
    } catch {
      try? cutBack()
      throw error
    }
    end = plan.end
    indexLength += UInt64(plan.bytes.count)
    packets += UInt32(plan.packetsEnd - range.lowerBound)
    spans += UInt32(plan.spans)
    needsSync = true
    for mark in plan.marks { remember(mark) }
  }

  /// Puts a mark into the tail.
  mutating func remember(_ mark: SegmentRecord) {
    if tail.count < Self.tailBytesMax { tail += mark.encode(seed: seed, less: file.mediaShift) }
  }

  /// Cuts both files back to the last counted packet.
  mutating func cutBack() throws(StorageError) {
    try audio.truncate(to: audioLength)
    try index.truncate(to: indexLength)
    isTorn = false
  }

  /// Writes tail and footer; only the sync is left.
  mutating func seal() throws(StorageError) {
    if isTorn { try cutBack() }
    isTorn = true
    let footer = FooterRecord(end: end, tail: indexLength, packets: packets, spans: spans)
    let bytes = tail + SegmentRecord.footer(footer).encode(seed: seed, less: file.mediaShift)
    do {
      try index.write(bytes, at: indexLength)
    } catch {
      try? cutBack()
      throw error
    }
    isTorn = false
    indexLength += UInt64(bytes.count)
  }

  /// Whether one of its files was removed.
  var isMissing: Bool { audio.isMissing || index.isMissing }

  /// Returns the files to be synced; the caller may sync them while writing goes on.
  mutating func popUnsynced() -> [LogFile] {
    needsSync = false
    return [audio, index]
  }
}

extension SegmentRecord {
  /// The marks to be written with the packets of `range`, in order.
  ///
  /// A segment's beginning, at `start`, repeats what is in force, so that the segment is understood without those before
  /// it. Titles from `titlesFrom` on may have become known when their packets were already written; they come here with
  /// their own, earlier position.
  static func marks(
    of lists: LogLists, in range: Range<UInt64>, anchorsAfter revision: UInt64, titlesFrom: UInt64,
    startsSegment start: LogPoint?
  ) -> [SegmentRecord] {
    let startsSegment = start != nil
    let (air, titles, origins) = (lists.air, lists.titles, lists.origins)
    let current = startsSegment ? air.anchors.last { $0.position <= range.lowerBound } : nil
    let anchors = air.anchors.filter { $0.revision > revision || $0 == current }
    let records = anchors.flatMap { SegmentRecord.records(of: $0) }
    let numbers = lists.numberMarks(in: range, startsSegment: start)
    let before = titles.prefix { $0.position < range.lowerBound }
    let border = numbers.first { $0.position == range.lowerBound }?.border ?? .max
    let inForce = before.last { $0.known <= border } ?? before.first
    let from = startsSegment ? min(titlesFrom, inForce?.position ?? .max) : titlesFrom
    let late = before.filter { $0.position >= from }
    let origin = startsSegment ? origins.last { $0.position < range.lowerBound } : nil
    let places =
      (origin.map { [$0] } ?? []) + origins.filter { range.contains($0.position) }
    let marks =
      (late + titles.filter { range.contains($0.position) }).map { SegmentRecord.title($0) }
      + lists.gaps.filter { range.contains($0.position) }.map { SegmentRecord.gap($0) }
      + places.map { SegmentRecord.origin($0) }
      + numbers.map { SegmentRecord.number($0) }
    return records + marks.sorted { $0.markPosition! < $1.markPosition! }
  }

  /// The records of an anchor: its air time, and its time by the machine's clock, if known.
  static func records(of anchor: Anchor) -> [SegmentRecord] {
    let (position, media) = (anchor.position, anchor.media)
    let air = SegmentRecord.anchor(position: position, media: media, wall: anchor.wall)
    guard let boot = anchor.boot, boot.id != nil else { return [air] }
    return [air, .boot(media: media, time: boot)]
  }

  var isTitle: Bool {
    if case .title = self { true } else { false }
  }

  /// The position of the mark; nil for records without a place among the packets.
  var markPosition: UInt64? {
    switch self {
    case .title(let title): title.position
    case .gap(let gap): gap.position
    case .origin(let origin): origin.position
    case .number(let mark): mark.position
    case .anchor, .boot, .loudness, .span, .footer, .unknown: nil
    }
  }
}
