/// Reads the parts of a path in their one spelling: small digits, no zero in front.
struct NameReader {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { place == bytes.count }

  /// What has not been read.
  var rest: String { String(decoding: bytes[place...], as: UTF8.self) }

  /// Passes over a text that stands here; false where another one does.
  mutating func read(_ text: StaticString) -> Bool {
    guard bytes.span.holds(text, at: place) else { return false }
    place += text.utf8CodeUnitCount
    return true
  }

  /// Reads a whole number of at most 19 digits; nil where none is below `end`.
  mutating func number(below end: UInt64) -> UInt64? {
    let digits = bytes[place...].prefix(20).prefix { ASCII.isDigit($0) }
    guard let first = digits.first, digits.count < 20,
      first != UInt8(ascii: "0") || digits.count == 1
    else { return nil }
    let number = digits.reduce(0) { $0 * 10 + UInt64($1 - UInt8(ascii: "0")) }
    guard number < end else { return nil }
    place = digits.endIndex
    return number
  }

  /// Reads exactly so many hexadecimal digits, at most 16.
  mutating func hexadecimal(digits count: Int) -> UInt64? {
    let digits = bytes[place...].prefix(count).prefix(while: Self.isSmallHexadecimal)
    guard digits.count == count else { return nil }
    place = digits.endIndex
    return digits.reduce(0) { $0 << 4 | UInt64(ASCII.hexValue($1) ?? 0) }
  }

  /// Reads a hexadecimal number of at most 15 digits.
  mutating func hexadecimal() -> UInt64? {
    let digits = bytes[place...].prefix(16).prefix(while: Self.isSmallHexadecimal)
    guard digits.count < 16, let first = digits.first, first != UInt8(ascii: "0") else {
      return nil
    }
    return hexadecimal(digits: digits.count)
  }

  /// Reads one small letter.
  mutating func letter() -> UInt8? {
    guard place < bytes.count, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(bytes[place]) else {
      return nil
    }
    place += 1
    return bytes[place - 1]
  }

  private static func isSmallHexadecimal(_ byte: UInt8) -> Bool {
    ASCII.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }
}

extension [UInt8] {
  mutating func append(_ text: StaticString) {
    append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends a number's digits.
  ///
  /// - Parameter width: the least number of digits, at most 20; zeros stand in front.
  mutating func append(decimal number: UInt64, width: Int = 1) {
    var number = number
    var digits = InlineArray<20, UInt8>(repeating: UInt8(ascii: "0"))
    var start = digits.count
    repeat {
      start -= 1
      digits[start] += UInt8(number % 10)
      number /= 10
    } while number > 0
    for place in Swift.max(0, Swift.min(start, digits.count - width))..<digits.count {
      append(digits[place])
    }
  }

  /// Appends the lowest digits of a number, most significant first.
  mutating func append(hexadecimal number: UInt64, digits: Int) {
    for digit in stride(from: digits - 1, through: 0, by: -1) {
      let value = UInt8(number >> UInt64(4 * digit) & 15)
      append(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10)
    }
  }
}
