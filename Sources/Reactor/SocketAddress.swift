import Glibc

/// The address on which a socket listens, or the address of a socket's peer.
public enum SocketAddress: Hashable, Sendable, CustomStringConvertible {
  /// The four bytes of the address, first byte highest.
  case ipv4(UInt32, port: UInt16)
  /// The sixteen bytes of the address in network order, as two halves.
  case ipv6(UInt64, UInt64, port: UInt16)
  /// A path in the file system; empty for an unnamed peer.
  case unix(String)

  /// Reads `HOST:PORT` with a numeric host: `0.0.0.0:8000`, `[::]:8000`, `localhost:8000`.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"),
      let port = UInt16(text[text.index(after: colon)...])
    else { return nil }
    self.init(host: String(text[..<colon]), port: port)
  }

  /// Makes the address of sixteen bytes. One of IPv4 inside IPv6 (`::ffff:192.0.2.1`; RFC 4291, 2.5.5.2) is of IPv4:
  /// sockets and proxies for both families write a client of IPv4 so.
  private init(_ high: UInt64, _ low: UInt64, port: UInt16) {
    self =
      high == 0 && low >> 32 == 0xffff
      ? .ipv4(UInt32(truncatingIfNeeded: low), port: port) : .ipv6(high, low, port: port)
  }

  /// Reads a numeric host; an IPv6 address may stand in brackets. `localhost` is 127.0.0.1.
  public init?(host: String, port: UInt16) {
    var four = in_addr()
    var six = in6_addr()
    let bare =
      host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    if bare == "localhost" {
      self = .ipv4(0x7f00_0001, port: port)
    } else if inet_pton(AF_INET, bare, &four) == 1 {
      self = .ipv4(UInt32(bigEndian: four.s_addr), port: port)
    } else if inet_pton(AF_INET6, bare, &six) == 1 {
      let halves = withUnsafeBytes(of: &six) { $0.loadUnaligned(as: (UInt64, UInt64).self) }
      self.init(UInt64(bigEndian: halves.0), UInt64(bigEndian: halves.1), port: port)
    } else {
      return nil
    }
  }

  public var port: UInt16? {
    switch self {
    case .ipv4(_, let port), .ipv6(_, _, let port): port
    case .unix: nil
    }
  }

  /// The address without the port.
  public var host: String {
    switch self {
    case .ipv4(let address, _):
      "\(address >> 24).\(address >> 16 & 255).\(address >> 8 & 255).\(address & 255)"
    case .ipv6(let high, let low, _): Self.text(high, low)
    case .unix(let path): path
    }
  }

  /// The address without its last byte (IPv4) or last 80 bits (IPv6), which is too little to identify a person.
  public var anonymised: SocketAddress {
    switch self {
    case .ipv4(let address, let port): .ipv4(address & 0xffff_ff00, port: port)
    case .ipv6(0, let low, let port) where low >> 32 == 0xffff:
      .ipv6(0, low & 0xffff_ffff_ffff_ff00, port: port)
    case .ipv6(let high, _, let port): .ipv6(high & 0xffff_ffff_ffff_0000, 0, port: port)
    case .unix: self
    }
  }

  public var description: String {
    switch self {
    case .ipv4(_, let port): "\(host):\(port)"
    case .ipv6(_, _, let port): "[\(host)]:\(port)"
    case .unix(let path): path
    }
  }

  private static func text(_ high: UInt64, _ low: UInt64) -> String {
    var halves = (high.bigEndian, low.bigEndian)
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    inet_ntop(AF_INET6, &halves, &text, socklen_t(text.count))
    return text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  var family: Int32 {
    switch self {
    case .ipv4: AF_INET
    case .ipv6: AF_INET6
    case .unix: AF_UNIX
    }
  }

  /// Passes the kernel's form of the address to `body`.
  func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var storage = sockaddr_storage()
    let length = withUnsafeMutableBytes(of: &storage) { fill($0) }
    return withUnsafePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }

  private func fill(_ bytes: UnsafeMutableRawBufferPointer) -> socklen_t {
    switch self {
    case .ipv4(let address, let port):
      var name = sockaddr_in()
      name.sin_family = sa_family_t(AF_INET)
      name.sin_port = port.bigEndian
      name.sin_addr.s_addr = address.bigEndian
      bytes.storeBytes(of: name, as: sockaddr_in.self)
      return socklen_t(MemoryLayout<sockaddr_in>.size)
    case .ipv6(let high, let low, let port):
      var name = sockaddr_in6()
      name.sin6_family = sa_family_t(AF_INET6)
      name.sin6_port = port.bigEndian
      withUnsafeMutableBytes(of: &name.sin6_addr) {
        $0.storeBytes(of: high.bigEndian, toByteOffset: 0, as: UInt64.self)
        $0.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
      }
      bytes.storeBytes(of: name, as: sockaddr_in6.self)
      return socklen_t(MemoryLayout<sockaddr_in6>.size)
    case .unix(let path):
      bytes.storeBytes(of: sa_family_t(AF_UNIX), as: sa_family_t.self)
      // A path has 108 bytes with the closing NUL; the caller has checked that it fits.
      let text = Array(path.utf8.prefix(107))
      bytes[2..<(2 + text.count)].copyBytes(from: text)
      return socklen_t(2 + text.count + 1)
    }
  }

  /// Reads the address in the `length` bytes from `name` on; nil for other families.
  public init?(_ name: UnsafePointer<sockaddr>, length: Int) {
    var storage = sockaddr_storage()
    guard length <= MemoryLayout<sockaddr_storage>.size,
      [AF_INET, AF_INET6].contains(Int32(name.pointee.sa_family))
    else { return nil }
    withUnsafeMutableBytes(of: &storage) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: name, count: length))
    }
    self.init(storage)
  }

  init(_ storage: sockaddr_storage) {
    let family = Int32(storage.ss_family)
    var storage = storage
    self = withUnsafeBytes(of: &storage) { bytes in
      switch family {
      case AF_INET:
        let name = bytes.load(as: sockaddr_in.self)
        return .ipv4(
          UInt32(bigEndian: name.sin_addr.s_addr), port: UInt16(bigEndian: name.sin_port))
      case AF_INET6:
        let name = bytes.load(as: sockaddr_in6.self)
        let high = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        let low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
        return SocketAddress(high, low, port: UInt16(bigEndian: name.sin6_port))
      default:
        return .unix("")
      }
    }
  }
}
