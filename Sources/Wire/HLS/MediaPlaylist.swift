/// A media playlist (RFC 8216bis §4.4), as values. `MediaPlaylist+Text` writes it.
public struct MediaPlaylist: Hashable, Sendable {
  /// One segment of the list.
  public struct Piece: Hashable, Sendable {
    public var name: PieceName
    /// From its beginning to its end on the programme's axis, in flicks. It begins where the one before ends.
    public var time: Range<Int64>
    /// When its beginning is on air, in nanoseconds since 1970.
    public var date: Int64
    /// Whether another codec, rate, number of channels or stream headers begin with it.
    public var isDiscontinuous: Bool
    /// Whether there is nothing to fetch under its name.
    public var isGap: Bool

    public init(
      name: PieceName, time: Range<Int64>, date: Int64, isDiscontinuous: Bool = false,
      isGap: Bool = false
    ) {
      (self.name, self.time, self.date) = (name, time, date)
      (self.isDiscontinuous, self.isGap) = (isDiscontinuous, isGap)
    }
  }

  /// A title that lasts until the next one.
  public struct Mark: Hashable, Sendable {
    /// The title's name among all that the station ever had, such as its beginning in milliseconds of programme time.
    public var id: UInt64
    /// When it begins, in nanoseconds since 1970.
    public var date: Int64
    /// When it came into the list, in nanoseconds since 1970.
    public var listed: Int64
    public var title: HLSTitle

    public init(id: UInt64, date: Int64, listed: Int64, title: HLSTitle) {
      (self.id, self.date, self.listed) = (id, date, listed)
      self.title = title
    }
  }

  public enum Kind: Hashable, Sendable {
    /// The list goes on; `isSkippable`: players may ask for what is new only.
    case live(isSkippable: Bool)
    case finished
  }

  /// How much of the list is written.
  public enum Extent: Hashable, Sendable {
    case whole
    /// Without the segments that are older than six targets.
    case newer
    /// Without those, and without titles that had been listed before.
    case newerWithTitles
  }

  public var kind: Kind
  /// The longest segment in whole seconds, at least 1.
  public var target: Int
  /// The number of the first piece; below `PieceName.numbersEnd`.
  public var number: UInt64
  /// The discontinuities before the first piece, without its own; below `PieceName.numbersEnd`.
  public var discontinuities: UInt64
  /// Where players begin, in flicks: from the list's beginning, or below zero from its end. Nil: where they like.
  public var start: Int64?
  /// What stands in front of each URL.
  public var seal: HLSPath.Seal?
  /// Titles in the order of their dates.
  public var marks: [Mark]
  /// The ids of titles that left the list within the last six targets.
  public var removed: [UInt64]
  public var pieces: [Piece]

  public init(
    kind: Kind, target: Int, number: UInt64, discontinuities: UInt64, pieces: [Piece],
    marks: [Mark] = [], removed: [UInt64] = [], start: Int64? = nil, seal: HLSPath.Seal? = nil
  ) {
    (self.kind, self.target, self.number) = (kind, target, number)
    (self.discontinuities, self.pieces, self.marks) = (discontinuities, pieces, marks)
    (self.removed, self.start, self.seal) = (removed, start, seal)
  }

  /// How many targets at the end are never left out (RFC 8216bis §4.4.3.8).
  public static let skipTargets = 6
  /// How many targets behind the end players begin.
  public static let holdBackTargets = 3

  /// The number of pieces that a list of what is newer leaves out.
  var skipped: Int {
    guard case .live(isSkippable: true) = kind else { return 0 }
    let boundary = Int64(max(1, target)).saturatingMultiply(
      Int64(Self.skipTargets) * HLSTime.perSecond)
    var behind: Int64 = 0
    for index in pieces.indices.reversed() {
      // What ends so far from the list's end is left out, and all before it.
      if behind >= boundary { return index + 1 }
      let time = pieces[index].time
      behind = behind.saturatingAdd(time.upperBound.saturatingSubtract(time.lowerBound))
    }
    return 0
  }
}
