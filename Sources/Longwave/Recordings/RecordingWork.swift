import Timeshift
import Wire

/// Writes a piece of a log to files, reading the log through a tap. Blocks, and belongs to one thread.
///
/// The tap knows the place, `RecordingCut` where a file ends, `RecordingFile` the disk. A file is a tag and one clip,
/// or several clips when something between them was gone.
final class RecordingWork {
  /// A file that is being written.
  struct OpenFile {
    let file: RecordingFile
    var seconds = 0.0
    /// The entry from before the file was begun; when the file is deleted, the recording goes back to this entry.
    var before: RecordingEntry?
  }

  /// The clip that is being copied, and how many of its bytes are copied.
  struct Copying {
    var clip: Clip
    var offset = 0
    /// Copied bytes of the log; negative while headers are not copied completely.
    var copied: Int { offset - clip.head.count }
  }

  var entry: RecordingEntry
  /// The entry as far as its files are on the disk; it is stored, and the recording goes back to it after an error.
  var synced: RecordingEntry
  let tap: Tap
  var clock = RecordingClock()
  var cut: RecordingCut
  var open: OpenFile?
  var copying: Copying?
  /// Copied bytes that the entry does not count yet.
  var bytesAhead: Int64 = 0
  /// Whether the recording has no room for more.
  var isFull = false
  var title: Title?
  /// The station's name, for tags.
  let station: String
  let space: RecordingSpace
  let zone: ZoneOffsets?
  /// When the disk is tried again; nil while it works.
  var retryAt: MonotonicTime?
  var syncedAt: MonotonicTime?

  private static let scratchBytes = 2 * LogReader.clipScratchBytes

  /// - Parameters:
  ///   - edge: the log's edge before anything is added to it in this process.
  ///   - isBehindEdge: whether the entry's place is in another log; this log goes on for it behind `edge`.
  ///   - delay: the delay of a copy.
  init(
    _ entry: RecordingEntry, log: PacketLog, from edge: LogPoint? = nil, isBehindEdge: Bool = false,
    delay: MediaTime = .zero, station: String, space: RecordingSpace
  ) {
    (self.entry, synced) = (entry, entry)
    zone = entry.options.zone.flatMap { ZoneOffsets($0) }
    self.station = station
    self.space = space
    // A stop behind the log's known edge has its position in what the log lost or never had: only its time counts.
    let known = isBehindEdge ? 0 : (edge ?? log.snapshot().edge).position
    let end = entry.stop?.place.map(\.position).flatMap { $0 <= known ? $0 : nil }
    tap = Tap(
      log, from: Self.start(of: entry), to: end.map { .position($0) } ?? .never, delay: delay,
      origin: Tap.Origin(edge: edge, isAnotherLog: isBehindEdge), scratchBytes: Self.scratchBytes)
    cut = RecordingCut(overlap: entry.options.overlap)
    cut.begin(at: entry.place?.position ?? 0)
    try? rescue()
  }

  private static func start(of entry: RecordingEntry) -> Tap.Start {
    if let place = entry.place { return .bookmark(place) }
    return entry.options.from.map { .air(WallTime(stored: $0)) } ?? .liveEdge
  }

  /// Writes what the log has.
  ///
  /// - Parameter isLate: asked now and then; true ends the turn.
  /// - Returns: true when that was everything; the entry says why if the recording ends before its time.
  func turn(
    isEnding: Bool, now: WallTime, isLate: () -> Bool = { false }
  ) throws(RecordingError) -> Bool {
    tap.refresh()
    defer { keepPlace() }
    switch findPlace() {
    case .found: break
    case .loading: return isEnding
    case .ahead:
      // While the folder has still to come, it may bring the place.
      return isEnding || !tap.log.isAwaitingFolder && (isStoppedBefore || isOverdue(now))
    }
    guard let goal = goal(isEnding, now) else { return false }
    while let place = tap.place, !isLate() {
      if place.position >= goal.point.position, copying == nil { return try reach(goal) }
      guard copying != nil else {
        let isOpen = open != nil
        guard try beginClip(at: place) else { return isFull }
        // The length of an older file has to be known before the file grows: a crash cuts it back to that length.
        if !isOpen, !isEnding, open?.file.isContinued == true { return false }
        continue
      }
      guard let step = nextStep(at: place, before: goal), try copy(to: step.end) else {
        return false
      }
      if copying != nil, let isOver = try follow(step.then, goal) { return isOver }
    }
    return false
  }

  private func reach(_ goal: RecordingCut.Goal) throws(RecordingError) -> Bool {
    if goal.isLast { try finish() }
    return goal.isLast
  }

  /// Acts on the end of a step. Returns whether the recording is over, which ends the turn; nil when the turn goes on.
  private func follow(
    _ then: RecordingCut.Step.Then, _ goal: RecordingCut.Goal
  ) throws(RecordingError) -> Bool? {
    switch then {
    case .more: return nil
    case .goal: return try reach(goal)
    case .full:
      try fill()
      return true
    case .anotherFile(let point, let title):
      try finish()
      if entry.fileCount >= RecordingEntry.filesMax {
        isFull = true
        entry.reason =
          "the format changed, and the recording has \(RecordingEntry.filesMax) files, its most"
        return true
      }
      tap.go(to: point)
      cut.begin(at: title)
      keepPlace()
      synced = entry
      return nil
    }
  }

  // MARK: Where it is, and how far it goes

