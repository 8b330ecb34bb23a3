/// Bytes as one line of ASCII: `\r`, `\n`, `\xFF`, `\\`, and `\{1000:text}` for a text that comes so many times.
enum AttackText {
  /// Longer texts are not looked for.
  private static let periodMax = 80
  private static let repeatsMin = 8

  static func encode(_ bytes: [UInt8]) -> String {
    var text = ""
    var index = 0
    while index < bytes.count {
      if let (period, count) = run(bytes, at: index) {
        text += "\\{\(count):\(plain(bytes[index..<index + period]))}"
        index += period * count
      } else {
        text += plain(bytes[index...index])
        index += 1
      }
    }
    return text
  }

  /// The shortest text here that comes again often enough to be worth it.
  private static func run(_ bytes: [UInt8], at start: Int) -> (period: Int, count: Int)? {
    for period in 1...periodMax where start + period * repeatsMin <= bytes.count {
      var end = start + period
      while end < bytes.count, bytes[end] == bytes[end - period] { end += 1 }
      let count = (end - start) / period
      if count >= repeatsMin, count * period >= 32 { return (period, count) }
    }
    return nil
  }

  private static func plain(_ bytes: ArraySlice<UInt8>) -> String {
    bytes.reduce(into: "") { text, byte in
      switch byte {
      case UInt8(ascii: "\\"): text += "\\\\"
      case UInt8(ascii: "}"): text += "\\}"
      case 13: text += "\\r"
      case 10: text += "\\n"
      case 32..<127: text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += "\\x" + hex(byte >> 4) + hex(byte & 15)
      }
    }
  }

  private static func hex(_ digit: UInt8) -> String { String(digit, radix: 16, uppercase: true) }

  /// nil: it is not written like this.
  static func decode(_ text: Substring) -> [UInt8]? {
    var rest = Array(text.utf8)[...]
    guard let bytes = sequence(&rest, isInside: false), rest.isEmpty else { return nil }
    return bytes
  }

  private static func sequence(_ rest: inout ArraySlice<UInt8>, isInside: Bool) -> [UInt8]? {
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      if isInside, byte == UInt8(ascii: "}") { return bytes }
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      guard let escaped = escape(&rest) else { return nil }
      bytes += escaped
    }
    return isInside ? nil : bytes
  }

  private static func escape(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
    switch rest.popFirst() {
    case UInt8(ascii: "r"): return [13]
    case UInt8(ascii: "n"): return [10]
    case UInt8(ascii: "\\"): return [UInt8(ascii: "\\")]
    case UInt8(ascii: "}"): return [UInt8(ascii: "}")]
    case UInt8(ascii: "x"):
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      rest = rest.dropFirst(2)
      return digits.utf8.count == 2 ? UInt8(digits, radix: 16).map { [$0] } : nil
    case UInt8(ascii: "{"):
      guard let colon = rest.firstIndex(of: UInt8(ascii: ":")),
        let count = Int(String(decoding: rest[..<colon], as: UTF8.self)),
        (0...10_000_000).contains(count)
      else { return nil }
      rest = rest[(colon + 1)...]
      guard let text = sequence(&rest, isInside: true) else { return nil }
      return Array(repeatElement(text, count: count).joined())
    default: return nil
    }
  }
}
