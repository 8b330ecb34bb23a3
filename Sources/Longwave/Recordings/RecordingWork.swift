import Timeshift
import Wire

/// Writes a piece of a log to files, as any cursor reads it. Blocks, and belongs to one thread.
///
/// A file is one clip behind its tag, or several where something between them was gone.
final class RecordingWork {
  var entry: RecordingEntry
  /// As far as its files are on the disk: what is kept of it, and where it begins anew after an error.
  var synced: RecordingEntry
  private let reader: LogReader
  /// Its name, for tags.
  private let station: String
  let space: RecordingSpace
  private let scratch: UnsafeMutableRawBufferPointer
  /// The next packet; nil: not known yet where it begins.
  var cursor: LogPoint?
  /// What is being copied, and how much of it is.
  var clip: Clip?
  var offset = 0
  var file: RecordingFile?
  private var fileSeconds = 0.0
  /// Copied, and not reached yet: not part of what the entry says.
  var bytesAhead: Int64 = 0
  /// There is no room in it for the next packet.
  var isFull = false
  /// Where the title stands that the file is named after.
  var titlePosition: UInt64 = 0
  private var title: Title?
  private let zone: ZoneOffsets?
  /// The log's end after a restart, where that lies in front of the next packet: what was in memory is lost.
  private var cut: LogPoint?
  /// When the disk is tried again; nil: it works.
  var retryAt: MonotonicTime?
  var syncedAt: MonotonicTime?

