/// Text inside XML 1.0 documents.
public enum XMLText {
  /// A text as element content or as an attribute's value in double or single quotes.
  ///
  /// Characters that XML cannot hold at all (section 2.2: controls but tab, LF and CR, and the noncharacters U+FFFE and
  /// U+FFFF) are left out.
  public static func escaped(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "\t", "\n", "\r": result.unicodeScalars.append(scalar)
      case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": break
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
