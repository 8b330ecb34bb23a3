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
    let segments = lists.withLock { $0.segments + [$0.active].compactMap(\.self) }
    var (kilobits, seconds, most) = (0.0, 0.0, 0.0)
    for segment in segments {
      let length = (segment.end.media - segment.start.media).seconds
      guard length >= Self.segmentMin else { continue }
      let size = Double(segment.end.position - segment.start.position) * 8 / 1000
      (kilobits, seconds) = (kilobits + size, seconds + length)
      most = max(most, size / length)
    }
    return seconds > 0 ? StoredBitrates(average: kilobits / seconds, most: most) : nil
  }
}
