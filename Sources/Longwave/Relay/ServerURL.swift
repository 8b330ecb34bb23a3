import Reactor

/// The URL to open in a player.
enum ServerURL {
  /// Returns the URL of a server as this machine can open it, without a slash at the end.
  static func base(_ addresses: [SocketAddress], publicURL: String?, isEncrypted: Bool = false)
    -> String
  {
    if let publicURL { return publicURL }
    let scheme = isEncrypted ? "https" : "http"
    guard let address = addresses.first(where: { $0.port != nil }), let port = address.port else {
      return "\(scheme)://localhost"
    }
    switch address {
    case .ipv4(0, _), .ipv6(0, 0, _): return "\(scheme)://localhost:\(port)"
    default: return "\(scheme)://\(address)"
    }
  }
}
