import Reactor
import Timeshift
import Wire

/// Input from clients: connections, bytes, and the end of input.
final class Front {
  let connections: Connections
  let loop: EventLoop
  let shared: SharedState
  let answers: Answers
  let files: Files
  let watchers: Watchers
  let admission: Admission
  /// TLS for connections to come; nil when they are all in clear.
  var tls: TLSOffer?
  /// Answers to challenges of certificate authorities; nil for none.
  var challenges: (any ChallengeAnswering)?
  var handshakes = Handshakes()
  /// Listening sockets, each at the index that its token gives.
  var listening: [ListeningSocket] = []
  /// Numbers by which requests for served paths are counted, by the names of their rows.
  private let routes: [String: RequestRoute]
  var known = KnownRoutes()
  /// Tokens of connections with more requests than one turn answers.
  private var putOff: [UInt64] = []

  init(
    _ connections: Connections, _ answers: Answers, _ files: Files, _ watchers: Watchers,
    _ admission: Admission
  ) {
    self.connections = connections
    self.answers = answers
    self.files = files
    self.watchers = watchers
    self.admission = admission
    loop = connections.loop
    shared = connections.shared
    let api = shared.api
    routes = Dictionary(
      ServedPath.all.map { ($0.name, api.route(named: $0.name)) },
      uniquingKeysWith: { one, _ in one })
    let configuration = shared.configuration
    (tls, challenges) = (configuration.tls, configuration.challenges)
    handshakes.underWayMax = configuration.handshakesMax
    handshakes.ofAddressMax = max(
      1, (configuration.handshakesPerAddress + shared.loops - 1) / shared.loops)
  }

  func route(of row: ServedPath) -> RequestRoute { routes[row.name] ?? .unknown }

  func readable(_ slot: UInt32) {
    if connections[slot].isGreeting, !greet(slot) { return }
    // A turn reads a bounded amount of any one connection.
    for _ in 0..<4 {
      switch read(slot) {
      case .wouldBlock:
        if connections[slot].tls?.wantsWrite == true { connections.readWhenWritable(slot) }
        return
      case .ended: return connections.owner.inputEnded(slot)
      case .bytes(let count):
        let token = connections.token(slot)
        receive(slot, UnsafeRawBufferPointer(rebasing: connections.input.bytes[..<count]))
        if connections.slot(of: token) == nil || connections[slot].isReadHeld || isSource(slot) {
          return
        }
        // Encrypted input comes by records, so a short read may not be all of it.
        if count < connections.input.bytes.count, connections[slot].tls == nil { return }
      }
    }
  }

  /// Whether the connection is a source that awaits its answer. Its input stays in the kernel until the connection is
  /// handed over: only so much is kept here.
  private func isSource(_ slot: UInt32) -> Bool {
    guard case .answering(let head, _) = connections[slot].state else { return false }
    return Routes.isSource(head)
  }

  /// Reads with room for a whole TLS record, so that nothing is left over which the kernel does not report.
  private func read(_ slot: UInt32) -> Transferred {
    if let stream = connections[slot].tls {
      // Input that still comes is of no interest.
      if case .lingering = connections[slot].state {
        return Socket.receive(connections[slot].fd, into: connections.input.bytes)
      }
      return stream.receive(into: connections.input.bytes)
    }
    return Socket.receive(connections[slot].fd, into: connections.input.bytes)
  }

  // MARK: One request after the other

  /// Requests of one connection answered in one turn: some are answered here, and listeners wait meanwhile.
  private static let requestsMax = 8

  static let goOnTimer: UInt32 = 1

  /// Answers the requests that are here, one after the other.
  func proceed(_ slot: UInt32) {
    let token = connections.token(slot)
    var left = Self.requestsMax
    while connections.slot(of: token) != nil,
      case .reading(let bytes) = connections[slot].state, !bytes.isEmpty
    {
      if left == 0 { return putOff(slot) }
      left -= 1
      connections[slot].state = .free
      if !readHead(slot, bytes) { break }
    }
    if connections.slot(of: token) != nil, connections[slot].isInputEnded,
      case .reading = connections[slot].state
    {
      connections.end(slot, .clientGone)
    }
  }

  /// Puts a connection off, so that the others come first. Meanwhile nothing more is read from it.
  private func putOff(_ slot: UInt32) {
    connections.setReadHeld(slot, true)
    putOff.append(connections.token(slot))
    loop.setTimer(connections.owner.handlerID, token: Self.goOnTimer, after: 0)
  }

  /// Goes on with the connections that were put off; called by the loop, a turn later.
  func goOnLater() {
    let tokens = putOff
    putOff.removeAll(keepingCapacity: true)
    for token in tokens {
      guard let slot = connections.slot(of: token) else { continue }
      connections.setReadHeld(slot, false)
      proceed(slot)
    }
    connections.owner.keepTicking()
  }
}
