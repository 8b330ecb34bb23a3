import Reactor
import Wire

/// How clients may come over TLS.
public struct TLSOffer: Sendable {
  public var context: TLSContext
  /// Whether who comes without it is sent to where it is spoken, or away.
  public var isOnly: Bool

  public init(_ context: TLSContext, isOnly: Bool = false) {
    self.context = context
    self.isOnly = isOnly
  }
}

// HTTP and HTTPS on one port.
extension LoopServer {
  /// The first byte of a TLS record that begins a handshake (RFC 8446, section 5.1). No method of HTTP begins so.
  private static let handshakeByte: UInt8 = 0x16

  /// What comes before the first request, from what a proxy has to say to the last step of a handshake.
  ///
  /// - Returns: false: there is not enough yet, or the connection is gone.
  func greet(_ slot: UInt32) -> Bool {
    if case .shakingHands = connections[slot].state { return shakeHands(slot) }
    if connections[slot].awaitsProxyHeader {
      guard case .reading(let bytes) = connections[slot].state else { return true }
      if !takeProxyHeader(slot, behind: bytes) { return false }
    }
    var first: UInt8 = 0
    switch withUnsafeMutableBytes(of: &first, { Socket.peek(connections[slot].fd, into: $0) }) {
    case .wouldBlock: return false
    case .ended:
      close(slot, .clientGone)
      return false
    case .bytes: break
    }
    guard first == Self.handshakeByte, let tls else {
      connections[slot].isGreeting = false
      return true
    }
    if !isHelloHere(slot) || !findHandshakePlace(slot) { return false }
    guard let stream = TLSStream(tls.context, fd: connections[slot].fd) else {
      close(slot, .clientGone)
      return false
    }
    handshakes.begin(connections.token(slot), of: handshakeSite(slot))
    connections[slot].tls = stream
    connections[slot].deadline = min(
      connections[slot].deadline,
      loop.turnTime + Int64(nanosecondsIn: shared.configuration.helloTimeout))
    connections[slot].state = .shakingHands
    return shakeHands(slot)
  }

  /// Whether it has said all that a handshake begins with. Until then it takes nobody's place, and the kernel keeps
  /// the pieces to itself.
  private func isHelloHere(_ slot: UInt32) -> Bool {
    let fd = connections[slot].fd
    guard case .bytes(let count) = Socket.peek(fd, into: input.bytes) else { return false }
    let wanted = ClientHello.length(UnsafeRawBufferPointer(rebasing: input.bytes[..<count]))
    let before = Int(connections[slot].helloBytes)
    if before == 0 {
      let timeout = Int64(nanosecondsIn: shared.configuration.helloTimeout)
      connections[slot].deadline = min(connections[slot].deadline, loop.turnTime + timeout)
    }
    if count < wanted, wanted != before {
      connections[slot].helloBytes = UInt16(clamping: wanted)
      Socket.setReadable(fd, from: wanted)
      return false
    }
    if count < wanted, Socket.hasPeerEnded(fd) {
      close(slot, .clientGone)
      return false
    }
    // All of it, or as much as the kernel keeps.
    if before > 0 { Socket.setReadable(fd, from: 1) }
    connections[slot].helloBytes = 0
    return true
  }

  /// Who shakes hands, for limits; nil: a proxy that has not said for whom it speaks.
  private func handshakeSite(_ slot: UInt32) -> AddressBlock? {
    connections[slot].countsForAddress ? AddressBlock(connections[slot].origin) : nil
  }

  /// False: it waits for one. Whoever does not go on goes first.
  private func findHandshakePlace(_ slot: UInt32) -> Bool {
    let site = handshakeSite(slot)
    let moment = loop.turnTime - Int64(nanosecondsIn: shared.configuration.handshakePatience)
    if handshakes.isFull(site), !endHandshake(handshakes.stalled(of: site, before: moment)) {
      handshakes.wait(connections.token(slot), of: site)
    } else if handshakes.placesFree == 0,
      !endHandshake(handshakes.stalledOfGreediest(before: moment))
    {
      handshakes.wait(connections.token(slot))
    } else {
      return true
    }
    connections[slot].awaitsHandshake = true
    // It has done its part.
    connections[slot].deadline =
      loop.turnTime + Int64(nanosecondsIn: shared.configuration.headTimeout)
    setReadHeld(slot, true)
    return false
  }

  /// Its place is for the one who asks: nobody who waits is told of it.
  private func endHandshake(_ token: UInt64?) -> Bool {
    guard let token, let slot = connections.slot(of: token) else { return false }
    handshakes.figures.abandoned += 1
    handshakes.end(token, of: handshakeSite(slot))
    connections[slot].state = .reading([])
    close(slot, .clientGone)
    return true
  }

