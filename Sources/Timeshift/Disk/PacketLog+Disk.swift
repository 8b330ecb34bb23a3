import CLinux
import Glibc
import Synchronization
import Wire

extension PacketLog {
  /// Opens the log in `directory`, or makes both, and goes on where the log ended. Blocks: scans and mends the folder.
  ///
  /// Calls `report` on the storage's thread, and before this returns.
  ///
  /// - Parameter watch: where its calls are recorded; nil for nowhere.
  /// - Throws: when the directory cannot be used, or holds a newer format; files are then untouched.
  public static func open(
    directory: String, configuration: LogConfiguration, storage: Storage, at now: Moment,
    watch: CallWatch? = nil, report: @escaping @Sendable (StorageEvent) -> Void
  ) throws(StorageError) -> PacketLog {
    guard configuration.retention > .zero else {
      return PacketLog(memoryOnly: configuration, at: now)
    }
    let files = storage.loader.files
    let folder = try FolderMend(
      directory: directory, files: watch.map(files.watched) ?? files)
    folder.forgetSetAside(configuration, report)
    var lists = folder.lists
    lists.storage = .healthy
    lists.diskEdge = lists.edge.position
    lists.setAside = folder.scan.unbelieved.count
    lists.air.boot = storage.loader.files.boot
    lists.air.resume(since: lists.edge.media, at: now)
    let store = LogStore(
      directory: directory, configuration: configuration, id: folder.id, found: lists,
      on: storage.loader.files.disk(directory), storage: storage, report: report)
    let log = PacketLog(
      configuration, lists, store: store, loudness: folder.scan.loudness)
    storage.add(log)
    folder.tell(storage, report)
    return log
  }

  /// Whether the log is in memory only until its folder can be used.
  public var isAwaitingFolder: Bool { awaited != nil && store == nil }

  /// Whether the log is kept on disk, or will be as soon as the disk works again.
  public var isOnDisk: Bool { store != nil }

  /// Whether the folder now belongs to another log. This log then goes on in memory, and the folder is opened as
  /// another log.
  public var isDisplaced: Bool { store?.isDisplaced.load(ordering: .relaxed) ?? false }

  /// Writes what is in memory and seals it; the storage syncs that soon after, at the latest when it stops. Blocks.
  ///
  /// Readers may go on; nothing may be appended any more.
  public func close() { store?.storage.close(self) }

  /// Deletes the files of the closed log in `directory`, also those set aside, and the directory if it is then empty.
  public static func remove(directory: String) throws(StorageError) {
    let files = FileCalls.posix
    let (names, code) = files.list(directory)
    if code == -ENOENT { return }
    if code < 0 { throw StorageError(call: "opendir", path: directory, code: -code) }
    for name in names where isOurs(name) {
      let path = "\(directory)/\(name)"
      let result = files.remove(path)
      if result < 0 && result != -ENOENT {
        throw StorageError(call: "unlink", path: path, code: -result)
      }
    }
    rmdir(directory)
  }

  /// The format of the newest segment in `directory`, whether its log is open or not. Nil if none can be read. Blocks.
  public static func newestFormat(directory: String) -> AudioFormat? {
    let files = FileCalls.posix
    let indexes = files.list(directory).names.compactMap { SegmentFormat.parse(name: $0) }
      .filter { $0.kind == SegmentFormat.indexExtension }
    guard let newest = indexes.max(by: { $0.position < $1.position }) else { return nil }
    let path = "\(directory)/\(SegmentFormat.name(newest.position)).\(newest.kind)"
    guard let file = try? LogFile(path, O_RDONLY, files),
      let bytes = try? file.read(SegmentFormat.headerBytes, at: 0),
      case .header(let header, _) = bytes.withUnsafeBytes({ SegmentHeader.read($0) })
    else { return nil }
    return header.format
  }

  private static func isOurs(_ name: String) -> Bool {
    SegmentFormat.parse(name: name) != nil || SetAside.position(of: name) != nil
      || name == SegmentFormat.idFile || name == SegmentFormat.idFile + ".new"
  }

