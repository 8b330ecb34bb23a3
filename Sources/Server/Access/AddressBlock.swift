import Reactor

/// The unit that counts as one client: an IPv4 address, or in IPv6 the 64 bits that one customer has.
public struct AddressBlock: Hashable, Sendable {
  private enum Kind: UInt8 { case four, six, wideSix }

  private var kind: Kind
  private var bits: UInt64

  /// Nil for the administration's own socket, which has no address.
  public init?(_ origin: Peer) {
    guard let address = origin.address else { return nil }
    self.init(address)
  }

  init?(_ address: SocketAddress) {
    switch address {
    case .ipv4(let four, _): (kind, bits) = (.four, UInt64(four))
    case .ipv6(0, let low, _) where low >> 32 == 0xffff:
      (kind, bits) = (.four, low & 0xffff_ffff)
    case .ipv6(let high, _, _): (kind, bits) = (.six, high)
    case .unix: return nil
    }
  }

  private init(_ kind: Kind, _ bits: UInt64) { (self.kind, self.bits) = (kind, bits) }

  /// The /48 that the block lies in, which one customer may have as well; nil for IPv4.
  public var site: AddressBlock? {
    kind == .six ? AddressBlock(.wideSix, bits >> 16) : nil
  }

  /// The unit that has one turn among others: a /48, or an address of IPv4.
  public var siteOrSelf: AddressBlock { site ?? self }

  /// Blocks for which the address is counted: itself, and the /48 it lies in.
  var withSite: [AddressBlock] { [self, site].compactMap(\.self) }

  /// Returns those blocks, and how many times as much each may have.
  func withSite(share: Int) -> [(block: AddressBlock, share: Int)] {
    [(self, 1)] + (site.map { [($0, share)] } ?? [])
  }

  /// The /16 of IPv4 or the /32 of IPv6 that the block lies in: what one hoster may have.
  var network: AddressBlock {
    switch kind {
    case .four: AddressBlock(.four, bits >> 16)
    case .six: AddressBlock(.six, bits >> 32)
    case .wideSix: AddressBlock(.six, bits >> 16)
    }
  }
}
