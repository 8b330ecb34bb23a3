import Timeshift
import Wire

// A disk that is full, or broken for a moment: a recording waits for it and goes on behind, from the window.
extension RecordingWork {
  /// Seconds after which the disk is tried again, as the log does.
  static let retrySeconds = 10.0
  /// Seconds of which a loss of power costs nothing but the time to read them again.
  static let syncSeconds = 5.0

  /// A turn, as `turn`; where the disk gives nothing for a while, none.
  ///
  /// - Parameter goesOn: ended now, it goes on after a restart.
  /// - Returns: true: that was all of it, for now.
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
      if error.isGone, let beforeFile { synced = beforeFile }
      if isEnding {
        goBack()
        return true
      }
      entry.reason =
        entry.stop == nil
        ? "it waits for the disk, and goes on behind: \(error)"
        : "it was stopped, and waits for the disk with what is left of it: \(error)"
      retryAt = now.monotonic.adding(Self.retrySeconds)
      return false
    }
  }

  private func syncIfDue(_ now: MonotonicTime) throws(RecordingError) {
    let since = syncedAt ?? now
    syncedAt = since
    let isNew = file?.name != synced.current?.name
    guard isNew || now.seconds(since: since) >= Self.syncSeconds else { return }
    syncedAt = now
    try sync()
  }

  /// From here on `synced` is all there is.
  func sync() throws(RecordingError) {
    try file?.sync()
    synced = entry
  }

  /// To what is on the disk for certain: of what was written since, nobody knows what a failing disk has kept.
  ///
  /// The file ends there under its name; what comes next is in another one, or behind it where it is appended to.
  private func goBack() {
    let isEmpty = synced.current?.seconds == 0 && synced.current?.isContinued == nil
    if let file, isEmpty || file.name != synced.current?.name {
      file.discard()
      synced.current = nil
    }
    let asked = (entry.options, entry.schedule, entry.stop)
    (clip, offset, file, bytesAhead, isFull) = (nil, 0, nil, 0, false)
    entry = synced
    (entry.options, entry.schedule, entry.stop) = asked
    cursor = entry.place?.point
    titlePosition = cursor?.position ?? 0
  }
}
