import COpenSSL

/// One SSL_CTX: the certificates for the same hosts, with keys of several kinds.
final class TLSSide {
  let pointer: OpaquePointer
  let names: Set<String>
  /// The kinds of its keys.
  var kinds: Set<Int32> = []

  /// Adopts the context.
  init(_ pointer: OpaquePointer, names: Set<String>) {
    (self.pointer, self.names) = (pointer, names)
  }

  deinit { SSL_CTX_free(pointer) }
}

/// Which side is for a host. The sides are not changed any more.
final class TLSHosts: @unchecked Sendable {
  private let sides: [String: TLSSide]

  /// Of two sides with a name in common the first one counts.
  init(_ sides: [TLSSide]) {
    var known: [String: TLSSide] = [:]
    for side in sides {
      for name in side.names where known[name] == nil { known[name] = side }
    }
    self.sides = known
  }

  /// Returns the side for a host: the one with that very name, else with a wildcard in place of its first label.
  func side(for host: String) -> TLSSide? {
    var host = host.lowercased()
    if host.hasSuffix(".") { host.removeLast() }
    if let side = sides[host] { return side }
    guard let dot = host.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
    return sides["*" + host[dot...]]
  }
}
