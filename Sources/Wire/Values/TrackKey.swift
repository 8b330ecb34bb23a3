/// A piece of audio by its content, which renaming, moving and retagging leave alone: 128 bits.
public struct TrackKey: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let high: UInt64
  public let low: UInt64

  public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

  /// Makes the key of the first 16 bytes; nil of fewer.
  @inlinable public init?(bytes: some Collection<UInt8>) {
    guard bytes.count >= 16 else { return nil }
    var (high, low) = (UInt64(0), UInt64(0))
    for byte in bytes.prefix(16) { (high, low) = (high << 8 | low >> 56, low << 8 | UInt64(byte)) }
    self.init(high: high, low: low)
  }

  /// Reads 32 hexadecimal digits; nil of anything else.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count == 32, let high = Self.number(text.utf8.prefix(16)),
      let low = Self.number(text.utf8.dropFirst(16))
    else { return nil }
    self.init(high: high, low: low)
  }

  private static func number(_ digits: some Sequence<UInt8>) -> UInt64? {
    var number: UInt64 = 0
    for digit in digits {
      guard let value = ASCII.hexValue(digit) else { return nil }
      number = number << 4 | UInt64(value)
    }
    return number
  }

  /// 32 hexadecimal digits, in lower case.
  public var description: String {
    [high, low].map { number in
      let digits = String(number, radix: 16)
      return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }.joined()
  }

  /// The 16 bytes.
  public var bytes: [UInt8] {
    [high, low].flatMap { number in
      (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
  }

  public static func < (one: TrackKey, other: TrackKey) -> Bool {
    (one.high, one.low) < (other.high, other.low)
  }
}
