/// A script with what it asks of others and gives to them.
struct WebModule {
  /// A statement that names another module.
  struct Import {
    /// Its tokens; of a later one those of `import("./name.js")`.
    let tokens: Range<Int>
    let name: String
    /// What of the module is taken, as a constant's declaration puts it; nil for nothing, or for a later import.
    var pattern: String?
    /// Names that the other one must give.
    var taken: [String] = []
  }

  /// A declaration whose name other modules take.
  struct Export {
    /// The words that a function's scope cannot have: `export`, or `export default`.
    let words: Range<Int>
    let name: String
  }

  let name: String
  let script: WebTokens
  private(set) var imports: [Import] = []
  private(set) var laterImports: [Import] = []
  private(set) var exports: [Export] = []
  /// The tokens of each `import.meta.url`.
  private(set) var ownAddresses: [Range<Int>] = []
  /// The first statement that works in a file of its own only.
  private(set) var refusal: WebFault?

  private var index = 0
  private var depth = 0
  /// Whether a statement that is no import has begun.
  private var hasBegun = false

  init(_ name: String, _ source: [UInt8]) throws(WebFault) {
    self.name = name
    do { script = try WebTokens(source, .script) } catch { throw error.of(name) }
    while index < script.tokens.count {
      if depth == 0, isStatement, says("import") {
        try takeImport()
      } else if depth == 0, isStatement, says("export") {
        hasBegun = true
        takeExport()
      } else {
        hasBegun = true
        try pass()
      }
    }
  }

  /// Returns the token so many places ahead.
  private func peek(_ ahead: Int = 0) -> WebTokens.Token? {
    let place = index + ahead
    return script.tokens.indices.contains(place) ? script.tokens[place] : nil
  }

  private func says(_ word: StaticString, _ ahead: Int = 0) -> Bool {
    peek(ahead).map { script.isWord($0, word) } ?? false
  }

  private func has(_ sign: Unicode.Scalar, _ ahead: Int = 0) -> Bool {
    peek(ahead).map { script.isSign($0, sign) } ?? false
  }

  private func text(_ ahead: Int = 0) -> String {
    peek(ahead).map { String(decoding: script[$0], as: UTF8.self) } ?? ""
  }

  /// Whether a statement may begin here, and it is no part of an expression.
  private var isStatement: Bool {
    guard !has("(", 1), !has(".", 1) else { return false }
    return index == 0 || peek()?.gap == .line || has(";", -1) || has("}", -1)
  }

  func fault(_ what: String, at place: Int) -> WebFault {
    script.fault(what, at: place).of(name)
  }

  private func fault(_ what: String) -> WebFault {
    fault(what, at: peek()?.range.lowerBound ?? script.source.count)
  }

  private mutating func refuse(_ what: String) {
    if refusal == nil { refusal = fault(what) }
  }

  /// Goes on by one token.
  private mutating func pass() throws(WebFault) {
    guard let token = peek() else { return }
    switch token.kind {
    case .templateHead: depth += 1
    case .templateTail: depth -= 1
    case .sign:
      if has("(") || has("[") || has("{") { depth += 1 }
      if has(")") || has("]") || has("}") { depth -= 1 }
    case .word: try passWord()
    case .text, .templateMiddle: break
    }
    index += 1
  }

  private mutating func passWord() throws(WebFault) {
    if peek().flatMap({ script[$0].first }) == UInt8(ascii: "$") {
      throw fault("names something \(text()), as layers do")
    }
    if has(".", -1) { return }
    if depth == 0, says("await") { refuse("waits before it has begun") }
    if depth == 0, says("export") { throw fault("exports in a way that is not known") }
    if says("import") { try passImport() }
  }

