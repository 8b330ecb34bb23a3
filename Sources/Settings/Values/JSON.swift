import Timeshift
import Wire

/// A JSON value whose members keep their order, written exactly as the API promises: `null` for unknown values, at most
/// three decimals.
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
  /// A number, written with at most three decimals, or as `null` when it is not finite.
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
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return bytes
  }

  public subscript(key: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// A number, written with decimals or without; nil for anything else.
  package var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  /// Returns the values of a list that is a member; empty when there is no such list.
  public func items(_ key: String) -> [JSON] {
    guard case .array(let items)? = self[key] else { return [] }
    return items
  }

  /// Returns the texts of a list that is a member; empty when there is no such list.
  public func texts(_ key: String) -> [String] {
    items(key).compactMap { if case .string(let text) = $0 { text } else { nil } }
  }

  /// The members of an object; empty for anything else.
  public var members: [Member] {
    guard case .object(let members) = self else { return [] }
    return members
  }

  /// Appends the value as text.
  @usableFromInline package func write(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .integer(let value):
      if value < 0 { bytes.append(UInt8(ascii: "-")) }
      Self.writeDigits(value.magnitude, to: &bytes)
    case .number(let value): Self.writeDecimal(value, to: &bytes)
    case .string(let value): Self.quote(value, to: &bytes)
    case .array(let items): Self.list(items, "[", "]", to: &bytes) { $0.write(to: &$1) }
    case .object(let members):
      Self.list(members, "{", "}", to: &bytes) { member, bytes in
        Self.quote(member.key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.write(to: &bytes)
      }
    }
  }

  private static func list<Item>(
    _ items: [Item], _ open: Unicode.Scalar, _ close: Unicode.Scalar, to bytes: inout [UInt8],
    write: (Item, inout [UInt8]) -> Void
  ) {
    bytes.append(UInt8(ascii: open))
    for (index, item) in items.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      write(item, &bytes)
    }
    bytes.append(UInt8(ascii: close))
  }

  /// Returns a number with at most three decimals, without zeros at the end: `4`, `0.5`, `-1.25`.
  package static func decimal(_ value: Double) -> String {
    var bytes: [UInt8] = []
    writeDecimal(value, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Levels are told by the thousand a second: digits are made in place.
  private static func writeDecimal(_ value: Double, to bytes: inout [UInt8]) {
    guard value.isFinite, abs(value) < 9e15 else {
      bytes += "null".utf8
      return
    }
    let thousandths = Int64(bounded: (value * 1000).rounded())
    let (whole, rest) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
    if thousandths < 0 { bytes.append(UInt8(ascii: "-")) }
    writeDigits(whole, to: &bytes)
    guard rest > 0 else { return }
    bytes.append(UInt8(ascii: "."))
    var (left, unit) = (rest, UInt64(100))
    while left > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(left / unit))  // bounded: left is below 10 units
      (left, unit) = (left % unit, unit / 10)
    }
  }

  private static func writeDigits(_ value: UInt64, to bytes: inout [UInt8]) {
    let first = bytes.count
    var left = value
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(left % 10))
      left /= 10
    } while left > 0
    bytes[first...].reverse()
  }

  /// Writes a text in quotation marks. RFC 8259, 7: quotation mark, reverse solidus and controls are escaped, nothing
  /// else needs it. U+2028 and U+2029 are escaped too, since they end a line for programs that read events line by
  /// line; so are C1 controls, which command terminals.
  private static func quote(_ value: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    runs.append(value, to: &bytes) { left, bytes in
      switch left[0] {
      case UInt8(ascii: "\""): bytes += "\\\"".utf8
      case UInt8(ascii: "\\"): bytes += "\\\\".utf8
      case UInt8(ascii: "\n"): bytes += "\\n".utf8
      case UInt8(ascii: "\r"): bytes += "\\r".utf8
      case UInt8(ascii: "\t"): bytes += "\\t".utf8
      case 0xC2:
        guard left.beginsWithC1 else { return 0 }
        bytes += escape(UInt16(left[1])).utf8
        return 2
      case 0xE2:
        guard left.beginsWithSeparator else { return 0 }
        bytes += escape(left[2] == 0xA8 ? 0x2028 : 0x2029).utf8
        return 3
      default: bytes += escape(UInt16(left[0])).utf8
      }
      return 1
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static let runs = TextRuns {
    $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 || $0 == 0xE2 || $0 == UInt8(ascii: "\"")
      || $0 == UInt8(ascii: "\\")
  }

  private static func escape(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}

extension JSON {
  /// Returns the value of a JSON text; nil when it is no JSON, or nested deeper than any sensible text.
  public static func parse(_ bytes: [UInt8]) -> JSON? {
    try? JSONReader.read(bytes, depthMax: JSONScanner.depthMax)
  }
}

extension JSON {
  /// A time as RFC 3339 in UTC with milliseconds.
  package init(_ time: WallTime?) {
    self = time.map { .string($0.rfc3339) } ?? .null
  }
}
