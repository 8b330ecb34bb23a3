import Wire

/// The watched sessions, as a loop knows them.
struct FollowedSessions {
  /// Sessions that are watched, each with the serial of the time that it has been.
  private(set) var serials: [SessionToken: UInt64] = [:]
  private var serial: UInt64 = 0

  var isEmpty: Bool { serials.isEmpty }

  /// Reads which sessions are watched now.
  /// - Returns: whether they have changed.
  mutating func refresh(from events: SessionEvents) -> Bool {
    let now = events.watchSerial
    if now == serial { return false }
    serial = now
    serials = events.watched
    return true
  }
}
