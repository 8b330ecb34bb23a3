import Wire

/// A JSON value whose members keep their order, written exactly as the API promises: `null` where
/// nothing is known, at most three decimals.
public enum JSON: Hashable, Sendable {
  public struct Member: Hashable, Sendable {
    public var key: String
    public var value: JSON

    public init(key: String, value: JSON) {
      self.key = key
      self.value = value
    }
  }

  case null
  case bool(Bool)
  case integer(Int64)
  /// Written with at most three decimals; what is not finite is written as `null`.
  case number(Double)
  case string(String)
  case array([JSON])
  case object([Member])
}

extension JSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
  ExpressibleByStringLiteral, ExpressibleByNilLiteral
{
  public typealias Key = String
  public typealias Value = JSON

  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { Member(key: $0.0, value: $0.1) })
  }

  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(nilLiteral: ()) { self = .null }

  public init(_ text: String?) { self = text.map(JSON.string) ?? .null }
  public init(_ seconds: Double?) { self = seconds.map(JSON.number) ?? .null }
  public init<Number: BinaryInteger>(_ number: Number?) {
    self = number.map { .integer(Int64(clamping: $0)) } ?? .null
  }
}

extension JSON {
  /// The value as text, on one line and without blanks.
  public var text: String {
    var text = ""
    write(to: &text)
    return text
  }

  public var bytes: [UInt8] { Array(text.utf8) }

  public subscript(key: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The texts of a list that is a member; none where there is no such list.
  public func texts(_ key: String) -> [String] {
    guard case .array(let items)? = self[key] else { return [] }
    return items.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }

  /// The members of an object; of anything else none.
  public var members: [Member] {
    guard case .object(let members) = self else { return [] }
    return members
  }

  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .integer(let value): text += String(value)
    case .number(let value): text += Self.decimal(value)
    case .string(let value): Self.quote(value, to: &text)
    case .array(let items): Self.list(items, "[", "]", to: &text) { $0.write(to: &$1) }
    case .object(let members):
      Self.list(members, "{", "}", to: &text) { member, text in
        Self.quote(member.key, to: &text)
        text += ":"
        member.value.write(to: &text)
      }
    }
  }

  private static func list<Item>(
    _ items: [Item], _ open: String, _ close: String, to text: inout String,
    write: (Item, inout String) -> Void
  ) {
    text += open
    for (index, item) in items.enumerated() {
      if index > 0 { text += "," }
      write(item, &text)
    }
    text += close
  }

  /// Thousandths, without zeros at the end: `4`, `0.5`, `-1.25`.
  static func decimal(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 9e15 else { return "null" }
    let thousandths = Int64(bounded: (value * 1000).rounded())
    let (whole, rest) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
    var text = thousandths < 0 ? "-\(whole)" : "\(whole)"
    guard rest > 0 else { return text }
    text += "." + String(rest + 1000).dropFirst()
    while text.hasSuffix("0") { text.removeLast() }
    return text
  }

  /// RFC 8259, 7: quotation mark, reverse solidus and controls are escaped, nothing else needs it.
  private static func quote(_ value: String, to text: inout String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      // U+2028 and U+2029 end a line in what reads events line by line; C1 controls command terminals.
      case "\u{0}"..<" ", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}": text += escape(scalar)
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}

extension JSON {
  /// nil: not JSON, or nested deeper than anybody's who means well.
  public static func parse(_ bytes: [UInt8]) -> JSON? {
    try? JSONReader.read(bytes, depthMax: JSONScanner.depthMax)
  }
}
