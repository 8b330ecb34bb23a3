import Reactor
import Wire

/// Who is behind a proxy. Only what a trusted proxy has written is believed: everything left of it anybody may have
/// sent.
enum ForwardedAddress {
  /// The client's address: of `X-Forwarded-For`, from the right, the first that is no trusted proxy.
  ///
  /// - Parameter peer: who is at the other end of the socket.
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

  /// Scheme and host that the client used, as a trusted proxy says; nil: nothing is said.
  ///
  /// - Parameter scheme: the proxy's own, where it says none.
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

  /// An address with or without a port: some proxies write it.
  private static func address(_ text: String) -> SocketAddress? {
    SocketAddress(host: text, port: 0) ?? SocketAddress(text)
  }
}
