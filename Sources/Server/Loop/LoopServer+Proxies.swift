import Reactor
import Wire

// Connections that a proxy has made for somebody else, and says so before the first request.
extension LoopServer {
  /// Nobody else is believed about whom it speaks for, nor asked for a PROXY header.
  func isTrustedProxy(_ origin: APIRequest.Origin) -> Bool {
    guard case .tcp(let peer) = origin else { return false }
    return trustedProxies.contains { $0.contains(peer) }
  }

  /// Reads the header and not a byte more: what is behind it may be encrypted. False: there is not enough yet, or it is
  /// no header.
  func takeProxyHeader(_ slot: UInt32, behind bytes: [UInt8]) -> Bool {
    let fd = connections[slot].fd
    switch Socket.peek(fd, into: input.bytes) {
    case .wouldBlock: return false
    case .ended:
      close(slot, .clientGone)
      return false
    case .bytes(let count):
      let all = bytes + input.bytes[..<count]
      let header = try? ProxyHeader.parse(all.span)
      let own = header.map { $0.length - bytes.count } ?? count
      let piece = UnsafeMutableRawBufferPointer(rebasing: input.bytes[..<own])
      guard case .bytes(own) = Socket.receive(fd, into: piece) else { return false }
      let token = connections.token(slot)
      take(slot, UnsafeRawBufferPointer(piece))
      return connections.slot(of: token) != nil && !connections[slot].awaitsProxyHeader
    }
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
      guard countForAddress(slot) else {
        throw HTTPError(
          status: 429, message: "Your address has all the connections it may have.")
      }
    }
    connections[slot].awaitsProxyHeader = false
    connections[slot].state = .reading(Array(bytes[length...]))
    return true
  }
}
