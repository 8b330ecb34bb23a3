import CLinux
import Glibc
import Synchronization
import Wire

/// Finds a log's past in its directory again.
///
/// 1. File names tell the segments and their order. A header of a newer format version ends recovery; nothing is
///    touched.
/// 2. `log.id` holds the log's id, if headers confirm it. Otherwise the headers decide, and `log.id` is written again.
/// 3. A segment without a valid header, of another log, or without its audio is set aside: renamed to `.bad` and
///    counted (`SetAside`). So is a segment that begins inside the one before, with two exceptions. The older one has
///    the same packet there, or was cut there and the disk has lost the cut. Then both belong to the same log, and the
///    older one counts up to there.
/// 4. A sealed segment is believed by its footer.
/// 5. A segment without a footer was being written. It ends with its last span whose audio has the right CRC; both
///    files are cut there, and the segment is sealed. The newest sealed segments, which may not have been synced, are
///    checked in the same way.
/// 6. The log goes on at the highest end; between segments that do not touch there are holes.
///
/// Only content that was read decides. A segment that the disk or the system keeps from being read (EIO, EACCES, no
/// descriptor left) is left as it is, and out of this log. If that is the newest segment, nothing can go on behind it,
/// and opening fails.
struct Recovery {
  let directory: String
  let files: FileCalls
  private(set) var id: [UInt8] = []
  /// Files that were written and are still to be synced.
  private(set) var unsynced: [UnsyncedFile] = []
  private(set) var lists = LogLists(edge: .zero)
  /// The starts of the segments set aside.
  private(set) var setAside: Set<UInt64> = []
  /// Segments that could not be read, and why.
  var leftOut: [StorageError] { unread.sorted { $0.key < $1.key }.map(\.value) }
  /// The errors of unread segments, by the segments' starts.
  private var unread: [UInt64: StorageError] = [:]
  private var marks = SegmentMarks()
  private(set) var loudness = LoudnessLine()
  /// The most bytes of a sealed segment's tail; the writer keeps below this.
  private static let tailBytesMax: UInt64 = 4 << 20

  init(directory: String, files: FileCalls) throws(StorageError) {
    self.directory = directory
    self.files = files
    try LogFolder.make(directory, files)
    let names = try listNames()
    let headers = try readHeaders(names)
    id = try readID(headers)
    let positions = Set(names.map(\.position)).sorted()
    let newest = positions.last
    let unsynced = Set(positions.suffix(LogStore.unsyncedMax + 1))
    for position in positions where unread[position] == nil {
      let kinds = names.filter { $0.position == position }.map(\.kind)
      do throws(StorageError) {
        if let found = headers[position], try isOurs(found, at: position, kinds),
          try admit(found, isChecked: unsynced.contains(position))
        {
          continue
        }
        putAside(position, kinds)
      } catch {
        try leaveOut(position, newest: newest, error)
      }
    }
    // Nothing can go on behind an unread segment: it may be the log's end.
    if let behind = unread.filter({ $0.key >= lists.edge.position }).max(by: { $0.key < $1.key }) {
      throw behind.value
    }
    takeMarks()
  }

  /// Leaves out an unread segment. Throws for the newest segment, since its end is then unknown.
  private mutating func leaveOut(
    _ position: UInt64, newest: UInt64?, _ error: StorageError
  ) throws(StorageError) {
    if position == newest { throw error }
    unread[position] = error
  }

  /// An index's header and its CRC.
  private struct FoundHeader {
    var header: SegmentHeader
    var seed: UInt32
  }

  // MARK: Names and headers

  private func listNames() throws(StorageError) -> [(position: UInt64, kind: String)] {
    let names = try LogFolder.names(directory, files)
    let kinds = Set(Codec.allCases.map(\.fileExtension) + [SegmentFormat.indexExtension])
    return names.compactMap { SegmentFormat.parse(name: $0) }.filter {
      kinds.contains($0.kind) && $0.position < 1 << 62
    }
  }

  private func path(_ position: UInt64, _ kind: String) -> String {
    "\(directory)/\(SegmentFormat.name(position)).\(kind)"
  }

