import Timeshift
import Wire

/// Writes a piece of a log to files, as any cursor reads it. Blocks, and belongs to one thread.
///
/// A file is one clip behind its tag, or several where something between them was gone.
final class RecordingWork {
  var entry: RecordingEntry
  /// As far as its files are on the disk: what is kept of it, and where it begins anew after an error.
  var synced: RecordingEntry
  let reader: LogReader
  /// Its name, for tags.
  private let station: String
  let space: RecordingSpace
  private let scratch: UnsafeMutableRawBufferPointer
  let log: PacketLog
  /// The next packet; nil: not known yet where it begins.
  var cursor: LogPoint?
  /// The log has been asked where the next packet of an earlier process is.
  var isSettled: Bool
  /// What is being copied, and how much of it is.
  var clip: Clip?
  var offset = 0
  var file: RecordingFile?
  /// As it was when the file was begun: where that is deleted, it begins anew there.
  var beforeFile: RecordingEntry?
  private var fileSeconds = 0.0
  /// Copied, and not reached yet: not part of what the entry says.
  var bytesAhead: Int64 = 0
  /// There is no room in it for the next packet.
  var isFull = false
  /// Where the title stands that the file is named after.
  var titlePosition: UInt64 = 0
  /// The same with its time, once that is known.
  var titleBegun: LogPoint?
  private var title: Title?
  private let zone: ZoneOffsets?
  /// The log's end after a restart, where that lies in front of the next packet: what was in memory is lost.
  var cut: LogPoint?
  /// Where it ends, since it was stopped, in this log; nil: it was not, or only the time is known.
  var end: LogPoint?
  /// The same of an earlier process, until its packet is looked up.
  var endBefore: UInt64?
  /// Where the log ended when the recording came to it from another one, as far as it goes on behind; else nil.
  var floor: LogPoint?
  /// When the disk is tried again; nil: it works.
  var retryAt: MonotonicTime?
  var syncedAt: MonotonicTime?
  var clock = ClockSteps()
  /// When it last took a turn, and when it did after a while without.
  var (lookedAt, lateAt): (MonotonicTime?, MonotonicTime?)
  /// When the wall clock was set by more than a correction.
  var leaptAt: MonotonicTime?
  var isClockTrusted = true
  /// Nanoseconds by which the end of what was asked for by its length has still to be moved.
  var stepAhead: Int64 = 0

  /// - Parameters:
  ///   - edge: of the log, before anything is added to it in this process.
  ///   - isBehindEdge: what it has of another log is not in this one, which goes on for it behind `edge`.
  ///   - delay: of a delayed station.
  init(
    _ entry: RecordingEntry, log: PacketLog, from edge: LogPoint? = nil, isBehindEdge: Bool = false,
    delay: MediaTime = .zero, station: String, space: RecordingSpace
  ) {
    (self.entry, synced) = (entry, entry)
    zone = entry.options.zone.flatMap { ZoneOffsets($0) }
    self.station = station
    self.space = space
    self.log = log
    isSettled = entry.place?.air == nil
    reader = LogReader(log, delay: delay)
    scratch = .allocate(byteCount: 4 * LogReader.clipScratchBytes, alignment: 16)
    cursor = entry.place?.point
    titlePosition = entry.place?.position ?? 0
    if isBehindEdge { floor = edge }
    // What the log has lost or never had is known by its time alone.
    let known = isBehindEdge ? 0 : (edge ?? log.snapshot().edge).position
    endBefore = entry.stop?.place.map(\.position).flatMap { $0 <= known ? $0 : nil }
    try? rescue()
    if !isBehindEdge, let edge, let cursor, cursor.position > edge.position { cut = edge }
  }

  deinit { scratch.deallocate() }

  /// Writes what there is.
  ///
  /// - Parameter isLate: asked now and then; true: no more of it now.
  /// - Returns: true: that was all of it; the entry says why if it ends before its time.
  func turn(
    isEnding: Bool, now: WallTime, isLate: () -> Bool = { false }
  ) throws(RecordingError) -> Bool {
    reader.refresh()
    defer { keepPlace() }
    guard begin() else { return isEnding || isStoppedBefore || isOverdue(now) }
    guard let goal = goal(isEnding, now) else { return false }
    while let place = cursor, !isLate() {
      if place.position >= goal.point.position, clip == nil {
        if goal.isLast { try finish() }
        return goal.isLast
      }
      if clip == nil {
        let isOpen = file != nil
        guard try beginClip(at: place) else { return isFull }
        // How long an older file was has to be known before it grows: a crash takes it back to that.
        if !isOpen, !isEnding, file?.isContinued == true { return false }
        continue
      }
      guard let end = fileEnd(before: goal), let step = step(from: place, to: end.point),
        let fitting = fitting(step), try copy(to: fitting)
      else { return false }
      if clip != nil, fitting.position < step.position {
        try fill()
        return true
      }
      if clip == nil || step.position < end.point.position { continue }
      if let next = end.next {
        try finish()
        if entry.fileCount >= RecordingEntry.filesMax {
          isFull = true
          entry.reason =
            "the format changed, and it has the \(RecordingEntry.filesMax) files it may"
          return true
        }
        (cursor, titlePosition) = (next, end.title)
        keepPlace()
        synced = entry
      } else {
        if goal.isLast { try finish() }
        return goal.isLast
      }
    }
    return false
  }

