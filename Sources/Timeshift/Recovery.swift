import CLinux
import Glibc
import Synchronization
import Wire

/// Finds a log's past in its directory again.
///
/// 1. Names tell the segments and their order. A header of a newer format version ends it here: nothing is touched.
/// 2. The log's id stands in `log.id`; where that is lost, the newest header has it.
/// 3. A segment without a valid header, of another log, without its audio, or running into the one before is set
///    aside: renamed to `.bad` and counted (`SetAside`).
/// 4. A sealed segment is believed by its footer.
/// 5. One without a footer was being written: its last span whose audio has the right CRC is its end. Both files are
///    cut there and it is sealed.
///    The newest sealed ones, which may not have been synced, are looked at in the same way.
/// 6. The log goes on at the highest end; between segments that do not touch there are holes.
///
/// Only what is read decides. What the disk or the system keeps from being read (EIO, EACCES, no descriptor left) is left
/// as it is, and out of this log; where that is the newest segment nothing can go on behind it, and opening fails.
struct Recovery {
  let directory: String
  let files: FileCalls
  private(set) var id: [UInt8] = []
  /// What has been written and is to be synced.
  private(set) var unsynced: [UnsyncedFile] = []
  private(set) var lists = LogLists(edge: .zero)
  private(set) var setAside = 0
  /// Segments that could not be read, and why.
  var leftOut: [StorageError] { unread.sorted { $0.key < $1.key }.map(\.value) }
  /// By where they begin.
  private var unread: [UInt64: StorageError] = [:]
  private var marks = SegmentMarks()
  /// The tail of a sealed segment is bounded by what the writer puts there.
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
        if let header = headers[position], isOurs(header, at: position, kinds),
          try admit(header, isChecked: unsynced.contains(position))
        {
          continue
        }
        putAside(position, kinds)
      } catch {
        try leaveOut(position, newest: newest, error)
      }
    }
    // Behind what cannot be read nothing can go on: it may be the log's end.
    if let behind = unread.filter({ $0.key >= lists.edge.position }).max(by: { $0.key < $1.key }) {
      throw behind.value
    }
    takeMarks()
  }

  /// Throws for the newest segment: where it ends is not known.
  private mutating func leaveOut(
    _ position: UInt64, newest: UInt64?, _ error: StorageError
  ) throws(StorageError) {
    if position == newest { throw error }
    unread[position] = error
  }

  // MARK: Names and headers

  private func listNames() throws(StorageError) -> [(position: UInt64, kind: String)] {
    let (names, code) = files.list(directory)
    if code < 0 { throw StorageError(call: "opendir", path: directory, code: -code) }
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
  ) throws(StorageError) -> [UInt64: SegmentHeader] {
    var headers: [UInt64: SegmentHeader] = [:]
    for (position, kind) in names where kind == SegmentFormat.indexExtension {
      let path = path(position, kind)
      let bytes: [UInt8]?
      do throws(StorageError) {
        bytes = try read(path, SegmentFormat.headerBytes)
      } catch {
        try leaveOut(position, newest: names.map(\.position).max(), error)
        continue
      }
      guard let bytes else { continue }
      switch bytes.withUnsafeBytes({ SegmentHeader.read($0) }) {
      case .header(let header, _): headers[position] = header
      case .invalid: break
      case .unknownVersion(let version):
        let reason = "format version \(version) is newer than this program (1); nothing was changed"
        throw StorageError(reason, path: path)
      }
    }
    return headers
  }

  /// The first bytes of a file; nil: there is none.
  private func read(_ path: String, _ count: Int) throws(StorageError) -> [UInt8]? {
    try open(path).map { file throws(StorageError) in try file.read(count, at: 0) }
  }

  /// nil: it is not there, or it is a link, a pipe or anything else that the log does not make.
  private func open(_ path: String) throws(StorageError) -> LogFile? {
    do throws(StorageError) {
      return try LogFile(path, O_RDONLY, files)
    } catch {
      if [ENOENT, ELOOP, EINVAL].contains(error.code) { return nil }
      throw error
    }
  }

  private mutating func readID(_ headers: [UInt64: SegmentHeader]) throws(StorageError) -> [UInt8] {
    let path = "\(directory)/\(SegmentFormat.idFile)"
    // Zeros are what a power cut leaves of one that was not synced.
    if let id = try read(path, SegmentFormat.idBytes + 1), id.count == SegmentFormat.idBytes,
      id.contains(where: { $0 != 0 })
    {
      return id
    }
    var id = headers.max { $0.key < $1.key }?.value.id ?? []
    if id.isEmpty {
      id = (0..<SegmentFormat.idBytes).map { _ in UInt8.random(in: 0...255) }
    }
    let fresh = path + ".new"
    let file = try LogFile(fresh, O_WRONLY | O_CREAT | O_TRUNC, files)
    try file.write(id)
    let result = files.rename(fresh, path)
    if result < 0 { throw StorageError(call: "rename", path: path, code: -result) }
    // Nobody waits for it: where it is lost, each segment has it.
    unsynced.append(.open(file))
    return id
  }

  private func isOurs(_ header: SegmentHeader, at position: UInt64, _ kinds: [String]) -> Bool {
    header.id == id && header.start.position == position
      && kinds.contains(header.format.codec.fileExtension)
      && header.start.position >= lists.edge.position && header.start.media >= lists.edge.media
  }

  private mutating func putAside(_ position: UInt64, _ kinds: [String]) {
    setAside += 1
    for kind in kinds {
      let path = path(position, kind)
      _ = files.rename(path, path + SetAside.ending)
    }
  }

  // MARK: One segment

  /// False: nothing in it can be believed.
  ///
  /// - Parameter isChecked: whether its audio is read as well: it may not have been synced when the power went, and
  ///   then a footer says nothing of what stands in front of it.
  private mutating func admit(
    _ header: SegmentHeader, isChecked: Bool
  ) throws(StorageError) -> Bool {
    let file = SegmentFile(
      directory: directory, start: header.start, format: header.format,
      headerBytes: header.headerBytes, isSealed: true)
    guard let headers = try streamHeaders(file) else { return false }
    var believed = try sealed(file)
    if isChecked, believed != nil, try !isWhole(file) { believed = nil }
    if believed == nil { believed = try cut(file) }
    guard let (info, found) = believed else { return false }
    // Whoever wrote it may have been killed before it was synced.
    if isChecked { unsynced += [.closed(file.audioPath), .closed(file.indexPath)] }
    info.file.end.store(info.end.position, ordering: .releasing)
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
    marks.anchors += found.anchors
    marks.boots += found.boots
    return true
  }

  /// What the audio file begins with; nil where a byte of it is wrong.
  private func streamHeaders(_ file: SegmentFile) throws(StorageError) -> [UInt8]? {
    guard file.headerBytes > 0 else { return file.format.codec.isOgg ? nil : [] }
    guard let bytes = try read(file.audioPath, file.headerBytes),
      let found = OggHeaders.read(pages: bytes.span), found.headers.format == file.format
    else { return nil }
    return bytes
  }

  private func sealed(
    _ file: SegmentFile
  ) throws(StorageError) -> (SegmentInfo, SegmentMarks)? {
    guard let index = try open(file.indexPath), let audio = try open(file.audioPath) else {
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
    // Where the disk is too full or read-only for this, the next recovery does it.
    if var writer = try? SegmentWriter(recovered: scan, file, files: files) {
      try? writer.seal()
      info = writer.info
    }
    return (info, scan.marks)
  }

  /// Up to the first span whose audio is not what was written.
  private func scan(_ file: SegmentFile) throws(StorageError) -> SegmentScan? {
    guard let index = try open(file.indexPath), let audio = try open(file.audioPath) else {
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
    // Not cut where the disk gave nothing: what is there may be whole.
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

  /// Segments repeat what is in force at their start; each mark is taken once, and none of packets that are lost.
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
    let boots = Dictionary(marks.boots) { _, later in later }
    for (point, wall) in marks.anchors where point.position < edge {
      lists.air.set(at: point, wall: wall, boot: boots[point.media])
    }
    marks = SegmentMarks()
    lists.forgetMarks()
  }
}
