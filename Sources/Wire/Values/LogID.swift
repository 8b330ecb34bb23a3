/// Tells a log from all others, those of other relays included: 16 random bytes. As text 32 hexadecimal digits.
public struct LogID: Hashable, Sendable, CustomStringConvertible {
  public static let byteCount = 16

  public let bytes: [UInt8]

  /// Nil for any other number of bytes, and where all of them are zero.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount, bytes.contains(where: { $0 != 0 }) else { return nil }
    self.bytes = bytes
  }

  /// Makes the id of a new log.
  public static func random() -> LogID {
    var bytes = (0..<byteCount).map { _ in UInt8.random(in: 0...255) }
    bytes[0] |= 1
    return LogID(bytes: bytes)!
  }

  /// Reads 32 hexadecimal digits; nil for any other text.
  public init?(_ text: some StringProtocol) {
    let digits = text.utf8.compactMap(ASCII.hexValue)
    guard text.utf8.count == 2 * Self.byteCount, digits.count == 2 * Self.byteCount else {
      return nil
    }
    self.init(
      bytes: (0..<Self.byteCount).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] })
  }

  public var description: String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}
