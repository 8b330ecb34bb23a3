/// Byte classes of the text protocols, which know only ASCII.
enum ASCII {
  static let tab: UInt8 = 0x09
  static let lineFeed: UInt8 = 0x0A
  static let carriageReturn: UInt8 = 0x0D
  static let space: UInt8 = 0x20
  static let quote: UInt8 = 0x27
  static let delete: UInt8 = 0x7F

  @inline(__always)
  static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  @inline(__always)
  static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

  @inline(__always)
  static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

  /// Whether a byte is a C0 control (tab included) or DEL.
  @inline(__always)
  static func isControl(_ byte: UInt8) -> Bool { byte < space || byte == delete }

  @inline(__always)
  static func lowercased(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
  }

  /// The value of a hexadecimal digit; nil for any other byte.
  @inline(__always)
  static func hexValue(_ byte: UInt8) -> UInt8? {
    if isDigit(byte) { return byte - 0x30 }
    let lower = byte | 0x20
    return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : nil
  }

  /// Whether a byte is a `tchar` (RFC 9110 section 5.6.2); methods and field names consist of these.
  static func isToken(_ byte: UInt8) -> Bool {
    if isDigit(byte) || isLetter(byte) { return true }
    switch byte {
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"),
      UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
      UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      return true
    default:
      return false
    }
  }

  /// Whether two texts are equal apart from the case of ASCII letters.
  static func equalIgnoringCase(_ a: some StringProtocol, _ b: some StringProtocol) -> Bool {
    let (a, b) = (a.utf8, b.utf8)
    return a.count == b.count && zip(a, b).allSatisfy { lowercased($0) == lowercased($1) }
  }

  /// Returns the bytes without blanks at either end. Where nothing is left, that has its place, too.
  static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let first = bytes.firstIndex(where: { !isBlank($0) }),
      let last = bytes.lastIndex(where: { !isBlank($0) })
    else { return bytes.prefix(0) }
    return bytes[first...last]
  }
}
