import Timeshift

/// Which recordings have been kept long enough, as a value.
enum RecordingRetention {
  /// - Parameters:
  ///   - now: nanoseconds since 1970.
  ///   - keep: for how long one is kept.
  static func expired(
    _ entries: [RecordingEntry], now: Int64, keep: (RecordingEntry) -> RecordingKeep
  ) -> [RecordingEntry] {
    let ended = entries.filter { $0.state != .recording }.sorted { $0.end > $1.end }
    var counts: [Group: Int] = [:]
    return ended.filter { entry in
      let limits = keep(entry)
      let group = Group(station: entry.options.station, rule: entry.schedule?.rule)
      let newer = counts[group, default: 0]
      // One without files does not push another one out.
      if entry.fileCount > 0 { counts[group] = newer + 1 }
      if let count = limits.count, newer >= count { return true }
      guard let seconds = limits.seconds else { return false }
      return WallTime(stored: now).seconds(since: entry.end) >= seconds
    }
  }

  /// By command all of a station are counted together, by schedule those of one rule.
  private struct Group: Hashable {
    var station: String
    var rule: String?
  }
}

extension RecordingEntry {
  /// When it ended; of older entries, which do not say, not earlier than they began.
  fileprivate var end: WallTime {
    endedAt.map { WallTime(stored: $0) } ?? WallTime(stored: startedAt).adding(seconds: seconds)
  }
}
