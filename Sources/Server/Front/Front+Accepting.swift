import Reactor
import Wire

// Which connections get in, and which go when there is no place left.
extension Front {
  /// Connections accepted in one turn: a client that connects without end must not keep all others waiting. The kernel
  /// reports the other connections again.
  private static let acceptsMax = 256

  private static let holdNanoseconds: Int64 = 100_000_000

  /// Idle connections closed in one slot because another loop had none.
  private static let closedForOthersMax = 8

  func listen(
    _ fd: Int32, origin: ListeningSocket.Kind,
    passing pass: ((_ client: Int32, _ address: SocketAddress) -> Void)? = nil
  ) throws(SystemError) {
    listening.append(ListeningSocket(fd: fd, origin: origin, pass: pass))
    try loop.add(
      fd, .read, handler: connections.owner.handlerID,
      token: Self.listeningToken(listening.count - 1))
  }

  /// Listens on a socket in place of the one of this kind, if there is one.
  func listen(_ fd: Int32, inPlaceOf origin: ListeningSocket.Kind) throws(SystemError) {
    guard let index = listening.firstIndex(where: { $0.origin == origin }) else {
      return try listen(fd, origin: origin)
    }
    loop.remove(listening[index].fd)
    Socket.close(listening[index].fd)
    listening[index] = ListeningSocket(fd: fd, origin: origin, pass: nil)
    try loop.add(
      fd, .read, handler: connections.owner.handlerID, token: Self.listeningToken(index))
  }

  /// Returns a token at the top of the range, where no connection has its slot.
  private static func listeningToken(_ index: Int) -> UInt64 { topToken - UInt64(index) }

  private static let topToken: UInt64 = 1 << EventLoop.tokenBits - 1

  func accept(at index: Int) {
    let (fd, origin, pass) = (
      listening[index].fd, listening[index].origin, listening[index].pass
    )
    func bring(_ client: Int32, _ address: SocketAddress) {
      connections.counts.accepted += 1
      if let pass { pass(client, address) } else { welcome(client, origin, address) }
    }
    for _ in 0..<Self.acceptsMax {
      switch Socket.accept(fd) {
      case .wouldBlock: return connections.owner.keepTicking()
      case .aborted: continue
      case .outOfDescriptors:
        if findDescriptor(for: origin) { continue }
        refuseOne(fd)
        hold(index)
        return connections.owner.keepTicking()
      case .spare(let client, let address):
        guard findDescriptor(for: origin), let lower = Socket.lowered(client) else {
          connections.counts.refuse(.descriptors)
          turnAway(client, Self.busy)
          hold(index)
          return connections.owner.keepTicking()
        }
        bring(lower, address)
      case .connection(let client, let address):
        bring(client, address)
      }
    }
    connections.owner.keepTicking()
  }

  /// Returns the index of the listening socket that an event is of; nil when the event is of a connection.
  func listeningIndex(ofEvent event: UInt64) -> Int? {
    let fromTop = Int(clamping: Self.topToken - event)
    return fromTop < listening.count ? fromTop : nil
  }

  /// Closes the listening sockets: no connection is accepted any more.
  func stopListening() {
    for socket in listening {
      loop.remove(socket.fd)
      Socket.close(socket.fd)
    }
    listening.removeAll()
  }

  /// Lets held sockets be watched again in the next slot: a client may have waited for just this descriptor.
  func descriptorIsFree() {
    for index in listening.indices where listening[index].isHeld { listening[index].heldUntil = 1 }
  }

  // MARK: Without descriptors

  /// Frees a descriptor by closing an idle connection, or from the reserve for the administration. Limits keep
  /// descriptors from running out, unless others have used up what the process or the machine has.
  private func findDescriptor(for origin: ListeningSocket.Kind) -> Bool {
    connections.closeLongestIdle() || (origin == .unix && shared.reserve.lend())
  }

  private func refuseOne(_ fd: Int32) {
    guard shared.reserve.lend() else { return }
    switch Socket.accept(fd) {
    case .connection(let client, _), .spare(let client, _):
      connections.counts.refuse(.descriptors)
      turnAway(client, Self.busy)
    case .wouldBlock, .outOfDescriptors, .aborted: break
    }
    shared.reserve.refill()
  }

