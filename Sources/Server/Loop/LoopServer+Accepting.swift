import Reactor
import Wire

/// A socket that clients connect to.
struct ListeningSocket {
  let fd: Int32
  let origin: LoopServer.Origin
  /// Until when nobody is taken from it, monotonic nanoseconds; 0: it is watched.
  var heldUntil: Int64 = 0

  var isHeld: Bool { heldUntil > 0 }
}

// Who gets in, and who goes when there is no place left.
extension LoopServer {
  /// Of one turn: who connects without end must not keep everybody else waiting. The kernel tells again of the others.
  private static let acceptsMax = 256
  private static let holdNanoseconds: Int64 = 100_000_000
  /// Idle connections that go in one slot because another loop had none.
  private static let closedForOthersMax = 8

  func accept(at index: Int) {
    let (fd, origin) = (listening[index].fd, listening[index].origin)
    for _ in 0..<Self.acceptsMax {
      switch Socket.accept(fd) {
      case .wouldBlock: return keepTicking()
      case .aborted: continue
      case .outOfDescriptors:
        if findDescriptor(for: origin) { continue }
        refuseOne(fd)
        hold(index)
        return keepTicking()
      case .spare(let client, let address):
        guard findDescriptor(for: origin), let lower = Socket.lowered(client) else {
          counts.refused += 1
          turnAway(client, Self.busy)
          hold(index)
          return keepTicking()
        }
        counts.accepted += 1
        welcome(lower, origin, address)
      case .connection(let client, let address):
        counts.accepted += 1
        welcome(client, origin, address)
      }
    }
    keepTicking()
  }

  // MARK: Without descriptors

  /// Limits keep it from coming so far, unless others have used up what the process or the machine has.
  private func findDescriptor(for origin: Origin) -> Bool {
    closeLongestIdle() || (origin == .unix && shared.reserve.lend())
  }

  private func refuseOne(_ fd: Int32) {
    guard shared.reserve.lend() else { return }
    switch Socket.accept(fd) {
    case .connection(let client, _), .spare(let client, _):
      counts.refused += 1
      turnAway(client, Self.busy)
    case .wouldBlock, .outOfDescriptors, .aborted: break
    }
    shared.reserve.refill()
  }

  /// The kernel would tell again and again of somebody who cannot be taken.
  private func hold(_ index: Int) {
    listening[index].heldUntil = loop.turnTime + Self.holdNanoseconds
    watch(listening: index, [])
  }

  /// Once a slot.
  func listenAgain(now: Int64) {
    for index in listening.indices
    where listening[index].isHeld && listening[index].heldUntil <= now {
      listening[index].heldUntil = 0
      watch(listening: index, .read)
    }
    for _ in 0..<shared.network.takeWanted(Self.closedForOthersMax) {
      if !closeLongestIdle() { break }
    }
  }

  private func watch(listening index: Int, _ interest: Interest) {
    try? loop.modify(
      listening[index].fd, interest, handler: handlerID, token: Self.listeningToken(index))
  }

  // MARK: Coming

  private func welcome(_ fd: Int32, _ origin: Origin, _ address: SocketAddress) {
    let client = origin == .unix ? APIRequest.Origin.unixSocket : .tcp(address)
    guard origin == .unix || takePlace() else { return refuse(fd, client, origin) }
    let deadline = loop.turnTime + Int64(nanosecondsIn: shared.configuration.headTimeout)
    guard let slot = connections.add(fd, origin: client, deadline: deadline) else {
      if origin != .unix { shared.network.release() }
      return Socket.close(fd)
    }
    connections[slot].hasPlace = origin != .unix
    connections[slot].isOfProxy = isTrustedProxy(client)
    connections[slot].awaitsProxyHeader = hasProxyHeaders && connections[slot].isOfProxy
    connections[slot].isLogin = origin == .shoutcast
    connections[slot].takesTLS = origin == .tcp
    connections[slot].isGreeting = origin == .tcp && tls != nil
    // A proxy's connections are many people's.
    if !connections[slot].isOfProxy, !countForAddress(slot) {
      counts.refused += 1
      turnAway(fd, Self.tooMany)
      return forget(slot)
    }
    do {
      try register(slot)
    } catch {
      return close(slot, .clientGone)
    }
    waitForClient(slot)
    // The request is often there already.
    readable(slot)
  }

  private func takePlace() -> Bool {
    while !shared.network.take() {
      if !closeLongestIdle() { return false }
    }
    return true
  }

  /// False: its address has all the connections it may have, none of them idle.
  func countForAddress(_ slot: UInt32) -> Bool {
    let block = AddressBlock(connections[slot].origin)
    while !shared.network.count(block) {
      let other = idle.longest(in: connections) {
        connections[$0].countsForAddress && AddressBlock(connections[$0].origin) == block
      }
      guard let other else { return false }
      closeIdle(other)
    }
    connections[slot].countsForAddress = true
    return true
  }

  /// It listens, or watches, from now on: that has limits of its own.
  func uncountForAddress(_ slot: UInt32) {
    guard connections[slot].countsForAddress else { return }
    connections[slot].countsForAddress = false
    shared.network.uncount(AddressBlock(connections[slot].origin))
  }

  // MARK: Going

  /// From now on its client is waited for: where places run out, it goes when its turn comes.
  func waitForClient(_ slot: UInt32) {
    connections[slot].idleSerial &+= 1
    idle.append(
      connections.token(slot), serial: connections[slot].idleSerial, in: connections)
  }

  private func closeLongestIdle() -> Bool {
    guard let slot = idle.popLongest(in: connections) else { return false }
    closeIdle(slot)
    return true
  }

  private func closeIdle(_ slot: UInt32) {
    if case .shakingHands = connections[slot].state { handshakes.figures.abandoned += 1 }
    close(slot, .clientGone)
  }

  /// The last of a connection, whoever has its descriptor now: its places are others'.
  func forget(_ slot: UInt32) {
    uncountForAddress(slot)
    if connections[slot].hasPlace { shared.network.release() }
    if connections[slot].isRefusal { shared.network.endRefusal() }
    connections.remove(slot)
    // Somebody may have waited for just this descriptor.
    for index in listening.indices where listening[index].isHeld { listening[index].heldUntil = 1 }
  }

  // MARK: Refusing

  /// There is no place. Some are kept until they have read that; of the others it is hoped.
  private func refuse(_ fd: Int32, _ client: APIRequest.Origin, _ origin: Origin) {
    counts.refused += 1
    guard origin == .tcp, shared.network.beginRefusal() else { return turnAway(fd, Self.busy) }
    guard let slot = connections.add(fd, origin: client, deadline: .max) else {
      shared.network.endRefusal()
      return turnAway(fd, Self.busy)
    }
    connections[slot].isRefusal = true
    do {
      try register(slot)
    } catch {
      return close(slot, .clientGone)
    }
    send(slot, Self.busy, status: 503, keepsAlive: false)
  }

  /// What is unread when it is closed would make the kernel send a reset in front of the answer.
  private func turnAway(_ fd: Int32, _ answer: [UInt8]) {
    _ = answer.withUnsafeBytes { Socket.send(fd, $0) }
    Socket.shutdownWriting(fd)
    _ = Socket.receive(fd, into: input.bytes)
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
