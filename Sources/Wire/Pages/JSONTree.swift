/// Reads JSON into the same tree as XML. A member becomes an element named by its key, and a list's items become
/// elements named by the list's key. Any other value becomes an element's text, and `null` becomes nothing.
///
/// So a reader of servers' pages finds a single value and a list of one value in the same place. The reader is more
/// lenient than RFC 8259: an invalid value (`"title":-`, which Icecast has written) is text, and unclosed values end
/// with the document.
struct JSONTree {
  /// The deepest nesting of objects and lists; no real document is deeper.
  private static let depthMax = 64

  private var rest: ArraySlice<UInt8>
  private let text: ([UInt8]) -> String

  /// Returns the document's object or a list's first item; nil where the bytes are neither. `text` decodes strings.
  static func read(_ bytes: [UInt8], text: ([UInt8]) -> String) -> XMLNode? {
    // The closure is used during this call only.
    withoutActuallyEscaping(text) { text in
      var reader = JSONTree(rest: bytes[...], text: text)
      reader.skipBlanks()
      guard let first = reader.rest.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
      else { return nil }
      var root = XMLNode(name: "")
      reader.value("", into: &root, depth: 0)
      return root.children.first
    }
  }

  private mutating func value(_ name: String, into parent: inout XMLNode, depth: Int) {
    skipBlanks()
    guard depth < Self.depthMax else { return rest = [] }
    var node = XMLNode(name: name)
    switch rest.first {
    case UInt8(ascii: "{"):
      members(into: &node, depth: depth)
      parent.children.append(node)
    case UInt8(ascii: "["):
      items(name, into: &parent, depth: depth)
    case UInt8(ascii: "\""):
      node.text = text(string())
      parent.children.append(node)
    default:
      let word = bareWord()
      guard !word.elementsEqual("null".utf8) else { return }
      node.text = text(Array(word))
      parent.children.append(node)
    }
  }

  private mutating func members(into node: inout XMLNode, depth: Int) {
    rest = rest.dropFirst()
    while skipSeparators(), rest.first != UInt8(ascii: "}") {
      guard rest.first == UInt8(ascii: "\"") else {
        // Something without a key is left out.
        _ = bareWord()
        if rest.first.map({ "[]{:".utf8.contains($0) }) == true { rest = rest.dropFirst() }
        continue
      }
      let key = text(string()).lowercased()
      skipBlanks()
      guard rest.first == UInt8(ascii: ":") else { continue }
      rest = rest.dropFirst()
      value(key, into: &node, depth: depth + 1)
    }
    rest = rest.dropFirst()
  }

  private mutating func items(_ name: String, into parent: inout XMLNode, depth: Int) {
    rest = rest.dropFirst()
    while skipSeparators(), rest.first != UInt8(ascii: "]") {
      let before = rest.count
      value(name, into: &parent, depth: depth + 1)
      if rest.count == before { rest = rest.dropFirst() }
    }
    rest = rest.dropFirst()
  }

  /// Skips blanks and commas; false at the document's end.
  private mutating func skipSeparators() -> Bool {
    rest = rest.drop { Self.isBlank($0) || $0 == UInt8(ascii: ",") }
    return !rest.isEmpty
  }

  private mutating func skipBlanks() { rest = rest.drop(while: Self.isBlank) }

  private static func isBlank(_ byte: UInt8) -> Bool {
    ASCII.isBlank(byte) || byte == ASCII.lineFeed || byte == ASCII.carriageReturn
  }

  private mutating func bareWord() -> ArraySlice<UInt8> {
    let word = rest.prefix { !Self.isBlank($0) && !",:[]{}".utf8.contains($0) }
    rest = rest[word.endIndex...]
    return word
  }

  // MARK: Strings

  private mutating func string() -> [UInt8] {
    rest = rest.dropFirst()
    var bytes: [UInt8] = []
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
      guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
        bytes.append(byte)
        continue
      }
      switch escape {
      case UInt8(ascii: "u"): bytes += escaped()
      case UInt8(ascii: "n"), UInt8(ascii: "r"): bytes.append(ASCII.lineFeed)
      case UInt8(ascii: "t"): bytes.append(ASCII.tab)
      // A backspace and a form feed have no meaning in a title.
      case UInt8(ascii: "b"), UInt8(ascii: "f"): break
      default: bytes.append(escape)
      }
    }
    return bytes
  }

  /// Returns the UTF-8 of `\uXXXX`, or of two of them that form a surrogate pair; half a pair becomes U+FFFD.
  private mutating func escaped() -> [UInt8] {
    guard let high = unit() else { return [] }
    var value = UInt32(high)
    if UTF16.isLeadSurrogate(high), rest.starts(with: "\\u".utf8) {
      let before = rest
      rest = rest.dropFirst(2)
      if let low = unit(), UTF16.isTrailSurrogate(low) {
        value = 0x10000 + (UInt32(high) - 0xD800) << 10 + (UInt32(low) - 0xDC00)
      } else {
        rest = before
      }
    }
    return Array(String(Character(Unicode.Scalar(value) ?? "\u{FFFD}")).utf8)
  }

  private mutating func unit() -> UInt16? {
    let digits = rest.prefix(4).compactMap(ASCII.hexValue)
    guard digits.count == 4 else { return nil }
    rest = rest.dropFirst(4)
    return digits.reduce(0) { $0 << 4 | UInt16($1) }
  }
}
