import Glibc
import Timeshift

/// Blocking sockets for `FakeUpstream`.
enum FakeSocket {
  struct Failed: Error {
    var call: String
    var code: Int32
  }

  static func listen(port: UInt16, isIPv6: Bool = false) throws -> (fd: Int32, port: UInt16) {
    let fd = socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard fd >= 0 else { throw Failed(call: "socket", code: errno) }
    var one: Int32 = 1
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
    var bound: UInt16?
    withLoopback(port, isIPv6: isIPv6) { address, length in
      var length = length
      guard bind(fd, address, length) == 0, Glibc.listen(fd, 128) == 0,
        getsockname(fd, address, &length) == 0
      else { return }
      // The port stands at the same place in both kinds.
      bound = UnsafeRawPointer(address).load(fromByteOffset: 2, as: UInt16.self)
    }
    guard let bound else {
      defer { close(fd) }
      throw Failed(call: "bind", code: errno)
    }
    return (fd, UInt16(bigEndian: bound))
  }

  static func isListening(_ port: UInt16, isIPv6: Bool) -> Bool {
    let fd = socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(fd) }
    return withLoopback(port, isIPv6: isIPv6) { connect(fd, $0, $1) == 0 }
  }

  @discardableResult
  private static func withLoopback<Result>(
    _ port: UInt16, isIPv6: Bool, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    if isIPv6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_addr = in6addr_loopback
      return withBytes(of: &address, body)
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withBytes(of: &address, body)
  }

  private static func withBytes<Address, Result>(
    of address: inout Address, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    withUnsafeMutableBytes(of: &address) { raw in
      body(raw.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count))
    }
  }

  static func readRequest(_ fd: Int32) -> FakeUpstream.Request? {
    var head: [UInt8] = []
    var byte: UInt8 = 0
    while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
      guard head.count < 16_384, recv(fd, &byte, 1, 0) == 1 else { return nil }
      head.append(byte)
    }
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
    let words = lines.first?.split(separator: " ").map(String.init) ?? []
    guard words.count == 3 else { return nil }
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      fields[line[..<colon].lowercased()] = String(value)
    }
    var body: [UInt8] = []
    while body.count < Int(fields["content-length"] ?? "") ?? 0, recv(fd, &byte, 1, 0) == 1 {
      body.append(byte)
    }
    return FakeUpstream.Request(
      method: words[0], path: words[1], fields: fields, body: body, at: .now())
  }

  /// False when the other side has gone.
  static func send(_ fd: Int32, _ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { raw in
      var sent = 0
      while sent < raw.count {
        let flags = Int32(MSG_NOSIGNAL)
        let count = Glibc.send(fd, raw.baseAddress! + sent, raw.count - sent, flags)
        if count < 0 && errno == EINTR { continue }
        if count <= 0 { return false }
        sent += count
      }
      return true
    }
  }

  static func thread(_ body: @escaping @Sendable () -> Void) {
    var handle = pthread_t()
    let box = Unmanaged.passRetained(Box(body: body))
    let result = pthread_create(
      &handle, nil,
      { context in
        Unmanaged<Box>.fromOpaque(context!).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    precondition(result == 0, "no thread for the fake upstream")
    pthread_detach(handle)
  }

  private final class Box: Sendable {
    let body: @Sendable () -> Void
    init(body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
