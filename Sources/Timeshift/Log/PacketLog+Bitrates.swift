import Synchronization

/// How many kbit/s a log's segments have.
public struct StoredBitrates: Hashable, Sendable {
  public var average: Double
  /// Of the fullest segment, which is a minute of audio.
  public var most: Double
}

extension PacketLog {
  /// The shortest segment that tells something, in seconds.
  private static let segmentMin = 10.0

  /// What the stored audio has, other than what comes just now: nil while too little is stored.
  public var storedBitrates: StoredBitrates? {
    let (segments, active) = lists.withLock { ($0.segments, $0.active) }
    var (kilobits, seconds, most) = (0.0, 0.0, 0.0)
    func add(_ start: LogPoint, _ end: LogPoint) {
      let length = (end.media - start.media).seconds
      guard length >= Self.segmentMin else { return }
      let size = Double(end.position - start.position) * 8 / 1000
      (kilobits, seconds) = (kilobits + size, seconds + length)
      most = max(most, size / length)
    }
    for place in segments.indices { add(segments[place].start, segments[place].end) }
    if let active { add(active.start, active.end) }
    return seconds > 0 ? StoredBitrates(average: kilobits / seconds, most: most) : nil
  }
}
