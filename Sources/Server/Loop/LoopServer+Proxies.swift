import Reactor
import Wire

// Connections that a proxy has made for somebody else, and says so before the first request.
extension LoopServer {
  /// Whether a new connection has to begin with a PROXY header. Nobody but trusted proxies is believed, nor asked.
  func isBehindProxy(_ origin: APIRequest.Origin) -> Bool {
    guard hasProxyHeaders, case .tcp(let peer) = origin else { return false }
    return trustedProxies.contains { $0.contains(peer) }
  }

  /// Takes the header off what has come. False: there is not enough yet.
  func readProxyHeader(_ slot: UInt32, _ bytes: [UInt8]) throws(HTTPError) -> Bool {
    guard let (header, length) = try ProxyHeader.parse(bytes.span) else {
      connections[slot].state = .reading(bytes)
      return false
    }
    if case .client(let host, let port) = header {
      guard let address = SocketAddress(host: host, port: port) else {
        throw HTTPError(status: 400, message: "The PROXY header has no valid address.")
      }
      // From here on it is the client's connection, in every respect.
      connections[slot].origin = .tcp(address)
    }
    connections[slot].awaitsProxyHeader = false
    connections[slot].state = .reading(Array(bytes[length...]))
    return true
  }
}
