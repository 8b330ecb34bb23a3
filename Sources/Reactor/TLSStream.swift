import COpenSSL
import Glibc

/// TLS on a connected, non-blocking socket, which stays its owner's to watch and to close. It belongs to one thread at a
/// time. Nothing here blocks.
///
/// What was taken by `send` is the stream's: a record that the socket takes in part only is kept here and goes out before
/// anything else. Whoever writes sees the same answers as of a plain socket and looks at `hasUnsent` besides.
public final class TLSStream {
  /// What one record carries at most (RFC 8446, section 5.1).
  public static let recordBytes = 16 * 1024

  public enum Handshake: Hashable, Sendable {
    case wantsRead
    case wantsWrite
    case done
    /// The peer has gone.
    case ended
    /// It speaks something else, or nothing that we do: OpenSSL's words.
    case failed(reason: String)
  }

  private enum Phase { case shakingHands, open, closed, broken }

  private let context: TLSContext
  private let ssl: OpaquePointer
  private let fd: Int32
  private var phase = Phase.shakingHands
  /// The text of the record that is on its way. OpenSSL wants the same bytes again until it is out.
  private var unsent: [UInt8] = []
  /// Records that are in the socket, or were.
  private var written = RecordSizes()
  /// Whether the kernel encrypts what is written to the socket.
  public private(set) var isInKernel = false

  /// nil: there is no memory for it.
  public init?(_ context: TLSContext, fd: Int32) {
    guard let ssl = SSL_new(context.pointer) else { return nil }
    self.context = context
    self.ssl = ssl
    self.fd = fd
    guard SSL_set_fd(ssl, fd) == 1 else { return nil }
    if context.isServer { SSL_set_accept_state(ssl) } else { SSL_set_connect_state(ssl) }
  }

  deinit { SSL_free(ssl) }

  // MARK: Handshake

