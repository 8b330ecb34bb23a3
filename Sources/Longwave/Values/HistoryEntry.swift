import Timeshift
import Wire

/// A title of a station's past, and how long it played.
public struct HistoryEntry: Hashable, Sendable {
  public var playing: NowPlaying
  /// When the next one began; nil while it plays.
  public var end: WallTime?
  /// How much audio it has, so far if it plays. What was missing in it does not count.
  public var seconds: Double
  /// Whether any of its audio is still there to be played.
  public var isInWindow: Bool

  var json: JSON {
    .object(
      playing.json.members + [
        .init(key: "position", value: JSON(playing.position)), .init(key: "end", value: JSON(end)),
        .init(key: "seconds", value: .number(seconds)),
        .init(key: "inWindow", value: .bool(isInWindow)),
      ])
  }
}

extension HistoryEntry {
  /// As many as are told at once.
  static let limitMax = 1000
  /// Of an answer with titles: 1,000 of usual length are a third of it.
  static let bytesMax = 1 << 20

  /// What `marks` say, newest first, as they are; `edge` and `oldest` bound what can be played.
  ///
  /// A title that is announced again, with a picture or with what only programs read, goes on.
  static func list(
    _ marks: [TitleMark], oldest: UInt64, edge: LogPoint, limit: Int
  ) -> [HistoryEntry] {
    var shown: [HistoryEntry] = []
    var next: TitleMark?
    var details: Title?
    for (index, mark) in marks.enumerated() where shown.count < limit {
      let older = marks.indices.contains(index + 1) ? marks[index + 1] : nil
      details = details ?? mark.title
      if let older, older.title.text == mark.title.text { continue }
      var whole = mark
      whole.title = details ?? mark.title
      let end = next.map { LogPoint(position: $0.position, media: $0.media) } ?? edge
      shown.append(
        HistoryEntry(
          playing: NowPlaying(whole), end: next?.air,
          seconds: max(0, (end.media - mark.media).seconds), isInWindow: end.position > oldest))
      next = mark
      details = nil
    }
    return shown
  }
}
