/// Scripts and styles as they are sent: without comments and without blanks that say nothing, a third less to load.
///
/// Lines stay lines, so that a place in a browser's console can be found, and so that semicolons may be left out.
struct WebSource {
  private(set) var sent: [UInt8] = []
  /// Whether the last token is a regular expression: a word at its end would read as its flags.
  private var isBehindExpression = false

  /// Returns a style as it is sent.
  static func style(_ source: [UInt8]) throws(WebFault) -> [UInt8] {
    let tokens = try WebTokens(source, .style)
    var style = WebSource()
    for token in tokens.tokens { style.put(rule: token, of: tokens) }
    return style.ended()
  }

  /// Returns a script as it is sent.
  static func script(_ source: [UInt8]) throws(WebFault) -> [UInt8] {
    let tokens = try WebTokens(source, .script)
    var script = WebSource()
    for token in tokens.tokens { script.put(token, of: tokens) }
    return script.ended()
  }

  /// Adds a token of a script.
  mutating func put(_ token: WebTokens.Token, of tokens: WebTokens) {
    put(tokens[token], behind: token.gap)
    isBehindExpression = token.kind == .text && tokens[token].first == UInt8(ascii: "/")
  }

  /// Adds what no source has, with what a script needs in front of it.
  mutating func put(_ text: String, behind gap: WebTokens.Gap = .none) {
    put(Array(text.utf8)[...], behind: gap)
    isBehindExpression = false
  }

  private mutating func put(_ bytes: ArraySlice<UInt8>, behind gap: WebTokens.Gap) {
    switch gap {
    case .line: breakLine()
    case .blank:
      if let last = sent.last, let first = bytes.first,
        Self.areOne(last, first) || isBehindExpression && WebTokens.isOfWord(first)
      {
        sent.append(UInt8(ascii: " "))
      }
    case .none: break
    }
    sent += bytes
  }

  mutating func breakLine() {
    if let last = sent.last, last != UInt8(ascii: "\n") { sent.append(UInt8(ascii: "\n")) }
  }

  /// Returns all, with its last line ended.
  consuming func ended() -> [UInt8] {
    breakLine()
    return sent
  }

  /// Whether two neighbours without a blank between them would read as another word or sign, or as a comment.
  private static func areOne(_ last: UInt8, _ first: UInt8) -> Bool {
    if WebTokens.isOfWord(last) {
      // A dot behind a number is the number's.
      return WebTokens.isOfWord(first) || first == UInt8(ascii: ".")
    }
    return last == first
      && (last == UInt8(ascii: "+") || last == UInt8(ascii: "-") || last == UInt8(ascii: "/"))
  }

  /// Adds a token of a style. Blanks say something there, except around what parts rules and declarations.
  private mutating func put(rule token: WebTokens.Token, of tokens: WebTokens) {
    let bytes = tokens[token]
    if token.gap != .none, let last = sent.last, let first = bytes.first {
      if last == UInt8(ascii: "}"), token.gap == .line {
        breakLine()
      } else if !Self.parts(last), last != UInt8(ascii: ":"), !Self.parts(first) {
        sent.append(UInt8(ascii: " "))
      }
    }
    sent += bytes
  }

  private static func parts(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: ";"), UInt8(ascii: ","): true
    default: false
    }
  }
}
