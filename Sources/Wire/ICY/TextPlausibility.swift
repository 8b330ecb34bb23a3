/// How much a text looks as if people wrote it, rather than like bytes read in the wrong charset.
///
/// The score only compares several readings of one sequence of bytes. A wrong charset gives capitals inside words,
/// mixed scripts, rows of accented letters, symbols between letters, and rare signs.
public enum TextPlausibility {
  /// Returns the sum over all characters; a better reading has a higher sum. Only sums for the same bytes are
  /// comparable.
  public static func score(_ text: String) -> Int {
    var word = Word()
    var score = 0
    for scalar in text.unicodeScalars {
      let kind = Kind(scalar)
      if kind.isLetter {
        word.add(scalar, kind)
      } else {
        score += word.score
        word = Word()
        score += kind.weight
      }
    }
    return score + word.score
  }

  enum Kind {
    case latin, accented, cyrillic, rareCyrillic, greek, hebrew, arabic, thai
    case kana, han, hangul
    case plain, symbol, halfKana, broken

    var isLetter: Bool {
      switch self {
      case .plain, .symbol, .halfKana, .broken: false
      default: true
      }
    }

    /// A letter of two bytes in its charset weighs about twice as much as a letter of one byte.
    var weight: Int {
      switch self {
      case .latin, .plain: 0
      case .accented, .cyrillic, .greek, .hebrew, .arabic, .thai: 2
      case .rareCyrillic: 0
      case .han: 3
      case .kana, .hangul: 5
      case .symbol: -2
      // A reading as Shift_JIS turns every byte from 0xA1 to 0xDF into half-width kana.
      case .halfKana: -2
      case .broken: -12
      }
    }
  }

  /// The score of consecutive letters.
  private struct Word {
    private var sum = 0
    private var last: (kind: Kind, isUpper: Bool)?

    var score: Int { sum }

    mutating func add(_ scalar: Unicode.Scalar, _ kind: Kind) {
      let isUpper = scalar.properties.isUppercase
      sum += kind.weight
      if let last {
        if !last.kind.goes(with: kind) { sum -= 6 }
        if last.kind == .accented && kind == .accented { sum -= 6 }
        if !last.isUpper && isUpper && scalar.properties.isCased(kind) { sum -= 4 }
      }
      last = (kind, isUpper)
    }
  }
}

extension Unicode.Scalar.Properties {
  /// Whether a capital after a small letter is suspicious. Latin has "iPhone"; a whole other script written so is
  /// KOI8-R read as windows-1251.
  fileprivate func isCased(_ kind: TextPlausibility.Kind) -> Bool {
    switch kind {
    case .cyrillic, .rareCyrillic, .greek, .accented: true
    default: false
    }
  }
}

extension TextPlausibility.Kind {
  init(_ scalar: Unicode.Scalar) {
    switch scalar.value {
    case 0x41...0x5A, 0x61...0x7A: self = .latin
    case 0...0x7F: self = .plain
    case 0x80...0x9F, 0xFFFD, 0xE000...0xF8FF: self = .broken
    case 0xAA, 0xB5, 0xBA: self = .symbol
    case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x24F, 0x1E00...0x1EFF: self = .accented
    case 0x370...0x3FF, 0x1F00...0x1FFF: self = .greek
    case 0x401, 0x410...0x44F, 0x451: self = .cyrillic
    case 0x400...0x52F: self = .rareCyrillic
    case 0x590...0x5FF: self = .hebrew
    case 0x600...0x6FF: self = .arabic
    case 0xE00...0xE7F: self = .thai
    case 0x3005, 0x3040...0x30FF: self = .kana
    case 0x3400...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF: self = .han
    case 0xAC00...0xD7AF: self = .hangul
    case 0xFF61...0xFF9F: self = .halfKana
    case 0x2018, 0x2019, 0x201C, 0x201D, 0x2013, 0x2014, 0x2026, 0xAB, 0xBB, 0x3000...0x303F,
      0xFF00...0xFF60:
      self = .plain
    default: self = scalar.properties.isAlphabetic ? .rareCyrillic : .symbol
    }
  }

  /// Whether both kinds may stand in one word. Han and Hangul may not: a text full of both is in another charset.
  fileprivate func goes(with other: Self) -> Bool {
    switch (script, other.script) {
    case (.han, .kana), (.kana, .han): true
    case (let one, let two): one == two
    }
  }

  private var script: Self {
    switch self {
    case .accented: .latin
    case .rareCyrillic: .cyrillic
    default: self
    }
  }
}
