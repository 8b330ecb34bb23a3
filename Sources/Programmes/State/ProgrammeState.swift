import Wire

/// How far a programme has come: everything that its plan needs besides rules, music and the moment.
///
/// It grows up to bounds, and is written down as JSON when an item begins (`ProgrammeState+Stored`).
public struct ProgrammeState: Sendable {
  /// What was queued: a track, or all that a source has.
  public struct Queued: Hashable, Sendable {
    public internal(set) var item: Int64
    /// nil: a track that the queue names, of `Stock.queued`.
    public var source: Source?
    /// nil: all tracks of the source, in its order.
    public var key: TrackKey?
    /// Milliseconds since 1970: the first border at or behind that moment; nil: in turn.
    public var due: Int64?
    /// The number of the source's tracks that were played.
    var done = 0

    public init(source: Source? = nil, key: TrackKey? = nil, due: Int64? = nil) {
      (item, self.source, self.key, self.due) = (0, source, key, due)
    }
  }

  /// A track that was played, which `previous` plays again.
  struct Past: Hashable, Sendable {
    /// nil: one that was queued by its key alone.
    var source: Source?
    var key: TrackKey
  }

  /// One moment of a rule's local clock.
  struct Occurrence: Hashable, Sendable {
    /// The rule's source: a rule that changes otherwise does not play twice.
    var rule: UInt64
    /// Local date, in days since 1970-01-01.
    var day: Int
    /// Minute of the local day.
    var minute: Int
  }

  /// What is known of one insert rule.
  struct RuleMark: Hashable, Sendable {
    /// Milliseconds since 1970: when it was first known; what was due before is none of its.
    var since: Int64
    /// When its last insert began.
    var last: Int64
    /// The number of tracks since then.
    var tracks = 0
  }

  /// What an insert has used up: it is given back where nothing of the insert was heard.
  struct Insertion: Hashable, Sendable {
    var source: Source
    var key: TrackKey
    /// Of an insert by the clock.
    var occurrence: Occurrence?
    /// Of an insert by tracks or time: its rule, and what was known of that before.
    var rule: UInt64?
    var mark: RuleMark?
  }

  public static let queueMax = 500
  static let pastMax = 50
  static let occurrencesMax = 4096
  static let marksMax = 2048
  /// The most sources of which a place is kept.
  static let placesMax = 256
  /// Numbers that JSON has everywhere.
  static let itemMax: Int64 = 9_007_199_254_740_991

  /// The seed where the rules name none: made once.
  public private(set) var seed: Int64
  /// The number of the newest item; items count from 1.
  public internal(set) var item: Int64 = 0
  public internal(set) var queue: [Queued] = []
  /// By the texts of order and source.
  var cycles: [String: Cycle] = [:]
  var sequences: [String: SequencePlace] = [:]
  /// Turns of wheels, by their choice's text.
  var turns: [String: Int64] = [:]
  var history = History()
  /// The newest last.
  var past: [Past] = []
  /// What `previous` has put in front; the next one first.
  var replays: [Past] = []
  var marks: [UInt64: RuleMark] = [:]
  /// Occurrences that were played or told as missed, in the order in which they were.
  var occurrences: [Occurrence] = []
  /// Milliseconds since 1970: up to here all occurrences were decided.
  var decided: Int64?
  /// When the part that is on began, in milliseconds since 1970.
  var airing: Int64?
  /// The track that `repeat: one` repeats, and the text of the choice that it is of.
  var repeated: Past?
  var repeatedChoice: String?
  /// Of the item that was decided on last; nil of one that is no insert.
  var insertion: Insertion?
  /// Whether the next item comes because of the command `next`.
  var isSkipped = false

  /// The tracks that the queue names by their keys, and those of them that `previous` may play again.
  public var keysOfQueue: Set<TrackKey> {
    let queued = queue.filter { $0.source == nil }.compactMap(\.key)
    let past = (past + replays).filter { $0.source == nil }.map(\.key)
    return Set(queued + past)
  }

  public init(seed: Int64) {
    self.seed = max(Programme.seeds.lowerBound, min(Programme.seeds.upperBound, seed))
  }

  mutating func number() -> Int64 {
    item = min(item + 1, Self.itemMax)
    return item
  }

  mutating func remember(_ track: Past) {
    past.append(track)
    if past.count > Self.pastMax { past.removeFirst(past.count - Self.pastMax) }
  }

  /// Makes an insert come again that was decided on last.
  mutating func giveBack(_ insertion: Insertion) {
    self.insertion = nil
    if let occurrence = insertion.occurrence { occurrences.removeAll { $0 == occurrence } }
    if let rule = insertion.rule, let mark = insertion.mark { marks[rule] = mark }
    sequences["insert " + insertion.source.text]?.takeBack(insertion.key.high)
  }

  func isDone(_ occurrence: Occurrence) -> Bool { occurrences.contains(occurrence) }

  mutating func decide(_ occurrence: Occurrence) {
    guard !isDone(occurrence) else { return }
    occurrences.append(occurrence)
  }

  /// Forgets occurrences that are two days old, and the oldest beyond a bound.
  mutating func forget(before day: Int) {
    occurrences.removeAll { $0.day < day }
    if occurrences.count > Self.occurrencesMax {
      occurrences.removeFirst(occurrences.count - Self.occurrencesMax)
    }
  }

  /// Forgets what is known of rules that are gone, and of sources that are gone, if there are many.
  mutating func keep(
    placesOf sources: [Source], marks: Set<UInt64>, choices: Set<String>
  ) {
    self.marks = self.marks.filter { marks.contains($0.key) }
    let places = Set(
      sources.flatMap { source in
        (Order.allCases.map(\.rawValue) + ["insert"]).map { $0 + " " + source.text }
      })
    // They would wait for ever.
    replays.removeAll { replay in replay.source.map { !sources.contains($0) } ?? false }
    if cycles.count > Self.placesMax / 4 { cycles = cycles.filter { places.contains($0.key) } }
    if sequences.count > Self.placesMax / 4 {
      sequences = sequences.filter { places.contains($0.key) }
    }
    if turns.count > Self.placesMax / 2 { turns = turns.filter { choices.contains($0.key) } }
  }
}
