import Glibc
import Reactor
import Wire

/// A source's connection as a body, as `Transfer` is for an upstream that is pulled.
///
/// Made and used on the ingest loop.
final class PushTransfer: BodyTransfer, LoopHandler {
  private static let pieceBytes = 16 * 1024
  /// The most pieces in one turn, since other connections wait.
  private static let piecesMax = 4

  private let source: PushSource
  private let loop: EventLoop
  private weak var owner: (any TransferOwner)?
  private var fd: Int32 = -1
  private var handler: HandlerID?
  private var chunks: HTTPChunkDecoder?
  /// Bytes that are still to come of a body whose length is known.
  private var rest: Int?
  /// The fields in front of the audio, while they are being read.
  private var fields: ShoutcastFields?
  private(set) var isPaused = false

  init(_ source: PushSource, on loop: EventLoop, owner: any TransferOwner) {
    self.source = source
    self.loop = loop
    self.owner = owner
    switch source.body {
    case .plain: break
    case .sized(let count): rest = count
    case .chunked: chunks = HTTPChunkDecoder()
    case .afterFields: fields = ShoutcastFields()
    }
  }

  deinit { cancel() }

  /// Hands the bytes that are here already to the owner, and goes on from the socket.
  func start() {
    guard let fd = source.socket.claim() else { return end(.cut) }
    self.fd = fd
    let handler = loop.attach(self)
    self.handler = handler
    do {
      try loop.add(fd, interest, handler: handler, token: 0)
    } catch {
      return end(.failed(reason: "\(error)"))
    }
    if fields == nil { tell(source.fields.map { ($0.name, $0.bytes) }) }
    let ahead = source.ahead
    deliver(ahead.span)
  }

  func cancel() {
    guard fd >= 0, let handler else { return }
    loop.remove(fd)
    loop.detach(handler)
    _ = source.socket.tls?.close()
    Socket.close(fd)
    fd = -1
  }

  func pause() { setPaused(true) }
  func resume() { setPaused(false) }

  /// A paused source's TCP window closes.
  private func setPaused(_ isPaused: Bool) {
    guard isPaused != self.isPaused else { return }
    self.isPaused = isPaused
    watch()
  }

  private func watch() {
    guard fd >= 0, let handler else { return }
    do {
      try loop.modify(fd, interest, handler: handler, token: 0)
    } catch {
      end(.failed(reason: error.description))
    }
  }

  /// The events to watch. TLS may have to write before it can read on.
  ///
  /// While paused, only the connection's end is watched, and edge-triggered. The kernel reports a reset whatever is
  /// watched, and would do so again and again.
  private var interest: Interest {
    if isPaused { return .edge }
    return source.socket.tls?.wantsWrite == true ? .write : .read
  }

  /// Whether nothing more comes than the unread bytes.
  var isOver: Bool { fd >= 0 && Socket.hasPeerEnded(fd) }

  func timerFired(_ token: UInt32) {}

  func ready(_ token: UInt64, _ readiness: Readiness) {
    if isPaused {
      // A peer that closed in good order may have left unread bytes.
      if readiness.contains(.error) { end(.cut) }
      return
    }
    let wantedWrite = source.socket.tls?.wantsWrite
    read(isBroken: readiness.contains(.error))
    if source.socket.tls?.wantsWrite != wantedWrite { watch() }
  }

  /// - Parameter isBroken: whether the end of the bytes is no end in good order.
  private func read(isBroken: Bool) {
    withUnsafeTemporaryAllocation(byteCount: Self.pieceBytes, alignment: 16) { buffer in
      for _ in 0..<Self.piecesMax where fd >= 0 && !isPaused {
        switch receive(into: buffer) {
        case .wouldBlock: return
        case .ended: return end(isBroken ? .cut : .complete)
        case .bytes(let count):
          // The kernel has filled this part, and the buffer is this call's own.
          deliver(
            UnsafeRawBufferPointer(rebasing: buffer[..<count]).bindMemory(to: UInt8.self).span)
          // Encrypted data comes in records, so a short read is not the last one.
          if count < buffer.count, source.socket.tls == nil { return }
        }
      }
    }
  }

  /// A piece has room for a whole TLS record, so that no bytes are left which the kernel does not report.
  private func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transferred {
    source.socket.tls?.receive(into: buffer) ?? Socket.receive(fd, into: buffer)
  }

  private func tell(_ fields: [TransferField]) {
    owner?.transfer(self, answered: 200, fields: PushSource.answerFields(fields))
  }

  private func deliver(_ piece: Span<UInt8>) {
    guard piece.count > 0 else { return }
    if fields != nil { return readFields(piece) }
    if rest != nil { return count(piece) }
    guard chunks != nil else { owner?.transfer(self, delivered: piece); return }
    var position = 0
    do {
      while let range = try chunks?.next(in: piece, from: &position) {
        owner?.transfer(self, delivered: piece.extracting(range))
        // The owner may have cancelled the transfer.
        if fd < 0 { return }
      }
      if chunks?.isAtEnd == true { end(.complete) }
    } catch {
      end(.failed(reason: error.message))
    }
  }

  private func count(_ piece: Span<UInt8>) {
    let taken = min(piece.count, rest ?? 0)
    rest? -= taken
    owner?.transfer(self, delivered: piece.extracting(..<taken))
    // The owner may have cancelled the transfer.
    if fd >= 0, rest == 0 { end(.complete) }
  }

  private func readFields(_ piece: Span<UInt8>) {
    do {
      guard let taken = try fields?.read(piece), let fields, fields.isComplete else { return }
      self.fields = nil
      tell(fields.list)
      if fd >= 0 { deliver(piece.extracting(taken...)) }
    } catch {
      end(.failed(reason: error.message))
    }
  }

  private func end(_ end: TransferEnd) {
    if case .complete = end { sayFarewell() }
    cancel()
    owner?.transfer(self, ended: end)
  }

  /// Once: the socket has sent nothing but a greeting, so that it has room.
  private func sayFarewell() {
    guard fd >= 0, !source.farewell.isEmpty else { return }
    // The parts and the scratch are this call's own, and neither is kept.
    withUnsafeTemporaryAllocation(byteCount: TLSStream.recordBytes, alignment: 16) { scratch in
      source.farewell.withUnsafeBytes { bytes in
        guard let tls = source.socket.tls else { return _ = Socket.send(fd, bytes) }
        var part = iovec(
          iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
        _ = tls.send(&part, count: 1, scratch: scratch)
      }
    }
  }
}