  /// The newest packets, oldest first: at most `seconds` of them, none from before a hole or a gap.
  ///
  /// The stitcher recognises the log's end by them in what an upstream sends. Blocks on the disk when the memory does
  /// not reach far enough.
  public func tail(seconds: Double) -> [TailPacket] {
    let lists = self.lists.withLock { $0 }
    let tail = tail(seconds: seconds, in: lists)
    var bytes = lists.edge.position - (lists.gaps.last?.position ?? 0)
    return tail.reversed().prefix { packet in
      guard packet.bytes <= bytes else { return false }
      bytes -= UInt64(packet.bytes)
      return true
    }.reversed()
  }

  private func tail(seconds: Double, in lists: LogLists) -> [TailPacket] {
    let from = lists.edge.media - MediaTime(seconds: seconds)
    var tail: [TailPacket] = []
    for block in lists.blocks {
      let rate = lists.sampleRate(at: block.start.position)
      for index in 0..<block.packets(upTo: lists.edge.position) {
        let entry = block.entries[index]
        guard entry.start >= from.stored else { continue }
        tail.append(TailPacket(entry, rate: rate))
      }
    }
    guard lists.memoryOldest.media > from, let files = store?.loader.files else { return tail }
    return lists.tail(from: from, files) + tail
  }
}

extension PacketLog {
  /// The bytes of the newest packet; nil if they cannot be had. Blocks on the disk when the memory has none.
  public func newestPacket() -> [UInt8]? {
    let lists = self.lists.withLock { $0 }
    let edge = lists.edge.position
    if let block = lists.blocks.last(where: { $0.start.position < edge }) {
      let entry = block.entries[block.packets(upTo: edge) - 1]
      return Array(
        UnsafeRawBufferPointer(start: block.base + Int(entry.offset), count: Int(entry.bytes)))
    }
    guard let segment = lists.active ?? lists.segments.last, segment.end.position == edge,
      let files = store?.loader.files, let index = try? segment.file.load(files),
      index.end.position == edge, index.start.position < edge
    else { return nil }
    let start = index.bounds(at: edge - 1).start.position
    return try? index.audio?.read(Int(edge - start), at: index.offset(of: start))
  }
}

extension TailPacket {
  init(_ entry: PacketEntry, rate: Int) {
    self.init(
      hash: entry.hash, samples: Self.samples(Int64(entry.duration), rate),
      bytes: Int(entry.bytes))
  }

  static func samples(_ flicks: Int64, _ rate: Int) -> Int {
    let perSample = MediaTime.flicksPerSecond / Int64(max(1, rate))
    return Int((flicks + perSample / 2) / perSample)
  }
}

extension LogLists {
  func sampleRate(at position: UInt64) -> Int {
    formats.last { $0.position <= position }?.format.sampleRate ?? 1
  }

  /// The part of the tail that is on the disk only.
  func tail(from: MediaTime, _ files: FileCalls) -> [TailPacket] {
    var tail: [TailPacket] = []
    var end = memoryOldest
    for segment in (segments + (active.map { [$0] } ?? [])).reversed()
    where segment.end.media > from {
      guard segment.end.position >= end.position,
        let index = try? segment.file.load(files), index.end.position >= end.position
      else { break }
      tail =
        index.tail(from: from, to: end.position, rate: segment.file.format.sampleRate) + tail
      if segment.start.position < end.position { end = segment.start }
    }
    return tail
  }
}

extension SegmentIndex {
  /// Reads the audio from `from` on and hashes its packets.
  fileprivate func tail(from: MediaTime, to stop: UInt64, rate: Int) -> [TailPacket] {
    guard let audio, end.media > from else { return [] }
    var tail: [TailPacket] = []
    var at = packet(atOrBefore: max(from, start.media).stored)
    while at.position < min(stop, end.position) {
      let after = bounds(at: at.position).end
      let next = after < end.position ? bounds(at: after).start : end
      let count = Int(after - at.position)
      guard let bytes = try? audio.read(count, at: offset(of: at.position)),
        bytes.count == count
      else { return [] }
      if at.media >= from {
        tail.append(
          TailPacket(
            hash: packetHash(bytes.span),
            samples: TailPacket.samples((next.media - at.media).stored, rate), bytes: count))
      }
      at = next
    }
    return tail
  }
}
