/// How much a text looks like something that people wrote, rather than bytes read in the wrong charset.
///
/// Made for choosing between a few readings of the same bytes and for nothing else: a charset's letters in another one
/// give capitals inside words, scripts mixed in a word, rows of accented letters, symbols between letters, rare signs.
public enum TextPlausibility {
  /// The sum over all letters; better readings have higher ones. Only sums of the same bytes compare.
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

    /// A letter of two bytes in its charset weighs about twice one of a single byte.
    var weight: Int {
      switch self {
      case .latin, .plain: 0
      case .accented, .cyrillic, .greek, .hebrew, .arabic, .thai: 2
      case .rareCyrillic: 0
      case .han: 3
      case .kana, .hangul: 5
      case .symbol: -2
      // Shift_JIS reads every byte from 0xA1 to 0xDF as one.
      case .halfKana: -2
      case .broken: -12
      }
    }
  }

  /// Letters in a row.
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
  /// "iPhone" is written so; a whole script that is, is KOI8-R read as windows-1251.
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

  /// Whether the two stand in one word. Han and Hangul do not: a text full of both is in another charset.
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
