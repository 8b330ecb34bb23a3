import Glibc
import Timeshift

/// Blocking sockets for `FakeUpstream`.
enum FakeSocket {
  struct Failed: Error {
    var call: String
    var code: Int32
  }

  static func listen(port: UInt16) throws -> (fd: Int32, port: UInt16) {
    let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard fd >= 0 else { throw Failed(call: "socket", code: errno) }
    var one: Int32 = 1
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
    var address = loopback(port)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutableBytes(of: &address) { raw in
      let pointer = raw.baseAddress!.assumingMemoryBound(to: sockaddr.self)
      guard bind(fd, pointer, length) == 0, Glibc.listen(fd, 128) == 0 else { return false }
      return getsockname(fd, pointer, &length) == 0
    }
    guard bound else {
      defer { close(fd) }
      throw Failed(call: "bind", code: errno)
    }
    return (fd, UInt16(bigEndian: address.sin_port))
  }

  static func isListening(_ port: UInt16) -> Bool {
    let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(fd) }
    var address = loopback(port)
    return withUnsafeMutableBytes(of: &address) { raw in
      let pointer = raw.baseAddress!.assumingMemoryBound(to: sockaddr.self)
      return connect(fd, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
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
