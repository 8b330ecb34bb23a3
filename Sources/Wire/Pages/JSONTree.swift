/// Reads JSON into the tree that XML becomes: members are elements of their key, the items of a list are elements of
/// the list's key, anything else is an element's text, and `null` is nothing.
///
/// So whoever reads servers' pages finds one value and a list of one alike. RFC 8259, read forgivingly: a value that is
/// none (`"title":-`, which Icecast has written) is text, and what is not closed ends with the document.
struct JSONTree {
  /// Objects and lists inside one another: more is no document of people's.
  private static let depthMax = 64

  private var rest: ArraySlice<UInt8>
  private let text: ([UInt8]) -> String

  /// The document's object, or a list's first item; nil where the bytes are neither. `text` reads what strings hold.
  static func read(_ bytes: [UInt8], text: ([UInt8]) -> String) -> XMLNode? {
    // Used during this call only.
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
        // No key: what stands there is left out.
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

  /// False at the document's end.
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
      // A backspace and a form feed say nothing in a title.
      case UInt8(ascii: "b"), UInt8(ascii: "f"): break
      default: bytes.append(escape)
      }
    }
    return bytes
  }

  /// The UTF-8 of `\uXXXX`, of two where they are halves of one; half a pair is U+FFFD.
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
