import Programmes
import Timeshift
import Wire

/// One item of a programme as people and programs are shown it: what was played, plays, or comes.
public struct ProgrammeItem: Hashable, Sendable {
  /// Whether the item can be played when it is due.
  public enum Readiness: String, Hashable, Sendable, CaseIterable {
    case ready, preparing, failed
  }

  /// Number within the station, from 1; never used twice.
  public var item: UInt64
  public var kind: TitleItem.Kind
  /// nil: another station.
  public var track: TrackKey?
  /// nil while nothing is known of its file.
  public var title: String?
  public var artist: String?
  public var album: String?
  /// The source that it is of; nil of a track that was queued by its key alone.
  public var source: Source?
  /// Why it is played; nil where it was written down by an older version.
  public var why: Planned.Why?
  /// The insert's rule in short, such as `every 4 tracks`.
  public var rule: String?
  /// How long it plays, up to what cuts it; nil: another station, which has no end.
  public var seconds: Double?
  /// When it begins, or began.
  public var at: WallTime
  /// Seconds of it that were played; nil of what does not play.
  public var position: Double?
  /// How it follows the item before.
  public var join = Join.cut
  /// Whether it was encoded anew to fit the programme.
  public var isMade = false
  /// Decibels by which its level is changed; nil: not at all.
  public var gain: Double?
  public var readiness = Readiness.ready
  /// What of `separate` could not be kept.
  public var relaxed: [Relaxed] = []

  /// Makes an item of which nothing else is known.
  init(item: UInt64, kind: TitleItem.Kind, at: WallTime) {
    (self.item, self.kind, self.at) = (item, kind, at)
  }

  /// Makes an item of a plan, without its titles.
  init(_ planned: Planned) {
    self.init(
      item: UInt64(clamping: planned.item), kind: planned.kind.inTitles,
      at: WallTime(milliseconds: planned.at))
    (track, source, why) = (planned.track?.key, planned.source, planned.why)
    (rule, relaxed) = (planned.rule?.text, planned.relaxed)
    seconds = planned.end.map { Double($0.saturatingSubtract(planned.at)) / 1000 }
  }
}

extension Planned.Kind {
  /// The kind as titles in logs have it.
  var inTitles: TitleItem.Kind {
    switch self {
    case .track: .track
    case .insert: .insert
    case .live: .live
    }
  }
}

extension ProgrammeItem {
  /// Returns the item as a JSON object; `identified` shows paths of folders, and URLs whole.
  func json(identified: Bool) -> JSON {
    Shown.shape.json(of: Shown(item: self, isIdentified: identified))
  }

  package static let schema = Shown.shape.schema()
}

extension Source {
  /// Returns the source as somebody may see it: folders and lists are named to administrators only.
  func shown(identified: Bool) -> String { identified ? text : publicText }
}

/// An item as somebody may see it.
private struct Shown: Sendable {
  let item: ProgrammeItem
  /// Whether an administrator looks.
  let isIdentified: Bool

  static let shape: [Shape<Shown>] = [
    Shape("item", \.item.item), Shape("kind", \.item.kind),
    Shape("track") { $0.item.track?.description }, Shape("title", \.item.title),
    Shape("artist", \.item.artist), Shape("album", \.item.album),
    Shape("source") { $0.item.source?.shown(identified: $0.isIdentified) },
    Shape("why", \.item.why), Shape("rule", \.item.rule), Shape("seconds", \.item.seconds),
    Shape("at", \.item.at), Shape("position", \.item.position), Shape("join", \.item.join),
    Shape("made", \.item.isMade), Shape("gain", \.item.gain), Shape("ready", \.item.readiness),
    Shape("relaxed", \.item.relaxed),
  ]
}

extension Planned.Why: Shaped {}
extension Join: Shaped {}
extension Order: Shaped {}
extension Repeat: Shaped {}
extension Relaxed: Shaped {}
extension ProgrammeItem.Readiness: Shaped {}
