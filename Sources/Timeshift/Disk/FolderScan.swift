import Synchronization
import Wire

/// What a folder holds of a log. Reads and changes nothing, so another process may be writing there.
///
/// 1. File names tell the segments and their order. A header of a newer format version ends the scan.
/// 2. `log.id` holds the log's id, if headers confirm it. Otherwise the headers decide.
/// 3. A segment without a valid header, of another log, or without its audio is not believed. Nor is a segment that
///    begins inside the one before, with two exceptions. The older one has the same packet there, or was cut there and
///    the disk has lost the cut. Then both belong to the same log, and the older one counts up to there.
/// 4. A sealed segment is believed by its footer.
/// 5. A segment without a footer was being written. It ends with its last span whose audio has the right CRC. The newest
///    sealed segments, which may not have been synced, are checked in the same way.
/// 6. The log goes on at the highest end; between segments that do not touch there are holes.
///
/// Only content that was read decides. A segment that the disk or the system keeps from being read (EIO, EACCES, no
/// descriptor left) is no finding, and out of this log. If that is the newest segment, nothing can go on behind it, and
/// the scan fails.
///
/// Where another process writes, the scan sees the folder in passing: the newest segment has no footer. A segment
/// begun or given up meanwhile may be among those not believed.
struct FolderScan {
  let directory: String
  let files: FileCalls
  /// The log's id; nil if nothing in the folder tells it.
  private(set) var id: [UInt8]?
  /// Whether `log.id` says so.
  private(set) var isClaimed = false
  /// The log's past.
  private(set) var lists = LogLists(edge: .zero)
  private(set) var loudness = LoudnessLine()
  /// The length of the log's last packet; zero without one.
  private(set) var lastPacket = MediaTime.zero
  /// The files of segments that cannot be believed, by the segments' starts.
  private(set) var unbelieved: [UInt64: [String]] = [:]
  /// Where segments end that were being written, or are damaged.
  private(set) var cuts: [SegmentCut] = []
  /// Segments whose audio was read, since they may not have been synced.
  private(set) var checked: [SegmentFile] = []
  /// Segments that could not be read, and why.
  var leftOut: [StorageError] { unread.sorted { $0.key < $1.key }.map(\.value) }
  /// The errors of unread segments, by the segments' starts.
  private var unread: [UInt64: StorageError] = [:]
  private var marks = SegmentMarks()

  init(directory: String, files: FileCalls) throws(StorageError) {
    self.directory = directory
    self.files = files
    let names = try listNames()
    let headers = try readHeaders(names)
    try readID(headers)
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
        unbelieved[position] = kinds.map { path(position, $0) }
      } catch {
        try leaveOut(position, newest: newest, error)
      }
    }
    // Nothing can go on behind an unread segment: it may be the log's end.
    if let behind = unread.filter({ $0.key >= lists.edge.position }).max(by: { $0.key < $1.key }) {
      throw behind.value
    }
    adoptMarks()
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

  private mutating func readID(_ headers: [UInt64: FoundHeader]) throws(StorageError) {
    let written = try LogFolder.id(directory, files)
    // Only a segment at the place that its name tells is a witness.
    let segments = headers.filter { $0.key == $0.value.header.start.position }
      .map { (position: $0.key, id: $0.value.header.id) }
    id = Self.likeliestID(written, segments) ?? written
    isClaimed = id != nil && id == written
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

  /// Whether the newest segment's audio is damaged from `start` on: it has been cut there before.
  private mutating func isBehindCut(_ start: LogPoint) throws(StorageError) -> Bool {
    guard let last = lists.segments.last, last.start.position < start.position,
      start.position < last.end.position,
      try SegmentReading(file: last.file, files: files).scan()?.end == start
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

  // MARK: One segment

  /// Adds a segment to the log. False: nothing in it can be believed.
  private mutating func admit(
    _ found: FoundHeader, isChecked: Bool
  ) throws(StorageError) -> Bool {
    let reading = SegmentReading(file: file(found), files: files)
    guard let headers = try reading.streamHeaders(),
      let segment = try reading.believed(isChecked: isChecked),
      segment.info.end.position > lists.edge.position
    else { return false }
    if let cut = segment.cut { cuts.append(cut) }
    // The process that wrote it may have been killed before the sync.
    if isChecked { checked.append(reading.file) }
    let info = segment.info
    info.file.end.store(info.end.position, ordering: .releasing)
    lists.endNewest(at: info.start)
    lists.add(sealed: info)
    lists.edge = info.end
    lastPacket = segment.lastPacket
    let mark = FormatMark(
      position: info.start.position, format: info.file.format, headers: headers)
    if lists.formats.last.map({ !$0.isSame(as: mark) }) ?? true {
      lists.add(format: mark)
      _ = lists.shedHeaders(published: lists.edge.position)
    }
    marks.add(segment.marks)
    return true
  }

  // MARK: Marks

  /// Moves the marks into the lists.
  private mutating func adoptMarks() {
    lists.adopt(marks)
    loudness.add(marks.loudness, of: lists)
    marks = SegmentMarks()
    lists.forgetMarks()
  }
}
