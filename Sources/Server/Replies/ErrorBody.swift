import Wire

/// The body of an error, the same everywhere: `{"error": {"code", "message", "field"}}`.
public enum ErrorBody {
  public static let mediaType = "application/json"

  public static func json(code: String, message: String, field: String? = nil) -> [UInt8] {
    let field = field.map { "\"\(escaped($0))\"" } ?? "null"
    let text =
      "{\"error\":{\"code\":\"\(escaped(code))\",\"message\":\"\(escaped(message))\",\"field\":\(field)}}\n"
    return Array(text.utf8)
  }

  /// Returns a string's inside as JSON (RFC 8259, section 7).
  private static func escaped(_ text: String) -> String {
    runs.text(text) { left, bytes in
      if left[0] >= 0x20 {
        bytes += [UInt8(ascii: "\\"), left[0]]
      } else {
        let hex = String(left[0], radix: 16)
        bytes += ("\\u" + String(repeating: "0", count: 4 - hex.count) + hex).utf8
      }
      return 1
    }
  }

  private static let runs = TextRuns {
    $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\")
  }
}