  private mutating func readHeaders(
    _ names: [(position: UInt64, kind: String)]
  ) throws(StorageError) -> [UInt64: FoundHeader] {
    var headers: [UInt64: FoundHeader] = [:]
    for (position, kind) in names where kind == SegmentFormat.indexExtension {
      let path = path(position, kind)
      let bytes: [UInt8]?
      do throws(StorageError) {
        bytes = try LogFolder.head(path, SegmentFormat.headerBytes, files)
      } catch {
        try leaveOut(position, newest: names.map(\.position).max(), error)
        continue
      }
      guard let bytes else { continue }
      switch bytes.withUnsafeBytes({ SegmentHeader.read($0) }) {
      case .header(let header, let seed):
        headers[position] = FoundHeader(header: header, seed: seed)
      case .invalid: break
      case .unknownVersion(let version):
        let reason = "format version \(version) is newer than this program (1); nothing was changed"
        throw StorageError(reason, path: path)
      }
    }
    return headers
  }

  private mutating func readID(_ headers: [UInt64: FoundHeader]) throws(StorageError) -> [UInt8] {
    let written = try LogFolder.id(directory, files)
    // Only a segment at the place that its name tells is a witness.
    let segments = headers.filter { $0.key == $0.value.header.start.position }
      .map { (position: $0.key, id: $0.value.header.id) }
    let id =
      Self.likeliestID(written, segments) ?? written
      ?? (0..<SegmentFormat.idBytes).map { _ in UInt8.random(in: 0...255) }
    if id != written { unsynced.append(try LogFolder.claim(directory, for: id, files)) }
    return id
  }

  /// Chooses the log's id among the headers' ids; nil if there are none.
  ///
  /// A file of 16 bytes without a checksum does not outvote headers that have one. In a folder with several logs, the
  /// id that shares most bytes with `written` wins. If none does, the id with most segments wins, or the newest.
  private static func likeliestID(
    _ written: [UInt8]?, _ segments: [(position: UInt64, id: [UInt8])]
  ) -> [UInt8]? {
    let alike = { (id: [UInt8]) in
      let count = zip(id, written ?? []).count { $0 == $1 }
      // One or two bytes of two different ids may be equal.
      return count > SegmentFormat.idBytes / 2 ? count : 0
    }
    let newest = Dictionary(segments.map { ($0.id, (count: 1, position: $0.position)) }) {
      ($0.count + $1.count, max($0.position, $1.position))
    }
    return newest.max { a, b in
      (alike(a.key), a.value.count, a.value.position)
        < (alike(b.key), b.value.count, b.value.position)
    }?.key
  }

  private mutating func isOurs(
    _ found: FoundHeader, at position: UInt64, _ kinds: [String]
  ) throws(StorageError) -> Bool {
    let header = found.header
    guard header.id == id, header.start.position == position,
      kinds.contains(header.format.codec.fileExtension)
    else { return false }
    if header.start.position >= lists.edge.position {
      return header.start.media >= lists.edge.media
    }
    return try isBehindCut(header.start) ? true : isInside(found)
  }

  /// Whether the newest segment's audio is damaged from `start` on: an earlier recovery has cut it there.
  private mutating func isBehindCut(_ start: LogPoint) throws(StorageError) -> Bool {
    guard let last = lists.segments.last, last.start.position < start.position,
      start.position < last.end.position, try scan(last.file)?.end == start
    else { return false }
    marks.end(at: start.position)
    return true
  }

  /// Whether the segment begins with a packet of the newest segment.
  ///
  /// Files that were removed and came back share packets with the segments written again meanwhile.
  private func isInside(_ found: FoundHeader) throws(StorageError) -> Bool {
    let start = found.header.start
    guard let last = lists.segments.last, last.start.position < start.position,
      start.position < last.end.position, let index = try open(last.file),
      start.position < index.end.position, let older = index.audio,
      let newer = try LogFolder.open(file(found).audioPath, files)
    else { return false }
    let packet = index.bounds(at: start.position)
    let count = Int(packet.end - start.position)
    guard packet.start == start else { return false }
    let known = try older.read(count, at: index.offset(of: start.position))
    return try newer.read(count, at: UInt64(found.header.headerBytes)) == known
  }

