import Reactor

/// Who is one to us, however many addresses it has: an address of IPv4, in IPv6 the 64 bits that a customer is given.
struct Customer: Hashable, Sendable {
  private var isIPv4: Bool
  private var bits: UInt64

  /// nil: the administration's own socket.
  init?(_ origin: APIRequest.Origin) {
    switch origin.address {
    case .ipv4(let four, _): (isIPv4, bits) = (true, UInt64(four))
    case .ipv6(0, let low, _) where low >> 32 == 0xffff: (isIPv4, bits) = (true, low & 0xffff_ffff)
    case .ipv6(let high, _, _): (isIPv4, bits) = (false, high)
    case .unix, nil: return nil
    }
  }
}
