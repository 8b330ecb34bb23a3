/// Reads a JSON text (RFC 8259) one token after the other; the work grows with the bytes and nothing else.
///
/// The scanner is strict, since decisions depend on its values. The scanner refuses bytes that are not UTF-8, half a
/// surrogate pair, a control in a string, a number too large for a `Double`, a repeated key of an object, and anything
/// behind the value. `JSONTree` reads the pages of other servers, and accepts all that.
public struct JSONScanner {
  public enum Token: Hashable, Sendable {
    case objectStart, objectEnd, arrayStart, arrayEnd
    case key(String)
    case string(String)
    /// A whole number, also when it was written as 1.0 or 1e2.
    case integer(Int64)
    case number(Double)
    case bool(Bool)
    case null
  }

  public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The fault, in words that follow "the text".
    public var reason: String
    /// The place of the fault in bytes, counted from 0.
    public var offset: Int

    public var description: String { "\(reason) (byte \(offset))" }
  }

  /// The most bytes of a number.
  static let numberBytesMax = 64
  public static let depthMax = 64

  private enum Expectation {
    case value
    /// The first item of a list, or its end.
    case itemOrEnd
    case keyOrEnd
    case key
    case commaOrEnd
    case end
  }

  private let bytes: [UInt8]
  private let depthMax: Int
  private var position = 0
  /// The open objects (true) and arrays (false), the innermost last.
  private var open: [Bool] = []
  /// The keys that each open object has had. They are bytes, since Swift's strings compare by canonical equivalence.
  private var keys: [Set<[UInt8]>] = []
  private var expected = Expectation.value

  /// - Parameter depthMax: The deepest nesting of objects and lists.
  public init(_ bytes: [UInt8], depthMax: Int = JSONScanner.depthMax) {
    self.bytes = bytes
    self.depthMax = depthMax
  }

  /// Returns the next token; nil at the end of a correct text.
  public mutating func next() throws(Failure) -> Token? {
    skipBlanks()
    switch expected {
    case .end:
      guard position == bytes.count else { throw failure("continues behind its value") }
      return nil
    case .value: return try value()
    case .itemOrEnd: return peek == UInt8(ascii: "]") ? close() : try value()
    case .keyOrEnd: return peek == UInt8(ascii: "}") ? close() : try key()
    case .key: return try key()
    case .commaOrEnd:
      let isObject = open.last == true
      if peek == UInt8(ascii: isObject ? "}" : "]") { return close() }
      guard skip(UInt8(ascii: ",")) else { throw failure("lacks a comma or an end") }
      skipBlanks()
      return isObject ? try key() : try value()
    }
  }

  // MARK: Structure

  private mutating func value() throws(Failure) -> Token {
    switch peek {
    case UInt8(ascii: "{"):
      try descend(isObject: true)
      return .objectStart
    case UInt8(ascii: "["):
      try descend(isObject: false)
      return .arrayStart
    default:
      let token = try scalar()
      ascend()
      return token
    }
  }

  private mutating func descend(isObject: Bool) throws(Failure) {
    guard open.count < depthMax else { throw failure("is nested deeper than \(depthMax)") }
    open.append(isObject)
    if isObject { keys.append([]) }
    position += 1
    expected = isObject ? .keyOrEnd : .itemOrEnd
  }

  private mutating func close() -> Token {
    position += 1
    let isObject = open.removeLast()
    if isObject { keys.removeLast() }
    ascend()
    return isObject ? .objectEnd : .arrayEnd
  }

  private mutating func ascend() { expected = open.isEmpty ? .end : .commaOrEnd }

  private mutating func key() throws(Failure) -> Token {
    guard peek == UInt8(ascii: "\"") else { throw failure("misses a key") }
    let start = position
    let key = try string()
    guard keys[keys.count - 1].insert(Array(key.utf8)).inserted else {
      throw Failure(reason: "has a key twice", offset: start)
    }
    skipBlanks()
    guard skip(UInt8(ascii: ":")) else { throw failure("misses a colon") }
    expected = .value
    return .key(key)
  }

  // MARK: Scalars

  private mutating func scalar() throws(Failure) -> Token {
    switch peek {
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case nil: throw failure("ends too early")
    default: return try number()
    }
  }

  private mutating func word(_ word: StaticString, _ token: Token) throws(Failure) -> Token {
    let end = position + word.utf8CodeUnitCount
    let matches = word.withUTF8Buffer { word in
      end <= bytes.count && bytes[position..<end].elementsEqual(word)
    }
    guard matches else { throw failure("has an invalid value") }
    position = end
    return token
  }

  private mutating func number() throws(Failure) -> Token {
    let start = position
    _ = skip(UInt8(ascii: "-"))
    let leading = peek
    let whole = digits()
    guard whole > 0, whole == 1 || leading != UInt8(ascii: "0") else {
      throw Failure(reason: "has an invalid value", offset: start)
    }
    var isWhole = true
    if skip(UInt8(ascii: ".")) {
      isWhole = false
      guard digits() > 0 else { throw failure("has an incomplete number") }
    }
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      isWhole = false
      if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
      guard digits() > 0 else { throw failure("has an incomplete number") }
    }
    guard position - start <= Self.numberBytesMax else {
      throw Failure(
        reason: "has a number of more than \(Self.numberBytesMax) characters", offset: start)
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isWhole, let integer = Int64(text) { return .integer(integer) }
    guard let number = Double(text), number.isFinite else {
      throw Failure(reason: "has a number that is too large", offset: start)
    }
    return Int64(exactly: number).map { .integer($0) } ?? .number(number)
  }

  private mutating func digits() -> Int {
    let start = position
    while let byte = peek, ASCII.isDigit(byte) { position += 1 }
    return position - start
  }

  // MARK: Strings

  private mutating func string() throws(Failure) -> String {
    let start = position
    position += 1
    var text: [UInt8] = []
    while let byte = peek {
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let string = String(validating: text, as: UTF8.self) else {
          throw Failure(reason: "has a string that is not UTF-8", offset: start)
        }
        return string
      case UInt8(ascii: "\\"): try escape(into: &text)
      case 0..<0x20: throw failure("has a control in a string; write it as \\u00XX", back: 1)
      default: text.append(byte)
      }
    }
    throw failure("has an unfinished string")
  }

  private mutating func escape(into text: inout [UInt8]) throws(Failure) {
    guard let byte = peek else { throw failure("has an unfinished string") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text += try character().utf8
    default: throw failure("has an invalid escape", back: 2)
    }
  }

  /// Returns the character of `\uXXXX`, or of two of them that form a surrogate pair.
  private mutating func character() throws(Failure) -> String {
    let start = position - 2
    var value = UInt32(try unit())
    if UTF16.isLeadSurrogate(UInt16(value)), skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) {
      let low = try unit()
      if UTF16.isTrailSurrogate(low) {
        value = 0x10000 + (value - 0xD800) << 10 + (UInt32(low) - 0xDC00)
      }
    }
    guard let scalar = Unicode.Scalar(value) else {
      throw Failure(reason: "has half of a surrogate pair as an escape", offset: start)
    }
    return String(Character(scalar))
  }

  private mutating func unit() throws(Failure) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = peek.flatMap(ASCII.hexValue) else {
        throw failure("has an invalid escape")
      }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }

  // MARK: Bytes

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipBlanks() {
    while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
      position += 1
    }
  }

  private func failure(_ reason: String, back: Int = 0) -> Failure {
    Failure(reason: reason, offset: position - back)
  }
}
