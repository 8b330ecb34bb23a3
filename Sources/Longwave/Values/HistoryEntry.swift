import Timeshift
import Wire

/// A title that a station has played, and for how long.
public struct HistoryEntry: Hashable, Sendable {
  public var playing: NowPlaying
  /// Media seconds of its first packet.
  var media = 0.0
  /// When the next title began; nil while this one plays.
  public var end: WallTime?
  /// Seconds of the title's audio, so far if it plays; missing audio does not count.
  public var seconds: Double
  /// Whether any of its audio can still be played.
  public var isInWindow: Bool
}

extension HistoryEntry: ShapedObject {
  package static let shape: [Shape<Self>] =
    NowPlaying.shape.map { $0.of(\.playing) } + [
      Shape("end", \.end), Shape("seconds", \.seconds), Shape("inWindow", \.isInWindow),
    ]
}

extension HistoryEntry {
  /// Most titles in one answer.
  package static let limitMax = 1000
  /// Most titles that answers are taken from: a week of songs.
  package static let keptMax = 3000
  /// Bytes of an answer with titles; 1,000 of usual length are a third of that.
  package static let bytesMax = 1 << 20

  /// Returns the titles of `marks`, which come newest first; `edge` and `oldest` bound what can be played.
  ///
  /// A title that is announced again, with a picture or with details that only programs read, goes on. Another item of a
  /// programme is another entry, whatever its text.
  static func list(
    _ marks: [TitleMark], oldest: UInt64, edge: LogPoint, limit: Int
  ) -> [HistoryEntry] {
    var shown: [HistoryEntry] = []
    var next: TitleMark?
    var details: Title?
    for (index, mark) in marks.enumerated() where shown.count < limit {
      let older = marks.indices.contains(index + 1) ? marks[index + 1] : nil
      details = details ?? mark.title
      if let older, older.title.text == mark.title.text,
        older.title.item?.number == mark.title.item?.number
      {
        continue
      }
      var whole = mark
      whole.title = details ?? mark.title
      let end = next.map { LogPoint(position: $0.position, media: $0.media) } ?? edge
      shown.append(
        HistoryEntry(
          playing: NowPlaying(whole), media: mark.media.seconds, end: next?.air,
          seconds: max(0, (end.media - mark.media).seconds), isInWindow: end.position > oldest))
      next = mark
      details = nil
    }
    return shown
  }
}
