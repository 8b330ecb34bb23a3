import Foundation
import Timeshift

extension Recording {
  init(_ entry: RecordingEntry) {
    func date(_ nanoseconds: Int64?) -> Date? { nanoseconds.map { WallTime(stored: $0).date } }
    self.init(
      id: entry.id, station: entry.options.station,
      state: entry.state, reason: entry.reason,
      from: date(entry.firstAir), until: date(entry.options.until), seconds: entry.seconds,
      bytes: entry.bytes, missedSeconds: entry.missedSeconds, folder: entry.folder,
      files: entry.files.map {
        File(name: $0.name, bytes: $0.bytes, seconds: $0.seconds, title: $0.title)
      })
  }
}

extension RecordingEntry.Options {
  /// Takes the two ends from a program.
  mutating func limit(from: Date?, until: Date?) {
    self.from = from.map { WallTime($0).stored }
    self.until = until.map { WallTime($0).stored }
  }
}
