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

/// How handshakes have ended.
public struct HandshakeFigures: Hashable, Sendable {
  public var full: UInt64 = 0
  /// With a ticket of an earlier one.
  public var resumed: UInt64 = 0
  /// What came was no handshake, or none that could succeed.
  public var failed: UInt64 = 0
  /// The client left, or its time was up.
  public var abandoned: UInt64 = 0
  /// Now.
  var underWay = 0
  /// Clients that wait now for others' handshakes to end.
  var waiting = 0

  public init() {}

  mutating func add(_ other: HandshakeFigures) {
    full += other.full
    resumed += other.resumed
    failed += other.failed
    abandoned += other.abandoned
    underWay += other.underWay
    waiting += other.waiting
  }
}

/// A loop's handshakes.
struct Handshakes {
  /// Each takes some 300 µs where it calculates, during which listeners wait.
  static let stepsMax = 4

  var figures = HandshakeFigures()
  var underWayMax = 0
  /// Tokens of connections that wait for a place, the first first; behind `next`. Some may be gone.
  private var queue: [UInt32] = []
  private var next = 0
  private var turn = Int64.min
  private var steps = 0

  /// Whether there is one left in this turn of the loop.
  mutating func takeStep(turn: Int64) -> Bool {
    if turn != self.turn {
      self.turn = turn
      steps = Self.stepsMax
    }
    if steps == 0 { return false }
    steps -= 1
    return true
  }

  var placesFree: Int { max(0, underWayMax - figures.underWay) }

  mutating func begin() { figures.underWay += 1 }
  mutating func end() { figures.underWay -= 1 }

  mutating func wait(_ token: UInt32) { queue.append(token) }

  /// The one that waits longest.
  mutating func popWaiting() -> UInt32? {
    if next == queue.count {
      queue.removeAll(keepingCapacity: true)
      next = 0
      return nil
    }
    next += 1
    return queue[next - 1]
  }

  /// Forgets who waits no more.
  mutating func keepWaiting(_ stillWaits: (UInt32) -> Bool) {
    queue = queue[next...].filter(stillWaits)
    next = 0
    figures.waiting = queue.count
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
    if handshakes.placesFree == 0 {
      handshakes.wait(connections.token(slot))
      setReadHeld(slot, true)
      return false
    }
    guard let stream = TLSStream(tls.context, fd: connections[slot].fd) else {
      close(slot, .clientGone)
      return false
    }
    handshakes.begin()
    connections[slot].tls = stream
    connections[slot].state = .shakingHands
    return shakeHands(slot)
  }

  /// True: it is through.
  func shakeHands(_ slot: UInt32) -> Bool {
    // In the next turn the kernel tells again of what is unread.
    guard let stream = connections[slot].tls, handshakes.takeStep(turn: loop.turnTime) else {
      return false
    }
    switch stream.shakeHands() {
    case .wantsRead: setBlocked(slot, false)
    case .wantsWrite: setBlocked(slot, true)
    case .ended:
      handshakes.figures.abandoned += 1
      close(slot, .clientGone)
    case .failed:
      handshakes.figures.failed += 1
      handshakeEnded()
      connections[slot].isGreeting = false
      // The client is told why by an alert, which a reset would overtake.
      linger(slot)
    case .done:
      if stream.isResumed {
        handshakes.figures.resumed += 1
      } else {
        handshakes.figures.full += 1
      }
      handshakeEnded()
      setBlocked(slot, false)
      connections[slot].isGreeting = false
      connections[slot].state = .reading([])
      return true
    }
    return false
  }

  /// Its place is the next one's, of whom the kernel tells in the next turn.
  func handshakeEnded() {
    handshakes.end()
    wakeNextHandshake()
  }

  private func wakeNextHandshake() {
    while let token = handshakes.popWaiting() {
      guard waitsForHandshake(token), let slot = connections.slot(of: token) else { continue }
      return setReadHeld(slot, false)
    }
  }

  private func waitsForHandshake(_ token: UInt32) -> Bool {
    connections.slot(of: token).map { connections[$0].isReadHeld } ?? false
  }

  /// Once a second: who was told of a place may have gone without taking it.
  func attendHandshakes() {
    handshakes.keepWaiting(waitsForHandshake)
    for _ in 0..<handshakes.placesFree { wakeNextHandshake() }
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
