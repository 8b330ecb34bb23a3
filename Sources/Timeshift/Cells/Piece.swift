import Wire

extension PieceKey {
  /// A rendition's life is mixed with its original's, whose media time it has.
  init(_ mark: NumberMark) {
    let life = mark.original == 0 ? mark.life : Self.mixed(mark.life, mark.original)
    self.init(life: life, seconds: mark.settings.seconds)
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
}

/// The pieces that are listed, oldest first, without a number left out.
public struct CellList: Sendable {
  public var pieces: [Piece] = []
  /// The title in force at the beginning, and all titles of the listed time, with their true times on air.
  public var titles: [TitleMark] = []
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
