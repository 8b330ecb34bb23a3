import Timeshift
import Wire

/// A recording as it is listed and kept: what was asked for, and how far it has come.
struct RecordingEntry: Codable, Hashable, Sendable {
  enum State: String, Codable, CaseIterable { case recording, finished, failed }

  /// A file that is whole.
  struct File: Codable, Hashable, Sendable {
    var name: String
    var bytes: Int64
    var seconds: Double
    var title: String?
    /// Of the file when it was whole, nanoseconds since 1970: one that somebody has changed since is not ours any more.
    var modified: Int64?
    /// It has its name already, while it is written: an older one is continued.
    var isContinued: Bool?
  }

  /// What it was told; times are nanoseconds since 1970.
  struct Options: Codable, Hashable, Sendable {
    var station: String
    /// On air; nil: from the live edge.
    var from: Int64?
    /// nil: until it is stopped.
    var until: Int64?
    /// `until` was told as a length: it moves with the wall clock where somebody sets that.
    var isSpan: Bool?
    /// One file for each title.
    var splits = false
    /// Seconds that such files go on before and behind their title.
    var overlap = 0.0
    var name: String
    /// Goes on in a file of that name.
    var appends = false
    /// Bytes of all its files together, with what was in those that it appends to; nil: no matter how many.
    var bytesMax: Int64?
    /// The time zone of its names; nil: this machine's.
    var zone: String?
    /// Seconds after its end that it stays, by command; nil: as the configuration says.
    var keep: Double?
  }

  /// A place in the station's log.
  struct Place: Codable, Hashable, Sendable {
    var position: UInt64
    var flicks: Int64

    /// When the packet was on air, nanoseconds since 1970; nil: it is older than this.
    var air: Int64?
    /// What came before it; nil: it is older than this.
    var past: Past?

    init(_ point: LogPoint, air: WallTime? = nil, past: Past? = nil) {
      (position, flicks, self.air) = (point.position, point.media.stored, air?.stored)
      self.past = past
    }

    var point: LogPoint { LogPoint(position: position, media: MediaTime(stored: flicks)) }
  }

  /// The log's gaps in front of a place. Whatever is given positions again begins with a gap, so a log that has another
  /// one there has other audio behind it.
  struct Past: Codable, Hashable, Sendable {
    struct Gap: Codable, Hashable, Sendable {
      var position: UInt64
      /// That are missing in it: of two processes that began at one position, hardly the same.
      var seconds: Double
    }

    /// All from here on are in `gaps`: no segment that may come back is behind it.
    var start: UInt64
    var gaps: [Gap]

    /// More than come within what a crash takes.
    static let gapsMax = 8
  }

  /// That it was told to end, and with what.
  struct Stop: Codable, Hashable, Sendable {
    /// What was on air by then is recorded, nanoseconds since 1970.
    var air: Int64
    /// Just past the newest packet then; nil: the time is all that is known.
    var place: Place?
    /// Why, where nobody asked for it by name.
    var reason: String?
  }

  /// Titles begin no more of them then.
  static let filesMax = 1000
  /// Of them, shown.
  static let filesShown = 100

  var id: Int64
  var options: Options
  var startedAt: Int64
  var state = State.recording
  /// Why it failed, ended before its time, waits for the disk, or begins no more files.
  var reason: String?
  /// On air, of the first packet; nil: none yet.
  var firstAir: Int64?
  /// The next packet; nil: not begun.
  var place: Place?
  /// Written by it, up to `place`.
  var bytes: Int64 = 0
  /// What was in the files that it appended to; nil: nothing.
  var bytesBefore: Int64?
  var seconds = 0.0
  /// What was gone from the window, or never reached the disk, before it was read.
  var missedSeconds = 0.0
  var fileCount = 0
  /// Those that are whole, the last `filesMax`.
  var files: [File] = []
  /// Being written, of which so much is known to be whole packets.
  var current: File?
  /// Where its files are; nil: in an older list, in the folder of the configuration.
  var folder: String?
  /// What asked for it; nil: a command.
  var schedule: Schedule?
  /// It ends as soon as it has all up to there; nil: nobody told it to.
  var stop: Stop?
  /// Nanoseconds since 1970.
  var endedAt: Int64?
  /// By a command.
  var isStopped: Bool?
  /// Taken off the list, and known only so that its schedule does not begin it again.
  var isHidden: Bool?

  /// Why one ends that no rule asks for any more.
  static let unscheduledReason = "it is not in the schedule any more"

  var json: JSON {
    func time(_ nanoseconds: Int64?) -> JSON {
      JSON(nanoseconds.map { WallTime(stored: $0) })
    }
    return [
      "id": JSON(id), "station": .string(options.station), "state": .string(state.rawValue),
      "reason": JSON(reason), "startedAt": time(startedAt), "from": time(firstAir),
      "until": time(options.until), "split": .bool(options.splits),
      "overlap": .number(options.overlap), "name": .string(options.name),
      "append": .bool(options.appends), "maxSize": JSON(options.bytesMax),
      "seconds": .number(seconds), "bytes": JSON(bytes),
      "missedSeconds": .number(missedSeconds), "fileCount": JSON(fileCount),
      "schedule": schedule?.json ?? .null, "current": current?.json ?? .null,
      "files": .array(files.suffix(Self.filesShown).map(\.json)),
    ]
  }
}

extension RecordingEntry {
  /// Bytes it may still write; nil: no matter how many.
  var room: Int64? { options.bytesMax.map { $0 - bytes - (bytesBefore ?? 0) } }

  /// Counts what is in a file that it opens, but for what is its own.
  mutating func count(before file: RecordingFile) {
    guard file.isContinued else { return }
    let own = files.last { $0.name == file.name }?.bytes ?? 0
    bytesBefore = (bytesBefore ?? 0) + max(0, file.bytes - own)
  }
}

extension RecordingEntry.File {
  fileprivate var json: JSON {
    [
      "name": .string(name), "bytes": JSON(bytes), "seconds": .number(seconds),
      "title": JSON(title),
    ]
  }
}
