import Wire

extension PieceKey {
  init(_ mark: NumberMark) { self.init(life: mark.life, seconds: mark.settings.seconds) }

  /// The key of a rendition's bytes: its own life wrote them, and the original's decided where they are cut.
  ///
  /// - Parameter life: 0 names nothing: what the rendition has not made.
  init(_ life: UInt64, of original: PieceKey) {
    self.init(life: Self.mixed(life, original.life), seconds: original.seconds)
  }

  /// 48 bits of a hash; no secret, so a mixer will do.
  private static func mixed(_ life: UInt64, _ original: UInt64) -> UInt64 {
    var bits = life &+ original &* 0x9e37_79b9_7f4a_7c15
    bits = (bits ^ bits >> 30) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ bits >> 27) &* 0x94d0_49bb_1331_11eb
    return (bits ^ bits >> 31) >> (64 - NumberMark.lifeBits)
  }
}

/// What one segment of a playlist holds: the packets that begin from `start` up to `end`.
public struct Piece: Hashable, Sendable {
  public var key: PieceKey
  public var cell: Int64
  /// Which piece of the cell, from 0.
  public var part: Int
  public var start: MediaTime
  public var end: MediaTime
  /// The media sequence number.
  public var number: Int64
  /// How often the format had changed before.
  public var discontinuities: Int64
  /// From its beginning to its end in programme time.
  public var programme: Range<MediaTime>
  /// When the piece was on air, as the mount tells it.
  public var air: WallTime
  /// The position of the title that the piece begins with; nil without one.
  public var title: UInt64?
  /// Whether it cannot be read.
  public var isGap: Bool
  /// The codec of its packets; nil where that is not known any more.
  public var codec: Codec?
  /// How much of it a rendition has not made at its beginning: less than a packet, negative before a seam.
  public var missing = MediaTime.zero
  /// Where a rendition's encoder began anew in it, in order.
  public var seams: [PieceSeam] = []
}

/// A place where a rendition's encoder went on from another one.
public struct PieceSeam: Hashable, Sendable {
  /// The media time of the first packet behind it.
  public var media: MediaTime
  /// How much of the original is missing there; negative where some is there twice. Less than one of its packets.
  public var missing: MediaTime
}

extension Piece {
  /// Programme time at a media time of the piece's log: the timestamp of what begins there.
  ///
  public func programme(at media: MediaTime) -> MediaTime {
    seams.prefix { $0.media <= media }
      .reduce(programme.lowerBound + missing + (media - start)) { $0 + $1.missing }
  }
}

/// The pieces that are listed, oldest first, without a number left out.
public struct CellList: Sendable {
  public var pieces: [Piece] = []
  /// The title in force at the beginning, and all titles of the listed time.
  public var titles: [ListedTitle] = []
  /// The programme times of titles that left the list lately.
  public var titlesLeft: [MediaTime] = []

  public init(pieces: [Piece] = [], titles: [ListedTitle] = [], titlesLeft: [MediaTime] = []) {
    (self.pieces, self.titles, self.titlesLeft) = (pieces, titles, titlesLeft)
  }

  /// The number of the next piece; nil where nothing is listed.
  public var nextNumber: Int64? { pieces.last.map { $0.number + 1 } }
}

/// A title of a list, with its true time on air.
public struct ListedTitle: Hashable, Sendable {
  public var mark: TitleMark
  /// The programme time at which it begins: no other title of the station ever has it, of a log without a past neither.
  public var programme: MediaTime

  public init(_ mark: TitleMark, _ programme: MediaTime) {
    (self.mark, self.programme) = (mark, programme)
  }
}

/// The answer to a piece's name.
public enum PieceAnswer: Hashable, Sendable {
  case piece(Piece)
  /// The piece can still become another one.
  case notListed
  /// The piece was, and cannot be read any more.
  case gone
  /// No piece has this name.
  case unknown
}