  // MARK: Copying

  /// False: something is being fetched from the disk.
  private func beginClip(at place: LogPoint) throws(RecordingError) -> Bool {
    switch reader.read(at: place.position, upTo: place.position + 1, limit: 1, scratch: scratch) {
    case .hole(let next), .overrun(let next):
      try skip(to: next)
      return true
    case .bytes(let byte) where !byte.isEmpty: break
    case .bytes, .loading, .liveEdge: return false
    }
    title = reader.titleMark(at: max(place.position, titlePosition))?.title
    let air = reader.air(at: place.media)
    let open = LogPoint(position: .max, media: .max)
    switch reader.clip(
      from: place, to: open, comments: entry.options.comments(title, of: station, at: air))
    {
    case .clip(let clip):
      // What it begins with: more than that may go elsewhere, less is no recording.
      guard let packetEnd = reader.packetEnd(after: place.position + 1) else { return false }
      let bytes = Int64(clip.head.count) + Int64(packetEnd - place.position)
      if file == nil { try openFile(air, clip.format.codec, for: bytes) }
      if file == nil || room.map({ $0 < bytes }) ?? false {
        try fill()
        return false
      }
      (self.clip, offset) = (clip, 0)
      return true
    case .loading: return false
    case .nothing: throw RecordingError("the window of \(entry.options.station) cannot be read")
    }
  }

  /// Without room for `bytes` there is no file.
  private func openFile(
    _ air: WallTime, _ codec: Codec, for bytes: Int64
  ) throws(RecordingError) {
    try space.check()
    let named = RecordingName(pattern: entry.options.name, station: entry.options.station)
    let file = try RecordingFile(
      named.text(
        at: air, title: title, number: entry.fileCount + 1,
        local: { [zone] in zone?.local($0) ?? RecordingName.local($0) }),
      ending: codec.fileExtension, in: space.folder, appends: entry.options.appends,
      calls: space.calls)
    let tag =
      codec.isOgg || file.bytes > 0
      ? [] : entry.options.tag(title, of: station, at: air).bytes
    beforeFile = file.isContinued ? nil : entry
    if let cursor { beforeFile?.place = place(cursor) }
    entry.count(before: file)
    if let room, room < bytes + Int64(tag.count) { return file.discard() }
    if entry.firstAir == nil { entry.firstAir = air.stored }
    self.file = file
    fileSeconds = 0
    // What fails from here on is cut back to how long it was.
    if file.isContinued {
      keepPlace()
      synced = entry
    }
    try write(tag)
  }

  /// Up to a packet's boundary. False: something is being fetched. Where the rest is gone there is no clip any more.
  private func copy(to end: LogPoint) throws(RecordingError) -> Bool {
    guard var clip else { return true }
    clip.end = end
    while offset < clip.byteCount {
      switch reader.read(clip, at: offset, limit: scratch.count, scratch: scratch) {
      case .bytes(let piece) where !piece.isEmpty:
        try space.check()
        try file?.write(piece)
        space.count(piece.count)
        bytesAhead += Int64(piece.count)
        offset += piece.count
      case .bytes, .loading, .liveEdge: return false
      case .hole(let next), .overrun(let next):
        try skip(to: next)
        return true
      }
    }
    reach(end)
    return true
  }

  private func write(_ bytes: [UInt8]) throws(RecordingError) {
    guard let file else { return }
    let result = bytes.withUnsafeBytes { piece in
      Result { () throws(RecordingError) in try file.write(piece) }
    }
    try result.get()
    space.count(bytes.count)
    entry.bytes += Int64(bytes.count)
  }

  private func reach(_ point: LogPoint) {
    count()
    guard let cursor, point.media > cursor.media else { return }
    let seconds = (point.media - cursor.media).seconds
    entry.seconds += seconds
    fileSeconds += seconds
    self.cursor = point
    keepPlace()
  }

