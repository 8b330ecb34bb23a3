/// Writes text inside XML 1.0 documents.
public enum XMLText {
  /// Returns a text as element content, or as an attribute's value in double or single quotes.
  ///
  /// Characters that XML cannot hold at all (section 2.2) are left out: controls except tab, LF and CR, and the
  /// noncharacters U+FFFE and U+FFFF.
  public static func escaped(_ text: String) -> String {
    runs.text(text) { left, bytes in
      switch left[0] {
      case UInt8(ascii: "&"): bytes += "&amp;".utf8
      case UInt8(ascii: "<"): bytes += "&lt;".utf8
      case UInt8(ascii: ">"): bytes += "&gt;".utf8
      case UInt8(ascii: "\""): bytes += "&quot;".utf8
      case UInt8(ascii: "'"): bytes += "&#39;".utf8
      case 0xEF:
        let isNoncharacter = left.count > 2 && left[1] == 0xBF && left[2] >= 0xBE
        return isNoncharacter ? 3 : 0
      default: break
      }
      return 1
    }
  }

  private static let runs = TextRuns { byte in
    switch byte {
    case UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): false
    // U+FFFE and U+FFFF begin with 0xEF.
    case 0..<0x20, 0xEF: true
    default: "&<>\"'".utf8.contains(byte)
    }
  }
}
