/// One thing that a programme plays, as the title of its audio names it.
public struct TitleItem: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case track
    /// A jingle, the news.
    case insert
    /// Another station, played as it is.
    case live
  }

  /// Largest number of an item or a sample: what a script's number holds exactly.
  public static let numberMax: UInt64 = 1 << 53

  /// Number within the station, from 1; never used twice.
  public var number: UInt64
  public var kind: Kind
  /// Number of the item's sample at the title's mark: more than 0 where the item goes on after a restart.
  public var sample: UInt64
  /// The track's key, the beginning of a hash of its audio; nil of what is no track.
  public var track: TrackKey?

  public init(number: UInt64, kind: Kind, sample: UInt64 = 0, track: TrackKey? = nil) {
    (self.number, self.kind, self.sample, self.track) = (number, kind, sample, track)
  }

  /// Reads what `text` writes; nil of anything else.
  public init?(text: String) {
    let words = text.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false)
    guard (3...4).contains(words.count), let number = UInt64(words[0]), number > 0,
      number <= Self.numberMax, let kind = Kind(rawValue: String(words[1])),
      let sample = UInt64(words[2]), sample <= Self.numberMax
    else { return nil }
    var track: TrackKey?
    if words.count == 4 {
      guard let key = TrackKey(words[3]) else { return nil }
      track = key
    }
    self.init(number: number, kind: kind, sample: sample, track: track)
  }

  /// The item on one line: number, kind, sample and, of a track, its key.
  public var text: String {
    "\(number) \(kind.rawValue) \(sample)" + (track.map { " \($0)" } ?? "")
  }
}
