import Reactor

/// A listening TCP socket that was opened before the server: by a service manager, or with more rights than the server
/// has.
public struct OpenedSocket: Hashable, Sendable {
  public let fd: Int32
  public let address: SocketAddress
  /// Whether sources of SHOUTcast's first protocol connect there.
  public let isForShoutcast: Bool

  public init(fd: Int32, address: SocketAddress, isForShoutcast: Bool) {
    (self.fd, self.address, self.isForShoutcast) = (fd, address, isForShoutcast)
  }
}
