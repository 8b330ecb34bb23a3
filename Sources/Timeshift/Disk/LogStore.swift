import Glibc
import Synchronization
import Threads
import Wire

/// A log's side of the disk: what is written, what is lost, whether the disk works.
///
/// The storage thread gives each store a turn a few times a second. A store is itself a reader of the log, and no
/// reader or writer waits for it. Another thread syncs what was written, while writing goes on. A full disk costs the
/// oldest segments, as long as that makes room (see `DiskRelief`). After that, and with a broken disk, the log lives in
/// memory and the disk is tried again every 10 s. A folder that is removed is made again, and gets what the memory has
/// (`LogStore+Folder`).
final class LogStore: LogDisk, @unchecked Sendable {
  // Unchecked: every variable that is no atomic is touched only under `lock`.

  static let retryInterval: Int64 = 10_000_000_000
  /// The most sealed segments that are remembered until they are synced. The kernel writes older ones in its own time.
  static let unsyncedMax = 2

  let directory: String
  let storage: Storage
  let report: @Sendable (StorageEvent) -> Void
  var loader: SegmentLoader { storage.loader }

  let configuration: LogConfiguration
  let id: [UInt8]
  let files: FileCalls
  /// How much less the media times in its files are than the log's.
  let mediaShift: MediaTime
  /// Whether the folder is another log's: nothing is written or read there. Any thread may ask.
  let displaced = Atomic<Bool>(false)
  /// Whether the folder may hold unknown files: it is looked at before anything is written there.
  var isUnsure = false
  /// The device number of the directory's file system. Any thread may ask.
  let disk: Atomic<Int64>
  /// The position below which all bytes are on the disk; `.max` while the disk is not waited for.
  ///
  /// The log's writer wakes the storage when this position falls behind.
  let committed: Atomic<UInt64>

  /// Held while this log is written, never while files are synced.
  ///
  /// Its holder may wait for the lists' lock and the loader's; a holder of those never waits for this one.
  private let lock = Mutex<Void>(())

  var writer: SegmentWriter?
  var diskEdge: LogPoint
  var anchorsWritten: UInt64
  /// Titles below this position are on the disk.
  var titlesWritten: UInt64
  var retryAt: Int64?
  private var syncedAt: Int64?
  /// The first second of media time whose loudness the active segment does not have yet.
  var loudnessWritten: Int64 = 0
  /// Files of sealed segments, the oldest segment first.
  private var unsynced: [[UnsyncedFile]] = []
  /// Whether the last sync failed: until one succeeds, the disk does not count as healthy.
  private var isSyncFailing = false
  var events: [StorageEvent] = []
  private var isFinished = false
  /// Whether nothing has been written since a hole opened: a growing hole counts once.
  var isInHole = false

  /// - Parameters:
  ///   - disk: the device number of the directory's file system.
  ///   - start: where writing begins; nil: at the end of what was found.
  init(
    directory: String, configuration: LogConfiguration, id: [UInt8], found: LogLists,
    on disk: Int64, from start: LogPoint? = nil, mediaShift: MediaTime = .zero, storage: Storage,
    report: @escaping @Sendable (StorageEvent) -> Void
  ) {
    self.mediaShift = mediaShift
    self.directory = directory
    self.configuration = configuration
    self.id = id
    self.storage = storage
    self.report = report
    files = storage.loader.files
    self.disk = Atomic(disk)
    diskEdge = start ?? found.edge
    anchorsWritten = found.air.revision
    titlesWritten = found.titles.last.map { $0.position + 1 } ?? 0
    committed = Atomic((start ?? found.edge).position)
  }

  var hasFolder: Bool { true }
  var folderID: LogID? { LogID(bytes: id) }
  var isDisplaced: Bool { displaced.load(ordering: .relaxed) }

  func close() { storage.close(self) }

  /// Half a window unwritten is too much to wait for the next turn.
  func published(edge: UInt64) {
    if unwritten(upTo: edge) > UInt64(configuration.windowBytes / 2) { storage.signal.raise() }
  }

  func isBehind(_ edge: UInt64) -> Bool {
    unwritten(upTo: edge) > UInt64(configuration.windowBytes)
  }

  private func unwritten(upTo edge: UInt64) -> UInt64 {
    edge - min(edge, committed.load(ordering: .relaxed))
  }

  // MARK: Turns

