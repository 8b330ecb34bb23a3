import Timeshift
import Wire

/// One entry of a station's `record:`: on which days, from when to when, and how.
public struct RecordingRule: Hashable, Sendable {
  /// When the recording is on.
  package var times: WeeklyTimes
  /// Pattern for file names; nil for the standard pattern.
  package var name: String?
  /// As in `RecordingEntry.Options`.
  package var splits = false
  package var overlap = 0.0
  package var appends = false
  package var bytesMax: Int64?
  package var keep = RecordingKeep()
  /// The show whose airings it records; nil for an entry of `record:`.
  package var show: String?

  package init(from: Int, to: Int) { times = WeeklyTimes(from: from, to: to) }
}

/// How long recordings stay; both nil when they stay for ever.
package struct RecordingKeep: Codable, Hashable, Sendable {
  /// Seconds since a recording's end.
  package var seconds: Double?
  /// Number of the newest recordings that stay.
  package var count: Int?

  package init(seconds: Double? = nil, count: Int? = nil) {
    (self.seconds, self.count) = (seconds, count)
  }
}

extension Airing {
  package var startTime: WallTime { WallTime(unixSeconds: start) }
  package var endTime: WallTime { WallTime(unixSeconds: end) }
}

extension RecordingRule {
  /// The rule as request bodies, the store and, as YAML, files have it: what differs from the defaults.
  var json: JSON { Self.rows.written(self) }

  /// Text that identifies the rule; how long recordings are kept is no part of it, and may change.
  package var key: String {
    let keys = Self.ownRows.written(self)
    guard let show else { return keys.text }
    return JSON.object(keys.members + [.init(key: "show", value: .string(show))]).text
  }

  package var dayWords: [String] { times.dayWords }

  /// Pattern for the names of its files.
  package var namePattern: String {
    name ?? RecordingName.standard(splits: splits, ofShow: show != nil)
  }
}
