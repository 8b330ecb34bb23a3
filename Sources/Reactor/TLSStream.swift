import COpenSSL
import Glibc

/// TLS on a connected, non-blocking socket; the socket's owner watches and closes it. The stream belongs to one thread
/// at a time and never blocks.
///
/// Bytes that `send` accepts belong to the stream: a record that the socket accepts only in part is kept and goes out
/// first. The writer gets the answers of a plain socket, and must also check `hasUnsent`.
public final class TLSStream {
  /// The most text that one record carries (RFC 8446, section 5.1).
  public static let recordBytes = 16 * 1024

  public enum Handshake: Hashable, Sendable {
    case wantsRead
    case wantsWrite
    case done
    /// The peer is gone.
    case ended
    /// The peer speaks another protocol or version; the reason is OpenSSL's words.
    case failed(reason: String)
  }

  private enum Phase { case shakingHands, open, closed, broken }

  private let context: TLSContext
  private let ssl: OpaquePointer
  private let fd: Int32
  private var phase = Phase.shakingHands
  /// The text of the record on its way; OpenSSL demands identical bytes again until the record is out.
  private var unsent: [UInt8] = []
  /// The sizes of the newest records in the socket.
  private var written = RecordSizes()
  /// Whether the kernel encrypts the bytes written to the socket.
  public private(set) var isInKernel = false

  /// Makes a stream; nil if there is no memory.
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

  /// Makes one step of the handshake, which may calculate for some hundred microseconds.
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

  /// Whether bytes have been sent to the peer; a server sends once it has the client's first flight.
  public var hasAnswered: Bool { BIO_number_written(SSL_get_wbio(ssl)) > 0 }

  /// The version of TLS, for example `TLSv1.3`.
  public var version: String { String(cString: SSL_get_version(ssl)) }
  /// Whether the client came with a valid ticket.
  public var isResumed: Bool { SSL_session_reused(ssl) == 1 }

  // MARK: Reading

  /// Whether the last `receive` read nothing because an answer to the peer's KeyUpdate waits for the full socket.
  ///
  /// Reading continues as soon as the socket is writable. Until then the socket is reported as readable in vain.
  public private(set) var wantsWrite = false

  /// Reads at most one record. `.wouldBlock` may follow a record without text while more records wait in the socket;
  /// the socket reports them again. With room for `recordBytes`, no text stays behind unreported.
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
    // The peer will send no more, but it may still read.
    case SSL_ERROR_ZERO_RETURN: return .ended
    default:
      phase = .broken
      return .ended
    }
  }

  /// Whether the peer has said that it sends no more (close_notify), and is not only gone. A server's stream treats
  /// both alike.
  public var hasHeardEnd: Bool { SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN != 0 }

  // MARK: Writing

  /// Whether a record waits until the socket is writable; then call `flush`, or the next `send`.
  public var hasUnsent: Bool { !unsent.isEmpty }

  /// Returns how much text the socket's last `bytes` and the waiting record contain.
  ///
  /// A record that is confirmed in part counts as all or nothing, hence a range.
  public func text(ofUnconfirmed bytes: Int) -> ClosedRange<Int> {
    let text = written.text(ofUnconfirmed: bytes)
    return text.lowerBound + unsent.count...text.upperBound + unsent.count
  }

  /// Sends the first `count` parts, as many of their bytes as there is room for.
  /// - Parameter scratch: A buffer of `recordBytes` in which parts are joined.
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

  /// Sends the rest of the record on its way. Returns `.bytes` when no record is on its way any more.
  public func flush() -> Transferred {
    let before = unsent.count
    while !unsent.isEmpty {
      let result = unsent.withUnsafeBytes { writeOnce($0) }
      guard case .bytes(let count) = result else { return result }
      // Only a client that asked for short records (RFC 6066, section 4) accepts less than all bytes.
      unsent = Array(unsent[count...])
    }
    return .bytes(before)
  }

  /// Tells the peer that nothing more will come (close_notify). Returns false when the socket has no room; try again
  /// later.
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

  /// Accepts a record's whole text, and keeps the bytes for which the socket has no room.
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

// A stream passes between loops with its socket through a lock (`DetachedSocket`), and one thread at a time uses it.
extension TLSStream: @unchecked Sendable {}

/// The parts of a gather write, joined into records.
private struct Parts {
  private let parts: UnsafeMutablePointer<iovec>
  private let count: Int
  private var index = 0
  private var offset = 0

  init(_ parts: UnsafeMutablePointer<iovec>, count: Int) {
    self.parts = parts
    self.count = count
  }

  /// Returns the next record's text: in place where one part has enough of it, else in `scratch`; nil at the end.
  mutating func next(_ scratch: UnsafeMutableRawBufferPointer) -> UnsafeRawBufferPointer? {
    while index < count, offset == parts[index].iov_len { step() }
    if index == count { return nil }
    if index == count - 1 || parts[index].iov_len - offset >= TLSStream.recordBytes {
      return nextPiece(TLSStream.recordBytes)
    }
    var filled = 0
    while index < count, filled < TLSStream.recordBytes {
      let piece = nextPiece(TLSStream.recordBytes - filled)
      UnsafeMutableRawBufferPointer(rebasing: scratch[filled...]).copyMemory(from: piece)
      filled += piece.count
      if offset == parts[index].iov_len { step() }
    }
    return UnsafeRawBufferPointer(rebasing: scratch[..<filled])
  }

  private mutating func nextPiece(_ limit: Int) -> UnsafeRawBufferPointer {
    let length = min(limit, parts[index].iov_len - offset)
    defer { offset += length }
    return UnsafeRawBufferPointer(start: parts[index].iov_base + offset, count: length)
  }

  private mutating func step() {
    index += 1
    offset = 0
  }
}