  /// Writes new audio and marks.
  func turn(_ log: PacketLog, at now: Int64) -> [StorageEvent] {
    lock.withLock { _ in
      if isFinished { return [] }
      removeDoomed(log)
      if isResting(now) { return [] }
      events = []
      do throws(StorageError) {
        try writeAll(log, at: now)
        if retryAt != nil, !isSyncFailing { restore(log) }
      } catch {
        fail(error, log, now)
      }
      return events
    }
  }

  /// Returns the files to be synced now. The caller syncs them without a lock, and then calls `synced`.
  func popUnsynced(at now: Int64) -> [UnsyncedFile] {
    lock.withLock { _ in
      let since = syncedAt ?? now
      syncedAt = since
      guard !isFinished, !isResting(now), now - since >= storage.syncInterval || isSyncFailing
      else { return [] }
      syncedAt = now
      return popUnsynced()
    }
  }

  func synced(_ failure: StorageError?, _ log: PacketLog, at now: Int64) -> [StorageEvent] {
    lock.withLock { _ in
      events = []
      do throws(StorageError) {
        // Files that were removed need no sync.
        isSyncFailing = failure.map { !$0.isMissing } ?? false
        guard let failure, !isFinished else { return [] }
        guard failure.isMissing else { throw failure }
        try lookAgain(log)
      } catch {
        fail(error, log, now)
      }
      return events
    }
  }

  /// Takes the last turn: writes and seals everything, if the disk allows. Otherwise the next scan finds it.
  ///
  /// - Returns: the files still to be synced.
  func finish(_ log: PacketLog) -> [UnsyncedFile] {
    lock.withLock { _ in
      isFinished = true
      events = []
      if isDisplaced { return [] }
      do throws(StorageError) {
        if writer?.isMissing == true { try lookAgain(log) }
        try writeAll(log, at: files.now().nanoseconds)
        try seal(log)
      } catch {
        writer = nil
      }
      removeDoomed(log)
      log.change { $0.diskEdge = .max }
      return popUnsynced()
    }
  }

  /// Whether the disk has failed and is not tried again yet.
  private func isResting(_ now: Int64) -> Bool { retryAt.map { now < $0 } ?? false }

  private func writeAll(_ log: PacketLog, at now: Int64) throws(StorageError) {
    let edge = log.edgePosition
    guard diskEdge.position < edge else { return }
    var isMade = false
    if isUnsure {
      isMade = true
      try lookAgain(log)
    }
    var lists = log.lists.withLock { $0 }
    noteHole(lists, log)
    while diskEdge.position < edge {
      do throws(StorageError) {
        try writeSome(lists, upTo: edge, log)
      } catch {
        if error.isMissing || error.isReplaced, !isMade {
          isMade = true
          try lookAgain(log)
          lists = log.lists.withLock { $0 }
          noteHole(lists, log)
        } else {
          guard error.isFull, storage.giveUpOldest(for: OpenLog(log: log, store: self), at: now)
          else { throw error }
        }
      }
    }
  }

  /// Notes audio that left the memory before it was written: it is lost, and a segment has no holes inside.
  private func noteHole(_ lists: LogLists, _ log: PacketLog) {
    let known = lists.knownOldest
    guard known.position > diskEdge.position else { return }
    let opens = !isInHole
    if opens { events.append(.holeOpened(position: diskEdge.position)) }
    isInHole = true
    do throws(StorageError) { try seal(log) } catch { abandon(log) }
    diskEdge = known
    if opens { log.change { $0.holes += 1 } }
  }

  private func writeSome(
    _ lists: LogLists, upTo edge: UInt64, _ log: PacketLog
  ) throws(StorageError) {
    guard let format = lists.formats.last(where: { $0.position <= diskEdge.position }),
      let block = lists.blocks.last(where: { $0.start.position <= diskEdge.position })
    else { preconditionFailure("what is published has a format and a block") }
    if let writer,
      writer.isFull(configuration.segment, share: lists.retentionBytes)
        || writer.file.start.position < format.position
    {
      try seal(log)
    }
    if writer == nil { try begin(format, lists) }
    let isFirst = writer!.end == writer!.file.start
    let range = packets(of: block, upTo: min(edge, lists.formatEnd(after: diskEdge.position)))
    let last = block.entries[range.upperBound - 1]
    let end = block.start.position + UInt64(last.offset + last.bytes)
    let loudness = unwrittenLoudness(of: log, atLeast: Self.loudnessSeconds)
    let marks =
      (loudness.map { [$0.record] } ?? [])
      + SegmentRecord.marks(
        of: lists, in: diskEdge.position..<end, anchorsAfter: anchorsWritten,
        titlesFrom: titlesWritten, startsSegment: isFirst ? diskEdge : nil)
    try writer!.write(range, of: block, marks: marks, lists: lists, spanMax: configuration.spanMax)
    if let loudness { loudnessWritten = loudness.end }
    storage.wrote(
      writer!.end.position - diskEdge.position, on: disk.load(ordering: .relaxed))
    anchorsWritten = lists.air.revision
    diskEdge = writer!.end
    if let title = lists.titles.last(where: { $0.position < diskEdge.position }) {
      titlesWritten = max(titlesWritten, title.position + 1)
    }
    isInHole = false
    committed.store(diskEdge.position, ordering: .relaxed)
    let info = writer!.info
    let position = diskEdge.position
    log.change {
      $0.set(active: info)
      $0.diskEdge = position
    }
  }

