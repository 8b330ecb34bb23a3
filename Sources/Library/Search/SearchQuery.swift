import Wire

/// What somebody looks for in the library, read from one line.
///
/// Words are beginnings of words, and all must be there. In quotes, words stand side by side and whole. A field's name and
/// a colon in front look in that field alone: `artist:`, `title:`, `album:`, `genre:`, `path:` and `year:1980-1989`. What
/// follows a colon is one word, or words in quotes. Nothing of the text reaches SQLite but letters and digits.
public struct SearchQuery: Hashable, Sendable {
  /// Where a word is looked for. The raw value is the column of the table of words, and the word in front of a colon.
  public enum Field: String, CaseIterable, Sendable {
    case title, artist, album, path, genre
  }

  /// Why a line cannot be looked for.
  public enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
    case tooLong
    case tooManyWords
    case badYear(String)

    public var description: String {
      switch self {
      case .tooLong: "is longer than \(SearchQuery.bytesMax) bytes"
      case .tooManyWords: "has more than \(SearchQuery.termsMax) words"
      case .badYear(let text):
        "has year:\(text), which is no year; write year:1985 or year:1980-1989"
      }
    }
  }

  public static let bytesMax = 1000
  public static let termsMax = 32
  /// Years that a track can be of.
  public static let years = 1...9999
  /// Fields that a word without a field is looked for in.
  private static let common = "{title artist album path}"

  /// The expression for SQLite's FTS5; nil where no word is looked for.
  public private(set) var match: String?
  public private(set) var years: ClosedRange<Int>?
  /// What a title or an artist is that is just what was asked for, as of `Folding.key`; nil where fields are named.
  public private(set) var exact: String?
  /// Whether a word has enough letters for what is found to be ranked: two letters are the beginning of too much.
  public private(set) var isRanked = false
  /// Whether something was asked for that has no letters, and so is only found as a whole.
  public private(set) var isExactOnly = false
  /// Whether a field has to have what no word is, so that nothing is found.
  public private(set) var findsNothing = false

  /// - Parameters:
  ///   - fields: words that one field alone must have, besides the line's.
  ///   - year: as behind `year:`.
  /// - Throws: where a text is too long, has too many words, or a year that is none.
  public init(
    _ line: String, fields: [(field: Field, words: String)] = [], year: String? = nil
  ) throws(Problem) {
    guard line.utf8.count <= Self.bytesMax,
      fields.allSatisfy({ $0.words.utf8.count <= Self.bytesMax })
    else { throw .tooLong }
    var terms = Self.terms(of: line)
    terms += fields.map { Term(field: $0.field, text: $0.words) }
    if let year { terms.append(Term(isYear: true, text: year)) }
    guard terms.count <= Self.termsMax else { throw .tooManyWords }
    var all: [String] = []
    for term in terms {
      if term.isYear {
        let years = try Self.years(term.text)
        self.years = self.years.map { Self.common($0, years) } ?? years
        continue
      }
      let words = Folding.words(of: term.text)
      if term.isQuoted {
        if let phrase = Self.expression(words, isQuoted: true) { all.append(term.in(phrase)) }
      } else {
        for word in words {
          if let found = Self.expression([word], isQuoted: false) { all.append(term.in(found)) }
        }
      }
      isRanked = isRanked || words.contains { $0.contains(where: Self.isLong) }
      if term.field != nil, words.isEmpty { findsNothing = true }
    }
    guard all.count <= Self.termsMax else { throw .tooManyWords }
    match = all.isEmpty ? nil : all.joined(separator: " AND ")
    guard terms.allSatisfy({ $0.field == nil && !$0.isYear }) else { return }
    let key = Folding.key(terms.map(\.text).joined(separator: " "))
    exact = key.isEmpty ? nil : key
    isExactOnly = match == nil && exact != nil
  }

  /// What no year is in: two ranges that have none in common.
  private static let noYears = 0...0

  private static func common(_ one: ClosedRange<Int>, _ other: ClosedRange<Int>) -> ClosedRange<Int>
  {
    one.overlaps(other) ? one.clamped(to: other) : noYears
  }

  private static func isLong(_ part: Folding.Part) -> Bool {
    switch part {
    case .letters(let letters): letters.unicodeScalars.count >= 3
    case .ideographs(let run): run.count >= 2
    }
  }

  /// Returns what FTS5 looks for: `"nina" *`, `("r e m" * OR "rem" *)`.
  private static func expression(_ words: [[Folding.Part]], isQuoted: Bool) -> String? {
    let parts = words.flatMap { $0 }
    guard let last = parts.last else { return nil }
    var tokens = parts.dropLast().flatMap { Folding.tokens($0, isOver: true) }
    tokens += Folding.tokens(last, isOver: false)
    var star = isQuoted ? "" : " *"
    if case .ideographs(let run) = last { star = run.count == 1 ? " *" : "" }
    let phrase = "\"\(tokens.joined(separator: " "))\"\(star)"
    guard words.count == 1, let one = Folding.squeezed(words[0]) else { return phrase }
    return "(\(phrase) OR \"\(one)\"\(star))"
  }

  /// Reads 1985, 1980-1989, 1980- or -1989; a dash of any length.
  private static func years(_ text: String) throws(Problem) -> ClosedRange<Int> {
    let dashes: Set<Character> = ["-", "–", "—"]
    let ends = text.split(omittingEmptySubsequences: false) { dashes.contains($0) }
    func year(_ text: Substring, _ open: Int) -> Int? {
      if text.isEmpty { return open }
      return Int(text, in: years)
    }
    guard ends.count <= 2, ends.contains(where: { !$0.isEmpty }),
      let first = year(ends[0], years.lowerBound),
      let last = ends.count == 2 ? year(ends[1], years.upperBound) : first, first <= last
    else { throw .badYear(text) }
    return first...last
  }
}

// MARK: - Terms

extension SearchQuery {
  /// One word, or words in quotes, and where they are looked for.
  private struct Term {
    var field: Field?
    var isYear = false
    var isQuoted = false
    var text = ""

    func `in`(_ expression: String) -> String {
      "\(field?.rawValue ?? SearchQuery.common) : \(expression)"
    }
  }

  /// Quotes that open and close, in any language; which one closes does not matter.
  private static let quotes: Set<Unicode.Scalar> = ["\"", "“", "”", "„", "«", "»", "「", "」"]

  private static func terms(of line: String) -> [Term] {
    var terms: [Term] = []
    var term = Term()
    var isOpen = false
    func end() {
      if !term.text.isEmpty {
        terms.append(term)
        term = Term()
      }
      term.isQuoted = false
    }
    for scalar in line.unicodeScalars {
      if quotes.contains(scalar) {
        // A quote begins or ends words, wherever it stands.
        end()
        isOpen.toggle()
        term.isQuoted = isOpen
        if !isOpen { term = Term() }
      } else if isOpen {
        term.text.unicodeScalars.append(scalar)
      } else if scalar.properties.isWhitespace {
        end()
      } else if scalar == ":", term.field == nil, !term.isYear, let name = named(term.text) {
        // A blank behind the colon changes nothing: the next word is meant.
        term = name
      } else {
        term.text.unicodeScalars.append(scalar)
      }
    }
    end()
    return terms
  }

  private static func named(_ text: String) -> Term? {
    let name = text.lowercased()
    if name == "year" { return Term(isYear: true) }
    return Field(rawValue: name).map { Term(field: $0) }
  }
}
