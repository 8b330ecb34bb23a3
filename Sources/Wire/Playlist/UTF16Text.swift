/// Text in UTF-16, which Windows' editors call Unicode.
public enum UTF16Text {
  /// The number of characters that must be ASCII for a text without a byte order mark.
  private static let plainMin = 4

  private enum Order { case little, big }

  /// Whether the bytes begin like a text in UTF-16: in ASCII, with a byte order mark or some more of it.
  public static func isMeant(by bytes: [UInt8]) -> Bool { order(of: bytes) != nil }

  /// Returns a text in UTF-16 as UTF-8, without a byte order mark; nil where `isMeant` is false.
  public static func utf8(_ bytes: [UInt8]) -> [UInt8]? {
    guard let order = order(of: bytes) else { return nil }
    let units = units(bytes[...], order)
    let text = units.first == 0xFEFF ? units.dropFirst() : units[...]
    return Array(String(decoding: text, as: UTF16.self).utf8)
  }

  private static func order(of bytes: [UInt8]) -> Order? {
    if bytes.starts(with: [0xFF, 0xFE]) { return isMarked(bytes, .little) ? .little : nil }
    if bytes.starts(with: [0xFE, 0xFF]) { return isMarked(bytes, .big) ? .big : nil }
    return [Order.little, .big].first { order in
      let begin = units(bytes.prefix(2 * plainMin), order)
      return begin.count == plainMin && begin.allSatisfy(isPlain)
    }
  }

  /// Whether the bytes behind the mark are text that begins in ASCII: a frame of MPEG Layer I may begin with the mark.
  private static func isMarked(_ bytes: [UInt8], _ order: Order) -> Bool {
    let begin = units(bytes.dropFirst(2).prefix(2 * plainMin), order)
    return begin.first.map(isPlain) == true && begin.allSatisfy { isPlain($0) || $0 >= 0xA0 }
  }

  private static func isPlain(_ unit: UInt16) -> Bool {
    0x20..<0x7F ~= unit || 0x09...0x0D ~= unit
  }

  private static func units(_ bytes: ArraySlice<UInt8>, _ order: Order) -> [UInt16] {
    stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map { place in
      let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
      return order == .little ? second << 8 | first : first << 8 | second
    }
  }
}