  /// True: it is through.
  func shakeHands(_ slot: UInt32) -> Bool {
    // In the next turn the kernel tells again of what is unread.
    guard let stream = connections[slot].tls, handshakes.takeStep(turn: loop.turnTime) else {
      handshakes.setWaiting(connections.token(slot), of: handshakeSite(slot), since: nil)
      return false
    }
    let wasAnswered = stream.hasAnswered
    switch stream.shakeHands() {
    case .wantsRead: awaitHandshake(slot, wasAnswered, isBlocked: false)
    case .wantsWrite: awaitHandshake(slot, wasAnswered, isBlocked: true)
    case .ended:
      handshakes.figures.abandoned += 1
      close(slot, .clientGone)
    case .failed:
      handshakes.figures.failed += 1
      handshakeEnded(slot)
      connections[slot].isGreeting = false
      // The client is told why by an alert, which a reset would overtake.
      linger(slot)
    case .done:
      if stream.isResumed {
        handshakes.figures.resumed += 1
      } else {
        handshakes.figures.full += 1
      }
      handshakeEnded(slot)
      setBlocked(slot, false)
      connections[slot].isGreeting = false
      connections[slot].state = .reading([])
      return true
    }
    return false
  }

  /// The client has to go on: with its first flight in the time it has for that, with the rest in the time for the rest.
  private func awaitHandshake(_ slot: UInt32, _ wasAnswered: Bool, isBlocked: Bool) {
    setBlocked(slot, isBlocked)
    handshakes.setWaiting(
      connections.token(slot), of: handshakeSite(slot), since: loop.turnTime)
    guard !wasAnswered, connections[slot].tls?.hasAnswered == true else { return }
    connections[slot].deadline =
      loop.turnTime + Int64(nanosecondsIn: shared.configuration.headTimeout)
  }

  /// Its place is the next one's, of whom the kernel tells in the next turn.
  func handshakeEnded(_ slot: UInt32) {
    let site = handshakeSite(slot)
    handshakes.end(connections.token(slot), of: site)
    while let token = handshakes.popWaiting(of: site) {
      if readAfterWaiting(token) { return }
    }
  }

  private func readAfterWaiting(_ token: UInt64) -> Bool {
    guard waitsForHandshake(token), let slot = connections.slot(of: token) else { return false }
    connections[slot].awaitsHandshake = false
    setReadHeld(slot, false)
    return true
  }

  private func waitsForHandshake(_ token: UInt64) -> Bool {
    connections.slot(of: token).map { connections[$0].awaitsHandshake } ?? false
  }

  /// Once a second: who was told of a place may have gone without taking it.
  func attendHandshakes() {
    for token in handshakes.takeWaiting(waitsForHandshake) { _ = readAfterWaiting(token) }
  }

  // MARK: Without TLS where it is a must

  /// True: the request came in clear where that is not wanted, and is answered. Trusted proxies may: what is before them
  /// is theirs to encrypt.
  func refuseClear(_ slot: UInt32, _ head: HTTPRequestHead) -> Bool {
    guard let tls, tls.isOnly, connections[slot].takesTLS, connections[slot].tls == nil,
      !connections[slot].isOfProxy
    else { return false }
    var last = head
    last.fields.set("Connection", "close")
    let words = "this server speaks HTTPS; ask again with https:// in front"
    let isMovable = ["GET", "HEAD"].contains(head.method) && head.target.hasPrefix("/")
    guard isMovable, let host = head.host, !host.isEmpty else {
      replyError(slot, to: last, status: 403, code: "https-only", message: words)
      return true
    }
    replyError(
      slot, to: last, status: 301, code: "https-only", message: words,
      fields: [.init(name: "Location", value: "https://\(host)\(head.target)")])
    return true
  }

  // MARK: Reading that has to write

  func readWhenWritable(_ slot: UInt32) {
    setReadHeld(slot, true)
    setBlocked(slot, true)
  }

  func readAgain(_ slot: UInt32) {
    setReadHeld(slot, false)
    // Whoever has something to write and finds no room waits again.
    setBlocked(slot, false)
  }

  // MARK: Writing

  /// Whether all that was written is with the kernel; if not, the connection waits for its socket, or has ended.
  func flush(_ slot: UInt32) -> Bool {
    guard let stream = connections[slot].tls else { return true }
    switch stream.flush() {
    case .bytes: return true
    case .wouldBlock: setBlocked(slot, true)
    case .ended: close(slot, .clientGone)
    }
    return false
  }

  /// Tells the client that nothing more comes, as soon as its socket takes that.
  func sayEnd(_ slot: UInt32) {
    if let stream = connections[slot].tls, !stream.close() { return setBlocked(slot, true) }
    setBlocked(slot, false)
    Socket.shutdownWriting(connections[slot].fd)
    // Nothing more comes that could be unread.
    if connections[slot].isInputEnded { close(slot, .clientGone) }
  }
}
