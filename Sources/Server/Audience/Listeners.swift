import Reactor
import Timeshift
import Wire

/// A loop's listeners: the walk that feeds them, and the treatment of those that do not keep up.
final class Listeners {
  let connections: Connections
  let loop: EventLoop
  let shared: SharedState
  let answers: Answers
  let shards: Shards
  let fanout: Fanout
  /// Connections that wait for a first packet or an index.
  var joining: Set<UInt32> = []
  /// Slots of listeners that are checked once a second: those with a session or the promise of one, paused ones, and
  /// those that send no more. Some may need it no longer.
  var attended: Set<UInt32> = []
  private var slotNumber = 0

  init(_ connections: Connections, _ answers: Answers, _ shards: Shards) {
    self.connections = connections
    self.answers = answers
    self.shards = shards
    loop = connections.loop
    shared = connections.shared
    fanout = shards.fanout
  }

  func serveSlot(now: Int64) {
    slotNumber += 1
    let phases = TickPlan.phases(listeners: shared.listeners)
    for index in shards.all.indices {
      guard let shard = shards[index], !shard.listeners.isEmpty else { continue }
      shard.startTurn()
      shard.followEdge(at: now)
      walk(shard, at: index, shards.detour(of: shard), phases: phases, now: now)
      if shard.isFallback, shard.listeners.isEmpty { shards.dropShard(index) }
    }
  }

  private func walk(
    _ shard: MountShard, at shardIndex: Int, _ detour: Detour?, phases: Int, now: Int64
  ) {
    let range = TickPlan.range(slot: slotNumber, phases: phases, count: shard.listeners.count)
    // Walks from the back: the last listener replaces one that ends, and this walk has passed the last one or will not
    // reach it.
    for index in range.reversed() {
      if shard.listeners[index].flags.contains(.blocked) {
        attendStalled(shard, at: shardIndex, index, now: now)
        continue
      }
      if let detour, shards.divert(detour, shard, index) { continue }
      if shard.listeners[index].pace.isPlaced, now < shard.listeners[index].due { continue }
      follow(serve(shard, index, phases: phases, now: now), shard, index, now: now)
    }
  }

  /// Gives a listener one turn, or some in a row if the listener is owed more than one turn may give. Sets when a
  /// placed listener is due again.
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

  /// Acts on the outcome of a listener's turn.
  func follow(_ outcome: Fanout.Outcome, _ shard: MountShard, _ index: Int, now: Int64) {
    switch outcome {
    case .idle, .waiting, .served, .servedInPart: break
    case .blocked: connections.setBlocked(shard.listeners[index].slot, true)
    case .ended(let reason): connections.end(shard.listeners[index].slot, reason)
    case .out:
      let slot = shard.listeners[index].slot
      let isRelay = fanout.sidecars[slot]?.pointee.toldGaps != nil
      let reason = isRelay ? EndReason.relayGap : .formatChanged
      connections.end(slot, connections[slot].endReason ?? reason)
    }
  }

  // MARK: Stalls

  /// Goes on with a listener whose client sends no more: it may have closed only its sending half. A held listener ends,
  /// since nothing is sent that would show whether its client is still there.
  func inputEnded(_ slot: UInt32) {
    if fanout.isHeld(slot) { return connections.end(slot, .clientGone) }
    attended.insert(slot)
    connections.watchAgain(slot)
  }

  /// Once a second: looks after the listeners that need it, and tells what watched sessions hear.
  func attend(now: Int64) {
    let brief = shared.sessions.brief
    for slot in attended where !attend(slot, brief: brief, now: now) { attended.remove(slot) }
    attendFollowedSessions()
  }

  /// Looks after one listener; false when it needs that no longer.
  ///
  /// - Parameter brief: seconds after which a listener has stayed.
  private func attend(_ slot: UInt32, brief: Double, now: Int64) -> Bool {
    guard case .listening(let shard, let index) = connections[slot].state, let shard = shards[shard]
    else { return false }
    if connections.secondsListened(slot) >= brief { reward(shard, index) }
    let listener = shard.listeners[index]
    let sidecar = fanout.sidecars[slot]
    let timeout = shard.mount.settings.pauseTimeout
    if sidecar?.pointee.pause?.isOver(at: now, timeout: timeout) == true {
      connections.end(slot, .pauseTimeout)
      return false
    }
    let isWaiting = sidecar?.pointee.promise != nil || sidecar?.pointee.pause != nil
    remember(listener, in: shard)
    if isGone(listener, at: now) {
      connections.end(slot, .clientGone)
      return false
    }
    return connections[slot].isInputEnded || connections[slot].session != nil || isWaiting
  }

  /// Whether a listener sends no more and has been sent nothing for 10 s, as at a station that stands still. Most likely
  /// its client has gone, which only a write would show. Another listener could have its place.
  private func isGone(_ listener: Listener, at now: Int64) -> Bool {
    connections[listener.slot].isInputEnded && !listener.flags.contains(.blocked)
      && now - listener.takenAt > Self.silentNanoseconds
  }

  private static let silentNanoseconds: Int64 = 10_000_000_000

  /// Judges a listener whose socket takes nothing, at most twice a second.
  private func attendStalled(_ shard: MountShard, at shardIndex: Int, _ index: Int, now: Int64) {
    if now < shard.listeners[index].due { return }
    shard.listeners[index].due = now + TickPlan.placedNanoseconds
    judge(shard, index, now: now, isBlocked: true)
  }

