/// Names what one URL of a station's audio holds: `4f9a2c71b03d-6a/15883-1.mp3`.
///
/// Each has one spelling only, so that caches keep it once.
public struct PieceName: Hashable, Sendable {
  public enum Part: Hashable, Sendable {
    /// A piece of a cell: `CELL`, and `CELL-N` of all but the first, whose number is 0.
    case piece(cell: UInt64, number: UInt32)
    /// The packets from one position of the log up to another, within one cell: `pA-B`.
    case span(Range<UInt64>)
    /// What a decoder needs before the fragments of a format: `init-N`, by the number of discontinuities before.
    case initialisation(UInt64)
  }

  public enum Ending: String, Hashable, Sendable, CaseIterable {
    case mp3, aac
    /// A fragment of MP4.
    case m4s
    /// The initialisation of fragments.
    case mp4

    /// The ending of pieces of a codec; nil where HLS has none.
    public init?(_ codec: Codec) {
      switch codec {
      case .mp3: self = .mp3
      case .aac: self = .aac
      case .opus, .flac: self = .m4s
      case .mp1, .mp2, .vorbis, .speex: return nil
      }
    }

    public var mediaType: String {
      switch self {
      case .mp3: Codec.mp3.mediaType
      case .aac: Codec.aac.mediaType
      case .m4s, .mp4: "audio/mp4"
      }
    }
  }

  /// Cells are below this number, 63 years of two seconds: their times in flicks fit 63 bits.
  public static let cellsEnd: UInt64 = 1_000_000_000
  /// The numbers of pieces in a cell are below this one.
  public static let piecesEnd: UInt32 = 1_000_000
  /// The numbers of segments and of discontinuities are below this one: players count in 32 bits.
  public static let numbersEnd: UInt64 = 1 << 31

  public let key: PieceKey
  public let part: Part
  public let ending: Ending

  /// Names a piece or a span; the ending is that of its codec.
  ///
  /// - Returns: nil for a part that has no name: an initialisation, an empty span, a number beyond those above.
  public init?(key: PieceKey, part: Part, ending: Ending) {
    switch part {
    case .piece(let cell, let number):
      guard ending != .mp4, cell < Self.cellsEnd, number < Self.piecesEnd else { return nil }
    case .span(let span):
      guard ending != .mp4, !span.isEmpty, span.upperBound < RelayPlace.positionsEnd else {
        return nil
      }
    case .initialisation(let number):
      guard ending == .mp4, number < Self.numbersEnd else { return nil }
    }
    (self.key, self.part, self.ending) = (key, part, ending)
  }

  /// The name of the initialisation that fragments of this key need.
  ///
  /// - Parameter discontinuities: limited to the numbers that have a name.
  func initialisation(_ discontinuities: UInt64) -> PieceName {
    let number = min(discontinuities, Self.numbersEnd - 1)
    return PieceName(key: key, part: .initialisation(number), ending: .mp4) ?? self
  }

  init?(reading reader: inout NameReader) {
    guard let key = PieceKey(reading: &reader), reader.read("/"),
      let part = Part(reading: &reader), reader.read("."),
      let ending = Ending(rawValue: reader.rest),
      let name = Self(key: key, part: part, ending: ending)
    else { return nil }
    self = name
  }

  func append(to bytes: inout [UInt8]) {
    key.append(to: &bytes)
    bytes.append(UInt8(ascii: "/"))
    switch part {
    case .piece(let cell, let number):
      bytes.append(decimal: cell)
      if number > 0 {
        bytes.append(UInt8(ascii: "-"))
        bytes.append(decimal: UInt64(number))
      }
    case .span(let span):
      bytes.append(UInt8(ascii: "p"))
      bytes.append(decimal: span.lowerBound)
      bytes.append(UInt8(ascii: "-"))
      bytes.append(decimal: span.upperBound)
    case .initialisation(let number):
      bytes.append("init-")
      bytes.append(decimal: number)
    }
    bytes.append(UInt8(ascii: "."))
    bytes.append(ending.text)
  }

  /// The name as it stands in a URL, the key first.
  public var text: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension PieceName.Ending {
  fileprivate var text: StaticString {
    switch self {
    case .mp3: "mp3"
    case .aac: "aac"
    case .m4s: "m4s"
    case .mp4: "mp4"
    }
  }
}

extension PieceName.Part {
  fileprivate init?(reading reader: inout NameReader) {
    if reader.read("init-") {
      guard let number = reader.number(below: PieceName.numbersEnd) else { return nil }
      self = .initialisation(number)
    } else if reader.read("p") {
      guard let first = reader.number(below: RelayPlace.positionsEnd), reader.read("-"),
        let end = reader.number(below: RelayPlace.positionsEnd), first < end
      else { return nil }
      self = .span(first..<end)
    } else {
      guard let cell = reader.number(below: PieceName.cellsEnd) else { return nil }
      var number: UInt64 = 0
      if reader.read("-") {
        // The first piece of a cell has no number.
        guard let later = reader.number(below: UInt64(PieceName.piecesEnd)), later > 0 else {
          return nil
        }
        number = later
      }
      self = .piece(cell: cell, number: UInt32(number))
    }
  }
}
