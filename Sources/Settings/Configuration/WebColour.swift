import Wire

/// A colour of the pages, as `#c0392b` says it.
public struct WebColour: Hashable, Sendable, CustomStringConvertible {
  public let red, green, blue: UInt8

  public init(red: UInt8, green: UInt8, blue: UInt8) {
    (self.red, self.green, self.blue) = (red, green, blue)
  }

  /// Reads six hexadecimal digits behind `#`, or three, each of which then counts twice.
  init?(_ text: String) {
    var digits = text.utf8.dropFirst().map { Character(UnicodeScalar($0)) }
    if digits.count == 3 { digits = digits.flatMap { [$0, $0] } }
    guard text.utf8.first == UInt8(ascii: "#"), digits.count == 6,
      digits.allSatisfy({ $0.isHexDigit }),
      let number = UInt32(String(digits), radix: 16)  // bounded: six digits
    else { return nil }
    self.init(
      red: UInt8(number >> 16), green: UInt8(number >> 8 & 0xFF), blue: UInt8(number & 0xFF))
  }

  public var description: String {
    "#" + [red, green, blue].hexadecimal
  }
}

extension WebColour: SettingValue {
  var json: JSON { .string(description) }
}

extension ValueRule<WebColour> {
  static var colour: ValueRule {
    let wanted = "a colour such as \"#c0392b\", in quotes"
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      guard let colour = WebColour(text) else {
        throw InvalidValue(quoting: text, "is no colour; write \(wanted)")
      }
      return colour
    }
  }
}