  private func begin(_ format: FormatMark, _ lists: LogLists) throws(StorageError) {
    try claimFolder()
    let header = SegmentHeader(
      id: id, start: diskEdge.moved(by: .zero - mediaShift),
      air: lists.air.wall(at: diskEdge.media),
      format: format.format, headerBytes: format.headers.count)
    let (bytes, seed) = header.encoded()
    let file = SegmentFile(
      directory: directory, start: diskEdge, format: format.format,
      headerBytes: format.headers.count, seed: seed, isSealed: false, mediaShift: mediaShift)
    loudnessWritten = diskEdge.media.second
    writer = try SegmentWriter(file, header: bytes, headers: format.headers, files: files)
  }

  /// The next packets to write, as far as the block and the segment go.
  private func packets(of block: Block, upTo end: UInt64) -> Range<Int> {
    let all = block.packets(upTo: end)
    let offset = diskEdge.position - block.start.position
    var first = 0
    var high = all
    while first < high {
      let middle = (first + high) / 2
      if UInt64(block.entries[middle].offset) < offset { first = middle + 1 } else { high = middle }
    }
    let limit = writer!.file.start.media + configuration.segment
    var stop = first + 1
    while stop < all && block.entries[stop].start < limit.stored { stop += 1 }
    precondition(first < all, "below the edge there is a packet to write")
    return first..<stop
  }

  func seal(_ log: PacketLog) throws(StorageError) {
    guard writer != nil else { return }
    if let rest = unwrittenLoudness(of: log, atLeast: 1) {
      writer!.remember(rest.record)
      loudnessWritten = rest.end
    }
    try writer!.seal()
    // Remembered by name: while the disk is slow, open files would pile up.
    let sealed = [writer!.file.audioPath, writer!.file.indexPath].map(UnsyncedFile.closed)
    unsynced = unsynced.suffix(Self.unsyncedMax - 1) + [sealed]
    abandon(log)
  }

  /// Ends the active segment, sealed or not: nothing more is written to it.
  func abandon(_ log: PacketLog) {
    guard let info = writer?.info else { return }
    writer = nil
    info.file.end.store(info.end.position, ordering: .releasing)
    let scrubAt = files.now().nanoseconds.saturatingAdd(Scrubber.firstAfter)
    info.file.scrubAt.store(scrubAt, ordering: .relaxed)
    info.file.isSealed.store(true, ordering: .releasing)
    let isEmpty = info.start == info.end
    log.change {
      $0.set(active: nil)
      if !isEmpty { $0.add(sealed: info) }
    }
    if isEmpty { info.file.remove(files) }
  }

  private func popUnsynced() -> [UnsyncedFile] {
    defer { unsynced = [] }
    let active = writer?.needsSync == true ? writer!.popUnsynced() : []
    return unsynced.flatMap { $0 } + active.map(UnsyncedFile.open)
  }

  private func fail(_ error: StorageError, _ log: PacketLog, _ now: Int64) {
    // A full disk goes on with the same segment once it has room; a broken one gets a new file.
    if !error.isFull { abandon(log) }
    if retryAt == nil { events.append(.failed(error.description)) }
    retryAt = now + Self.retryInterval
    committed.store(.max, ordering: .relaxed)
    log.change {
      $0.storage = .failed(error.description)
      $0.diskEdge = .max
    }
  }

  private func restore(_ log: PacketLog) {
    retryAt = nil
    events.append(.restored)
    let position = diskEdge.position
    committed.store(position, ordering: .relaxed)
    log.change {
      $0.storage = .healthy
      $0.diskEdge = position
    }
  }
}
