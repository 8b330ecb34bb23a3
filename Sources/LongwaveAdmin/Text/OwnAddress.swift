import Reactor

/// The address by which other machines reach this one.
public enum OwnAddress {
  /// Returns a URL of `http://localhost:PORT/…` with this machine's own address; nil for any other URL, and on a
  /// machine without a network.
  public static func url(like url: String) -> String? {
    let start = "http://localhost:"
    let own = SocketAddress.ofInterfaces.first {
      if case .ipv4 = $0 { [.site, .world].contains($0.scope) } else { false }
    }
    guard url.hasPrefix(start), let own else { return nil }
    return "http://\(own.host):" + url.dropFirst(start.count)
  }
}
