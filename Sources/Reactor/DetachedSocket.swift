import Synchronization

/// A connected socket on its way from one loop to another, with its encryption if it has any. Whoever takes it closes
/// it; if nobody does, it is closed with the last reference.
public final class DetachedSocket: Sendable {
  private let fd: Mutex<Int32>
  /// Used by whoever has taken the descriptor, and by nobody else.
  public let tls: TLSStream?

  public init(_ fd: Int32, tls: TLSStream? = nil) {
    self.fd = Mutex(fd)
    self.tls = tls
  }

  /// The descriptor, for the first who asks; nil for everybody else.
  public func take() -> Int32? {
    fd.withLock { fd in
      defer { fd = -1 }
      return fd < 0 ? nil : fd
    }
  }

  deinit {
    if let fd = take() { Socket.close(fd) }
  }
}
