/// Percent escapes of RFC 3986 section 2.1.
public enum PercentEncoding {
  private static let percent = UInt8(ascii: "%")
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// Returns the bytes of an escaped text; nil when a `%` is not followed by two hexadecimal digits.
  static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    decoded(text, isStrict: true)
  }

  /// Decodes escapes, and leaves a `%` that begins no escape as it is.
  static func decodedWhereValid(_ text: ArraySlice<UInt8>) -> [UInt8] {
    decoded(text, isStrict: false) ?? []
  }

  private static func decoded(_ text: ArraySlice<UInt8>, isStrict: Bool) -> [UInt8]? {
    guard text.contains(percent) else { return Array(text) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == percent else {
        bytes.append(byte)
        continue
      }
      let pair = rest.prefix(2).compactMap(ASCII.hexValue)
      if pair.count == 2 {
        bytes.append(pair[0] << 4 | pair[1])
        rest = rest.dropFirst(2)
      } else if isStrict {
        return nil
      } else {
        bytes.append(percent)
      }
    }
    return bytes
  }

  /// Returns the text with every byte escaped for which `isKept` is false.
  static func encoded(_ bytes: some Sequence<UInt8>, keeping isKept: (UInt8) -> Bool) -> String {
    var text: [UInt8] = []
    for byte in bytes {
      if isKept(byte) {
        text.append(byte)
      } else {
        text += [percent, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Whether a byte never needs an escape (section 2.3).
  static func isUnreserved(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-._~".utf8.contains(byte)
  }

  /// Whether a byte may stand unescaped in a whole URL, `%` included.
  static func isURLByte(_ byte: UInt8) -> Bool {
    isUnreserved(byte) || "%:/?#[]@!$&'()*+,;=".utf8.contains(byte)
  }
}

extension PercentEncoding {
  /// Returns bytes as text. Where they are not UTF-8, every byte above ASCII is escaped, so that none is lost.
  public static func text(_ bytes: Span<UInt8>) -> String {
    do {
      return String(copying: try UTF8Span(validating: bytes))
    } catch {
      return encoded(bytes.indices.map { bytes[$0] }) { $0 < 0x80 }
    }
  }

  /// Returns a path as it stands in a URL, with its slashes kept.
  public static func path(_ text: String) -> String { path(Array(text.utf8)) }

  public static func path(_ bytes: [UInt8]) -> String {
    encoded(bytes) { isUnreserved($0) || $0 == UInt8(ascii: "/") }
  }
}
