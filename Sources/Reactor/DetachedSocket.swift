import Synchronization

/// A connected socket on its way from one loop to another, with its encryption if it has any.
///
/// The caller that takes the descriptor must close it. An untaken descriptor is closed with the last reference.
public final class DetachedSocket: Sendable {
  private let fd: Mutex<Int32>
  /// The socket's encryption, for use only by the caller that took the descriptor.
  public let tls: TLSStream?

  public init(_ fd: Int32, tls: TLSStream? = nil) {
    self.fd = Mutex(fd)
    self.tls = tls
  }

  /// Returns the descriptor to the first caller, and nil to later callers.
  public func claim() -> Int32? {
    fd.withLock { fd in
      defer { fd = -1 }
      return fd < 0 ? nil : fd
    }
  }

  deinit {
    if let fd = claim() { Socket.close(fd) }
  }
}