  /// One step, of up to some hundred microseconds where it calculates.
  public func shakeHands() -> Handshake {
    if phase == .open { return .done }
    ERR_clear_error()
    let result = SSL_do_handshake(ssl)
    if result == 1 {
      phase = .open
      isInKernel = copenssl_sends_in_kernel(ssl) == 1
      return .done
    }
    switch SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ: return .wantsRead
    case SSL_ERROR_WANT_WRITE: return .wantsWrite
    case SSL_ERROR_SSL:
      phase = .broken
      return .failed(reason: OpenSSL.lastReason())
    default:
      phase = .broken
      return .ended
    }
  }

  /// Whether something has been sent to the peer: a server does when it has the client's first flight.
  public var hasAnswered: Bool { BIO_number_written(SSL_get_wbio(ssl)) > 0 }

  /// Such as `TLSv1.3`.
  public var version: String { String(cString: SSL_get_version(ssl)) }
  /// Whether the client came with a ticket that was good.
  public var isResumed: Bool { SSL_session_reused(ssl) == 1 }

  // MARK: Reading

  /// Whether the last `receive` could read nothing because an answer to the peer's KeyUpdate is on its way, and the
  /// socket full: it can as soon as that is writable. Until then the socket tells in vain that there is something to read.
  public private(set) var wantsWrite = false

  /// Reads what is there, a record at most; `.wouldBlock` after one that had nothing for us, while there may be others
  /// in the socket, which goes on telling of them. With room for `recordBytes` nothing stays behind that the socket
  /// would not tell of.
  public func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transferred {
    ERR_clear_error()
    wantsWrite = false
    var count = 0
    let result = SSL_read_ex(ssl, buffer.baseAddress, buffer.count, &count)
    if result == 1 { return .bytes(count) }
    switch SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ: return .wouldBlock
    case SSL_ERROR_WANT_WRITE:
      wantsWrite = true
      return .wouldBlock
    // The peer says that it sends no more. It may still read.
    case SSL_ERROR_ZERO_RETURN: return .ended
    default:
      phase = .broken
      return .ended
    }
  }

  /// Whether the peer has said that it sends no more (close_notify), rather than only gone. A server's stream takes one
  /// for the other.
  public var hasHeardEnd: Bool { SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN != 0 }

  // MARK: Writing

  /// Whether a record waits for the socket to be writable: then `flush`, or the next `send`.
  public var hasUnsent: Bool { !unsent.isEmpty }

  /// How much text there is in the socket's last `bytes`, and in the record that waits for it.
  ///
  /// Of a record that is confirmed in part, it may be all of its text or nothing.
  public func text(ofUnconfirmed bytes: Int) -> ClosedRange<Int> {
    let text = written.text(ofUnconfirmed: bytes)
    return text.lowerBound + unsent.count...text.upperBound + unsent.count
  }

  /// Takes the first `count` parts, as many of their bytes as there is room for.
  /// - Parameter scratch: `recordBytes` for parts to be put together.
  public func send(
    _ parts: UnsafeMutablePointer<iovec>, count: Int, scratch: UnsafeMutableRawBufferPointer
  ) -> Transferred {
    if isInKernel {
      let result = Socket.send(fd, parts, count: count)
      if case .bytes(let bytes) = result { written.add(bytes) }
      return result
    }
    switch flush() {
    case .bytes: break
    case .wouldBlock: return .wouldBlock
    case .ended: return .ended
    }
    var source = Parts(parts, count: count)
    var taken = 0
    while !hasUnsent, let record = source.next(scratch) {
      guard case .bytes(let count) = write(record) else { return .ended }
      taken += count
    }
    return .bytes(taken)
  }

  /// Goes on with the record that is on its way. `.bytes`: nothing is, now.
  public func flush() -> Transferred {
    let before = unsent.count
    while !unsent.isEmpty {
      let result = unsent.withUnsafeBytes { writeOnce($0) }
      guard case .bytes(let count) = result else { return result }
      // Less than all only for a client that asked for short records (RFC 6066, section 4).
      unsent = Array(unsent[count...])
    }
    return .bytes(before)
  }

  /// Says that nothing more will come (close_notify). False: there is no room yet, ask again when there is.
  public func close() -> Bool {
    guard phase == .open else { return true }
    switch flush() {
    case .bytes: break
    case .wouldBlock: return false
    case .ended: return true
    }
    ERR_clear_error()
    let result = SSL_shutdown(ssl)
    if result < 0, SSL_get_error(ssl, result) == SSL_ERROR_WANT_WRITE { return false }
    phase = .closed
    return true
  }

  /// Takes a record's text whole: what of it the socket has no room for is kept.
  private func write(_ record: UnsafeRawBufferPointer) -> Transferred {
    var sent = 0
    while sent < record.count {
      let rest = UnsafeRawBufferPointer(rebasing: record[sent...])
      switch writeOnce(rest) {
      case .bytes(let count): sent += count
      case .wouldBlock:
        unsent = Array(rest)
        return .bytes(record.count)
      case .ended: return .ended
      }
    }
    return .bytes(sent)
  }

  private func writeOnce(_ bytes: UnsafeRawBufferPointer) -> Transferred {
    ERR_clear_error()
    var count = 0
    let result = SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &count)
    if result == 1 {
      written.add(count)
      return .bytes(count)
    }
    switch SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .wouldBlock
    default:
      phase = .broken
      return .ended
    }
  }
}

// It goes from one loop to another with its socket, through a lock (DetachedSocket), and is never used by two.
extension TLSStream: @unchecked Sendable {}

/// Parts of a gather write, put together to records.
private struct Parts {
  private let parts: UnsafeMutablePointer<iovec>
  private let count: Int
  private var index = 0
  private var offset = 0

  init(_ parts: UnsafeMutablePointer<iovec>, count: Int) {
    self.parts = parts
    self.count = count
  }

  /// The next record's text: in place where one part has enough for it, else in `scratch`.
  mutating func next(_ scratch: UnsafeMutableRawBufferPointer) -> UnsafeRawBufferPointer? {
    while index < count, offset == parts[index].iov_len { step() }
    if index == count { return nil }
    if index == count - 1 || parts[index].iov_len - offset >= TLSStream.recordBytes {
      return take(TLSStream.recordBytes)
    }
    var filled = 0
    while index < count, filled < TLSStream.recordBytes {
      let piece = take(TLSStream.recordBytes - filled)
      UnsafeMutableRawBufferPointer(rebasing: scratch[filled...]).copyMemory(from: piece)
      filled += piece.count
      if offset == parts[index].iov_len { step() }
    }
    return UnsafeRawBufferPointer(rebasing: scratch[..<filled])
  }

  private mutating func take(_ limit: Int) -> UnsafeRawBufferPointer {
    let length = min(limit, parts[index].iov_len - offset)
    defer { offset += length }
    return UnsafeRawBufferPointer(start: parts[index].iov_base + offset, count: length)
  }

  private mutating func step() {
    index += 1
    offset = 0
  }
}
