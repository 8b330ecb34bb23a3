/// The loudness of each second of media time: a byte as `FrameLoudness` has it, 0 where it is silent or unknown.
///
/// A week takes 600 KB. Seconds lie in pieces, so that a copy costs nothing and writing behind it one piece.
public struct LoudnessLine: Sendable {
  /// Pieces by their number; of a piece only as much as is known is there.
  private var pieces: [Int64: [UInt8]] = [:]

  private static let pieceSeconds: Int64 = 1024

  public init() {}

  /// Whether some second is known to be no silence.
  public var isEmpty: Bool { pieces.isEmpty }

  public subscript(second: Int64) -> UInt8 {
    let (piece, place) = Self.place(of: second)
    guard let found = pieces[piece], place < found.count else { return 0 }
    return found[place]
  }

  /// The loudest of some seconds, however many are unknown.
  public func loudest(in seconds: Range<Int64>) -> UInt8 {
    guard !seconds.isEmpty else { return 0 }
    let (first, last) = (Self.place(of: seconds.lowerBound), Self.place(of: seconds.upperBound - 1))
    let places = { (piece: Int64) in
      (piece == first.piece ? first.place : 0)..<(piece == last.piece ? last.place + 1 : .max)
    }
    if last.piece - first.piece < Int64(pieces.count) {
      return (first.piece...last.piece).reduce(0) { max($0, loudest(of: $1, in: places($1))) }
    }
    let known = pieces.keys.filter { (first.piece...last.piece).contains($0) }
    return known.reduce(0) { max($0, loudest(of: $1, in: places($1))) }
  }

  /// The softest of some seconds; 0 where one is silent or unknown.
  func softest(in seconds: Range<Int64>) -> UInt8 {
    var (softest, second) = (UInt8.max, seconds.lowerBound)
    while second < seconds.upperBound {
      let (piece, place) = Self.place(of: second)
      let left = min(seconds.upperBound - second, Self.pieceSeconds - Int64(place))
      let places = place..<(place + Int(left))
      guard let found = pieces[piece], places.upperBound <= found.count else { return 0 }
      softest = min(softest, found[places].min() ?? 0)
      if softest == 0 { return 0 }
      second += left
    }
    return seconds.isEmpty ? 0 : softest
  }

  private func loudest(of piece: Int64, in places: Range<Int>) -> UInt8 {
    guard let found = pieces[piece] else { return 0 }
    return found[places.clamped(to: found.indices)].max() ?? 0
  }

  /// Adds what was heard in a second; the louder counts where two parts of a second come.
  mutating func add(_ loudness: UInt8, at second: Int64) {
    guard loudness > 0, second >= 0 else { return }
    let (piece, place) = Self.place(of: second)
    var found = pieces.removeValue(forKey: piece) ?? []
    while found.count <= place { found.append(0) }
    found[place] = max(found[place], loudness)
    pieces[piece] = found
  }

  mutating func add(_ more: [UInt8], from second: Int64) {
    for (index, loudness) in more.enumerated() { add(loudness, at: second + Int64(index)) }
  }

  /// Adds another line whose seconds are earlier by `seconds`.
  mutating func add(_ other: LoudnessLine, later seconds: Int64) {
    for (piece, found) in other.pieces {
      add(found, from: piece * Self.pieceSeconds + seconds)
    }
  }

  /// Forgets the pieces that end before a second.
  mutating func forget(before second: Int64) {
    let (first, _) = Self.place(of: max(0, second))
    if pieces.keys.contains(where: { $0 < first }) {
      pieces = pieces.filter { $0.key >= first }
    }
  }

  /// Parts a number that is not negative.
  private static func place(of second: Int64) -> (piece: Int64, place: Int) {
    (second / pieceSeconds, Int(max(0, second % pieceSeconds)))
  }
}
