/// A range of addresses with a common beginning: `192.0.2.0/24`, `2001:db8::/32`, or a single address (RFC 4632).
public struct AddressRange: Hashable, Sendable, CustomStringConvertible {
  /// The first half of an IPv6 range's sixteen bytes; an IPv4 range's four bytes stand in `low`.
  private let high: UInt64
  private let low: UInt64
  private let isIPv4: Bool
  /// The number of bits that count, from the front.
  public let prefix: Int

  /// - Returns: nil for an invalid address or prefix. Bits behind the prefix are ignored.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let first = parts.first, first != "localhost",
      let address = SocketAddress(host: String(first), port: 0)
    else { return nil }
    // A range of IPv4 may be written inside IPv6, with the 96 bits in front of the address.
    let front = address.isIPv4 && first.contains(":") ? 96 : 0
    var number = front + (address.isIPv4 ? 32 : 128)
    if parts.count == 2 {
      guard parts[1].allSatisfy({ $0.isASCII && $0.isNumber }), let written = Int(parts[1]),
        (0...number).contains(written)
      else { return nil }
      number = written
    }
    let whole: (high: UInt64, low: UInt64)
    switch address {
    case .ipv4(let four, _) where number < front:
      (whole, isIPv4, prefix) = ((0, 0xffff_0000_0000 | UInt64(four)), false, number)
    case .ipv4(let four, _): (whole, isIPv4, prefix) = ((0, UInt64(four)), true, number - front)
    case .ipv6(let upper, let lower, _): (whole, isIPv4, prefix) = ((upper, lower), false, number)
    case .unix: return nil
    }
    // The bits after the prefix become zero, so that equal ranges are equal values.
    high = Self.front(whole.high, bits: min(prefix, 64), of: 64)
    low =
      isIPv4
      ? Self.front(whole.low, bits: prefix, of: 32)
      : Self.front(whole.low, bits: max(0, prefix - 64), of: 64)
  }

  /// Returns a number of this width with its first bits kept, and zeros behind them.
  private static func front(_ value: UInt64, bits: Int, of width: Int) -> UInt64 {
    let rest = UInt64(width - bits)
    // Swift's shift by all 64 bits gives 0, as it should.
    return (value >> rest) << rest
  }

  /// Whether an address is in the range. An IPv4 address inside IPv6 (`::ffff:192.0.2.1`) counts as the IPv4 address.
  public func contains(_ address: SocketAddress) -> Bool {
    switch address {
    case .ipv4(let four, _): isIPv4 && Self.agree(low, UInt64(four), bits: prefix, of: 32)
    case .ipv6(0, let lower, _) where isIPv4 && lower >> 32 == 0xffff:
      Self.agree(low, lower & 0xffff_ffff, bits: prefix, of: 32)
    case .ipv6(let upper, let lower, _):
      !isIPv4 && Self.agree(high, upper, bits: min(prefix, 64), of: 64)
        && Self.agree(low, lower, bits: max(0, prefix - 64), of: 64)
    case .unix: false
    }
  }

  private static func agree(_ a: UInt64, _ b: UInt64, bits: Int, of width: Int) -> Bool {
    bits == 0 || (a ^ b) >> UInt64(width - bits) == 0
  }

  /// The range as people write it; a single address has no prefix.
  public var text: String {
    prefix == (isIPv4 ? 32 : 128) ? String(description.prefix { $0 != "/" }) : description
  }

  public var description: String {
    let address: SocketAddress =
      isIPv4
      ? .ipv4(UInt32(truncatingIfNeeded: low), port: 0) : .ipv6(high, low, port: 0)
    return "\(address.host)/\(prefix)"
  }
}

extension SocketAddress {
  fileprivate var isIPv4: Bool { if case .ipv4 = self { true } else { false } }
}
