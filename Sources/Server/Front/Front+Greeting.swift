import Reactor
import Wire

// Steps before the first request: a PROXY header that names the client, and a handshake. HTTP and HTTPS are on one
// port.
extension Front {
  /// The first byte of a TLS record that begins a handshake (RFC 8446, section 5.1). No method of HTTP begins with it.
  private static let handshakeByte: UInt8 = 0x16

  /// Handles what comes before the first request, from a PROXY header to the last step of a handshake.
  ///
  /// - Returns: false when there is not enough yet, or the connection has gone.
  func greet(_ slot: UInt32) -> Bool {
    if case .shakingHands = connections[slot].state { return shakeHands(slot) }
    if connections[slot].awaitsProxyHeader {
      guard case .reading(let bytes) = connections[slot].state else { return true }
      if !readProxyHeader(slot, behind: bytes) { return false }
    }
    var first: UInt8 = 0
    switch withUnsafeMutableBytes(of: &first, { Socket.peek(connections[slot].fd, into: $0) }) {
    case .wouldBlock: return false
    case .ended:
      connections.close(slot, .clientGone)
      return false
    case .bytes: break
    }
    guard first == Self.handshakeByte, let tls else {
      connections[slot].isGreeting = false
      return true
    }
    if !isHelloHere(slot) || !findHandshakePlace(slot) { return false }
    guard let stream = TLSStream(tls.context, fd: connections[slot].fd) else {
      connections.close(slot, .clientGone)
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

  // MARK: Proxies

  /// Reads the PROXY header and not a byte more: what is behind it may be encrypted. False when there is not enough
  /// yet, or the input is no header.
  private func readProxyHeader(_ slot: UInt32, behind bytes: [UInt8]) -> Bool {
    let fd = connections[slot].fd
    switch Socket.peek(fd, into: connections.input.bytes) {
    case .wouldBlock: return false
    case .ended:
      connections.close(slot, .clientGone)
      return false
    case .bytes(let count):
      let all = bytes + connections.input.bytes[..<count]
      let header = try? ProxyHeader.parse(all.span)
      let own = header.map { $0.length - bytes.count } ?? count
      let piece = UnsafeMutableRawBufferPointer(rebasing: connections.input.bytes[..<own])
      guard case .bytes(own) = Socket.receive(fd, into: piece) else { return false }
      let token = connections.token(slot)
      receive(slot, UnsafeRawBufferPointer(piece))
      return connections.slot(of: token) != nil && !connections[slot].awaitsProxyHeader
    }
  }

  /// Reads the PROXY header off the input. False when there is not enough yet.
  func readProxyHeader(_ slot: UInt32, _ bytes: [UInt8]) throws(HTTPError) -> Bool {
    guard let (header, length) = try ProxyHeader.parse(bytes.span) else {
      connections[slot].state = .reading(bytes)
      return false
    }
    if case .client(let host, let port) = header {
      guard let address = SocketAddress(host: host, port: port) else {
        throw HTTPError(status: 400, message: "The PROXY header has no valid address.")
      }
      // From here on the connection is the client's in every respect.
      connections[slot].origin = .tcp(address)
      guard connections.countForAddress(slot) else {
        throw HTTPError(
          status: 429, message: "Your address has all the connections it may have.")
      }
    }
    connections[slot].awaitsProxyHeader = false
    connections[slot].state = .reading(Array(bytes[length...]))
    return true
  }

  // MARK: Handshakes

  /// Whether the client has sent all that a handshake begins with. Until then the connection takes no handshake's
  /// place, and the pieces stay in the kernel.
  private func isHelloHere(_ slot: UInt32) -> Bool {
    let fd = connections[slot].fd
    guard case .bytes(let count) = Socket.peek(fd, into: connections.input.bytes) else {
      return false
    }
    let wanted = ClientHello.length(
      UnsafeRawBufferPointer(rebasing: connections.input.bytes[..<count]))
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
      connections.close(slot, .clientGone)
      return false
    }
    // All of the hello is here, or as much as the kernel keeps.
    if before > 0 { Socket.setReadable(fd, from: 1) }
    connections[slot].helloBytes = 0
    return true
  }

  /// Returns the address whose limits a handshake counts against; nil for a proxy that has not said for which client it
  /// speaks.
  private func handshakeSite(_ slot: UInt32) -> AddressBlock? {
    connections[slot].countsForAddress ? AddressBlock(connections[slot].origin) : nil
  }

  /// Finds a place for a handshake, if need be that of a client that does not go on. False when the connection has to
  /// wait for one.
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
    // The client has done its part.
    connections[slot].deadline =
      loop.turnTime + Int64(nanosecondsIn: shared.configuration.headTimeout)
    connections.setReadHeld(slot, true)
    return false
  }

