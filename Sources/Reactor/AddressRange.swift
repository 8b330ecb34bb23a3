/// Addresses with a common beginning: `192.0.2.0/24`, `2001:db8::/32`, or one address by itself (RFC 4632).
public struct AddressRange: Hashable, Sendable, CustomStringConvertible {
  /// As four or sixteen bytes in two halves; an IPv4 range stands in the low half.
  private let high: UInt64
  private let low: UInt64
  private let isIPv4: Bool
  /// Bits that count, from the front.
  public let prefix: Int

  /// - Returns: nil for what is no address or has a prefix it cannot have. Bits behind the prefix are overlooked.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let first = parts.first, first != "localhost",
      let address = SocketAddress(host: String(first), port: 0)
    else { return nil }
    let bits: Int
    switch address {
    case .ipv4(let four, _): (high, low, isIPv4, bits) = (0, UInt64(four), true, 32)
    case .ipv6(let upper, let lower, _): (high, low, isIPv4, bits) = (upper, lower, false, 128)
    case .unix: return nil
    }
    guard parts.count == 2 else {
      prefix = bits
      return
    }
    guard parts[1].allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(parts[1]),
      (0...bits).contains(number)
    else { return nil }
    prefix = number
  }

  /// Whether an address is one of these. An IPv4 address in IPv6 clothes (`::ffff:192.0.2.1`) is the IPv4 address.
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

  public var description: String {
    let address: SocketAddress =
      isIPv4
      ? .ipv4(UInt32(truncatingIfNeeded: low), port: 0) : .ipv6(high, low, port: 0)
    return "\(address.host)/\(prefix)"
  }
}
