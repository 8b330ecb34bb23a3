import Timeshift
import Wire

/// Where a mount's pieces come from.
struct HLSSource: Sendable {
  /// What its pieces follow from, as far as that is known without making them.
  struct Stamp: Hashable, Sendable {
    fileprivate let own: ListingStamp
    fileprivate let original: ListingStamp?
  }

  let log: PacketLog
  let delay: MediaTime
  /// Of a rendition: the log that decides where pieces begin, and what their numbers are.
  let original: PacketLog?

  init?(_ mount: Mount, in mounts: MountTable) {
    guard case .stream(let log, let delay) = mount.content else { return nil }
    (self.log, self.delay) = (log, delay)
    let original = mount.renditionOf.flatMap { mounts.mount(station: $0)?.log }
    self.original = original === log ? nil : original
  }

  func stamp(at now: Moment) -> Stamp {
    Stamp(
      own: log.listing(delay: delay, at: now),
      original: original?.listing(delay: delay, at: now))
  }

  func pieces(at now: Moment) -> HLSSourcePieces {
    HLSSourcePieces(
      own: Cells(log, delay: delay, at: now),
      original: original.map { Cells($0, delay: delay, at: now) })
  }
}

/// A source's pieces, as of one moment.
struct HLSSourcePieces: Sendable {
  let own: Cells
  let original: Cells?

  /// The log that says where pieces begin.
  private var decisive: Cells { original ?? own }

  func list(_ extent: HLSListKey.Extent) -> HLSList {
    switch extent {
    case .window(let window): return HLSList(playable(own(decisive.list(window: window))))
    case .from(let moment, let limit):
      let all = decisive.list()
      let (start, end) = (Self.start(of: all, at: moment), all.pieces.last?.end ?? .zero)
      let isFinished = end - start > limit
      let span = start..<(isFinished ? start + limit : max(start, end))
      let list = own(decisive.cut(all, to: span), isWhole: isFinished)
      return HLSList(isFinished ? list : playable(list), isFinished: isFinished)
    }
  }

  /// Leaves out what stands in front of a change from fragments to MP3 or AAC: nothing ends the initialisation of
  /// fragments, so players would put it in front of all that follows (RFC 8216bis, EXT-X-MAP).
  private func playable(_ list: CellList) -> CellList {
    var (begin, wasFragment) = (0, false)
    for (place, piece) in list.pieces.enumerated() {
      guard let ending = piece.codec.flatMap(PieceName.Ending.init) else { continue }
      if wasFragment, ending != .m4s { begin = place }
      wasFragment = ending == .m4s
    }
    return begin == 0 ? list : titled(Array(list.pieces[begin...]))
  }

  /// The media time at which the piece of a moment begins: the oldest where it is before all, the newest's behind all.
  private static func start(of list: CellList, at moment: WallTime) -> MediaTime {
    (list.pieces.last { $0.air <= moment } ?? list.pieces.first)?.start ?? .zero
  }

  /// - Parameter isWhole: whether what a rendition has not made is a gap also at the list's end.
  private func own(_ list: CellList, isWhole: Bool = false) -> CellList {
    guard let original else { return list }
    guard isWhole else { return own.list(like: list, of: original) }
    var list = list
    list.pieces = own.pieces(like: list.pieces, of: original)
    return list
  }

  /// The piece of a name.
  func piece(_ key: PieceKey, cell: Int64, part: Int) -> PieceAnswer {
    guard let original else { return own.piece(key, cell: cell, part: part) }
    return own.piece(key, cell: cell, part: part, like: original)
  }

  /// The pieces from one media time of the log up to another.
  func pieces(from start: MediaTime, to end: MediaTime) -> [Piece] {
    guard let original else { return own.pieces(from: start, to: end) }
    guard let first = own.programme(at: start), let last = own.programme(at: end), first < last
    else { return [] }
    return own.pieces(like: original.pieces(programme: first..<last), of: original)
      .filter { $0.start < end && $0.end > start }
  }

  /// The piece that holds a media time of the log.
  func piece(at media: MediaTime) -> Piece? { pieces(from: media, to: media + .flick).first }

  /// A list of pieces of the log, with the titles of their time.
  func titled(_ pieces: [Piece]) -> CellList {
    guard let original, let first = pieces.first, let last = pieces.last else {
      return own.titled(pieces)
    }
    var list = original.titled(
      original.pieces(programme: first.programme.lowerBound..<last.programme.upperBound))
    list.pieces = pieces
    return list
  }
}

/// Names a list: what it follows from, and how much of it is wanted.
struct HLSListKey: Hashable, Sendable {
  enum Extent: Hashable, Sendable {
    /// So much behind live.
    case window(MediaTime)
    /// From the piece on that was on air at a moment; no more than so much, and finished then.
    case from(WallTime, limit: MediaTime)
  }

  var stamp: HLSSource.Stamp
  var extent: Extent
}

/// What is listed, for all playlists of it.
struct HLSList: Sendable {
  let cells: CellList
  /// Whether no more pieces come.
  let isFinished: Bool
  /// The longest piece in seconds.
  let target: Int

  init(_ cells: CellList, isFinished: Bool = false) {
    (self.cells, self.isFinished) = (cells, isFinished)
    target = cells.pieces.reduce(0) { max($0, $1.key.seconds) }
  }

  /// The number of the next piece; nil where nothing is listed.
  var next: Int64? { cells.nextNumber }
}
