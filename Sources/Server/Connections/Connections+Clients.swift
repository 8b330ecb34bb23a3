import Reactor
import Timeshift
import Wire

// Clients of connections, and how many connections each may have.
extension Connections {
  /// Returns the client that asks: the other end of the socket, or the client that a trusted proxy speaks for.
  func client(_ slot: UInt32, _ head: HTTPRequestHead) -> Peer {
    guard case .tcp(let peer) = table[slot].origin else { return .unixSocket }
    return .tcp(
      ForwardedAddress.client(
        of: head.fields, peer: peer, trusted: clients.trustedProxies))
  }

  /// Whether the origin is a trusted proxy. Only a trusted proxy is believed about the client it speaks for, or asked
  /// for a PROXY header.
  func isTrustedProxy(_ origin: Peer) -> Bool {
    guard case .tcp(let peer) = origin else { return false }
    return clients.trustedProxies.contains { $0.contains(peer) }
  }

  /// Returns the scheme, host and port by which the client can reach the server.
  func baseURL(_ slot: UInt32, _ head: HTTPRequestHead) -> String {
    if let url = clients.publicURL { return url }
    let scheme = table[slot].tls == nil ? "http" : "https"
    if case .tcp(let peer) = table[slot].origin,
      let base = ForwardedAddress.base(
        of: head.fields, peer: peer, trusted: clients.trustedProxies, scheme: scheme)
    {
      return base
    }
    if let host = head.host, !host.isEmpty { return "\(scheme)://\(host)" }
    return "\(scheme)://"
      + (Socket.localAddress(of: table[slot].fd)?.description ?? "localhost")
  }

  /// Whether the client's connection is encrypted, as far as the server sees or a trusted proxy says.
  func isEncrypted(_ slot: UInt32, _ head: HTTPRequestHead) -> Bool {
    let isOwn = table[slot].tls != nil
    guard isTrustedProxy(table[slot].origin) else { return isOwn }
    return head.fields.tokens("X-Forwarded-Proto").last.map { $0 == "https" } ?? isOwn
  }

  /// Counts the connection against its address, closing idle ones of that address if need be. False when the address
  /// has all the connections it may have, none of them idle.
  func countForAddress(_ slot: UInt32) -> Bool {
    let block = AddressBlock(table[slot].origin)
    while !shared.network.count(block) {
      let other = idle.longest(in: table) {
        table[$0].countsForAddress && AddressBlock(table[$0].origin) == block
      }
      guard let other else { return false }
      owner.evict(other)
    }
    table[slot].countsForAddress = true
    return true
  }

  /// Stops counting the connection against its address. Listeners and watchers have limits of their own.
  func uncountForAddress(_ slot: UInt32) {
    guard table[slot].countsForAddress else { return }
    table[slot].countsForAddress = false
    shared.network.uncount(AddressBlock(table[slot].origin))
  }

  // MARK: Waiting

  /// Notes that the client is waited for from now on. Where places run out, such connections go, the longest waiting
  /// first.
  func waitForClient(_ slot: UInt32) {
    table[slot].idleSerial &+= 1
    idle.append(
      table.token(slot), serial: table[slot].idleSerial, in: table)
  }

  func closeLongestIdle() -> Bool {
    guard let slot = idle.popLongest(in: table) else { return false }
    owner.evict(slot)
    return true
  }

  // MARK: Tickets

  /// Gives back the ticket that the listener was admitted with.
  func giveBackTicket(_ slot: UInt32, after seconds: Double = 0) {
    guard let ticket = table[slot].ticket else { return }
    table[slot].ticket = nil
    ticket.whenOver?(seconds)
  }

  /// Returns when listening ends that begins now; `.max` for never.
  func listeningEnd(_ slot: UInt32, at mount: Mount) -> Int64 {
    let seconds = mount.settings.listeningTime(by: table[slot].ticket)
    return seconds.map { loop.turnTime.saturatingAdd(Int64(nanosecondsIn: $0)) } ?? .max
  }

  func secondsListened(_ slot: UInt32) -> Double {
    let since = table[slot].connectedAt.monotonic.nanoseconds
    return max(0, Double(loop.turnTime - since) / 1e9)
  }

  // MARK: Records

  /// Begins the record of a request; `head` is nil when the input was no request.
  func noteRequest(_ slot: UInt32, _ head: HTTPRequestHead?) {
    if asked(slot).route == .idle {
      set(AskedRequest(route: .open, at: Self.microseconds(loop.turnTime)), of: slot)
    }
    guard let records = shared.configuration.requests, records.isOn else { return }
    let origin = head.map { client(slot, $0) } ?? table[slot].origin
    table[slot].note = RequestNote(head, from: origin, at: loop.turnTime)
  }

  /// Microseconds of a time as far as a connection keeps them: differences of up to an hour are right.
  private static func microseconds(_ nanoseconds: Int64) -> UInt32 {
    UInt32(truncatingIfNeeded: nanoseconds / 1000)
  }

  /// Returns how long ago the connection's last request came, in nanoseconds.
  func sinceAsked(_ slot: UInt32) -> Int64 {
    let now = Self.microseconds(MonotonicTime.now().nanoseconds)
    return Int64(now &- asked(slot).at) * 1000  // bounded: 32 bits
  }

  /// Says which row the connection's request belongs to.
  func setRoute(_ route: RequestRoute, of slot: UInt32) {
    set(AskedRequest(route: route, at: asked(slot).at), of: slot)
  }

  /// Counts a request, whose answer begins now. An answer that has begun keeps its status.
  func answered(_ slot: UInt32, _ status: Int) {
    var route = asked(slot).route
    if route == .idle { return }
    table[slot].note?.status = status
    if route == .open, case .answering(let head, _) = table[slot].state {
      route = shared.api.route(of: head)
    }
    counts.answered(route == .open ? .none : route, status, after: sinceAsked(slot))
    setRoute(.idle, of: slot)
  }

  /// Finishes the record of a request: its answer is out, or there will be none.
  func finishRequest(_ slot: UInt32) {
    // As nginx counts a client that has left.
    answered(slot, RequestNote.clientGone)
    guard let note = table[slot].note else { return }
    table[slot].note = nil
    finished.append(note.finished(at: loop.turnTime))
  }

  private func reportRequests() {
    if finished.isEmpty { return }
    shared.configuration.requests?.record(finished)
    finished.removeAll(keepingCapacity: finished.count < 1000)
  }

  func reportChanges() {
    reportRequests()
    if changes.isEmpty { return }
    shared.report(changes)
    changes.removeAll(keepingCapacity: true)
  }
}