  /// Continues with a listener whose socket takes bytes again.
  func goOn(_ slot: UInt32, _ shardIndex: Int, _ index: Int) {
    guard let shard = shards[shardIndex], connections.flush(slot) else { return }
    let now = loop.turnTime
    connections.setBlocked(slot, false)
    shard.listeners[index].flags.remove(.blocked)
    shard.startTurn()
    judge(shard, index, now: now, isBlocked: false)
    // `judge` may have ended the listener.
    guard case .listening(shardIndex, index) = connections[slot].state else { return }
    // Walks pass by a listener whose socket is full, as a slow reader's always is. So it goes to the fallback and back
    // here.
    if let detour = shards.detour(of: shard), shards.divert(detour, shard, index) {
      guard case .listening(let shardIndex, let index) = connections[slot].state,
        let other = shards[shardIndex]
      else { return }
      return serveResumed(other, index, now: now)
    }
    serveResumed(shard, index, now: now)
  }

  private func serveResumed(_ shard: MountShard, _ index: Int, now: Int64) {
    let phases = TickPlan.phases(listeners: shared.listeners)
    let isFirst = shard.listeners[index].bytes == 0
    let outcome = serve(shard, index, phases: phases, now: now)
    if isFirst { noteFirstByte(of: shard.listeners[index]) }
    follow(outcome, shard, index, now: now)
  }

  private func judge(_ shard: MountShard, _ index: Int, now: Int64, isBlocked: Bool) {
    guard let cursor = shard.reader.media(at: shard.listeners[index].cursor) else { return }
    let listener = shard.listeners[index]
    if listener.flags.contains(.paused) {
      return fanout.lines.clear(listener.slot) { $0.shortfall = nil }
    }
    if !isBlocked, comeWithinReach(shard, index, cursor: cursor, now: now) { return }
    if listener.pace.isPlaced {
      shard.listeners[index].pace.advance(to: now, rate: shard.rate)
      if shard.mount.settings.behindAllowed == .shift {
        shard.listeners[index].pace.wait(at: cursor)
      }
    }
    shard.followEdge(at: now)
    let wanted = listener.pace.isPlaced ? shard.listeners[index].pace.owed : shard.reader.edge.media
    watchShortfall(shard, listener, cursor: cursor, wanted: wanted, now: now)
    let decision = shard.policy.decide(
      lag: wanted - cursor, burst: listener.pace.burst, surge: shard.surge.seconds,
      isPlaced: listener.pace.isPlaced,
      stalled: Double(now - listener.takenAt) / 1e9, isBlocked: isBlocked)
    switch decision {
    case .wait: break
    case .place: shard.listeners[index].pace.place(at: cursor, now: now)
    case .skip:
      fanout.skip(&shard.listeners[index], in: shard, now: now)
      shards.note(.skipped, listener.slot, bytes: listener.bytes)
      shards.tellMove(.skip, listener.slot)
    case .drop(let reason): connections.end(listener.slot, reason)
    }
  }

  /// Tells of a line that is too slow for its station.
  private func watchShortfall(
    _ shard: MountShard, _ listener: Listener, cursor: MediaTime, wanted: MediaTime, now: Int64
  ) {
    let slot = listener.slot
    // It has all that it is owed.
    if wanted - cursor < Self.levelWithin {
      return fanout.lines.clear(slot) { $0.shortfall = nil }
    }
    var seconds: Double?
    fanout.lines.change(slot) {
      var line = $0.shortfall ?? Shortfall(at: cursor, now: now)
      seconds = line.follow(to: cursor, burst: listener.pace.burst, rate: shard.rate, now: now)
      $0.shortfall = line
    }
    if let seconds { shards.note(.exhausted(seconds: seconds), slot, bytes: listener.bytes) }
  }

  private static let levelWithin = MediaTime(seconds: 0.5)

  /// Moves a listener that has fallen further behind than the station allows; false when it has not.
  func comeWithinReach(
    _ shard: MountShard, _ index: Int, cursor: MediaTime, now: Int64
  ) -> Bool {
    guard !shard.isFallback, let reach = shard.mount.settings.reach else { return false }
    let listener = shard.listeners[index]
    let behind = shard.reader.edge.media - cursor
    guard behind > reach.offset + reach.slack + listener.pace.burst else { return false }
    _ = fanout.steer(&shard.listeners[index], reach.end, in: shard, now: now)
    return true
  }

  // MARK: Ending

  /// Removes a listener from its shard.
  func leaveShard(_ slot: UInt32, _ reason: EndReason) {
    guard case .listening(let shardIndex, let index) = connections[slot].state,
      let shard = shards[shardIndex]
    else { return }
    shards.note(.disconnected(reason), slot, bytes: shard.listeners[index].bytes)
    connections.bytesOfStations.keep(shard.listeners[index].bytes, of: shard.mount.station)
    leaveSession(slot, shard.listeners[index], in: shard, reason)
    connections.giveBackTicket(slot, after: connections.secondsListened(slot))
    connections[slot].note?.bytes += shard.listeners[index].bytes
    fanout.lines.remove(slot)
    let sidecar = fanout.sidecars.remove(slot)
    if sidecar?.home != nil { shard.mount.counters.cameHome() }
    if sidecar?.promise != nil { shared.earning.release(AddressBlock(connections[slot].origin)) }
    if let moved = shard.remove(at: index) {
      connections[moved].state = .listening(shard: shardIndex, index: index)
    }
    shard.mount.counters.left()
    connections.counts.listening.left(shard.mount.station, at: loop.turnTime)
    shard.mount.counters.releasePlace()
    shared.release(connections[slot].origin)
    if shard.listeners.isEmpty, connections.mounts.mount(station: shard.mount.station) == nil {
      shards.dropShard(shardIndex)
    }
  }
}
