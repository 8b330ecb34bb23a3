/// The charset in which bytes that are not UTF-8 are read.
///
/// Broadcasters never say which charset their titles are in. Text that is valid UTF-8 hardly ever is anything else, so
/// it is read as UTF-8. Only other bytes need one of these charsets, or the function given to `decode(_:orElse:)`.
public enum Charset: String, Sendable, CaseIterable {
  /// Bytes that are not UTF-8 become U+FFFD.
  case utf8
  case latin1
  /// Latin-1 with letters and punctuation in 0x80...0x9F; in practice "Latin-1" means this charset.
  case windows1252

  /// Finds the charset by a name that people or IANA write, in any case; nil for other names.
  public init?(name: String) {
    switch name.lowercased() {
    case "utf-8", "utf8": self = .utf8
    case "latin-1", "latin1", "iso-8859-1", "iso8859-1": self = .latin1
    case "windows-1252", "windows1252", "cp1252": self = .windows1252
    default: return nil
    }
  }

  /// Returns the text in `bytes`: as UTF-8 where that is valid, else as `fallback`.
  ///
  /// Tabs and line ends, those of Unicode too, become a space. All other control characters are dropped, and so is a
  /// byte order mark in front. UTF-8 that was cut inside its last character (servers cut at a number of bytes) loses
  /// only that character.
  public static func decode(_ bytes: [UInt8], fallback: Charset = .windows1252) -> String {
    decode(bytes, orElse: fallback.decodeInvalid)
  }

  /// Decodes the bytes of a span.
  static func decode(_ bytes: Span<UInt8>, fallback: Charset = .windows1252) -> String {
    if let text = utf8Text(bytes) { return text }
    return cleaned(fallback.decodeInvalid(bytes.indices.map { bytes[$0] }))
  }

  /// Decodes UTF-8, and other bytes with `convert`, whose result is cleaned as well.
  public static func decode(_ bytes: [UInt8], orElse convert: ([UInt8]) -> String) -> String {
    if let text = utf8Text(bytes.span) { return text }
    return cleaned(convert(bytes))
  }

  static func isUTF8(_ bytes: Span<UInt8>) -> Bool {
    (try? UTF8Span(validating: bytes)) != nil
  }

  /// Returns the cleaned text; nil unless the bytes are UTF-8.
  private static func utf8Text(_ bytes: Span<UInt8>) -> String? {
    let cut: Int
    do {
      let text = String(copying: try UTF8Span(validating: bytes))
      return isClean(bytes) ? text : cleaned(text)
    } catch {
      cut = error.byteOffsets.upperBound == bytes.count ? error.byteOffsets.lowerBound : 0
    }
    guard cut > 0, hasMultibyte(bytes, before: cut) else { return nil }
    return utf8Text(bytes.extracting(0..<cut))
  }

  // A single high byte at the end may be Latin-1's é as well as a cut character. Only text with an earlier multibyte
  // character counts as cut UTF-8.
  private static func hasMultibyte(_ bytes: Span<UInt8>, before end: Int) -> Bool {
    for index in 0..<end where bytes[index] >= 0x80 { return true }
    return false
  }

  /// Reads bytes that are not UTF-8 in this charset, without cleaning them.
  public func decodeInvalid(_ bytes: [UInt8]) -> String {
    var scalars = String.UnicodeScalarView()
    switch self {
    case .utf8: return String(decoding: bytes, as: UTF8.self)
    case .latin1: for byte in bytes { scalars.append(Unicode.Scalar(byte)) }
    case .windows1252: for byte in bytes { scalars.append(Self.windows1252Scalar(byte)) }
    }
    return String(scalars)
  }

  private static func windows1252Scalar(_ byte: UInt8) -> Unicode.Scalar {
    guard byte >= 0x80 && byte < 0xA0 else { return Unicode.Scalar(byte) }
    return windows1252High[Int(byte - 0x80)]
  }

  /// Returns the UTF-8 that was read as windows-1252 or Latin-1 and encoded once more; nil for other bytes.
  ///
  /// A last character that was cut off is left out.
  public static func encodedOnce(_ bytes: [UInt8]) -> [UInt8]? {
    let cut = (0...3).first { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
    guard let cut, let text = String(validating: bytes.dropLast(cut), as: UTF8.self) else {
      return nil
    }
    var once: [UInt8] = []
    for scalar in text.unicodeScalars {
      guard let byte = windows1252Byte(scalar) else { return nil }
      once.append(byte)
    }
    guard once.contains(where: { $0 >= 0x80 }) else { return nil }
    let cutOnce = (0...3).first { String(validating: once.dropLast($0), as: UTF8.self) != nil }
    guard let cutOnce, once.dropLast(cutOnce).contains(where: { $0 >= 0x80 }) else { return nil }
    return once.dropLast(cutOnce)
  }

  private static func windows1252Byte(_ scalar: Unicode.Scalar) -> UInt8? {
    if let byte = UInt8(exactly: scalar.value) { return byte }
    return windows1252High.firstIndex(of: scalar).map { UInt8(0x80 + $0) }
  }

  // The WHATWG index for 0x80...0x9F. The five bytes it leaves undefined stay Latin-1 controls.
  private static let windows1252High: [Unicode.Scalar] = [
    "€", "\u{81}", "‚", "ƒ", "„", "…", "†", "‡", "ˆ", "‰", "Š", "‹", "Œ", "\u{8D}", "Ž", "\u{8F}",
    "\u{90}", "‘", "’", "“", "”", "•", "–", "—", "˜", "™", "š", "›", "œ", "\u{9D}", "ž", "Ÿ",
  ]

  // 0xC2 is the first byte of every C1 control, 0xE2 of Unicode's line ends, 0xEF of the byte order mark.
  private static func isClean(_ bytes: Span<UInt8>) -> Bool {
    for index in bytes.indices {
      let byte = bytes[index]
      if ASCII.isControl(byte) || byte == 0xC2 || byte == 0xE2 || byte == 0xEF { return false }
    }
    return true
  }

  private static func cleaned(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for (index, scalar) in text.unicodeScalars.enumerated() {
      switch scalar {
      case "\t", "\n", "\r", "\u{2028}", "\u{2029}": scalars.append(" ")
      case "\u{FEFF}" where index == 0: continue
      case _ where scalar.isControl: continue
      default: scalars.append(scalar)
      }
    }
    return String(scalars)
  }
}

extension Unicode.Scalar {
  /// Whether the scalar is a C0 control, DEL or a C1 control.
  var isControl: Bool { value < 0x20 || (value >= 0x7F && value < 0xA0) }
}