  /// Notes what is imported later, or names its own address.
  private mutating func passImport() throws(WebFault) {
    if has("(", 1), peek(2)?.kind == .text, has(")", 3) {
      laterImports.append(Import(tokens: index..<(index + 4), name: try path(text(2))))
    } else if has(".", 1), says("meta", 2), has(".", 3), says("url", 4) {
      ownAddresses.append(index..<(index + 5))
    } else if has("(", 1) {
      // Layers stand beside the modules that are in no folder.
      if name.contains("/") { refuse("imports from a folder what is not known before") }
    } else if has(".", 1) {
      refuse("asks what a file of its own is")
    } else if depth == 0 {
      throw fault("imports in a way that is not known")
    }
  }

  /// Returns the name of a module that stands in quotation marks, relative to this one.
  private func path(_ quoted: String) throws(WebFault) -> String {
    let path = quoted.dropFirst().dropLast()
    guard path.hasPrefix("./") || path.hasPrefix("../") else {
      throw fault("imports \(quoted), which is no path")
    }
    var parts = name.split(separator: "/").dropLast()
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return parts.joined(separator: "/")
  }
}

extension WebModule {
  private mutating func takeImport() throws(WebFault) {
    if hasBegun { throw fault("imports behind its first statement") }
    let begin = index
    index += 1
    if peek()?.kind == .text { return try endImport(begin) }
    var pattern: String?
    var taken: [String] = []
    if has("{") {
      (pattern, taken) = try takeNames()
    } else if has("*"), says("as", 1) {
      pattern = text(2)
      index += 3
    } else if peek()?.kind == .word {
      pattern = "{default:\(text())}"
      taken = ["default"]
      index += 1
    }
    guard pattern != nil, says("from"), peek(1)?.kind == .text else {
      throw fault("imports in a way that is not known")
    }
    index += 1
    try endImport(begin, pattern, taken)
  }

  private mutating func endImport(_ begin: Int, _ pattern: String? = nil, _ taken: [String] = [])
    throws(WebFault)
  {
    let other = try path(text())
    index += has(";", 1) ? 2 : 1
    imports.append(Import(tokens: begin..<index, name: other, pattern: pattern, taken: taken))
  }

  /// Takes `{ name, name as other }`.
  private mutating func takeNames() throws(WebFault) -> (pattern: String, taken: [String]) {
    var names: [String] = []
    var parts: [String] = []
    index += 1
    while !has("}") {
      guard peek()?.kind == .word else { throw fault("imports in a way that is not known") }
      names.append(text())
      if says("as", 1) {
        parts.append("\(text()):\(text(2))")
        index += 3
      } else {
        parts.append(text())
        index += 1
      }
      if has(",") { index += 1 }
    }
    index += 1
    return ("{\(parts.joined(separator: ","))}", names)
  }

  private mutating func takeExport() {
    if says("default", 1), has("{", 2) {
      exports.append(Export(words: index..<(index + 2), name: "default"))
      index += 2
      return
    }
    let words = index..<(index + 1)
    index += 1
    if says("const"), peek(1)?.kind == .word, has("=", 2) {
      exports.append(Export(words: words, name: text(1)))
      if declaresMore { refuse("exports two constants in one statement") }
    } else if says("class"), peek(1)?.kind == .word {
      exports.append(Export(words: words, name: text(1)))
    } else {
      let before = says("async") ? 1 : 0
      if says("function", before), peek(before + 1)?.kind == .word {
        exports.append(Export(words: words, name: text(before + 1)))
      } else {
        refuse("exports in a way that only a file of its own can")
      }
    }
  }

  /// Whether a comma parts the statement at this place in two declarations.
  private var declaresMore: Bool {
    var depth = 0
    for token in script.tokens[index...] {
      switch token.kind {
      case .templateHead: depth += 1
      case .templateTail: depth -= 1
      case .sign:
        let sign = script.source[token.range.lowerBound]
        if "([{".utf8.contains(sign) { depth += 1 }
        if ")]}".utf8.contains(sign) { depth -= 1 }
        if depth == 0, sign == UInt8(ascii: ",") { return true }
        if depth == 0, sign == UInt8(ascii: ";") { return false }
      case .word, .text, .templateMiddle: break
      }
    }
    return false
  }
}
