import Glibc
import Reactor

/// Returns CLOCK_MONOTONIC in nanoseconds, the clock of all parts and of the stamps in the frames.
@inline(__always)
func monotonicNow() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// The fault of a measurement, in one line.
struct BenchError: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

/// Makes sockets on 127.0.0.0/8.
enum Loopback {
  /// The option with which Linux picks the port at connect, not at bind, so that many sources share the port range.
  private static let bindAddressNoPort: Int32 = 24

  static func address(port: UInt16) -> SocketAddress { .ipv4(0x7f00_0001, port: port) }

  /// Returns the source address of listener `index` of load process `part`. Each listener has its own address, so that
  /// neither ports nor limits per address run out. At most 64,000 listeners per part.
  static func source(part: Int, index: Int) -> UInt32 {
    let high = UInt32(1 + part % 250) << 16
    return 0x7f00_0000 | high | UInt32(index / 250 % 256) << 8 | UInt32(1 + index % 250)
  }

  /// Begins a connection without waiting for it, because a server with a full backlog must not delay other listeners.
  ///
  /// - Parameter segmentBytes: The largest segment that this side announces (TCP_MAXSEG); 0 for loopback's own.
  static func beginConnecting(from source: UInt32, to port: UInt16, segmentBytes: Int32)
    throws(SystemError) -> Int32
  {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let fd = socket(AF_INET, type, 0)
    guard fd >= 0 else { throw SystemError(call: "socket", code: errno) }
    Socket.setOption(fd, Int32(IPPROTO_IP), bindAddressNoPort, 1)
    if segmentBytes > 0 {
      Socket.setOption(fd, Int32(IPPROTO_TCP), TCP_MAXSEG, segmentBytes)
    }
    let bound = withName(source, port: 0) { bind(fd, $0, $1) }
    let begun = bound < 0 ? bound : withName(0x7f00_0001, port: port) { connect(fd, $0, $1) }
    if begun < 0 && errno != EINPROGRESS {
      let code = errno
      Socket.close(fd)
      throw SystemError(call: bound < 0 ? "bind" : "connect", on: "127.0.0.1:\(port)", code: code)
    }
    return fd
  }

  /// Writes the bytes that the socket accepts at once.
  ///
  /// - Parameter stream: The TLS stream; nil without TLS.
  static func send(
    _ fd: Int32, _ bytes: UnsafeRawBufferPointer, by stream: TLSStream? = nil
  ) -> Transferred {
    var part = iovec(
      iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
    // A single part is never joined with others, so no scratch buffer is needed.
    return stream.map { $0.send(&part, count: 1, scratch: .init(start: nil, count: 0)) }
      ?? Socket.send(fd, &part, count: 1)
  }

  private static func withName(
    _ address: UInt32, port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    name.sin_addr.s_addr = address.bigEndian
    return withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
