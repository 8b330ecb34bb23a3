import Synchronization

// How loudness comes to the disk: a record with some seconds' in the index, and the rest when the segment is sealed.
extension LogStore {
  /// A kill costs as many seconds. A record for each second would make an index a tenth longer.
  static let loudnessSeconds: Int64 = 10
  /// No segment lasts longer by far.
  private static let loudnessSecondsMax: Int64 = 4096

  /// The loudness of the seconds that are written and whose loudness is not; nil while they are fewer than `count`, or
  /// nothing is known of them.
  func unwrittenLoudness(
    of log: PacketLog, atLeast count: Int64
  ) -> (record: SegmentRecord, end: Int64)? {
    // The second at the edge may go on.
    let first = loudnessWritten
    let end = min(diskEdge.media.second, first + Self.loudnessSecondsMax)
    guard end - first >= count else { return nil }
    let line = log.loudness.withLock { $0 }
    let seconds = (first..<end).map { line[$0] }
    guard seconds.contains(where: { $0 > 0 }) else { return nil }
    return (.loudness(media: MediaTime(second: first), seconds: seconds), end)
  }
}

extension LoudnessLine {
  /// Adds the seconds of a folder's records. Only seconds of the log count, so that no record makes the line long.
  mutating func add(_ records: [(media: MediaTime, seconds: [UInt8])], of lists: LogLists) {
    let oldest = lists.oldest.media.second
    let window = oldest...max(oldest, lists.edge.media.second)
    for (media, seconds) in records {
      let first = media.nearestSecond
      for (index, loudness) in seconds.enumerated() where window.contains(first + Int64(index)) {
        add(loudness, at: first + Int64(index))
      }
    }
  }
}
