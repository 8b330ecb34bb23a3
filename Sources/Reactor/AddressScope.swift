import Glibc

/// Where an address can be reached from. The scope tells a public server from a server inside the own network.
public enum AddressScope: Hashable, Sendable {
  /// Reachable from everywhere.
  case world
  /// Reachable within a site: RFC 1918, RFC 6598 (carriers' own), RFC 4193, and other ranges set aside for such use.
  case site
  /// Reachable on one wire: RFC 3927, RFC 4291. Clouds give machines their secrets at such addresses.
  case link
  /// Reachable on this machine only.
  case machine
  /// Reachable from nowhere: multicast, reserved and unspecified networks.
  case nowhere

  /// Whether a server in this scope may lead the relay to an address in `other`: outwards always, inwards never.
  public func mayLead(to other: AddressScope) -> Bool {
    other == .world || (self == .machine && other != .nowhere)
      || (self == other && self != .nowhere)
  }
}

extension SocketAddress {
  /// The scope of the address; an address that contains another one (RFC 4291, 6052, 3056) has that one's scope.
  public var scope: AddressScope {
    switch self {
    case .ipv4(let address, _): Self.scope(address)
    case .ipv6(let high, let low, _): Self.scope(high, low)
    case .unix: .machine
    }
  }

  /// The scope as seen from this machine; a public address of this machine counts as `machine`.
  public var scopeFromHere: AddressScope { scope(own: Self.ofInterfaces) }

  /// - Parameter own: The addresses of this machine's interfaces.
  func scope(own: [SocketAddress]) -> AddressScope {
    guard scope == .world else { return scope }
    let inner = innermost.host
    return own.contains { $0.innermost.host == inner } ? .machine : .world
  }

  /// The IPv4 address inside an IPv6 address, else the address itself.
  private var innermost: SocketAddress {
    guard case .ipv6(let high, let low, let port) = self, let four = Self.carried(high, low)
    else { return self }
    return .ipv4(four, port: port)
  }

  /// The current addresses of this machine's interfaces, which may change at any time.
  public static var ofInterfaces: [SocketAddress] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    var addresses: [SocketAddress] = []
    var next = first
    while let entry = next?.pointee {
      next = entry.ifa_next
      guard let name = entry.ifa_addr else { continue }
      let length =
        switch Int32(name.pointee.sa_family) {
        case AF_INET: MemoryLayout<sockaddr_in>.size
        case AF_INET6: MemoryLayout<sockaddr_in6>.size
        default: 0
        }
      if length > 0, let address = SocketAddress(name, length: length) { addresses.append(address) }
    }
    return addresses
  }

  private static let ranges4: [(AddressRange, AddressScope)] = [
    // Linux treats the address 0.0.0.0 as this machine.
    ("0.0.0.0/32", .machine), ("0.0.0.0/8", .nowhere), ("10.0.0.0/8", .site),
    ("100.64.0.0/10", .site), ("127.0.0.0/8", .machine), ("169.254.0.0/16", .link),
    ("172.16.0.0/12", .site), ("192.0.0.0/24", .site), ("192.168.0.0/16", .site),
    ("198.18.0.0/15", .site), ("224.0.0.0/3", .nowhere),
  ].map { (AddressRange($0)!, $1) }

  private static let ranges6: [(AddressRange, AddressScope)] = [
    ("::/127", .machine), ("64:ff9b:1::/48", .site), ("100::/64", .nowhere), ("2001::/32", .site),
    ("fc00::/7", .site), ("fe80::/10", .link), ("fec0::/10", .site), ("ff00::/8", .nowhere),
  ].map { (AddressRange($0)!, $1) }

  private static func scope(_ four: UInt32) -> AddressScope {
    ranges4.first { $0.0.contains(.ipv4(four, port: 0)) }?.1 ?? .world
  }

  private static func scope(_ high: UInt64, _ low: UInt64) -> AddressScope {
    let address = SocketAddress.ipv6(high, low, port: 0)
    if let known = ranges6.first(where: { $0.0.contains(address) })?.1 { return known }
    return carried(high, low).map(scope) ?? .world
  }

  /// Returns the IPv4 address inside an IPv6 address; nil without one.
  private static func carried(_ high: UInt64, _ low: UInt64) -> UInt32? {
    let last = UInt32(truncatingIfNeeded: low)
    return switch (high, low >> 32) {
    // ::a.b.c.d, ::ffff:a.b.c.d, ::ffff:0:a.b.c.d (RFC 2765) and 64:ff9b::a.b.c.d.
    case (0, 0), (0, 0xFFFF), (0, 0xFFFF_0000), (0x0064_FF9B_0000_0000, 0): last
    // 2002:a.b.c.d::
    case _ where high >> 48 == 0x2002: UInt32(truncatingIfNeeded: high >> 16)
    // ISATAP (RFC 5214), behind any prefix.
    case (_, 0x5EFE), (_, 0x0200_5EFE): last
    default: nil
    }
  }
}