  /// - Parameters:
  ///   - edge: of the log, before anything is added to it in this process.
  ///   - delay: of a delayed station.
  init(
    _ entry: RecordingEntry, log: PacketLog, from edge: LogPoint? = nil, delay: MediaTime = .zero,
    station: String, space: RecordingSpace
  ) {
    (self.entry, synced) = (entry, entry)
    zone = entry.options.zone.flatMap { ZoneOffsets($0) }
    self.station = station
    self.space = space
    reader = LogReader(log, delay: delay)
    scratch = .allocate(byteCount: 4 * LogReader.clipScratchBytes, alignment: 16)
    cursor = entry.place?.point
    titlePosition = entry.place?.position ?? 0
    if let edge, let cursor, cursor.position > edge.position { cut = edge }
    rescue()
    synced = self.entry
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
    guard begin() else { return isEnding || isOverdue(now) }
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

  // MARK: Where to

  /// How far it may go now.
  private struct Goal {
    var point: LogPoint
    var isLast: Bool
  }

  /// False: what it begins with has not come yet.
  private func begin() -> Bool {
    if let cut { return goOn(from: cut) }
    guard cursor == nil else { return true }
    let from = entry.options.from.map { WallTime(stored: $0) }
    if let from, reader.air(at: reader.edge.media) < from { return false }
    cursor = from.map { reader.firstPoint(atOrAfter: $0) } ?? reader.edge
    titlePosition = cursor?.position ?? 0
    synced.place = cursor.map { RecordingEntry.Place($0) }
    return true
  }

  /// What the log has lost comes again, if the upstream can be stitched to it; else it goes on with what comes instead.
  private func goOn(from cut: LogPoint) -> Bool {
    guard let lost = cursor else { return true }
    let seam = cut.position == 0 ? 0 : reader.gapPosition(after: cut.position - 1)
    if seam >= lost.position, reader.edge.position < lost.position { return false }
    let isStitched =
      seam >= lost.position && reader.packetEnd(after: lost.position) == lost.position
    if !isStitched { (cursor, titlePosition) = (cut, cut.position) }
    self.cut = nil
    return true
  }

  /// How late an upstream may be with what was on air before the end, seconds.
  private static let patience = 10.0

  private func isOverdue(_ now: WallTime) -> Bool {
    entry.options.until.map { now.seconds(since: WallTime(stored: $0)) >= Self.patience } ?? false
  }

  /// Its schedule is another one; what has been begun is named and written as it was.
  func use(_ schedule: RecordingEntry.Schedule) {
    entry.schedule = schedule
    entry.options.until = schedule.airing.endTime.stored
  }

  /// nil: something is being fetched from the disk.
  private func goal(_ isEnding: Bool, _ now: WallTime) -> Goal? {
    if let until = entry.options.until.map({ WallTime(stored: $0) }),
      reader.air(at: reader.edge.media) >= until || isOverdue(now)
    {
      return reader.firstPoint(atOrAfter: until).map { Goal(point: $0, isLast: true) }
    }
    return Goal(point: reader.edge, isLast: isEnding)
  }

  /// Where a file ends; `next`: where the one behind it begins, and its title; nil: nowhere yet.
  private struct End {
    var point: LogPoint
    var next: LogPoint?
    var title: UInt64 = 0
  }

  /// nil: something is being fetched.
  private func fileEnd(before goal: Goal) -> End? {
    guard let clip else { return nil }
    var end = End(point: goal.point)
    let change = reader.nextFormatPosition(after: clip.start.position)
    if change <= goal.point.position {
      guard let media = reader.media(at: change) else { return nil }
      let point = LogPoint(position: change, media: media)
      end = End(point: point, next: point, title: change)
    }
    guard entry.options.splits, canSplit() else { return end }
    guard let (title, media) = nextTitle(before: end.point.position) else { return nil }
    guard title <= end.point.position else { return end }
    let point = LogPoint(position: title, media: media)
    let overlap = MediaTime(seconds: entry.options.overlap)
    if overlap == .zero { return End(point: point, next: point, title: title) }
    guard let after = reader.point(atOrBefore: media + overlap),
      let before = reader.point(atOrBefore: media - overlap)
    else { return nil }
    // Not all of what goes on behind the title is here yet.
    if !goal.isLast, media + overlap > goal.point.media { return end }
    let next = before.position < clip.start.position ? clip.start : before
    return End(
      point: after.position < end.point.position ? after : end.point, next: next, title: title)
  }

  /// Seconds that a title has to last for the next one to begin a file: an upstream says how often it changes them.
  private static let titleSecondsMin = 1.0

  /// The next title that begins a file; `.max`: none before `end`. nil: something is being fetched.
  private func nextTitle(before end: UInt64) -> (position: UInt64, media: MediaTime)? {
    guard let begun = reader.media(at: titlePosition) else { return nil }
    let earliest = begun + MediaTime(seconds: Self.titleSecondsMin)
    let title = reader.nextTitlePosition(after: titlePosition)
    guard title <= end else { return (.max, .max) }
    guard let media = reader.media(at: title) else { return nil }
    if media >= earliest { return (title, media) }
    guard let point = reader.point(atOrBefore: earliest) else { return nil }
    let later = reader.nextTitlePosition(after: max(title, point.position))
    guard later <= end else { return (.max, .max) }
    return reader.media(at: later).map { (later, $0) }
  }

  private func canSplit() -> Bool {
    if entry.fileCount + 1 < RecordingEntry.filesMax { return true }
    entry.reason = "it has the \(RecordingEntry.filesMax) files it may; all else is in the last"
    return false
  }

  /// Pieces after which it is known how far it has come, so that what is lost later is counted right.
  private static let piece = MediaTime(seconds: 10)

  /// nil: something is being fetched.
  private func step(from place: LogPoint, to end: LogPoint) -> LogPoint? {
    if end.media - place.media <= Self.piece { return end }
    guard let step = reader.point(atOrBefore: place.media + Self.piece) else { return nil }
    return step.position > place.position ? step : end
  }

  // MARK: How much

  /// Bytes it may still write; nil: no matter how many.
  private var room: Int64? { entry.room.map { $0 - bytesAhead } }

  /// As far towards `end` as there is room for whole packets. nil: something is being fetched.
  private func fitting(_ end: LogPoint) -> LogPoint? {
    guard let room, let clip else { return end }
    let last = clip.start.position + UInt64(max(0, Int64(offset - clip.head.count) + room))
    if last >= end.position { return end }
    // Further on: what there was room for ends at a hole, behind which is another clip.
    return reader.point(holding: last).map { $0.position > last ? end : $0 }
  }

  private func fill() throws(RecordingError) {
    isFull = true
    entry.reason = entry.options.bytesMax.map {
      "it has the \(SizeText.format(UInt64($0))) that max-size allows"
    }
    try finish()
  }

  // MARK: Copying

  /// False: something is being fetched from the disk.
  private func beginClip(at place: LogPoint) throws(RecordingError) -> Bool {
    switch reader.read(at: place.position, upTo: place.position + 1, limit: 1, scratch: scratch) {
    case .hole(let next), .overrun(let next):
      skip(to: next)
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
        skip(to: next)
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
  private func skip(to next: LogPoint) {
    count()
    if let cursor { entry.missedSeconds += max(0, (next.media - cursor.media).seconds) }
    cursor = next
    titlePosition = max(titlePosition, next.position)
    clip = nil
  }

  // MARK: Files

  private func finish() throws(RecordingError) {
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
    rescue()
  }

  /// What of the file that was being written is known to be whole gets its name.
  func rescue() {
    guard let current = entry.current else { return }
    entry.current = nil
    if let rescued = RecordingFile.rescue(current, in: space.folder) { note(rescued) }
  }

  private func note(_ file: RecordingEntry.File) {
    entry.current = nil
    entry.fileCount += 1
    entry.files.append(file)
    if entry.files.count > RecordingEntry.filesMax { entry.files.removeFirst() }
  }

  /// Between two packets: from here it goes on after a restart.
  private func keepPlace() {
    guard let cursor else { return }
    let isBetween =
      offset == 0
      || clip.map { cursor.position - $0.start.position + UInt64($0.head.count) }
        .map { $0 == UInt64(offset) } ?? true
    guard isBetween else { return }
    entry.place = RecordingEntry.Place(cursor)
    entry.current = file.map {
      RecordingEntry.File(
        name: $0.name, bytes: $0.bytes, seconds: fileSeconds, title: shownTitle,
        isContinued: $0.isContinued ? true : nil)
    }
  }
}
