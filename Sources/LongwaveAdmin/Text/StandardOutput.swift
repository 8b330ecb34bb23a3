import Glibc

/// Descriptor 1, where commands write what they have to say.
public enum StandardOutput {
  /// Writes all bytes, however long that takes; returns the code of what went wrong, and nil when nothing did.
  public static func write(_ bytes: Span<UInt8>) -> Int32? {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Glibc.write(1, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count >= 0 {
          rest = rest.dropFirst(count)
          continue
        }
        switch errno {
        case EINTR: break
        case EAGAIN:
          // A program that shares the pipe or the terminal has made it non-blocking.
          var wanted = pollfd(fd: 1, events: Int16(POLLOUT), revents: 0)
          poll(&wanted, 1, -1)
        case let code: return code
        }
      }
      return nil
    }
  }
}