  private enum Place { case found, loading, ahead }

  /// Finds the first packet: it may be being fetched, or not have come yet.
  private func findPlace() -> Place {
    while true {
      let isNew = tap.place == nil
      switch tap.find() {
      case .loading: return .loading
      case .ahead: return .ahead
      case .found:
        if isNew, let place = tap.place {
          cut.begin(at: place.position)
          synced.place = tap.bookmark(at: place)
        }
        return .found
      case .moved(let loss):
        entry.missedSeconds += loss.seconds
        cut.begin(at: loss.next.position)
        keepPlace()
        // Errors from here on go back to this place.
        synced = entry
      }
    }
  }

  /// Returns how far the recording may go now; nil while something is being fetched from the disk, or comes at once.
  private func goal(_ isEnding: Bool, _ now: WallTime) -> RecordingCut.Goal? {
    let reader = tap.reader
    var goal = RecordingCut.Goal(point: reader.edge, isLast: isEnding)
    if let until = endTime, mayEnd,
      reader.air(at: reader.edge.media) >= until || isOverdue(now)
    {
      // Nobody knows yet what of it is behind the end.
      if !isEnding, clock.isInBurst(of: reader) { return nil }
      guard let point = reader.firstPoint(atOrAfter: until) else { return nil }
      goal = RecordingCut.Goal(point: point, isLast: true)
    }
    guard let end = tap.end, end.position <= goal.point.position else { return goal }
    return RecordingCut.Goal(point: end, isLast: true)
  }

  /// Returns the next step; nil while something is being fetched.
  private func nextStep(
    at place: LogPoint, before goal: RecordingCut.Goal
  ) -> RecordingCut.Step? {
    guard let copying else { return nil }
    let piece = RecordingCut.Piece(
      start: copying.clip.start, copied: Int64(copying.copied), room: room)
    return cut.next(
      at: place, in: piece, before: goal, splits: entry.options.splits && maySplit(), tap.reader)
  }

  private func maySplit() -> Bool {
    if entry.fileCount + 1 < RecordingEntry.filesMax { return true }
    entry.reason =
      "the recording has \(RecordingEntry.filesMax) files, its most; the last has all the rest"
    return false
  }

  /// When the recording ends; nil when no time ends it.
  private var endTime: WallTime? {
    let stopped = tap.end == nil ? entry.stop?.air : nil
    return [entry.options.until, stopped].compactMap(\.self).min().map { WallTime(stored: $0) }
  }

  /// Whether a time may end the recording: a recording of a given length does not depend on a trusted clock.
  private var mayEnd: Bool { clock.isTrusted || entry.options.isSpan == true }

  private func isOverdue(_ now: WallTime) -> Bool {
    guard let until = endTime, mayEnd else { return false }
    return clock.isOverdue(until, at: now)
  }

  /// Whether the recording was stopped before its first packet came.
  private var isStoppedBefore: Bool { entry.stop != nil && tap.place == nil }

  /// Bytes that may still be written; nil without a limit.
  var room: Int64? { entry.room.map { $0 - bytesAhead } }

  /// Takes over another schedule and its end; what has begun keeps its name and the way it is written.
  func use(_ schedule: RecordingEntry.Schedule) {
    entry.schedule = schedule
    entry.options.until = schedule.airing.endTime.stored
  }

  /// Seconds within which the log's edge is still the one that the stop meant.
  private static let soon = 1.0

  /// Sets where the recording ends; what it lacks up to there comes from the window. A disk that it waits for is tried
  /// at once.
  func stop(_ stop: RecordingEntry.Stop, at now: Moment) {
    var stop = stop
    tap.refresh()
    let isSoon = now.wall.seconds(since: WallTime(stored: stop.air)).magnitude < Self.soon
    if stop.place == nil, isSoon { stop.place = tap.bookmark(at: tap.reader.edge) }
    (entry.stop, synced.stop) = (stop, stop)
    if let point = stop.place?.point { tap.end(at: point) }
    if retryAt != nil { retryAt = now.monotonic }
  }

  /// Counts as missing what the recording was to have up to now and does not get any more.
  func giveUp(at now: Moment) {
    tap.refresh()
    guard let place = tap.place, let goal = goal(true, now.wall) else { return }
    entry.missedSeconds += max(0, (goal.point.media - place.media).seconds)
  }

  /// Moves an end that was given as a length along with the wall clock.
  func followClock(_ now: Moment) {
    let step = clock.look(at: now)
    guard entry.options.isSpan == true, let until = entry.options.until,
      let moved = clock.moved(
        WallTime(stored: until), by: step,
        edgeAir: tap.reader.air(at: tap.reader.edge.media), at: now.wall)
    else { return }
    (entry.options.until, synced.options.until) = (moved.stored, moved.stored)
  }

  /// Keeps the place of a restart in the entry, if the recording is between two packets.
  func keepPlace() {
    guard let place = tap.place, tap.isFound else { return }
    let isBetween =
      copying.map {
        $0.offset == 0
          || place.position - $0.clip.start.position + UInt64($0.clip.head.count)
            == UInt64($0.offset)
      } ?? true
    guard isBetween else { return }
    entry.place = tap.bookmark(at: place)
    entry.current = open.map {
      RecordingEntry.File(
        name: $0.file.name, bytes: $0.file.bytes, seconds: $0.seconds, title: shownTitle,
        isContinued: $0.file.isContinued ? true : nil)
    }
  }
}