  /// Ends a stalled handshake. Its place is for the connection that asks, so no waiting connection is told of it.
  private func endHandshake(_ token: UInt64?) -> Bool {
    guard let token, let slot = connections.slot(of: token) else { return false }
    handshakes.figures.abandoned += 1
    handshakes.end(token, of: handshakeSite(slot))
    connections[slot].state = .reading([])
    connections.close(slot, .clientGone)
    return true
  }

  /// Takes the next step of a handshake. True when the handshake is done.
  func shakeHands(_ slot: UInt32) -> Bool {
    // The kernel reports unread input again in the next turn.
    guard let stream = connections[slot].tls, handshakes.reserveStep(turn: loop.turnTime) else {
      handshakes.setWaiting(connections.token(slot), of: handshakeSite(slot), since: nil)
      return false
    }
    let wasAnswered = stream.hasAnswered
    switch stream.shakeHands() {
    case .wantsRead: awaitHandshake(slot, wasAnswered, isBlocked: false)
    case .wantsWrite: awaitHandshake(slot, wasAnswered, isBlocked: true)
    case .ended:
      handshakes.figures.abandoned += 1
      connections.close(slot, .clientGone)
    case .failed:
      handshakes.figures.failed += 1
      handshakeEnded(slot)
      connections[slot].isGreeting = false
      // An alert tells the client why, and a reset would overtake the alert.
      connections.linger(slot)
    case .done:
      if stream.isResumed {
        handshakes.figures.resumed += 1
      } else {
        handshakes.figures.full += 1
      }
      handshakeEnded(slot)
      connections.setBlocked(slot, false)
      connections[slot].isGreeting = false
      connections[slot].state = .reading([])
      return true
    }
    return false
  }

  /// Waits for the client to go on: its first flight has a time of its own, and the rest has the time for the rest.
  private func awaitHandshake(_ slot: UInt32, _ wasAnswered: Bool, isBlocked: Bool) {
    connections.setBlocked(slot, isBlocked)
    handshakes.setWaiting(
      connections.token(slot), of: handshakeSite(slot), since: loop.turnTime)
    guard !wasAnswered, connections[slot].tls?.hasAnswered == true else { return }
    connections[slot].deadline =
      loop.turnTime + Int64(nanosecondsIn: shared.configuration.headTimeout)
  }

  /// Gives the place of a handshake to the next connection, which the kernel reports in the next turn.
  func handshakeEnded(_ slot: UInt32) {
    let site = handshakeSite(slot)
    handshakes.end(connections.token(slot), of: site)
    while let token = handshakes.popWaiting(of: site) {
      if readAfterWaiting(token) { return }
    }
  }

  /// Counts a connection that goes before all of its hello has come, or during its handshake.
  func handshakeAbandoned() { handshakes.figures.abandoned += 1 }

  private func readAfterWaiting(_ token: UInt64) -> Bool {
    guard waitsForHandshake(token), let slot = connections.slot(of: token) else { return false }
    connections[slot].awaitsHandshake = false
    connections.setReadHeld(slot, false)
    return true
  }

  private func waitsForHandshake(_ token: UInt64) -> Bool {
    connections.slot(of: token).map { connections[$0].awaitsHandshake } ?? false
  }

  /// Once a second: lets waiting connections take free places, since one that was told of a place may have gone without
  /// taking it.
  func attendHandshakes() {
    for token in handshakes.popWaiting(waitsForHandshake) { _ = readAfterWaiting(token) }
  }

  // MARK: Without TLS where it is a must

  /// Answers a request that came in clear where TLS is a must; true when it was answered. Trusted proxies may send in
  /// clear: what is before them is theirs to encrypt.
  func refuseClear(_ slot: UInt32, _ head: HTTPRequestHead) -> Bool {
    guard let tls, tls.isOnly, connections[slot].takesTLS, connections[slot].tls == nil,
      !connections[slot].isOfProxy
    else { return false }
    var last = head
    last.fields.set("Connection", "close")
    let words = "this server speaks HTTPS; ask again with https:// in front"
    let isMovable = ["GET", "HEAD"].contains(head.method) && head.target.hasPrefix("/")
    guard isMovable, let host = head.host, !host.isEmpty else {
      answers.replyError(slot, to: last, status: 403, code: "https-only", message: words)
      return true
    }
    answers.replyError(
      slot, to: last, status: 301, code: "https-only", message: words,
      fields: [.init(name: "Location", value: "https://\(host)\(head.target)")])
    return true
  }
}
