import Wire

/// A configuration's text without its secrets, line for line.
///
/// It works on texts that are no YAML too, so it goes by words and indentation, and rather hides too much: behind a key
/// that names a secret all of the line is hidden, and all that may be the rest of its value: lines that are indented
/// deeper, are its list, go on with its quoted text, or begin no key. Between braces the value ends before the next
/// key, and what follows is shown. Words that are known as secrets are hidden wherever they stand, behind an anchor for
/// example. Which keys are secrets': `SecretNames`.
struct MaskedText {
  static let mask = "•••"

  private let known: Set<Substring>
  private var block = Block()
  /// The block of the lines behind `#`: keys are switched off by it.
  private var comment = Block()

  /// Returns the lines of a configuration without secrets, and without the `known` ones.
  static func masked(_ lines: [Substring], known: Set<Substring> = []) -> [String] {
    var text = MaskedText(known: known)
    return lines.map { text.withoutKnown(text.masked($0)) }
  }

  /// Returns some lines of a configuration without secrets, by their places; those behind the last one are not looked
  /// at.
  static func masked(
    _ lines: [Substring], known: Set<Substring>, only wanted: Set<Int>
  ) -> [Int: String] {
    var text = MaskedText(known: known)
    var masked: [Int: String] = [:]
    for place in lines.indices.prefix((wanted.max() ?? -1) + 1) {
      let line = text.masked(lines[place])
      if wanted.contains(place) { masked[place] = text.withoutKnown(line) }
    }
    return masked
  }

  private init(known: Set<Substring>) { self.known = known }

  private mutating func masked(_ line: Substring) -> String {
    let content = line.drop { $0 == " " || $0 == "\t" }
    guard content.first == "#", !block.isQuoted, !block.holds(line) else {
      comment = Block()
      return block.masked(line)
    }
    let words = content.drop { $0 == "#" }
    let text = comment.masked(words)
    return String(line[..<words.startIndex]) + Self.withoutSecretWords(text[...])
  }

  /// Returns a comment up to its first word for a secret: what follows may be one.
  private static func withoutSecretWords(_ text: Substring) -> String {
    guard let end = endOfSecretWord(in: text) else { return String(text) }
    let plural = text[end...].prefix(1).filter { $0 == "s" }
    let rest = text[end...].dropFirst(plural.count)
    guard rest.contains(where: { $0.isLetter || $0.isNumber }) else { return String(text) }
    return String(text[..<rest.startIndex]) + " " + mask
  }

  /// Returns where the first word for a secret ends, in letters of either case.
  private static func endOfSecretWord(in text: Substring) -> Substring.Index? {
    var rest = text.utf8
    while !rest.isEmpty {
      // 32 is what small letters of ASCII have besides.
      let first = rest[rest.startIndex] | 32
      let word = SecretNames.words.first { word in
        guard word.utf8.first == first else { return false }
        let part = rest.prefix(word.utf8.count)
        return part.count == word.utf8.count && zip(part, word.utf8).allSatisfy { $0 | 32 == $1 }
      }
      if let word { return rest.index(rest.startIndex, offsetBy: word.utf8.count) }
      rest = rest.dropFirst()
    }
    return nil
  }

  private func withoutKnown(_ line: String) -> String {
    if known.isEmpty { return line }
    var (text, rest) = ("", line[...])
    while let first = rest.first {
      let isBetween = Self.betweenWords.contains(first)
      let part = rest.prefix { Self.betweenWords.contains($0) == isBetween }
      text += known.contains(part) ? Self.mask[...] : part
      rest = rest[part.endIndex...]
    }
    return text
  }

  private static let betweenWords: Set<Character> = [
    " ", "\t", "\"", "'", ",", "[", "]", "{", "}",
  ]

  // MARK: Keys

  /// Lines of which the value of a secret key may be several.
  private struct Block {
    /// Columns of the key whose value goes on in the following lines; nil outside of one.
    private var hidden: Int?
    /// The quote that the value has opened and not closed.
    private var quote: UInt8?
    /// Whether the last line names a secret: `: value` may follow it.
    private var mayBeKey = false
    /// Columns of a key that nobody knows, whose value may be in the following lines.
    private var stranger: Int?
    /// The value between braces that goes on in the following lines; nil outside of one.
    private var flow: FlowValue?

