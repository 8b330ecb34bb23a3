/// Reads the tags and texts of an XML document, as playlists really have them.
///
/// The reader is more lenient than the standard. Names are read without their prefix and in lower case, since ASX knows
/// no case. Attributes may lack quotes, and an `&` that begins no entity stands for itself. Unclosed elements end with
/// the document. Nothing is expanded or fetched.
struct XMLTokens {
  enum Token: Equatable {
    case open(name: String, attributes: [String: [UInt8]])
    case close(name: String)
    /// The text without blanks at its ends; its entities are replaced.
    case text([UInt8])
  }

  private static let attributesMax = 32
  private var rest: ArraySlice<UInt8>
  /// Where the last tag, comment or text begins.
  private(set) var start: Int
  /// Whether the document ends inside a tag, a comment, CDATA or a declaration.
  private(set) var isCut = false
  /// The closing tag of `<x/>`, which is both an opening tag and a closing tag.
  private var pending: Token?

  init(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
    start = bytes.startIndex
  }

  /// Returns the next tag or text; nil at the end.
  mutating func next() -> Token? {
    if let token = pending {
      pending = nil
      return token
    }
    while let first = rest.first {
      start = rest.startIndex
      if first != UInt8(ascii: "<") {
        if let text = readText() { return text }
      } else if rest.starts(with: "<!--".utf8) {
        skip(past: "-->")
      } else if rest.starts(with: "<![CDATA[".utf8) {
        rest = rest.dropFirst("<![CDATA[".utf8.count)
        let text = ASCII.trimmed(read(upTo: "]]>"))
        if !text.isEmpty { return .text(Array(text)) }
      } else if rest.starts(with: "<?".utf8) || rest.starts(with: "<!".utf8) {
        skip(past: ">")
      } else if let tag = readTag() {
        return tag
      }
    }
    return nil
  }

  private mutating func readText() -> Token? {
    let end = rest.firstIndex(of: UInt8(ascii: "<")) ?? rest.endIndex
    let text = ASCII.trimmedLines(rest[..<end])
    rest = rest[end...]
    return text.isEmpty ? nil : .text(Self.withoutEntities(text))
  }

  private mutating func readTag() -> Token? {
    rest = rest.dropFirst()
    let isClosing = rest.first == UInt8(ascii: "/")
    if isClosing { rest = rest.dropFirst() }
    let name = readName()
    if isClosing {
      skip(past: ">")
      return name.isEmpty ? nil : .close(name: name)
    }
    var attributes: [String: [UInt8]] = [:]
    while let byte = firstInk(), byte != UInt8(ascii: ">") {
      if byte == UInt8(ascii: "/") {
        rest = rest.dropFirst()
        if rest.first == UInt8(ascii: ">") { pending = .close(name: name) }
      } else if !readAttribute(into: &attributes) {
        rest = rest.dropFirst()
      }
    }
    if rest.isEmpty { isCut = true }
    rest = rest.dropFirst()
    if name.isEmpty { pending = nil }
    return name.isEmpty ? nil : .open(name: name, attributes: attributes)
  }

  private mutating func readAttribute(into attributes: inout [String: [UInt8]]) -> Bool {
    let name = readName()
    guard !name.isEmpty else { return false }
    skipBlanks()
    guard rest.first == UInt8(ascii: "=") else { return true }
    rest = rest.dropFirst()
    skipBlanks()
    let value: ArraySlice<UInt8>
    if let quote = rest.first, quote == ASCII.quote || quote == UInt8(ascii: "\"") {
      rest = rest.dropFirst()
      let end = rest.firstIndex(of: quote) ?? rest.endIndex
      value = rest[..<end]
      rest = rest[end...].dropFirst()
    } else {
      value = rest.prefix { !Self.isBlank($0) && $0 != UInt8(ascii: ">") }
      rest = rest[value.endIndex...]
    }
    if attributes.count < Self.attributesMax {
      attributes[name] = Self.withoutEntities(ASCII.trimmedLines(value))
    }
    return true
  }

  private mutating func readName() -> String {
    skipBlanks()
    let name = rest.prefix { byte in
      ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-_.:".utf8.contains(byte) || byte >= 0x80
    }
    rest = rest[name.endIndex...]
    let bare = name.lastIndex(of: UInt8(ascii: ":")).map { name[$0...].dropFirst() } ?? name
    return String(decoding: bare, as: UTF8.self).lowercased()
  }

  private mutating func firstInk() -> UInt8? {
    skipBlanks()
    return rest.first
  }

  private mutating func skipBlanks() {
    rest = rest.drop(while: Self.isBlank)
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    ASCII.isBlank(byte) || byte == ASCII.lineFeed || byte == ASCII.carriageReturn
  }

  private mutating func skip(past end: StaticString) { _ = read(upTo: end) }

  private mutating func read(upTo end: StaticString) -> ArraySlice<UInt8> {
    let wanted = Array("\(end)".utf8)
    var index = rest.startIndex
    while index < rest.endIndex {
      if rest[index...].starts(with: wanted) {
        let taken = rest[..<index]
        rest = rest[index...].dropFirst(wanted.count)
        return taken
      }
      index += 1
    }
    defer { rest = [] }
    isCut = true
    return rest
  }

  // MARK: Entities

  private static let named: [(name: StaticString, byte: UInt8)] = [
    ("amp", UInt8(ascii: "&")), ("lt", UInt8(ascii: "<")), ("gt", UInt8(ascii: ">")),
    ("quot", UInt8(ascii: "\"")), ("apos", ASCII.quote),
  ]

  private static func withoutEntities(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var rest = text
    while let byte = rest.first {
      // The longest entity is `&#x10FFFF;`.
      if byte == UInt8(ascii: "&"),
        let end = rest.prefix(10).firstIndex(of: UInt8(ascii: ";")),
        let meant = entity(rest[..<end].dropFirst())
      {
        result += meant
        rest = rest[end...].dropFirst()
      } else {
        result.append(byte)
        rest = rest.dropFirst()
      }
    }
    return result
  }

  private static func entity(_ name: ArraySlice<UInt8>) -> [UInt8]? {
    guard name.first == UInt8(ascii: "#") else {
      return named.first { name.elementsEqual("\($0.name)".utf8) }.map { [$0.byte] }
    }
    let digits = String(decoding: name.dropFirst(), as: UTF8.self)
    let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return number.flatMap(Unicode.Scalar.init).map { Array(String(Character($0)).utf8) }
  }
}

extension ASCII {
  /// The bytes without blanks and line ends at either end.
  static func trimmedLines(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isInk(_ byte: UInt8) -> Bool {
      !isBlank(byte) && byte != lineFeed && byte != carriageReturn
    }
    guard let first = bytes.firstIndex(where: isInk), let last = bytes.lastIndex(where: isInk)
    else { return [] }
    return bytes[first...last]
  }
}
