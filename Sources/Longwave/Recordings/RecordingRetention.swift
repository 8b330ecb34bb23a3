import Timeshift

/// Decides which recordings have been kept long enough, as a value.
enum RecordingRetention {
  /// Returns the recordings that have been kept long enough.
  ///
  /// - Parameters:
  ///   - now: nanoseconds since 1970.
  ///   - keep: returns how long a recording is kept.
  static func expired(
    _ entries: [RecordingEntry], now: Int64, keep: (RecordingEntry) -> RecordingKeep
  ) -> [RecordingEntry] {
    let ended = entries.filter { $0.state != .recording }.sorted { $0.end > $1.end }
    var counts: [Group: Int] = [:]
    return ended.filter { entry in
      let limits = keep(entry)
      let group = Group(station: entry.options.station, rule: entry.schedule?.rule)
      let newer = counts[group, default: 0]
      // A recording without files does not push another one out.
      if entry.fileCount > 0 { counts[group] = newer + 1 }
      if let count = limits.count, newer >= count { return true }
      guard let seconds = limits.seconds else { return false }
      return WallTime(stored: now).seconds(since: entry.end) >= seconds
    }
  }

  /// Recordings that are counted together: all of a station by command, or all of one rule by schedule.
  private struct Group: Hashable {
    var station: String
    var rule: String?
  }
}

extension RecordingEntry {
  /// When the recording ended. Older entries do not say: for them the end of what they recorded after their start
  /// counts.
  fileprivate var end: WallTime {
    endedAt.map { WallTime(stored: $0) } ?? WallTime(stored: startedAt).adding(seconds: seconds)
  }
}
