import Reactor
import Wire

/// Finds the client behind a proxy. Only what a trusted proxy has written is believed: everything left of that any
/// client may have sent.
enum ForwardedAddress {
  /// Returns the client's address: of `X-Forwarded-For`, from the right, the first that is no trusted proxy.
  ///
  /// - Parameter peer: address at the other end of the socket.
  static func client(
    of fields: HTTPFields, peer: SocketAddress, trusted: [AddressRange]
  ) -> SocketAddress {
    func isTrusted(_ address: SocketAddress) -> Bool { trusted.contains { $0.contains(address) } }
    guard isTrusted(peer) else { return peer }
    var client = peer
    for text in fields.tokens("X-Forwarded-For").reversed() {
      guard let address = address(text) else { return client }
      client = address
      if !isTrusted(address) { break }
    }
    return client
  }

  /// Returns the scheme and host that the client used, as a trusted proxy says; nil when none says so.
  ///
  /// - Parameter scheme: the scheme of the proxy's own connection, used where the proxy says none.
  static func base(
    of fields: HTTPFields, peer: SocketAddress, trusted: [AddressRange], scheme: String = "http"
  ) -> String? {
    guard trusted.contains(where: { $0.contains(peer) }),
      let host = fields.tokens("X-Forwarded-Host").last ?? fields.tokens("Host").last,
      HTTPHost.isValid(host), !host.isEmpty
    else { return nil }
    let told = fields.tokens("X-Forwarded-Proto").last
    let scheme = told == "https" || told == "http" ? told! : scheme
    return "\(scheme)://\(host)"
  }

  /// Reads an address with or without a port, since some proxies write one.
  private static func address(_ text: String) -> SocketAddress? {
    SocketAddress(host: text, port: 0) ?? SocketAddress(text)
  }
}