  private func count() {
    entry.bytes += bytesAhead
    bytesAhead = 0
  }

  /// What lies in front of `next` is gone.
  private func skip(to found: LogPoint) throws(RecordingError) {
    count()
    // What is behind its end is not missing.
    let next = end.map { found.position > $0.position ? $0 : found } ?? found
    // What comes behind may be of another format, and belongs in a file of its own.
    if let cursor, file != nil,
      reader.format(at: cursor.position) != reader.format(at: next.position)
    {
      keepPlace()
      try finish()
    }
    if let cursor { entry.missedSeconds += max(0, (next.media - cursor.media).seconds) }
    if let cursor { entry.missedSeconds += missedInJoint(from: cursor, to: next) }
    cursor = next
    titlePosition = max(titlePosition, next.position)
    clip = nil
  }

  // MARK: Files

  func finish() throws(RecordingError) {
    guard let file else { return clip = nil }
    let modified = try file.finish()
    (clip, self.file) = (nil, nil)
    note(
      RecordingEntry.File(
        name: file.name, bytes: file.bytes, seconds: fileSeconds,
        title: entry.options.splits ? shownTitle : nil, modified: modified))
  }

  /// Of a title's bytes, in a list of up to a thousand that is stored with each file.
  private static let titleBytesMax = 512

  private var shownTitle: String? {
    title.map { title in
      String(decoding: UTF8Text.prefix(title.text, bytes: Self.titleBytesMax), as: UTF8.self)
    }
  }

  /// It cannot go on: what is known to be whole stays.
  func abandon() {
    clip = nil
    if file?.isContinued == false, fileSeconds == 0 {
      file?.discard()
      entry.current = nil
    }
    file = nil
    try? rescue()
  }

  /// What of the file that was being written is known to be whole gets its name. Until that can be done nothing follows.
  func rescue() throws(RecordingError) {
    guard file == nil, let current = entry.current else { return }
    var rescued = try RecordingFile.rescue(
      current, in: space.folder, bytesComing: bytesComing, calls: space.calls)
    entry.current = nil
    if let kept = rescued, kept.bytes > current.bytes {
      rescued?.seconds += advance(behind: kept.bytes - current.bytes, of: current)
    }
    // An older file that nothing could be added to is told once, however often that is tried.
    if let rescued, rescued.seconds > 0 || entry.files.last?.name != rescued.name { note(rescued) }
    synced = entry
  }

  /// How much the log has behind the next packet.
  private var bytesComing: Int64 {
    guard floor == nil, let cursor, cursor.position >= reader.oldest.position else { return 0 }
    return Int64(clamping: reader.edge.position - min(cursor.position, reader.edge.position))
  }

  /// A file has more than the place tells, and the log has not all of that.
  ///
  /// - Returns: its seconds, as the rest of the file has them.
  private func advance(behind bytes: Int64, of file: RecordingEntry.File) -> Double {
    guard let point = cursor, var place = entry.place, file.bytes > 0 else { return 0 }
    let seconds = max(0, min(Double(bytes) * file.seconds / Double(file.bytes), Self.keptMax))
    let next = LogPoint(
      position: point.position.saturatingAdd(UInt64(bytes)),
      media: point.media + MediaTime(seconds: seconds))
    let air = place.air.map { WallTime(stored: $0).adding(seconds: seconds) }
    place = RecordingEntry.Place(next, air: air)
    (cursor, titlePosition, entry.place) = (next, next.position, place)
    entry.bytes += bytes
    entry.seconds += seconds
    return seconds
  }

  /// Seconds: a loss of power takes less from a list.
  private static let keptMax = 3600.0

  private func note(_ file: RecordingEntry.File) {
    entry.current = nil
    entry.fileCount += 1
    entry.files.append(file)
    if entry.files.count > RecordingEntry.filesMax { entry.files.removeFirst() }
  }

  /// Between two packets: from here it goes on after a restart.
  func keepPlace() {
    guard let cursor, isSettled, cut == nil else { return }
    let isBetween =
      offset == 0
      || clip.map { cursor.position - $0.start.position + UInt64($0.head.count) }
        .map { $0 == UInt64(offset) } ?? true
    guard isBetween else { return }
    entry.place = place(cursor)
    entry.current = file.map {
      RecordingEntry.File(
        name: $0.name, bytes: $0.bytes, seconds: fileSeconds, title: shownTitle,
        isContinued: $0.isContinued ? true : nil)
    }
  }
}
