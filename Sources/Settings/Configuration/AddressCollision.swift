import Reactor

// Addresses that one program cannot listen on at once.
extension SocketAddress {
  /// Whether this is the wildcard of the other's family, with the other's port. IPv6 sockets accept no IPv4.
  func contains(_ other: SocketAddress) -> Bool {
    switch (self, other) {
    case (.ipv4(0, let port), .ipv4(_, port: let otherPort)): port == otherPort
    case (.ipv6(0, 0, let port), .ipv6(_, _, port: let otherPort)): port == otherPort
    default: false
    }
  }

  /// Whether one program cannot listen on both. Port 0 is a different port each time.
  func excludes(_ other: SocketAddress) -> Bool {
    port != 0 && (self == other || contains(other) || other.contains(self))
  }
}

extension [SocketAddress] {
  /// Why one program cannot listen on all of them; nil when it can.
  package var collision: String? {
    for (index, address) in enumerated() {
      guard let other = self[..<index].first(where: { $0.excludes(address) }) else { continue }
      if address == other { return "\(address) is there twice; write it once" }
      let (wide, narrow) = address.contains(other) ? (address, other) : (other, address)
      return "\(narrow) is in \(wide) already; write one of them"
    }
    return nil
  }
}
