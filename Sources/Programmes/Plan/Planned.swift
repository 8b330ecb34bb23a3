/// One item that a plan has decided on.
public struct Planned: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case track, insert, live
  }

  public enum Why: String, Hashable, Sendable, CaseIterable {
    case order, queue, insert, previous, skip, `repeat`, part, live
  }

  /// Numbered per station from 1.
  public internal(set) var item: Int64 = 0
  public var kind: Kind
  /// nil: a track that was queued by its key alone.
  public var source: Source?
  /// nil: another station.
  public var track: Catalogue.Track?
  public var why: Why
  /// The insert's rule.
  public var rule: InsertRule?
  /// The part whose rules hold; nil: those outside of all parts.
  public var part: Int?
  /// When it begins, in milliseconds since 1970.
  public var at: Int64
  /// Milliseconds until the next item begins, which a fade brings forward; nil: another station, which has no end.
  public var length: Int64?
  /// When something cuts it, in milliseconds since 1970; nil: it is played to its end.
  public var until: Int64?
  /// Whether it cuts what plays.
  public var isHard = false
  /// What of `separate` could not be kept.
  public var relaxed: [Relaxed] = []
  /// The moment for which it was meant, of inserts by the clock and timed entries of the queue.
  public var due: Int64?

  /// When it is over, in milliseconds since 1970; nil: not known.
  public var end: Int64? {
    let whole = length.map { at + $0 }
    guard let until else { return whole }
    return whole.map { min($0, until) } ?? until
  }
}

/// What a plan says of one border between items.
public struct Step: Hashable, Sendable {
  /// An insert that could not be within its time.
  public struct Missed: Hashable, Sendable {
    public enum Reason: String, Hashable, Sendable, CaseIterable {
      /// No border came in time, or the station was away.
      case late
      /// Its source has nothing.
      case empty
      /// Its source was not looked through yet.
      case unknown
    }

    public var rule: InsertRule
    /// Milliseconds since 1970.
    public var due: Int64
    public var reason: Reason
  }

  /// Why there is no item.
  public enum Waiting: String, Hashable, Sendable, CaseIterable {
    /// No source has tracks.
    case empty
    /// All was played, and nothing repeats it.
    case over
    /// The station that is to be played does not play.
    case station
  }

  /// Milliseconds since 1970.
  public var at: Int64
  /// nil: nothing can be played, and `waiting` says why.
  public var planned: Planned?
  public var waiting: Waiting?
  public var missed: [Missed] = []
  /// When inserts were missed that are not listed, as too old or too many, in milliseconds since 1970.
  public var unlisted: Range<Int64>?
  /// Sources without tracks that were passed over.
  public var passedOver: [Source] = []
  /// Items of the queue whose tracks are gone.
  public var gone: [Int64] = []
  /// Items whose turn it is, and which stay in the queue until their tracks are there again.
  public var away: [Int64] = []

  init(at moment: Int64) { at = moment }
}
