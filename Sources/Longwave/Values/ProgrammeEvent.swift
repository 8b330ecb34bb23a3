import Programmes
import Timeshift
import Wire

/// What happens in a programme, besides what happens at every station.
enum ProgrammeEvent: Sendable {
  enum Cause: String, Sendable, CaseIterable {
    case command, configuration, library
  }

  /// The item's first packet is in the log, at `position`.
  case started(ProgrammeItem, position: UInt64)
  case failed(ItemLoss)
  /// An insert could not be within its time.
  case missed(InsertRule, due: WallTime, Step.Missed.Reason)
  /// Other rules hold than for the item before.
  case part(Choice?, until: WallTime?)
  /// Another station is played: its first packet is in the log, at `position`.
  case liveStarted(String, position: UInt64)
  /// It is played no longer, and was for so many seconds.
  case liveStopped(String, seconds: Double)
  /// Rules or tracks have changed; `tracks` can be played now.
  case changed(by: Cause, tracks: Int)
  /// Seconds of files' own packets that were played.
  case passedThrough(Double)
  /// Seconds of packets that were encoded anew to fit the programme.
  case made(Double)
  /// Seconds by which the programme was late beyond its lead, which are missing.
  case late(Double)
}

/// An item that could not be played, or not to its end.
struct ItemLoss: Sendable {
  var item: UInt64
  var track: TrackKey?
  var title: String?
  var reason: String
  /// Seconds of it that were played.
  var seconds = 0.0
  /// The file, for administrators; nil where it is not known.
  var path: String?
  /// Whether watchers are told. While a disk is away each file of it fails.
  var isTold = true
}

extension ProgrammeEvent.Cause: Shaped {}
extension Step.Missed.Reason: Shaped {}

extension Choice {
  /// Returns all sources on one line, as somebody may see them.
  func shown(identified: Bool) -> String {
    sources.map { $0.shown(identified: identified) }.joined(separator: ", ")
  }
}
