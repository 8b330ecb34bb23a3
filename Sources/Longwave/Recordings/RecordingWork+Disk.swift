import Timeshift
import Wire

// A recording whose disk is full, or broken for a moment, waits and then goes on behind, from the window.
extension RecordingWork {
  /// Seconds after which the disk is tried again, as the log does.
  static let retrySeconds = 10.0
  /// Seconds between two syncs; a loss of power costs only the time to read that much again.
  static let syncSeconds = 5.0

  /// Does one `turn`; does nothing while the recording waits for its disk.
  ///
  /// - Parameter goesOn: whether a recording that is ended now goes on after a restart.
  /// - Returns: true when that was everything, for now.
  func attempt(
    isEnding: Bool, goesOn: Bool = false, at now: Moment, isLate: () -> Bool = { false }
  ) throws(RecordingError) -> Bool {
    followClock(now)
    if let retryAt {
      if !isEnding, now.monotonic < retryAt { return false }
      self.retryAt = nil
      goBack()
    }
    do throws(RecordingError) {
      try rescue()
      let isOver = try turn(isEnding: isEnding, now: now.wall, isLate: isLate)
      try syncIfDue(now.monotonic)
      return isOver
    } catch {
      guard error.mayPass, !isEnding || goesOn else { throw error }
      if error.isGone, let before = open?.before { synced = before }
      if isEnding {
        goBack()
        return true
      }
      entry.reason =
        entry.stop == nil
        ? "the recording waits for the disk, and goes on behind: \(error)"
        : "the recording was stopped, and its rest waits for the disk: \(error)"
      retryAt = now.monotonic.adding(Self.retrySeconds)
      return false
    }
  }

  private func syncIfDue(_ now: MonotonicTime) throws(RecordingError) {
    let since = syncedAt ?? now
    syncedAt = since
    let isNew = open?.file.name != synced.current?.name
    guard isNew || now.seconds(since: since) >= Self.syncSeconds else { return }
    syncedAt = now
    try sync()
  }

  /// Syncs the open file; from then on `synced` is the whole entry.
  func sync() throws(RecordingError) {
    try open?.file.sync()
    synced = entry
  }

  /// Goes back to what is certainly on the disk: nobody knows what a failing disk has kept of later writes.
  ///
  /// The file ends there under its name; what comes next is in another file, or behind it if it is appended to.
  private func goBack() {
    let isEmpty = synced.current?.seconds == 0 && synced.current?.isContinued == nil
    if let file = open?.file, isEmpty || file.name != synced.current?.name {
      file.discard()
      synced.current = nil
    }
    let asked = (entry.options, entry.schedule, entry.stop)
    (copying, open, bytesAhead, isFull) = (nil, nil, 0, false)
    entry = synced
    (entry.options, entry.schedule, entry.stop) = asked
    tap.go(to: entry.place?.point)
    cut.begin(at: entry.place?.position ?? 0)
  }

  /// Gives the recording up; what is known to be whole stays.
  func abandon() {
    copying = nil
    if let open, !open.file.isContinued, open.seconds == 0 {
      open.file.discard()
      entry.current = nil
    }
    open = nil
    try? rescue()
  }

  // MARK: Files of an earlier process

  /// Gives the whole part of the file that was being written its name. Nothing follows until that has succeeded.
  func rescue() throws(RecordingError) {
    guard open == nil, let current = entry.current else { return }
    var rescued = try RecordingFile.rescue(
      current, in: space.folder, bytesComing: tap.bytesAhead, calls: space.calls)
    entry.current = nil
    if let kept = rescued, kept.bytes > current.bytes {
      rescued?.seconds += advance(behind: kept.bytes - current.bytes, of: current)
    }
    // An older file that nothing could be added to is listed once, however often that is tried.
    if let rescued, rescued.seconds > 0 || entry.files.last?.name != rescued.name { note(rescued) }
    synced = entry
  }

  /// Seconds; a loss of power takes less from a list.
  private static let keptMax = 3600.0

  /// Moves the place over bytes that the file has and the entry does not count, when the log lacks some of them.
  ///
  /// - Returns: the seconds of those bytes, in proportion to the rest of the file.
  private func advance(behind bytes: Int64, of file: RecordingEntry.File) -> Double {
    guard let point = tap.place, let place = entry.place, file.bytes > 0 else { return 0 }
    let seconds = max(0, min(Double(bytes) * file.seconds / Double(file.bytes), Self.keptMax))
    let next = LogPoint(
      position: point.position.saturatingAdd(UInt64(bytes)),
      media: point.media + MediaTime(seconds: seconds))
    let air = place.air.map { WallTime(stored: $0).adding(seconds: seconds) }
    let bookmark = RecordingEntry.Place(next, air: air)
    entry.place = bookmark
    tap.go(to: bookmark)
    cut.begin(at: next.position)
    entry.bytes += bytes
    entry.seconds += seconds
    return seconds
  }
}