  /// Stops watching a listening socket for 100 ms: the kernel would report a client that cannot be accepted again and
  /// again.
  private func hold(_ index: Int) {
    listening[index].heldUntil = loop.turnTime + Self.holdNanoseconds
    watch(listening: index, [])
  }

  /// Once a slot: watches held sockets whose time is up, and closes idle connections that other loops lacked.
  func listenAgain(now: Int64) {
    for index in listening.indices
    where listening[index].isHeld && listening[index].heldUntil <= now {
      listening[index].heldUntil = 0
      watch(listening: index, .read)
    }
    for _ in 0..<shared.network.popWanted(Self.closedForOthersMax) {
      if !connections.closeLongestIdle() { break }
    }
  }

  private func watch(listening index: Int, _ interest: Interest) {
    try? loop.modify(
      listening[index].fd, interest, handler: connections.owner.handlerID,
      token: Self.listeningToken(index))
  }

  // MARK: Coming

  func welcome(_ fd: Int32, _ origin: ListeningSocket.Kind, _ address: SocketAddress) {
    let client = origin == .unix ? Peer.unixSocket : .tcp(address)
    guard origin == .unix || reservePlace() else { return refuseConnection(fd, client, origin) }
    let deadline = loop.turnTime + Int64(nanosecondsIn: shared.configuration.headTimeout)
    guard let slot = connections.add(fd, origin: client, deadline: deadline) else {
      if origin != .unix { shared.network.release() }
      return Socket.close(fd)
    }
    connections[slot].hasPlace = origin != .unix
    connections[slot].isOfProxy = connections.isTrustedProxy(client)
    connections[slot].awaitsProxyHeader =
      connections.clients.hasProxyHeaders && connections[slot].isOfProxy
    connections[slot].isLogin = origin == .shoutcast
    connections[slot].takesTLS = origin == .tcp
    connections[slot].isGreeting = origin == .tcp && tls != nil
    // A proxy's connections are those of many clients.
    if !connections[slot].isOfProxy, !connections.countForAddress(slot) {
      connections.counts.refuse(.address)
      turnAway(fd, Self.tooMany)
      return connections.forget(slot)
    }
    do {
      try connections.register(slot)
    } catch {
      return connections.close(slot, .clientGone)
    }
    connections.waitForClient(slot)
    // The request is often there already.
    readable(slot)
  }

  private func reservePlace() -> Bool {
    while !shared.network.reserve() {
      if !connections.closeLongestIdle() { return false }
    }
    return true
  }

  // MARK: Refusing

  /// Refuses a connection for which there is no place. Some connections are kept until they have read the answer; the
  /// others get it with luck.
  private func refuseConnection(_ fd: Int32, _ client: Peer, _ origin: ListeningSocket.Kind) {
    connections.counts.refuse(.full)
    guard origin == .tcp, shared.network.beginRefusal() else { return turnAway(fd, Self.busy) }
    guard let slot = connections.add(fd, origin: client, deadline: .max) else {
      shared.network.endRefusal()
      return turnAway(fd, Self.busy)
    }
    connections[slot].isRefusal = true
    do {
      try connections.register(slot)
    } catch {
      return connections.close(slot, .clientGone)
    }
    answers.send(slot, Self.busy, status: 503, keepsAlive: false)
  }

  /// Sends an answer and closes. Input that is unread at the close would make the kernel send a reset in front of the
  /// answer.
  private func turnAway(_ fd: Int32, _ answer: [UInt8]) {
    _ = answer.withUnsafeBytes { Socket.send(fd, $0) }
    Socket.shutdownWriting(fd)
    _ = Socket.receive(fd, into: connections.input.bytes)
    Socket.close(fd)
  }

  private static let busy = refusal(
    "503 Service Unavailable", code: "unavailable",
    "the server has all the connections it takes; ask again later", retryAfter: 5)

  private static let tooMany = refusal(
    "429 Too Many Requests", code: "too-many-connections",
    "your address has all the connections it may have", retryAfter: 30)

  private static func refusal(
    _ status: String, code: String, _ message: String, retryAfter: Int
  ) -> [UInt8] {
    let body = ErrorBody.json(code: code, message: message)
    let head =
      "HTTP/1.1 \(status)\r\nRetry-After: \(retryAfter)\r\nConnection: close\r\n"
      + "Content-Type: \(ErrorBody.mediaType)\r\nContent-Length: \(body.count)\r\n\r\n"
    return Array(head.utf8) + body
  }
}
