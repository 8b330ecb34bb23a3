import Reactor
import Timeshift
import Wire

/// One loop's server: its listening sockets, connections, and shares of the mounts. All of it belongs to the loop's
/// thread; the loop's callbacks come in by `assumeIsolated`, everybody else awaits.
actor LoopServer {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  let shared: SharedState
  let fanout = Fanout()
  var table = MountTable()
  /// The loop's own copies of what may change while it runs: asked for with every request, without a lock.
  var trustedProxies: [AddressRange]
  /// Whether their connections begin with a PROXY header.
  var hasProxyHeaders: Bool
  var publicURL: String?
  /// For connections to come.
  var tls: TLSOffer?
  var handshakes = Handshakes()
  var shards: [MountShard?] = []
  var shardOfStation: [String: Int] = [:]
  var connections = ConnectionTable()
  var players = PlayerNames()
  /// Connections that wait for a first packet or an index.
  var joining: Set<UInt32> = []
  var watching: Set<UInt32> = []
  var eventFeeds: EventFeeds
  var idle = IdleConnections()
  var prompt = PromptShare()
  var clips = ClipDesk()
  /// Connections that are being sent a file.
  var fileSlots: Set<UInt32> = []
  /// Of files.
  var fileBytes: UInt64 = 0
  /// Listeners who send no more, and maybe others that were.
  var silent: Set<UInt32> = []
  /// Listeners with a session.
  var sessionSlots: Set<UInt32> = []
  /// Listeners who are to have one when they have stayed.
  var earning: [UInt32: SessionToken] = [:]
  /// Reported once a slot, not one by one.
  var changes: [ListenerEvent] = []
  /// For the access log, handed over once a slot.
  var finished: [FinishedRequest] = []
  var counts = LoopCounts()

  private var handler: HandlerID?
  /// At the place their token says.
  var listening: [ListeningSocket] = []
  /// Tokens of connections with more requests than one turn answers.
  var putOff: [UInt64] = []
  private var slotNumber = 0
  private var nextSlot: Int64 = 0
  private var isTicking = false
  private var nextSweep: Int64 = 0
  private(set) var isDraining = false
  private var drainWaiter: CheckedContinuation<Void, Never>?
  let input = InputBuffer()

  enum Origin { case tcp, unix, shoutcast }

  init(loop: EventLoop, shared: SharedState) {
    self.loop = loop
    self.shared = shared
    trustedProxies = shared.configuration.trustedProxies
    hasProxyHeaders = shared.configuration.hasProxyHeaders
    publicURL = shared.configuration.publicURL
    tls = shared.configuration.tls
    eventFeeds = EventFeeds(after: shared.events.newestID)
    handshakes.underWayMax = shared.configuration.handshakesMax
    handshakes.ofAddressMax = max(
      1, (shared.configuration.handshakesPerAddress + shared.loops - 1) / shared.loops)
  }

  // MARK: Registration

  var handlerID: HandlerID {
    if let handler { return handler }
    let id = loop.attach(LoopServerHandler(self))
    handler = id
    return id
  }

  func listen(_ fd: Int32, origin: Origin) throws(SystemError) {
    listening.append(ListeningSocket(fd: fd, origin: origin))
    try loop.add(fd, .read, handler: handlerID, token: Self.listeningToken(listening.count - 1))
  }

  /// Tokens at the top of the range, where no connection has its place.
  static func listeningToken(_ index: Int) -> UInt64 { topToken - UInt64(index) }
  private static let topToken: UInt64 = 1 << EventLoop.tokenBits - 1

  func register(_ slot: UInt32) throws(SystemError) {
    try loop.add(
      connections[slot].fd, .read, handler: handlerID, token: connections.token(slot))
  }

  /// Waits for writability, or no longer: never armed before a write would have blocked.
  func setBlocked(_ slot: UInt32, _ isBlocked: Bool) {
    guard connections[slot].isBlocked != isBlocked else { return }
    connections[slot].isBlocked = isBlocked
    watchAgain(slot)
  }

  /// What it sends is left in the kernel, which does not tell of it either; or no longer.
  func setReadHeld(_ slot: UInt32, _ isHeld: Bool) {
    guard connections[slot].isReadHeld != isHeld else { return }
    connections[slot].isReadHeld = isHeld
    watchAgain(slot)
  }

  /// Where the end of its input was seen the kernel would tell of it again, and again it would be for nothing.
  func watchAgain(_ slot: UInt32) {
    var interest: Interest = connections[slot].isBlocked ? .write : []
    if !connections[slot].isInputEnded, !connections[slot].isReadHeld { interest.insert(.read) }
    try? loop.modify(
      connections[slot].fd, interest, handler: handlerID, token: connections.token(slot))
  }

  // MARK: Called by the loop

  func ready(_ event: UInt64, _ readiness: Readiness) {
    let fromTop = Int(Self.topToken - event)
    if fromTop < listening.count { return accept(at: fromTop) }
    guard let slot = connections.slot(ofEvent: event) else { return }
    let token = connections.token(slot)
    if readiness.contains(.error) || readiness.contains(.hangUp) {
      return end(slot, .clientGone)
    }
    if readiness.contains(.write) {
      if connections[slot].tls?.wantsWrite == true { readAgain(slot) }
      writable(slot)
    }
    if readiness.contains(.read), connections.slot(of: token) != nil { readable(slot) }
  }

  func timerFired() {
    isTicking = false
    let now = loop.turnTime
    serveSlot(now: now)
    retryJoins(now: now)
    serveTurns()
    serveClips()
    serveFiles(now: now)
    feedWatchers()
    listenAgain(now: now)
    if now >= nextSweep {
      sweep(now: now)
      attendWatchers(now: now)
      shared.reserve.refill()
      attendSessions(now: now)
      attendHandshakes()
      attendSlowReaders(now: now)
      attendSilent(now: now)
      nextSweep = now + 1_000_000_000
    }
    reportChanges()
    if isDraining { finishDraining(now: now) }
    keepTicking()
  }

  /// The beat runs while there is anybody to serve or to wait for, or anything to report.
  func keepTicking() {
    let isIdle =
      connections.count == 0 && finished.isEmpty && changes.isEmpty
      && listening.allSatisfy { !$0.isHeld }
    if isTicking || (isIdle && drainWaiter == nil) { return }
    isTicking = true
    let now = monotonicNow()
    nextSlot += TickPlan.slotNanoseconds
    // Late by more than a slot, or just begun: the beat starts anew from now.
    if nextSlot < now || nextSlot > now + TickPlan.slotNanoseconds {
      nextSlot = now + TickPlan.slotNanoseconds
    }
    loop.setTimer(handlerID, token: 0, after: nextSlot - now)
  }

  private func monotonicNow() -> Int64 { MonotonicTime.now().nanoseconds }

  // MARK: The walk

  private func serveSlot(now: Int64) {
    slotNumber += 1
    let phases = TickPlan.phases(listeners: shared.listeners)
    for index in shards.indices {
      guard let shard = shards[index], !shard.listeners.isEmpty else { continue }
      shard.startTurn()
      shard.followEdge(at: now)
      walk(shard, at: index, detour(of: shard), phases: phases, now: now)
      if shard.isFallback, shard.listeners.isEmpty { dropShard(index) }
    }
  }

  private func walk(
    _ shard: MountShard, at shardIndex: Int, _ detour: Detour?, phases: Int, now: Int64
  ) {
    let range = TickPlan.range(slot: slotNumber, phases: phases, count: shard.listeners.count)
    // From the back: a listener that ends is replaced by the last one, which this walk has passed or will not reach.
    for index in range.reversed() {
      if shard.listeners[index].flags.contains(.blocked) {
        attendStalled(shard, at: shardIndex, index, now: now)
        continue
      }
      if let detour, take(detour, shard, index) { continue }
      if shard.listeners[index].pace.isPlaced, now < shard.listeners[index].due { continue }
      follow(serve(shard, index, phases: phases, now: now), shard, index, now: now)
    }
  }

  /// A listener's turn, or some in a row for one who is owed more than a turn may have; and, of a placed one, when it is
  /// due again.
  @inline(__always)
  func serve(_ shard: MountShard, _ index: Int, phases: Int, now: Int64) -> Fanout.Outcome {
    let isPlaced = shard.listeners[index].pace.isPlaced
    var outcome = fanout.serve(&shard.listeners[index], in: shard, now: now)
    var turns = 1
    while case .servedInPart = outcome, turns < TickPlan.turnsMax {
      outcome = fanout.serve(&shard.listeners[index], in: shard, now: now)
      turns += 1
    }
    if isPlaced {
      switch outcome {
      case .waiting, .servedInPart: shard.listeners[index].due = now
      default: shard.listeners[index].due = TickPlan.due(after: now, phases: phases)
      }
    }
    return outcome
  }

  /// Acts on what became of a listener's turn.
  func follow(_ outcome: Fanout.Outcome, _ shard: MountShard, _ index: Int, now: Int64) {
    switch outcome {
    case .idle, .waiting, .served, .servedInPart: break
    case .blocked: setBlocked(shard.listeners[index].slot, true)
    case .ended(let reason): end(shard.listeners[index].slot, reason)
    case .out:
      let slot = shard.listeners[index].slot
      end(slot, connections[slot].endReason ?? .formatChanged)
    }
  }

  // MARK: Ending

  func startDraining() async {
    isDraining = true
    for socket in listening {
      loop.remove(socket.fd)
      Socket.close(socket.fd)
    }
    listening.removeAll()
    let now = loop.turnTime
    for slot in connections.places.indices where connections.places[slot].fd >= 0 {
      let slot = UInt32(slot)
      if case .listening = connections[slot].state {
        endAtBoundary(slot, .draining)
      } else if case .replying = connections[slot].state {
        // A file may be hours long.
        if connections[slot].file != nil { endFile(slot, .draining) }
      } else if case .answering = connections[slot].state {
        continue
      } else {
        end(slot, .draining)
      }
    }
    drainDeadline = now + Int64(nanosecondsIn: shared.configuration.drainTimeout)
    keepTicking()
  }

  private var drainDeadline = Int64.max

  /// Returns when all connections are gone or their time is up.
  func drained() async {
    if connections.count > 0 {
      await withCheckedContinuation { waiter in
        drainWaiter = waiter
        keepTicking()
      }
    }
    reportChanges()
    if let handler { loop.detach(handler) }
    handler = nil
  }

  private func finishDraining(now: Int64) {
    if connections.count > 0, now < drainDeadline { return }
    for slot in connections.places.indices where connections.places[slot].fd >= 0 {
      close(UInt32(slot), .draining)
    }
    drainWaiter?.resume()
    drainWaiter = nil
  }

  private func reportChanges() {
    reportRequests()
    if changes.isEmpty { return }
    shared.report(changes)
    changes.removeAll(keepingCapacity: true)
  }
}

/// Counters of a loop, read by a hop.
struct LoopCounts {
  var accepted: UInt64 = 0
  var refused: UInt64 = 0
}

/// The loop's way into the actor.
private final class LoopServerHandler: LoopHandler {
  // The actor detaches the handler, which the loop holds, before it goes.
  private unowned let server: LoopServer

  init(_ server: LoopServer) { self.server = server }

  func ready(_ token: UInt64, _ readiness: Readiness) {
    server.assumeIsolated { $0.ready(token, readiness) }
  }

  func timerFired(_ token: UInt32) {
    server.assumeIsolated { token == LoopServer.goOnTimer ? $0.goOn() : $0.timerFired() }
  }

  func stoodStill(for nanoseconds: Int64) {
    server.assumeIsolated { $0.stoodStill(for: nanoseconds) }
  }
}
