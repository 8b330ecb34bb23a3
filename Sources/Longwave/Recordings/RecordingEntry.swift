import Timeshift
import Wire

/// A recording as it is listed and stored: what was asked for, and how far it has come.
package struct RecordingEntry: Codable, Hashable, Sendable {
  package typealias State = Recording.State

  /// A file of a recording, whole or being written.
  package struct File: Codable, Hashable, Sendable {
    package var name: String
    package var bytes: Int64
    package var seconds: Double
    package var title: String?
    /// When the whole file was last changed, nanoseconds since 1970; a file changed since then is no longer the
    /// recording's.
    package var modified: Int64?
    /// Whether an older file is continued, which has its name while it is written.
    package var isContinued: Bool?
  }

  /// A title of a show's recording, where it begins.
  package struct Chapter: Codable, Hashable, Sendable {
    /// Seconds of the recording's audio before it.
    package var seconds: Double
    package var title: String
    package var artist: String?
  }

  /// What was asked for; times are nanoseconds since 1970.
  package struct Options: Codable, Hashable, Sendable {
    package var station: String
    /// Beginning on air; nil for the live edge.
    package var from: Int64?
    /// End on air; nil for a recording that runs until it is stopped.
    package var until: Int64?
    /// Whether `until` was given as a length: it then moves with the wall clock when that is set.
    package var isSpan: Bool?
    /// Whether each title gets a file of its own.
    package var splits = false
    /// Seconds that files split by title go on before and behind their title.
    package var overlap = 0.0
    package var name: String
    /// Whether the recording goes on in a file that has this name already.
    package var appends = false
    /// Most bytes of all its files, with what was in those that it appends to; nil without a limit.
    package var bytesMax: Int64?
    /// The time zone of the file names; nil for this machine's.
    package var zone: String?
    /// Seconds that a recording by command stays after its end; nil for what the configuration says.
    package var keep: Double?

    package init(station: String, name: String) { (self.station, self.name) = (station, name) }
  }

  /// A place in the station's log.
  typealias Place = Bookmark

  /// The stop that a recording was given.
  struct Stop: Codable, Hashable, Sendable {
    /// Time of the stop, nanoseconds since 1970; what was on air before it is recorded.
    var air: Int64
    /// Place just past the newest packet at the stop; nil when only the time is known.
    var place: Place?
    /// Reason of the stop; nil when a command named the recording.
    var reason: String?
  }

  /// Most files of a recording; then titles begin no more of them.
  static let filesMax = 1000
  /// Most files that are shown.
  static let filesShown = 100

  package var id: Int64
  var options: Options
  var startedAt: Int64
  var state = State.recording
  /// Why the recording failed, ended before its time, waits for the disk, or begins no more files.
  var reason: String?
  /// Air time of the first packet; nil when there is none yet.
  var firstAir: Int64?
  /// Place of the next packet; nil when recording has not begun.
  var place: Place?
  /// Bytes written by the recording, up to `place`.
  var bytes: Int64 = 0
  /// Bytes that were in files before the recording appended to them; nil for none.
  var bytesBefore: Int64?
  var seconds = 0.0
  /// Seconds of audio that were gone from the window, or never reached the disk, before they were read.
  var missedSeconds = 0.0
  var fileCount = 0
  /// Whole files, the last `filesMax` of them.
  var files: [File] = []
  /// The file being written, as far as it is known to be whole packets.
  var current: File?
  /// The titles of a show, the first `chaptersMax` of them; nil for any other recording.
  var titles: [Chapter]?
  /// Folder of the files; nil in older entries, for the folder of the configuration.
  var folder: String?
  /// The schedule that asked for the recording; nil for a command.
  var schedule: Schedule?
  /// The stop: the recording ends as soon as it has everything up to there. Nil while no stop was given.
  var stop: Stop?
  /// End of the recording, nanoseconds since 1970.
  var endedAt: Int64?
  /// True when a command ended the recording.
  var isStopped: Bool?
  /// True when the recording is off the list, and kept only so that its schedule does not begin it again.
  var isHidden: Bool?

  /// Most titles of a show that are kept: all are stored with each step of its recording.
  static let chaptersMax = 300

  /// The reason for ending a recording that no rule asks for any more.
  static let unscheduledReason = "it is not in the schedule any more"
}

