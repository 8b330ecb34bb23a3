import Reactor

/// The other end of a connection.
public enum Peer: Hashable, Sendable {
  case tcp(SocketAddress)
  /// The administration's own socket: a process that can open it is trusted.
  case unixSocket

  /// Address of the other end; nil for the administration's own socket.
  public var address: SocketAddress? {
    if case .tcp(let address) = self { address } else { nil }
  }

  /// The address without its port, `unix` for the socket.
  public var host: String {
    switch self {
    case .tcp(let address): address.host
    case .unixSocket: "unix"
    }
  }
}
