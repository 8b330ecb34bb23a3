/// The part of a body of known length that a request wants (RFC 9110, section 14).
public enum ByteRanges: Hashable, Sendable {
  /// The whole body, because the request names no range, or none that can be understood.
  case whole
  /// Ranges within the body, in the order of the request, without empty ones.
  case parts([Range<Int>])
  /// All ranges of the request lie behind the body's end.
  case unsatisfiable

  /// The most parts that are answered. More parts, or parts with more bytes than the whole, get the whole body (RFC
  /// 9110, section 14.2 allows it).
  public static let partsMax = 16

  /// Returns the part of a body that a request wants.
  ///
  /// - Parameters:
  ///   - length: The length of the body.
  ///   - tag: The body's strong entity tag with its quotation marks; with another tag in `If-Range` the whole body is
  ///     wanted.
  public static func wanted(_ fields: HTTPFields, of length: Int, tag: String) -> ByteRanges {
    let lines = fields.all("Range")
    guard lines.count == 1, fields["If-Range"] ?? tag == tag, let asked = specs(lines[0]) else {
      return .whole
    }
    let parts = asked.compactMap { $0.range(in: length) }
    if parts.isEmpty { return .unsatisfiable }
    if asked.count > partsMax { return .whole }
    let total = parts.reduce(0) { $0.saturatingAdd($1.count) }
    return total > length ? .whole : .parts(parts)
  }

  private enum Spec {
    case from(Int, to: Int?)
    case last(Int)

    func range(in length: Int) -> Range<Int>? {
      switch self {
      case .from(let first, let last):
        first < length ? first..<min(length, last.map { $0 + 1 } ?? length) : nil
      case .last(let count):
        count > 0 && length > 0 ? max(0, length - count)..<length : nil
      }
    }
  }

  /// Returns the ranges asked for; nil for other units than `bytes`, and for malformed ranges.
  private static func specs(_ text: String) -> [Spec]? {
    let bytes = Array(text.utf8)
    let unit = "bytes="
    guard bytes.count > unit.utf8.count,
      String(decoding: bytes[..<unit.utf8.count], as: UTF8.self).lowercased() == unit
    else { return nil }
    var specs: [Spec] = []
    for part in bytes[unit.utf8.count...].split(separator: UInt8(ascii: ",")) {
      let trimmed = ASCII.trimmed(part)
      if trimmed.isEmpty { continue }
      guard let spec = spec(trimmed) else { return nil }
      specs.append(spec)
    }
    return specs.isEmpty ? nil : specs
  }

  private static func spec(_ text: ArraySlice<UInt8>) -> Spec? {
    guard let dash = text.firstIndex(of: UInt8(ascii: "-")) else { return nil }
    let (before, after) = (text[..<dash], text[(dash + 1)...])
    if before.isEmpty { return number(after).map { .last($0) } }
    guard let first = number(before) else { return nil }
    if after.isEmpty { return .from(first, to: nil) }
    guard let last = number(after), last >= first else { return nil }
    return .from(first, to: last)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard !digits.isEmpty, digits.allSatisfy(ASCII.isDigit) else { return nil }
    // A number too large for `Int` becomes the largest one to which 1 can still be added.
    return Int(String(decoding: digits, as: UTF8.self)).map { min($0, .max - 1) } ?? .max - 1
  }
}