  /// Opens a segment's index; nil if the file is no index.
  private func open(_ file: SegmentFile) throws(StorageError) -> SegmentIndex? {
    do throws(StorageError) {
      return try file.load(files)
    } catch {
      if error.code == 0 { return nil }
      throw error
    }
  }

  private func file(_ found: FoundHeader) -> SegmentFile {
    SegmentFile(
      directory: directory, start: found.header.start, format: found.header.format,
      headerBytes: found.header.headerBytes, seed: found.seed, isSealed: true)
  }

  private mutating func putAside(_ position: UInt64, _ kinds: [String]) {
    setAside.insert(position)
    for kind in kinds {
      let path = path(position, kind)
      _ = files.rename(path, path + SetAside.ending)
    }
  }

  // MARK: One segment

  /// Adds a segment to the log. False: nothing in it can be believed.
  ///
  /// - Parameter isChecked: whether its audio is read as well. A power cut may have come before the sync; a footer then
  ///   proves nothing about the audio before it.
  private mutating func admit(
    _ found: FoundHeader, isChecked: Bool
  ) throws(StorageError) -> Bool {
    let header = found.header
    let file = file(found)
    guard let headers = try streamHeaders(file) else { return false }
    var believed = try sealed(file)
    if isChecked, believed != nil, try !isWhole(file) { believed = nil }
    if believed == nil { believed = try cut(file) }
    guard let (info, found) = believed, info.end.position > lists.edge.position else {
      return false
    }
    // The process that wrote it may have been killed before the sync.
    if isChecked { unsynced += [.closed(file.audioPath), .closed(file.indexPath)] }
    info.file.end.store(info.end.position, ordering: .releasing)
    lists.endNewest(at: info.start)
    lists.add(sealed: info)
    lists.edge = info.end
    let mark = FormatMark(
      position: header.start.position, format: header.format, headers: headers)
    if let last = lists.formats.last, last.format == mark.format, last.headers == headers {
      return take(found)
    }
    lists.add(format: mark)
    _ = lists.shedHeaders(published: lists.edge.position)
    return take(found)
  }

  private mutating func take(_ found: SegmentMarks) -> Bool {
    marks.titles += found.titles
    marks.gaps += found.gaps
    marks.origins += found.origins
    marks.anchors += found.anchors
    marks.boots += found.boots
    marks.loudness += found.loudness
    return true
  }

  /// Reads the stream headers at the audio file's beginning; nil if a byte of them is wrong.
  private func streamHeaders(_ file: SegmentFile) throws(StorageError) -> [UInt8]? {
    guard file.headerBytes > 0 else { return file.format.codec.isOgg ? nil : [] }
    guard let bytes = try LogFolder.head(file.audioPath, file.headerBytes, files),
      let found = OggHeaders.read(pages: bytes.span), found.headers.format == file.format
    else { return nil }
    return bytes
  }

  private func sealed(
    _ file: SegmentFile
  ) throws(StorageError) -> (SegmentInfo, SegmentMarks)? {
    guard let index = try LogFolder.open(file.indexPath, files),
      let audio = try LogFolder.open(file.audioPath, files)
    else {
      return nil
    }
    let (size, audioSize) = (try index.size(), try audio.size())
    let head = try index.read(SegmentFormat.headerBytes, at: 0)
    guard case .header(_, let seed) = head.withUnsafeBytes({ SegmentHeader.read($0) }),
      let footer = try footer(index, size, seed),
      footer.end.position > file.start.position,
      footer.end.position - file.start.position + UInt64(file.headerBytes) == audioSize,
      let marks = try tail(index, footer, size, seed)
    else { return nil }
    let info = SegmentInfo(
      start: file.start, end: footer.end, bytes: audioSize + size, file: file)
    return (info, marks)
  }