    var isQuoted: Bool { quote != nil || flow != nil }

    private static func indentation(_ line: Substring) -> Int {
      line.utf8.prefix { $0 == 32 || $0 == 9 }.count
    }

    /// Whether a line is deeper than the key whose value goes on.
    func holds(_ line: Substring) -> Bool {
      hidden.map { Self.indentation(line) > $0 } ?? false
    }

    mutating func masked(_ line: Substring) -> String {
      let indentation = Self.indentation(line)
      let content = line.utf8.dropFirst(indentation)
      guard let first = content.first else { return "" }
      let blanks = String(repeating: " ", count: indentation)
      if var value = flow {
        flow = value.end(in: Substring(content)) == nil ? value : nil
        return blanks + MaskedText.mask
      }
      if isQuoted {
        followQuotes(in: content)
        return blanks + MaskedText.mask
      }
      let isValue = first == UInt8(ascii: ":") && (hidden != nil || mayBeKey)
      if isValue, hidden == nil { hidden = indentation }
      mayBeKey = MaskedText.endOfSecretWord(in: line) != nil
      if let column = hidden, !isValue {
        if content.allSatisfy({ "]},".utf8.contains($0) || $0 == 32 }) { return String(line) }
        let isItem = first == UInt8(ascii: "-")
        let isDeeper = indentation > column || isItem && indentation == column
        if isDeeper || !isItem && !Self.isKey(content) {
          followQuotes(in: content)
          return blanks + (isItem ? "- " : "") + MaskedText.mask
        }
        hidden = nil
      }
      if isRandom(content, of: line, at: indentation) {
        return blanks + (first == UInt8(ascii: "-") ? "- " : "") + MaskedText.mask
      }
      if isValue {
        followQuotes(in: content.dropFirst())
        return blanks + ": " + MaskedText.mask
      }
      return shown(line)
    }

    /// Whether a line is a value, without a key, below a key that nobody knows, and looks like a secret.
    private mutating func isRandom(
      _ content: Substring.UTF8View, of line: Substring, at indentation: Int
    ) -> Bool {
      if Self.isKey(content) {
        let name = Substring(content).drop { "- \t\"'".contains($0) }.prefix {
          !": \t\"'".contains($0)
        }
        let column = line.prefix { $0 == " " || $0 == "-" || $0 == "\t" }.count
        let isDeeper = stranger.map { column > $0 } ?? false
        if !isDeeper { stranger = SecretNames.isUnknown(String(name)) ? column : nil }
        return false
      }
      guard let stranger, indentation >= stranger else { return false }
      return SecretNames.looksRandom(Substring(content).drop { "- ".contains($0) })
    }

    /// Returns a line without the values of its secret keys.
    private mutating func shown(_ line: Substring) -> String {
      var (text, rest) = ("", line)
      while let place = MaskedText.secret(in: rest, of: line) {
        text += MaskedText.withoutPasswords(rest[..<place.value])
        rest = rest[place.value...]
        let isEmpty = rest.allSatisfy { $0 == " " || $0 == "\t" }
        if !isEmpty { text += " " + MaskedText.mask }
        guard place.isInBraces else {
          // The items of a list of mappings are indented by their dash too.
          hidden = line.prefix { $0 == " " || $0 == "-" || $0 == "\t" }.count
          followQuotes(in: rest.utf8)
          return text
        }
        var value = FlowValue()
        guard let end = value.end(in: rest) else {
          flow = value
          return text
        }
        rest = rest[end...]
      }
      return text + MaskedText.withoutSecretsBehindHash(MaskedText.withoutPasswords(rest))
    }

    /// Whether a line begins a key or ends a document, and so is no part of a plain value.
    private static func isKey(_ line: Substring.UTF8View) -> Bool {
      var last: UInt8?
      for byte in line {
        if last == UInt8(ascii: ":"), byte == 32 || byte == 9 { return true }
        last = byte
      }
      return last == UInt8(ascii: ":")
    }

