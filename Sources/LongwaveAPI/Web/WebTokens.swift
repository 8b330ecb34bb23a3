/// What keeps a script or style from being sent. The tests read all that the program has, so no reader meets one.
struct WebFault: Error, Equatable, CustomStringConvertible {
  let line: Int
  let what: String

  var description: String { "line \(line): \(what)" }

  /// The same with the name of its file.
  func of(_ file: String) -> WebFault { WebFault(line: line, what: "\(file): \(what)") }
}

/// A script or style in its smallest parts, without its comments.
struct WebTokens {
  enum Language { case script, style }

  enum Kind {
    /// A name, a word of the language or a number.
    case word
    case sign
    /// Text in quotation marks, a template without values, or a regular expression.
    case text
    /// The parts of a template up to a value, between two, and from the last one on.
    case templateHead, templateMiddle, templateTail
  }

  /// What stands in front of a token besides comments.
  enum Gap { case none, blank, line }

  struct Token {
    let kind: Kind
    let range: Range<Int>
    let gap: Gap
  }

  let source: [UInt8]
  private(set) var tokens: [Token] = []
  private let language: Language
  private var index = 0
  private var gap = Gap.none
  /// Open braces in the value of each open template.
  private var braces: [Int] = []

  init(_ source: [UInt8], _ language: Language) throws(WebFault) {
    self.source = source
    self.language = language
    while let byte = peek() { try take(byte) }
    guard braces.isEmpty else { throw fault("a template never ends", at: source.count) }
  }

  /// The bytes of a token.
  subscript(_ token: Token) -> ArraySlice<UInt8> { source[token.range] }

  func isWord(_ token: Token, _ word: StaticString) -> Bool {
    token.kind == .word && self[token].elementsEqual(Self.bytes(of: word))
  }

  func isSign(_ token: Token, _ sign: Unicode.Scalar) -> Bool {
    token.kind == .sign && source[token.range.lowerBound] == UInt8(ascii: sign)
  }

  func fault(_ what: String, at place: Int) -> WebFault {
    WebFault(line: source.prefix(place).count { $0 == UInt8(ascii: "\n") } + 1, what: what)
  }

  private static func bytes(of word: StaticString) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
  }
}

extension WebTokens {
  /// Letters, digits and what stands in names; all that is not ASCII counts as letters.
  static func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"),
      UInt8(ascii: "#"), 0x80...:
      true
    default: false
    }
  }

  private func peek(_ ahead: Int = 0) -> UInt8? {
    index + ahead < source.count ? source[index + ahead] : nil
  }

  private mutating func take(_ byte: UInt8) throws(WebFault) {
    switch byte {
    case UInt8(ascii: "\n"):
      index += 1
      gap = .line
    case UInt8(ascii: " "):
      index += 1
      if gap == .none { gap = .blank }
    case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"): try skipComment()
    case UInt8(ascii: "/") where language == .script && peek(1) == byte: skipLine()
    case UInt8(ascii: "/") where language == .script: try takeSlash()
    case UInt8(ascii: "\""), UInt8(ascii: "'"): try takeText(until: byte)
    case UInt8(ascii: "`") where language == .script: try takeTemplate(isHead: true)
    case UInt8(ascii: "}") where braces.last == 0: try takeTemplate(isHead: false)
    case _ where Self.isOfWord(byte):
      let end = source[index...].firstIndex { !Self.isOfWord($0) } ?? source.count
      put(.word, until: end)
    default:
      if let open = braces.indices.last {
        if byte == UInt8(ascii: "{") { braces[open] += 1 }
        if byte == UInt8(ascii: "}") { braces[open] -= 1 }
      }
      put(.sign, until: index + 1)
    }
  }

  private mutating func put(_ kind: Kind, until end: Int) {
    tokens.append(Token(kind: kind, range: index..<end, gap: gap))
    index = end
    gap = .none
  }

  private mutating func skipLine() {
    index = source[index...].firstIndex(of: UInt8(ascii: "\n")) ?? source.count
  }

  private mutating func skipComment() throws(WebFault) {
    let begin = index
    index += 2
    if gap == .none { gap = .blank }
    while let byte = peek() {
      index += 1
      if byte == UInt8(ascii: "\n") { gap = .line }
      guard byte == UInt8(ascii: "*"), peek() == UInt8(ascii: "/") else { continue }
      return index += 1
    }
    throw fault("a comment never ends", at: begin)
  }

  private mutating func takeText(until quote: UInt8) throws(WebFault) {
    var end = index + 1
    while end < source.count, source[end] != UInt8(ascii: "\n") {
      if source[end] == quote { return put(.text, until: end + 1) }
      end += source[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    throw fault("a text never ends", at: index)
  }

  /// Takes a template's part behind its beginning or behind a value.
  private mutating func takeTemplate(isHead: Bool) throws(WebFault) {
    var end = index + 1
    while end < source.count {
      switch source[end] {
      case UInt8(ascii: "\\"): end += 2
      case UInt8(ascii: "`"):
        if !isHead { braces.removeLast() }
        return put(isHead ? .text : .templateTail, until: end + 1)
      case UInt8(ascii: "$") where end + 1 < source.count && source[end + 1] == UInt8(ascii: "{"):
        if isHead { braces.append(0) }
        return put(isHead ? .templateHead : .templateMiddle, until: end + 2)
      default: end += 1
      }
    }
    throw fault("a template never ends", at: index)
  }

  /// Words behind which no division can stand.
  private static let before: [StaticString] = [
    "return", "typeof", "case", "in", "of", "do", "else", "void", "delete", "await", "yield", "new",
    "throw", "instanceof",
  ]

  /// Takes a division, or a regular expression. Blanks must agree with what stands in front, which alone cannot tell:
  /// around a division they stand, and no expression begins with one.
  private mutating func takeSlash() throws(WebFault) {
    let isSpaced = peek(1).map { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") } ?? true
    let isBehindParenthesis = tokens.last.map { isSign($0, ")") } ?? false
    if isExpression ? isSpaced : isBehindParenthesis && !isSpaced {
      throw fault("a slash that may divide or begin a regular expression", at: index)
    }
    if isExpression { try takeExpression() } else { put(.sign, until: index + 1) }
  }

  /// Whether a slash begins a regular expression here, as far as the last token tells.
  private var isExpression: Bool {
    guard let last = tokens.last else { return true }
    switch last.kind {
    case .word: return Self.before.contains { isWord(last, $0) }
    case .text, .templateTail: return false
    case .templateHead, .templateMiddle: return true
    case .sign: return !isSign(last, ")") && !isSign(last, "]")
    }
  }

  /// Takes a regular expression with its flags.
  private mutating func takeExpression() throws(WebFault) {
    var end = index + 1
    var isInSet = false
    while end < source.count, source[end] != UInt8(ascii: "\n") {
      switch source[end] {
      case UInt8(ascii: "\\"): end += 1
      case UInt8(ascii: "["): isInSet = true
      case UInt8(ascii: "]"): isInSet = false
      case UInt8(ascii: "/") where !isInSet:
        let flags = source[(end + 1)...].prefix { Self.isOfWord($0) }
        return put(.text, until: flags.endIndex)
      default: break
      }
      end += 1
    }
    throw fault("a regular expression never ends", at: index)
  }
}
