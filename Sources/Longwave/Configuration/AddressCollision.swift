import Reactor

// Which addresses one program cannot listen on at once.
extension SocketAddress {
  /// Whether this is every address of its family, with the other's port. IPv6 sockets take no IPv4.
  func contains(_ other: SocketAddress) -> Bool {
    switch (self, other) {
    case (.ipv4(0, let port), .ipv4(_, port: let otherPort)): port == otherPort
    case (.ipv6(0, 0, let port), .ipv6(_, _, port: let otherPort)): port == otherPort
    default: false
    }
  }

  /// Whether both cannot be listened on. Port 0 is another one each time.
  func excludes(_ other: SocketAddress) -> Bool {
    port != 0 && (self == other || contains(other) || other.contains(self))
  }
}

extension [SocketAddress] {
  /// Why they cannot all be listened on; nil: they can.
  var collision: String? {
    for (index, address) in enumerated() {
      guard let other = self[..<index].first(where: { $0.excludes(address) }) else { continue }
      if address == other { return "\(address) is there twice; write it once" }
      let (wide, narrow) = address.contains(other) ? (address, other) : (other, address)
      return "\(narrow) is in \(wide) already; write one of them"
    }
    return nil
  }
}