    /// Notes whether a text leaves a quote open. A quote within a word is none.
    private mutating func followQuotes(in text: Substring.UTF8View) {
      var last: UInt8 = 32
      var isEscaped = false
      for byte in text {
        defer { last = byte }
        if let open = quote {
          if isEscaped {
            isEscaped = false
          } else if byte == UInt8(ascii: "\\") {
            isEscaped = open == UInt8(ascii: "\"")
          } else if byte == open {
            quote = nil
          }
        } else if byte == UInt8(ascii: "#"), last == 32 || last == 9 {
          return
        } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
          if " \t[{,:'\"".utf8.contains(last) { quote = byte }
        }
      }
    }
  }

  private struct SecretPlace {
    /// Where the value begins.
    var value: Substring.Index
    /// Whether the key stands between braces that its line has opened.
    var isInBraces: Bool
  }

  /// Returns the first secret key of a part of a line.
  private static func secret(in part: Substring, of line: Substring) -> SecretPlace? {
    var place = part.startIndex
    while let colon = part[place...].firstIndex(of: ":") {
      place = part.index(after: colon)
      let ending = part[..<colon].reversed().drop { " \t\"'".contains($0) }
      let name = ending.prefix {
        $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_")
      }
      let (key, value) = (String(name.reversed()), part[place...])
      let before = ending.dropFirst(name.count).first { !" \t\"'".contains($0) }
      let isQuoted = part[..<colon].last.map { "\"'".contains($0) } ?? false
      let isKey = isQuoted || value.first.map { " \t".contains($0) } ?? true
      // What stands before the password of a URL is no key, and passwords of URLs are hidden anyway.
      if !isKey, before == "/" { continue }
      // Where YAML has keys. A dash is part of a name.
      let isPlaced = isKey && (before.map { "{,?".contains($0) } ?? true)
      guard
        SecretNames.hides(key, before: value)
          || isPlaced && !key.isEmpty && SecretNames.hides(otherKey: key, before: value)
      else { continue }
      return SecretPlace(value: place, isInBraces: isKey && mayBeInBraces(line[..<colon]))
    }
    return nil
  }

  /// Bytes of a line in front of a key that are looked at: lines that are longer hide too much.
  private static let lookBytesMax = 4000

  private static func mayBeInBraces(_ text: Substring) -> Bool {
    text.utf8.count <= lookBytesMax && FlowValue.isOpen(in: text.utf8)
  }

  /// Hides what a comment behind a line tells of a secret.
  private static func withoutSecretsBehindHash(_ line: String) -> String {
    guard let hash = line.firstRange(of: " #") else { return line }
    return String(line[..<hash.upperBound]) + withoutSecretWords(line[hash.upperBound...])
  }

  // MARK: URLs

  /// Returns a line with `•••` in place of user and password of its URLs, and of parameters that name a secret.
  static func withoutPasswords(_ line: Substring) -> String {
    var (text, rest) = ("", line)
    while let begin = rest.firstRange(of: "://") {
      text += rest[..<begin.upperBound]
      rest = rest[begin.upperBound...]
      let url = rest.prefix { !" \t\"'<>,]}".contains($0) }
      text += maskedURL(url)
      rest = rest[url.endIndex...]
    }
    return text + rest
  }

  /// - Parameter url: A URL behind its `://`.
  private static func maskedURL(_ url: Substring) -> String {
    let authority = url.prefix { !"/?#".contains($0) }
    // A password may hold a slash that nobody has escaped; everything up to the last @ is hidden then.
    let end = authority.contains("@") ? authority.lastIndex(of: "@") : url.lastIndex(of: "@")
    var (text, rest) = ("", url)
    if let end, authority.contains("@") || authority.contains(":") {
      text = mask
      rest = url[end...]
    }
    guard let query = rest.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return text + rest }
    text += rest[..<query]
    var isFirst = true
    for part in rest[query...].dropFirst().split(
      separator: "&", omittingEmptySubsequences: false)
    {
      text += isFirst ? String(rest[query]) : "&"
      isFirst = false
      guard let equals = part.firstIndex(of: "=") else {
        text += part
        continue
      }
      let isSecret = SecretNames.isSecret(parameter: String(part[..<equals]))
      text += part[...equals] + (isSecret ? mask[...] : part[equals...].dropFirst())
    }
    return text
  }
}
