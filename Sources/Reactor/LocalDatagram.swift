import Glibc

/// Datagrams to a socket of this machine, as service managers and journals take them.
public enum LocalDatagram {
  /// Bytes that `sun_path` holds.
  private static let pathBytesMax = 107

  /// Whether a text names a socket: a path from the root on, or `@` and a name in the abstract space (unix(7)).
  public static func isAddress(_ text: String) -> Bool {
    (text.hasPrefix("/") || text.hasPrefix("@")) && (2...pathBytesMax).contains(text.utf8.count)
  }

  /// Sends one datagram, without waiting for a receiver that is slow.
  ///
  /// - Returns: 0, or the errno of what failed.
  public static func send(_ bytes: [UInt8], to address: String) -> Int32 {
    guard isAddress(address) else { return EINVAL }
    let fd = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard fd >= 0 else { return errno }
    defer { close(fd) }
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    let path = Array(address.utf8)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path) }
    var length = MemoryLayout<sa_family_t>.size + path.count
    if address.hasPrefix("@") {
      withUnsafeMutableBytes(of: &name.sun_path) { $0[0] = 0 }
    } else {
      length += 1
    }
    let sent = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        sendto(
          fd, bytes, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL), name,
          socklen_t(length))
      }
    }
    return sent < 0 ? errno : 0
  }
}
