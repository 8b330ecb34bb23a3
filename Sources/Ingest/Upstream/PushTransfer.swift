import Glibc
import Reactor
import Wire

/// A source's connection as a body: what a `Transfer` is for an upstream that is pulled.
///
/// Made and used on the ingest loop.
final class PushTransfer: BodyTransfer, LoopHandler {
  private static let pieceBytes = 16 * 1024
  /// Pieces of one turn: others wait.
  private static let piecesMax = 4

  private let source: PushSource
  private let loop: EventLoop
  private weak var owner: (any TransferOwner)?
  private var fd: Int32 = -1
  private var handler: HandlerID?
  private var chunks: HTTPChunkDecoder?
  /// Of a source whose fields come first, while they do.
  private var fields: ShoutcastFields?
  private(set) var isPaused = false

  init(_ source: PushSource, on loop: EventLoop, owner: any TransferOwner) {
    self.source = source
    self.loop = loop
    self.owner = owner
    switch source.body {
    case .plain: break
    case .chunked: chunks = HTTPChunkDecoder()
    case .afterFields: fields = ShoutcastFields()
    }
  }

  deinit { cancel() }

  let url: String? = nil
  /// What it sends has no past.
  let roundTrip = 0.0

  /// Tells the owner what is here already, and goes on from the socket.
  func start() {
    guard let fd = source.socket.take() else { return end(.cut) }
    self.fd = fd
    let handler = loop.attach(self)
    self.handler = handler
    do {
      try loop.add(fd, interest, handler: handler, token: 0)
    } catch {
      return end(.failed(reason: "\(error)"))
    }
    if fields == nil { tell(source.fields.map { ($0.name, Array($0.value.utf8)) }) }
    let ahead = source.ahead
    deliver(ahead.span)
  }

  /// Somebody came to us: it leads us nowhere.
  var scope: AddressScope { .world }

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

  /// TLS may have to write before it can read on. While it is paused, only whether it is gone, and once: of a connection
  /// that was reset the kernel tells whatever is asked for, and would again and again.
  private var interest: Interest {
    if isPaused { return .edge }
    return source.socket.tls?.wantsWrite == true ? .write : .read
  }

  /// Whether nothing more comes of it than what is unread.
  var isOver: Bool { fd >= 0 && Socket.hasPeerEnded(fd) }

  func timerFired(_ token: UInt32) {}

  func ready(_ token: UInt64, _ readiness: Readiness) {
    if isPaused {
      // Who has closed in good order has said what is still unread.
      if readiness.contains(.error) { end(.cut) }
      return
    }
    let wantedWrite = source.socket.tls?.wantsWrite
    read()
    if source.socket.tls?.wantsWrite != wantedWrite { watch() }
  }

  private func read() {
    withUnsafeTemporaryAllocation(byteCount: Self.pieceBytes, alignment: 16) { buffer in
      for _ in 0..<Self.piecesMax where fd >= 0 && !isPaused {
        switch receive(into: buffer) {
        case .wouldBlock: return
        case .ended: return end(.complete)
        case .bytes(let count):
          // Filled by the kernel this far, and ours during the call.
          deliver(
            UnsafeRawBufferPointer(rebasing: buffer[..<count]).bindMemory(to: UInt8.self).span)
          // What is encrypted comes by records.
          if count < buffer.count, source.socket.tls == nil { return }
        }
      }
    }
  }

  /// A piece has room for a whole record, so that nothing is left over which the kernel does not tell of.
  private func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transferred {
    source.socket.tls?.receive(into: buffer) ?? Socket.receive(fd, into: buffer)
  }

  private func tell(_ fields: [TransferField]) {
    owner?.transfer(self, answered: 200, fields: PushSource.answerFields(fields))
  }

  private func deliver(_ piece: Span<UInt8>) {
    guard piece.count > 0 else { return }
    if fields != nil { return readFields(piece) }
    guard chunks != nil else { owner?.transfer(self, delivered: piece); return }
    var position = 0
    do {
      while let range = try chunks?.next(in: piece, from: &position) {
        owner?.transfer(self, delivered: piece.extracting(range))
        // The owner may have had enough.
        if fd < 0 { return }
      }
      if chunks?.isAtEnd == true { end(.complete) }
    } catch {
      end(.failed(reason: error.message))
    }
  }

  private func readFields(_ piece: Span<UInt8>) {
    do {
      guard let taken = try fields?.take(piece), let fields, fields.isComplete else { return }
      self.fields = nil
      tell(fields.list)
      if fd >= 0 { deliver(piece.extracting(taken...)) }
    } catch {
      end(.failed(reason: error.message))
    }
  }

  private func end(_ end: TransferEnd) {
    cancel()
    owner?.transfer(self, ended: end)
  }
}
