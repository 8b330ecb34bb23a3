import Foundation

/// Makes texts that people take for the same the same words.
///
/// Compatibility forms, case and marks are off, and letters of Europe that have no decomposition are written as ASCII.
/// Runs of Han, Kana and Hangul, which have no blanks between words, become overlapping pairs and the last character.
/// A word of several parts, as R.E.M., is also found as one: `rem`.
public enum Folding {
  /// SQLite's tokenizer for text of words with blanks between them: every letter beyond ASCII belongs to a word.
  public static let tokenizer = "ascii"

  /// The most letters of a word of several parts that is found as one too.
  static let squeezedMax = 32

  /// A part of a word, in the order of the text.
  enum Part: Hashable {
    case letters(String)
    /// Characters of a script without blanks; two of them at least, or one alone.
    case ideographs([Unicode.Scalar])
  }

  /// Returns the text as one table of words has it.
  public static func indexed(_ text: String) -> String {
    var words: [String] = []
    var squeezed: [String] = []
    for word in Self.words(of: text) {
      for part in word { words += tokens(part, isOver: true) }
      if let one = Self.squeezed(word) { squeezed.append(one) }
    }
    // Behind all others, so that they stand between no two words of a phrase.
    return (words + squeezed).joined(separator: " ")
  }

  /// Returns what two texts have in common that are the same to people, and by which names are sorted. A text without
  /// letters is itself.
  public static func key(_ text: String) -> String {
    let words = Self.words(of: text)
    if words.isEmpty {
      return String(String.UnicodeScalarView(folded(text).filter { !$0.properties.isWhitespace }))
    }
    return words.map { word in
      word.map { part in
        switch part {
        case .letters(let letters): letters
        case .ideographs(let scalars): String(String.UnicodeScalarView(scalars))
        }
      }.joined()
    }.joined(separator: " ")
  }

  /// Returns the words of a part as they are in a table.
  ///
  /// - Parameter isOver: whether the last character of a run stands there alone too.
  static func tokens(_ part: Part, isOver: Bool) -> [String] {
    switch part {
    case .letters(let letters): return [letters]
    case .ideographs(let run):
      var tokens = zip(run, run.dropFirst()).map { String(String.UnicodeScalarView([$0, $1])) }
      if isOver || run.count == 1, let last = run.last { tokens.append(String(last)) }
      return tokens
    }
  }

  /// Returns a word of several parts as one; nil where that is no other word, or too long a one.
  static func squeezed(_ word: [Part]) -> String? {
    guard word.count > 1 else { return nil }
    var one = ""
    for part in word {
      guard case .letters(let letters) = part else { return nil }
      one += letters
    }
    return one.unicodeScalars.count <= squeezedMax ? one : nil
  }

  /// Returns the parts of each word; what has no letter is no word.
  static func words(of text: String) -> [[Part]] {
    var words: [[Part]] = []
    var (word, letters, run) = ([Part](), String.UnicodeScalarView(), [Unicode.Scalar]())
    func endPart() {
      if !letters.isEmpty { word.append(.letters(String(letters))) }
      if !run.isEmpty { word.append(.ideographs(run)) }
      letters = String.UnicodeScalarView()
      run = []
    }
    func endWord() {
      endPart()
      if !word.isEmpty { words.append(word) }
      word = []
    }
    for scalar in folded(text) {
      if hasNoBlanks(scalar) {
        if !letters.isEmpty { endPart() }
        run.append(scalar)
      } else if isLetter(scalar) {
        if !run.isEmpty { endPart() }
        letters.append(scalar)
      } else if scalar.properties.isWhitespace {
        endWord()
      } else {
        endPart()
      }
    }
    endWord()
    return words
  }

  // MARK: Scalars

  private static func folded(_ text: String) -> String.UnicodeScalarView {
    var folded = String.UnicodeScalarView()
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      for byte in text.utf8 {
        folded.append(Unicode.Scalar((65...90).contains(byte) ? byte | 0x20 : byte))
      }
      return folded
    }
    for scalar in text.decomposedStringWithCompatibilityMapping.unicodeScalars
    where !isMark(scalar) {
      for small in scalar.properties.lowercaseMapping.unicodeScalars where !isMark(small) {
        if let ascii = ascii[small] {
          folded.append(contentsOf: ascii.unicodeScalars)
        } else {
          folded.append(small)
        }
      }
    }
    // Hangul's syllables, which were taken apart, are put together again.
    return String(folded).precomposedStringWithCompatibilityMapping.unicodeScalars
  }

  private static let ascii: [Unicode.Scalar: String] = [
    "ø": "o", "æ": "ae", "œ": "oe", "ß": "ss", "đ": "d", "ð": "d", "ł": "l", "ı": "i", "þ": "th",
    "ς": "σ",
  ]

  /// Marks of Latin, Greek, Cyrillic, Hebrew and Arabic. Those of other scripts are letters.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x300...0x36F, 0x483...0x489, 0x591...0x5BD, 0x5BF, 0x5C1, 0x5C2, 0x5C4, 0x5C5, 0x5C7,
      0x610...0x61A, 0x640, 0x64B...0x65F, 0x670, 0x6D6...0x6DC, 0x6DF...0x6E4, 0x6E7, 0x6E8,
      0x6EA...0x6ED, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE00...0xFE0F,
      0xFE20...0xFE2F:
      true
    default: false
    }
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value < 0x80 {
      return (97...122).contains(scalar.value) || (48...57).contains(scalar.value)
    }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber, .nonspacingMark, .spacingMark, .privateUse:
      return true
    default: return false
    }
  }

  /// Han, Kana, Hangul (Unicode 15.0, Blocks.txt), with the signs that repeat or lengthen a character.
  private static func hasNoBlanks(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x11FF, 0x2E80...0x2FDF, 0x3005...0x3007, 0x3021...0x3029, 0x3041...0x3096,
      0x3099...0x309A, 0x309D...0x309F, 0x30A1...0x30FA, 0x30FC...0x30FF, 0x3105...0x312F,
      0x3131...0x318E, 0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA960...0xA97F,
      0xAC00...0xD7FB, 0xF900...0xFAFF, 0x1B000...0x1B16F, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
