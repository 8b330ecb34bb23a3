/// The coding of an answer that its client accepts (RFC 9110, section 12.5.3).
public enum ContentCoding: Hashable, Sendable {
  case identity
  case gzip

  /// Returns the coding for an answer: gzip if the client accepts it and prefers nothing else.
  ///
  /// The answer stays uncoded without the field, and where the field rules out every coding.
  public static func preferred(by fields: HTTPFields) -> ContentCoding {
    var gzip: Int?
    var identity: Int?
    var any: Int?
    for element in fields.tokens("Accept-Encoding") {
      guard let (name, quality) = weighed(element) else { continue }
      switch name {
      case "gzip", "x-gzip": gzip = max(gzip ?? 0, quality)
      case "identity": identity = max(identity ?? 0, quality)
      case "*": any = max(any ?? 0, quality)
      default: break
      }
    }
    let quality = gzip ?? any ?? 0
    // A coding that the field does not name is acceptable, but the client prefers a named one.
    return quality > 0 && quality >= identity ?? 0 ? .gzip : .identity
  }

  /// Returns a name and its weight in thousandths; nil for an element of another form.
  private static func weighed(_ element: String) -> (name: Substring, quality: Int)? {
    let parts = element.split(separator: ";", omittingEmptySubsequences: false).map { part in
      trimmed(part)
    }
    guard let name = parts.first, !name.isEmpty, parts.count <= 2 else { return nil }
    guard parts.count == 2 else { return (name, 1000) }
    let weight = parts[1].split(separator: "=", omittingEmptySubsequences: false)
    guard weight.count == 2, trimmed(weight[0]) == "q",
      let quality = thousandths(trimmed(weight[1]))
    else { return nil }
    return (name, quality)
  }

  /// Reads a weight in thousandths: `0`, `1`, or with up to three decimals (RFC 9110, section 12.4.2).
  private static func thousandths(_ text: Substring) -> Int? {
    let digits = Array(text.utf8)
    guard (1...5).contains(digits.count), digits[0] == 48 || digits[0] == 49,
      digits.count == 1 || digits[1] == UInt8(ascii: ".")
    else { return nil }
    var value = Int(digits[0]) - 48
    for place in 2..<5 {
      let digit = place < digits.count ? digits[place] : 48
      guard (48...57).contains(digit) else { return nil }
      value = value * 10 + Int(digit) - 48
    }
    return value <= 1000 ? value : nil
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let start = text.drop { $0 == " " || $0 == "\t" }
    let blanks = start.reversed().prefix { $0 == " " || $0 == "\t" }
    return start.dropLast(blanks.count)
  }
}