  private func footer(
    _ index: LogFile, _ size: UInt64, _ seed: UInt32
  ) throws(StorageError) -> FooterRecord? {
    let length = UInt64(SegmentFormat.footerBytes)
    guard size >= length + UInt64(SegmentFormat.headerBytes) else { return nil }
    let bytes = try index.read(Int(length), at: size - length)
    return bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      guard case .footer(let footer) = SegmentRecord.read(&reader, seed: seed) else { return nil }
      return footer
    }
  }

  private func tail(
    _ index: LogFile, _ footer: FooterRecord, _ size: UInt64, _ seed: UInt32
  ) throws(StorageError) -> SegmentMarks? {
    let end = size - UInt64(SegmentFormat.footerBytes)
    guard footer.tail >= UInt64(SegmentFormat.headerBytes), footer.tail <= end,
      end - footer.tail <= Self.tailBytesMax
    else { return nil }
    let bytes = try index.read(Int(end - footer.tail), at: footer.tail)
    return bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      var marks = SegmentMarks()
      while let record = SegmentRecord.read(&reader, seed: seed) { marks.take(record) }
      return reader.left == 0 ? marks : nil
    }
  }

  private func cut(_ file: SegmentFile) throws(StorageError) -> (SegmentInfo, SegmentMarks)? {
    guard let scan = try scan(file), !scan.spans.isEmpty else { return nil }
    var info = SegmentInfo(
      start: file.start, end: scan.end,
      bytes: scan.end.position - file.start.position + UInt64(file.headerBytes + scan.length),
      file: file)
    // If the disk is too full or read-only for this, the next recovery cuts and seals.
    if var writer = try? SegmentWriter(recovered: scan, file, files: files) {
      try? writer.seal()
      info = writer.info
    }
    return (info, scan.marks)
  }

  /// Reads an index up to the first span whose audio is not what was written.
  private func scan(_ file: SegmentFile) throws(StorageError) -> SegmentScan? {
    guard let index = try LogFolder.open(file.indexPath, files),
      let audio = try LogFolder.open(file.audioPath, files)
    else {
      return nil
    }
    let size = try index.size()
    guard size <= SegmentFormat.indexBytesMax else { return nil }
    var failure: StorageError?
    let scan = SegmentScan(try index.read(Int(size), at: 0)) { span in
      do throws(StorageError) {
        return try Self.isWhole(span, audio, file)
      } catch {
        failure = error
        return false
      }
    }
    // Nothing is cut if the disk did not give the audio: it may be whole.
    if let failure { throw failure }
    return scan
  }

  private func isWhole(_ file: SegmentFile) throws(StorageError) -> Bool {
    try scan(file)?.footer != nil
  }

  private static func isWhole(
    _ span: SpanRecord, _ audio: LogFile, _ file: SegmentFile
  ) throws(StorageError) -> Bool {
    let count = Int(span.bytes)
    let offset = span.start.position - file.start.position + UInt64(file.headerBytes)
    let bytes = try audio.read(count, at: offset)
    return bytes.count == count && linux_crc32c(0, bytes, count) == span.crc
  }

  // MARK: Marks

  /// Moves the marks into the lists. Segments repeat what is in force at their start, so each mark is taken once, and
  /// none of lost packets.
  private mutating func takeMarks() {
    let edge = lists.edge.position
    for title in marks.titles where title.position < edge {
      if lists.titles.last.map({ $0.position < title.position }) ?? true {
        lists.add(title: title)
      }
    }
    for gap in marks.gaps where gap.position < edge {
      if lists.gaps.last.map({ $0.position < gap.position }) ?? true { lists.add(gap: gap) }
    }
    for origin in marks.origins
    where origin.position < edge && lists.isNewer(origin) { lists.add(origin: origin) }
    let boots = Dictionary(marks.boots) { _, later in later }
    for (point, wall) in marks.anchors where point.position < edge {
      lists.air.set(at: point, wall: wall, boot: boots[point.media])
    }
    loudness.take(marks.loudness, of: lists)
    marks = SegmentMarks()
    lists.forgetMarks()
  }
}
