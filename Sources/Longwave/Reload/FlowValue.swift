/// A secret's value between the braces of YAML, as in `{token: abc, name: x}`: it may go on over several lines.
struct FlowValue {
  /// Brackets and braces that the value itself has opened.
  private var depth = 0
  private var quote: UInt8?
  private var isEscaped = false

  /// Returns where the value ends in its next text, before a comma or brace; nil when it goes on behind it.
  ///
  /// A comma ends it only if a key may follow: others may be part of a secret that nobody has quoted.
  mutating func end(in text: Substring) -> Substring.Index? {
    var last = UInt8(ascii: " ")
    for place in text.utf8.indices {
      let byte = text.utf8[place]
      defer { last = byte }
      if let open = quote {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = open == UInt8(ascii: "\"")
        } else if byte == open {
          quote = nil
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "#") where Self.isBlank(last): return nil
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        if " \t[{,:".utf8.contains(last) { quote = byte }
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if depth == 0 { return place }
        depth -= 1
      case UInt8(ascii: ",") where depth == 0:
        if Self.isKey(text.utf8[place...].dropFirst()) { return place }
      default: break
      }
    }
    return nil
  }

  /// Whether a key, or nothing at all, begins a text.
  private static func isKey(_ text: Substring.UTF8View.SubSequence) -> Bool {
    let text = text.drop(while: isBlank)
    if text.isEmpty { return true }
    let rest = text.drop { byte in
      (48...57).contains(byte) || (97...122).contains(byte | 32) || "-_\"'".utf8.contains(byte)
    }
    let name = text[..<rest.startIndex]
    guard let last = name.last, rest.first == UInt8(ascii: ":") else { return false }
    return "\"'".utf8.contains(last) || rest.dropFirst().first.map(isBlank) ?? true
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

  /// Whether a text has opened a brace where YAML opens one, and neither closed it nor opened a quote.
  static func isOpen(in text: Substring.UTF8View.SubSequence) -> Bool {
    var depth = 0
    var quote: UInt8?
    var (last, lastSolid) = (UInt8(ascii: " "), UInt8(ascii: "-"))
    for byte in text {
      defer {
        last = byte
        if !isBlank(byte) { lastSolid = byte }
      }
      if let open = quote {
        if byte == open, last != UInt8(ascii: "\\") { quote = nil }
        continue
      }
      switch byte {
      case UInt8(ascii: "#") where isBlank(last): return false
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        if " \t[{,:".utf8.contains(last) { quote = byte }
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        // Elsewhere a brace is a letter of a plain text.
        if depth > 0 || "-:?".utf8.contains(lastSolid) { depth += 1 }
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth = max(0, depth - 1)
      default: break
      }
    }
    return depth > 0 && quote.map { $0 == last } ?? true
  }
}