extension RecordingEntry: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("id", \.id), Shape("station", \.options.station), Shape("state", \.state),
    Shape("reason", \.reason), Shape("startedAt") { WallTime(stored: $0.startedAt) },
    Shape("from") { $0.firstAir.map { WallTime(stored: $0) } },
    Shape("until") { $0.options.until.map { WallTime(stored: $0) } },
    Shape("split", \.options.splits), Shape("overlap", \.options.overlap),
    Shape("name", \.options.name), Shape("append", \.options.appends),
    Shape("maxSize", \.options.bytesMax), Shape("seconds", \.seconds), Shape("bytes", \.bytes),
    Shape("missedSeconds", \.missedSeconds), Shape("fileCount", \.fileCount),
    Shape("schedule", orNull(Schedule.schema)) { $0.schedule.json },
    Shape("current", orNull(File.shape.schema())) { entry in
      entry.current.map { File.shape.json(of: (file: $0, part: entry.currentPart)) } ?? .null
    },
    Shape("files", each: \.shownFiles, File.shape),
  ]

  /// The files that are shown, with their numbers.
  private var shownFiles: [(file: File, part: Int)] {
    zip(files, firstPart...).suffix(Self.filesShown).map { ($0, $1) }
  }

  private static func orNull(_ schema: JSON) -> JSON { Schema.either(schema, ["type": "null"]) }
}

extension RecordingEntry.Chapter: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("seconds", \.seconds), Shape("title", \.title), Shape("artist", \.artist),
  ]
}

extension Recording.State: Shaped {}

// Numbers of the files, from 1. Old files are forgotten; the others keep their numbers.
extension RecordingEntry {
  /// Number of the oldest file that is known.
  var firstPart: Int { max(0, fileCount - files.count) + 1 }
  /// Number of the file that is being written.
  var currentPart: Int { firstPart + files.count }
}

extension RecordingEntry {
  /// Seconds; what is shorter was no title of this show.
  private static let chapterSecondsMin = 1.0
  /// Bytes of one title, and of an artist.
  private static let chapterBytesMax = 200

  /// Notes a title of a show where it begins; one that goes on is noted once.
  mutating func note(_ title: Title, at seconds: Double) {
    func cut(_ text: String) -> String {
      String(decoding: UTF8Text.prefix(text, bytes: Self.chapterBytesMax), as: UTF8.self)
    }
    let playing = NowPlaying(title)
    let chapter = Chapter(
      seconds: seconds, title: cut(playing.title ?? ""), artist: playing.artist.map(cut))
    let last = titles?.last
    guard !chapter.title.isEmpty, titles?.count ?? 0 < Self.chaptersMax,
      chapter.title != last?.title || chapter.artist != last?.artist
    else { return }
    // Before an outage ends, the title is still the one from before it.
    if let last, seconds - last.seconds < Self.chapterSecondsMin { titles?.removeLast() }
    titles = (titles ?? []) + [chapter]
  }
}

extension RecordingEntry {
  /// Bytes that may still be written; nil without a limit.
  var room: Int64? { options.bytesMax.map { $0 - bytes - (bytesBefore ?? 0) } }

  /// Counts the bytes of a file that the recording continues, without the recording's own.
  mutating func count(before file: RecordingFile) {
    guard file.isContinued else { return }
    let own = files.last { $0.name == file.name }?.bytes ?? 0
    bytesBefore = (bytesBefore ?? 0) + max(0, file.bytes - own)
  }
}

extension RecordingEntry.File {
  fileprivate static let shape: [Shape<(file: RecordingEntry.File, part: Int)>] = [
    Shape("part") { $0.part }, Shape("name") { $0.file.name }, Shape("bytes") { $0.file.bytes },
    Shape("seconds") { $0.file.seconds }, Shape("title") { $0.file.title },
  ]
}
