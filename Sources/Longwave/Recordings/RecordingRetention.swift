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
      return Double(now - entry.end) / 1e9 >= seconds
    }
  }

  /// By command all of a station are counted together, by schedule those of one rule.
  private struct Group: Hashable {
    var station: String
    var rule: String?
  }
}

extension RecordingEntry {
  /// When it ended, nanoseconds since 1970; of older entries, which do not say, not earlier than they began.
  fileprivate var end: Int64 { endedAt ?? startedAt + Int64(seconds * 1e9) }
}
