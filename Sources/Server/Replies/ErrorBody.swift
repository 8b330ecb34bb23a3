/// The body of an error, the same everywhere: `{"error": {"code", "message", "field"}}`.
public enum ErrorBody {
  public static let mediaType = "application/json"

  public static func json(code: String, message: String, field: String? = nil) -> [UInt8] {
    let field = field.map { "\"\(escaped($0))\"" } ?? "null"
    let text =
      "{\"error\":{\"code\":\"\(escaped(code))\",\"message\":\"\(escaped(message))\",\"field\":\(field)}}\n"
    return Array(text.utf8)
  }

  /// A string's inside as JSON (RFC 8259, section 7).
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\u{0}"..<"\u{20}":
        let hex = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
