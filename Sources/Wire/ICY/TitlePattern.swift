/// A station's rule for taking its titles apart, as its configuration writes it.
///
/// Everything is literal except `{artist}`, `{title}`, `{artwork}` and `{*}`, which stand for any text; the text of
/// `{*}` is dropped. Each reaches to the first place of the literal that follows; the last one reaches to the end:
///
///     {artist} - {title}                                  Nina Simone - Sinnerman
///     {title} by {artist}                                 Sinnerman by Nina Simone
///     {artist}~{title}~{*}                                NINA SIMONE~Sinnerman~~~~~2020-08-13T12:00:00
///     {artist} - text="{title}"{*}Artwork="{artwork}"{*}  iHeart's lists of keys and values
public struct TitlePattern: Hashable, Sendable {
  enum Piece: Hashable, Sendable {
    case literal(ByteNeedle)
    case hole(Hole)
  }

  enum Hole: String, Hashable, Sendable {
    case artist, title, artwork
    case anything = "*"
  }

  /// The pattern as it was written.
  public let text: String
  let pieces: [Piece]

  public static let bytesMax = 256

  /// - Throws: A problem that says what is wrong with `text`, in words that follow it.
  public init(_ text: String) throws(TitlePatternProblem) {
    self.text = text
    guard text.utf8.count <= Self.bytesMax else {
      throw TitlePatternProblem(
        "is \(text.utf8.count) bytes long; at most \(Self.bytesMax) are allowed")
    }
    pieces = try Self.pieces(text)
    try Self.check(pieces)
  }

  private static func pieces(_ text: String) throws(TitlePatternProblem) -> [Piece] {
    var pieces: [Piece] = []
    var rest = Array(text.utf8)[...]
    while let open = rest.firstIndex(of: UInt8(ascii: "{")) {
      if open > rest.startIndex { pieces.append(.literal(ByteNeedle(Array(rest[..<open])))) }
      guard let close = rest[open...].firstIndex(of: UInt8(ascii: "}")) else {
        throw TitlePatternProblem("has a { without a }; write {artist}, {title}, {artwork} or {*}")
      }
      let name = String(decoding: rest[(open + 1)..<close], as: UTF8.self)
      guard let hole = Hole(rawValue: name) else {
        throw TitlePatternProblem(
          "has {\(name)}, which is unknown; write {artist}, {title}, {artwork} or {*}")
      }
      pieces.append(.hole(hole))
      rest = rest[(close + 1)...]
    }
    if !rest.isEmpty { pieces.append(.literal(ByteNeedle(Array(rest)))) }
    return pieces
  }

  private static func check(_ pieces: [Piece]) throws(TitlePatternProblem) {
    for hole in [Hole.artist, .title, .artwork] {
      if pieces.count(where: { $0 == .hole(hole) }) > 1 {
        throw TitlePatternProblem("has {\(hole.rawValue)} twice; once is enough")
      }
    }
    guard pieces.contains(.hole(.title)) else {
      throw TitlePatternProblem("has no {title}; say where the song's name stands")
    }
    for (piece, next) in zip(pieces, pieces.dropFirst()) {
      if case .hole = piece, case .hole = next {
        throw TitlePatternProblem("has two names side by side; write what stands between them")
      }
    }
  }

  /// Returns the parts of a title by this rule; nil for a title of another shape, or with an empty song.
  public func parts(of title: String) -> TitleParts? {
    var found: [Hole: String] = [:]
    var rest = ASCII.trimmed(Array(title.utf8)[...])
    var hole: Hole?
    for (index, piece) in pieces.enumerated() {
      switch piece {
      case .hole(let next):
        hole = next
      case .literal(let literal):
        let isLast = index == pieces.count - 1
        guard let place = Self.place(of: literal, in: rest, after: hole, isLast: isLast) else {
          return nil
        }
        if let hole { found[hole] = Self.text(rest[..<place]) }
        hole = nil
        rest = rest[(place + literal.bytes.count)...]
      }
    }
    if let hole { found[hole] = Self.text(rest) } else if !rest.isEmpty { return nil }
    guard let song = found[.title], !song.isEmpty else { return nil }
    let filled = found.filter { !$0.value.isEmpty }
    return TitleParts(artist: filled[.artist], title: song, artwork: filled[.artwork])
  }

  /// Returns where a literal stands: at once with no name before it, at the end if it ends the pattern, else first.
  private static func place(
    of literal: ByteNeedle, in rest: ArraySlice<UInt8>, after hole: Hole?, isLast: Bool
  ) -> Int? {
    let last = rest.endIndex - literal.bytes.count
    guard last >= rest.startIndex else { return nil }
    if hole == nil { return rest.starts(with: literal.bytes) ? rest.startIndex : nil }
    if isLast { return rest[last...].elementsEqual(literal.bytes) ? last : nil }
    return literal.first(in: rest)
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: ASCII.trimmed(bytes), as: UTF8.self)
  }
}

/// The reason why a text is no title pattern.
public struct TitlePatternProblem: Error, Hashable, CustomStringConvertible {
  /// The reason in words that follow the pattern.
  public let description: String

  init(_ description: String) { self.description = description }
}
