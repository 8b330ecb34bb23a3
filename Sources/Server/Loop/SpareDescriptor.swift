import Glibc
import Reactor

/// A descriptor kept back, so that at the limit a client is told instead of left hanging.
struct SpareDescriptor: ~Copyable {
  private var fd: Int32

  init() { fd = open("/dev/null", O_RDONLY | O_CLOEXEC) }

  deinit { if fd >= 0 { close(fd) } }

  /// Takes one connection, answers it and closes it.
  mutating func refuse(_ listening: Int32, with answer: [UInt8]) {
    if fd >= 0 { close(fd) }
    if case .connection(let client, _) = Socket.accept(listening) {
      var answer = answer
      answer.withUnsafeMutableBytes { bytes in
        var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
        _ = Socket.send(client, &part, count: 1)
      }
      Socket.close(client)
    }
    fd = open("/dev/null", O_RDONLY | O_CLOEXEC)
  }
}
