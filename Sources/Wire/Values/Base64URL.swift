extension UInt8 {
  /// Whether the byte is a letter of base64url (RFC 4648, section 5): A–Z, a–z, 0–9, `-` and `_`.
  public var isBase64URL: Bool {
    switch self {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
