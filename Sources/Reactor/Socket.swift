import CLinux
import Glibc

/// The outcome of a write or a read on a non-blocking socket. "Would block" is an answer, not an error.
public enum Transferred: Sendable {
  case bytes(Int)
  case wouldBlock
  /// The peer has closed its side (reads), or the connection is gone.
  case ended
}

/// The socket calls under plain names. All sockets are non-blocking and close-on-exec.
public enum Socket {
  /// Opens a listening TCP or Unix socket. `sharing` puts it in a SO_REUSEPORT group, one member per loop. IPv6 sockets
  /// accept no IPv4, so that `[::]` and `0.0.0.0` can be used side by side.
  public static func listen(
    on address: SocketAddress, sharing: Bool, backlog: Int32 = 4096
  ) throws(SystemError) -> Int32 {
    let fd = try open(address)
    do {
      if case .unix = address {
        // Set before bind: the file then never has a wider mode than 0600.
        _ = try withoutInterrupts("fchmod", on: address.description) { fchmod(fd, 0o600) }
      } else {
        setOption(fd, SOL_SOCKET, SO_REUSEADDR, 1)
        if sharing { setOption(fd, SOL_SOCKET, SO_REUSEPORT, 1) }
        if address.family == AF_INET6 { setOption(fd, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
      }
      _ = try withoutInterrupts("bind", on: address.description) {
        address.withSockaddr { Glibc.bind(fd, $0, $1) }
      }
      _ = try withoutInterrupts("listen", on: address.description) { Glibc.listen(fd, backlog) }
      return fd
    } catch {
      Glibc.close(fd)
      throw error
    }
  }

  /// Lets a group use a Unix socket as well as its owner.
  public static func open(_ path: String, toGroup group: UInt32) throws(SystemError) {
    _ = try withoutInterrupts("chown", on: path) { chown(path, .max, group) }
    _ = try withoutInterrupts("chmod", on: path) { chmod(path, 0o660) }
  }

  /// Throws when another process has the address; port 0 is always free. A second server of the same user could
  /// silently join a SO_REUSEPORT group and get half of the listeners, so the probe listens without the group.
  public static func probe(_ address: SocketAddress) throws(SystemError) {
    if address.port == 0 { return }
    Glibc.close(try listen(on: address, sharing: false, backlog: 1))
  }

  /// Connects a stream socket, for tools and tests. The socket blocks until it is connected, and not afterwards.
  /// - Parameter prepare: Sets options before the connection is made.
  public static func connect(
    to address: SocketAddress, prepare: (Int32) -> Void = { _ in }
  ) throws(SystemError) -> Int32 {
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let fd = try withoutInterrupts("socket", on: address.description) {
      socket(address.family, type, 0)
    }
    prepare(fd)
    do {
      _ = try withoutInterrupts("connect", on: address.description) {
        address.withSockaddr { Glibc.connect(fd, $0, $1) }
      }
    } catch {
      Glibc.close(fd)
      throw error
    }
    _ = fcntl(fd, F_SETFL, O_NONBLOCK)
    return fd
  }

  /// Returns the actual address of a listening socket, which is needed after port 0; nil if the call fails.
  public static func localAddress(of fd: Int32) -> SocketAddress? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(fd, $0, &length) }
    }
    return result == 0 ? SocketAddress(storage) : nil
  }

  /// The outcome of `accept`.
  public enum Accepted: Sendable {
    case connection(Int32, SocketAddress)
    /// A connection with a spare descriptor (`SpareDescriptors`): refuse it in words, or use `lowered`.
    case spare(Int32, SocketAddress)
    case wouldBlock
    /// This process or the system has no descriptor left.
    case outOfDescriptors
    /// The connection was gone before it was accepted; others may wait.
    case aborted
  }

  /// Accepts the next connection. The corresponding C function is `accept4`.
  public static func accept(_ listening: Int32) -> Accepted {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let fd = linux_accept4(listening, &storage, &length, flags)
    if fd >= 0 {
      let address = SocketAddress(storage)
      return linux_is_spare(fd) != 0 ? .spare(fd, address) : .connection(fd, address)
    }
    switch errno {
    case EAGAIN: return .wouldBlock
    case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .outOfDescriptors
    default: return .aborted
    }
  }

  /// Moves a socket to the lowest free descriptor. Nil if only spare numbers are free; the socket then stays as it is.
  public static func lowered(_ fd: Int32) -> Int32? {
    let lower = linux_unless_spare(fcntl(fd, F_DUPFD_CLOEXEC, 0))
    guard lower >= 0 else { return nil }
    close(fd)
    return lower
  }

  /// Sets up a listener's socket: no Nagle (a tail would wait for an ACK), bounded kernel memory, and keepalive to find
  /// dead peers. TCP_USER_TIMEOUT stays unset, because it kills paused players.
  public static func prepareForStreaming(_ fd: Int32, sendBufferBytes: Int32, unsentBytes: Int32) {
    setOption(fd, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    setOption(fd, SOL_SOCKET, SO_SNDBUF, sendBufferBytes)
    setOption(fd, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, unsentBytes)
    setOption(fd, SOL_SOCKET, SO_KEEPALIVE, 1)
    setOption(fd, Int32(IPPROTO_TCP), TCP_KEEPIDLE, 30)
    setOption(fd, Int32(IPPROTO_TCP), TCP_KEEPINTVL, 30)
    setOption(fd, Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
  }

  /// Makes one gather write of the first `count` parts. The call never blocks and never raises SIGPIPE.
  public static func send(
    _ fd: Int32, _ parts: UnsafeMutablePointer<iovec>, count: Int
  ) -> Transferred {
    let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
    while true {
      let sent: Int
      if count == 1 {
        sent = Glibc.send(fd, parts[0].iov_base, parts[0].iov_len, flags)
      } else {
        var message = msghdr()
        message.msg_iov = parts
        message.msg_iovlen = count
        sent = sendmsg(fd, &message, flags)
      }
      if sent >= 0 { return .bytes(sent) }
      let code = errno
      if code == EINTR { continue }
      return code == EAGAIN ? .wouldBlock : .ended
    }
  }

  /// Sends bytes in one piece.
  public static func send(_ fd: Int32, _ bytes: UnsafeRawBufferPointer) -> Transferred {
    var part = iovec(
      iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
    return send(fd, &part, count: 1)
  }

  /// Sends part of a file inside the kernel; 0 bytes mean that the file ends before. The call never raises SIGPIPE, and
  /// blocks only where the page cache lacks the bytes.
  public static func sendFile(
    _ fd: Int32, _ file: Int32, at offset: UInt64, count: Int
  ) -> Transferred {
    while true {
      let sent = linux_sendfile(fd, file, Int64(offset), count)
      if sent >= 0 { return .bytes(sent) }
      let code = errno
      if code == EINTR { continue }
      return code == EAGAIN ? .wouldBlock : .ended
    }
  }

  /// Reads the available bytes, up to the buffer's size.
  public static func receive(_ fd: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Transferred
  {
    receive(fd, into: buffer, Int32(MSG_DONTWAIT))
  }

  /// Reads bytes, but leaves them in the socket.
  public static func peek(_ fd: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Transferred {
    receive(fd, into: buffer, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK))
  }

  private static func receive(
    _ fd: Int32, into buffer: UnsafeMutableRawBufferPointer, _ flags: Int32
  ) -> Transferred {
    while true {
      let count = recv(fd, buffer.baseAddress, buffer.count, flags)
      if count > 0 { return .bytes(count) }
      if count == 0 { return .ended }
      let code = errno
      if code == EINTR { continue }
      return code == EAGAIN ? .wouldBlock : .ended
    }
  }

  /// Makes the kernel report readability only from this many bytes on, or at the end of input (SO_RCVLOWAT).
  public static func setReadable(_ fd: Int32, from bytes: Int) {
    setOption(fd, SOL_SOCKET, SO_RCVLOWAT, Int32(clamping: bytes))
  }

  /// Whether the peer sends no more or is gone, even if bytes of it are still unread.
  public static func hasPeerEnded(_ fd: Int32) -> Bool {
    // POLLRDHUP equals EPOLLRDHUP.
    var asked = pollfd(fd: fd, events: Int16(LINUX_EPOLLRDHUP), revents: 0)
    return poll(&asked, 1, 0) > 0
  }

  /// Returns how many bytes the peer has not confirmed: unsent or on their way (SIOCOUTQ). 0 if it is no TCP socket.
  public static func unacknowledged(_ fd: Int32) -> Int {
    var bytes: Int32 = 0
    return ioctl(fd, UInt(TIOCOUTQ), &bytes) == 0 ? Int(bytes) : 0
  }

  /// Closes the writing side; the peer may still send.
  public static func shutdownWriting(_ fd: Int32) {
    _ = Glibc.shutdown(fd, Int32(SHUT_WR))
  }

  /// Lets the next `close` send a reset in place of an end; bytes that the peer does not have are lost.
  public static func resetWhenClosed(_ fd: Int32) {
    var value = linger(l_onoff: 1, l_linger: 0)
    _ = setsockopt(fd, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
  }

  public static func close(_ fd: Int32) {
    _ = Glibc.close(fd)
  }

  /// Sets an option. A failure is ignored, because an older kernel works without the option.
  public static func setOption(_ fd: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    _ = setsockopt(fd, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func open(_ address: SocketAddress) throws(SystemError) -> Int32 {
    let type =
      Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    return try withoutInterrupts("socket", on: address.description) {
      socket(address.family, type, 0)
    }
  }
}
