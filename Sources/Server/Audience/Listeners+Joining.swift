import Reactor
import Threads
import Timeshift
import Wire

// From the request to listen to the first packet.
extension Listeners {
  /// Admits the request and queues the connection to join; answers a HEAD request at once.
  func enter(
    _ slot: UInt32, _ head: HTTPRequestHead, _ request: StreamRequest, _ mount: Mount
  ) {
    mount.counters.asked(at: loop.turnTime)
    if head.method == "HEAD" {
      connections.giveBackTicket(slot)
      return describe(slot, head, request, mount)
    }
    let request = withholding(request, from: connections.client(slot, head))
    if let session = request.session, !claim(session, for: slot, head, request, mount) { return }
    let client = connections.client(slot, head)
    guard !refuseLoop(slot, head, request, mount), answers.mayStart(slot, head, client, mount),
      answers.admit(slot, head, client, to: mount)
    else {
      return connections.giveBackTicket(slot)
    }
    connections.uncountForAddress(slot)
    // The listener's reservations are given back under this address.
    connections[slot].origin = client
    var last = head
    // The answer, stream or error, is the last on this connection.
    last.fields.set("Connection", "close")
    connections[slot].state = .joining(
      .init(
        head: last, request: request, station: mount.station, counters: mount.counters))
    let patience = mount.firstPacketTimeout ?? shared.configuration.firstPacketTimeout
    connections[slot].deadline =
      loop.turnTime + Int64(nanosecondsIn: patience + mount.prebuffer.seconds)
    mount.demand?.ask()
    joining.insert(slot)
    tryJoin(slot, now: loop.turnTime)
  }

  /// Answers HEAD with the head that GET would get, without waiting for anything or counting a listener.
  private func describe(
    _ slot: UInt32, _ head: HTTPRequestHead, _ request: StreamRequest, _ mount: Mount
  ) {
    let reader = mount.log.map { LogReader($0, delay: mount.delay) }
    guard let reader, reader.edge.position > reader.oldest.position else {
      return answers.replyUnavailable(
        slot, to: head, "station \(mount.station) has nothing to play yet")
    }
    let burst = request.burst ?? mount.settings.burst
    // Uses the request's place, not the session's: a cheap HEAD must not reveal which tokens exist.
    let place = Placement.find(request.place, burst: burst, in: reader)
    answers.send(
      slot,
      streamHead(
        head, request, mount, place.flatMap { reader.format(at: $0.start.position) },
        offset: place?.offset ?? 0,
        relay: place.map { relayHead(request, $0, at: mount, in: reader) }),
      status: 200, keepsAlive: false)
  }

  /// Connections tried in one slot of 25 ms; when more wait, each is tried less often.
  private static let retriesMax = 256

  func retryJoins(now: Int64) {
    if joining.isEmpty { return }
    let slots = Array(joining)
    let first = slots.count > Self.retriesMax ? Int(now / TickPlan.slotNanoseconds) : 0
    for index in 0..<min(slots.count, Self.retriesMax) {
      let slot = slots[(first * Self.retriesMax + index) % slots.count]
      if tryJoin(slot, now: now) { continue }
      if now < connections[slot].deadline { continue }
      guard case .joining(let wanted) = connections[slot].state else { continue }
      leaveQueue(slot)
      answers.replyUnavailable(
        slot, to: wanted.head, "station \(wanted.station) has nothing to play yet")
    }
  }

  /// Shortens the wait for a station on demand when the client has closed its sending half. Most likely the client has
  /// gone, and nothing is sent that would show it. The client may still get what comes soon.
  func hurry(_ slot: UInt32) {
    guard case .joining(let wanted) = connections[slot].state,
      connections.mounts.mount(station: wanted.station)?.demand != nil
    else { return }
    connections[slot].deadline = min(
      connections[slot].deadline, loop.turnTime + Self.hurryNanoseconds)
  }

  static let hurryNanoseconds: Int64 = 3_000_000_000

  /// Tries to let a waiting connection join. True when the connection waits no longer.
  @discardableResult
  private func tryJoin(_ slot: UInt32, now: Int64) -> Bool {
    guard case .joining(let wanted) = connections[slot].state else { return true }
    guard let mount = connections.mounts.mount(station: wanted.station), !mount.isStopped,
      !connections.isDraining, let (index, shard) = shards.place(of: mount)
    else {
      leaveQueue(slot)
      answers.replyStopped(slot, to: wanted.head, wanted.station)
      return true
    }
    shard.reader.refresh()
    let burst = wanted.request.burst ?? mount.settings.burst
    if joinOverSilence(slot, wanted, shard, now: now) { return true }
    if now < connections[slot].deadline,
      isBeingWoken(mount, shard, wanted.request) || isFilling(mount, shard, wanted.request)
        || awaitsNews(wanted.request, slot, of: shard)
    {
      return false
    }
    let patience = now < connections[slot].deadline ? MonotonicTime(nanoseconds: now) : nil
    guard shard.reader.edge.position > shard.reader.oldest.position,
      let place = placement(wanted.request, mount, burst: burst, in: shard.reader, at: patience),
      let format = shard.reader.format(at: place.start.position)
    else { return joinFallback(slot, wanted, shard, now: now) }
    joining.remove(slot)
    join(slot, wanted, shard, at: index, place, format, now: now)
    return true
  }

  /// Whether a station has been woken for listeners of what is live, and nothing has come since.
  private func isBeingWoken(
    _ mount: Mount, _ shard: MountShard, _ request: StreamRequest
  ) -> Bool {
    guard mount.demand != nil, mount.fallback == nil, request.place == .live, request.seek == nil
    else { return false }
    if let session = request.session, shared.sessions[session] != nil { return false }
    return shard.reader.isPast(at: Moment.now().wall)
  }

  /// Whether the station has just begun, or was just woken, and has less than its listeners are to wait for. What is
  /// there then is their burst.
  private func isFilling(
    _ mount: Mount, _ shard: MountShard, _ request: StreamRequest
  ) -> Bool {
    let reader = shard.reader
    guard mount.prebuffer > .zero, mount.fallback == nil, request.place == .live,
      request.seek == nil, reader.edge.position > reader.oldest.position
    else { return false }
    if let session = request.session, shared.sessions[session] != nil { return false }
    if reader.edge.media - reader.oldest.media < mount.prebuffer { return true }
    guard mount.demand != nil,
      let start = reader.point(atOrBefore: reader.edge.media - mount.prebuffer)
    else { return false }
    let behind = start.position + 1..<max(start.position + 1, reader.edge.position)
    return reader.newestGap(in: behind) != nil
  }

  /// Lets a listener that asks for live audio join the fallback at once while the station is silent. Otherwise a burst
  /// of silence would be heard first, and everything else later.
  private func joinOverSilence(
    _ slot: UInt32, _ wanted: Connection.Joining, _ home: MountShard, now: Int64
  ) -> Bool {
    guard home.mount.fallback?.isOverSilence == true, wanted.request.place == .live,
      wanted.request.seek == nil
    else { return false }
    if let session = wanted.request.session, let record = shared.sessions[session]?.record,
      record.station == home.mount.station, record.place != .live
    {
      return false
    }
    return joinFallback(slot, wanted, home, now: now)
  }

  /// Lets a listener join the station's fallback while the station's own log is empty, or silent.
  private func joinFallback(
    _ slot: UInt32, _ wanted: Connection.Joining, _ home: MountShard, now: Int64
  ) -> Bool {
    guard
      home.reader.edge.position == home.reader.oldest.position
        || home.mount.fallback?.isOverSilence == true,
      case .away(_, let index, let format, _) = shards.detour(of: home), let shard = shards[index]
    else { return false }
    // A paused session waits in the station's own log, not in the fallback.
    if let session = wanted.request.session, shared.sessions[session]?.record.isPaused == true {
      return false
    }
    let burst = wanted.request.burst ?? home.mount.settings.burst
    guard let place = Placement.find(.live, burst: burst, in: shard.reader) else { return false }
    joining.remove(slot)
    join(slot, wanted, shard, at: index, place, format, now: now)
    return true
  }

  /// Removes a connection from the queue and gives back its ticket and reservations.
  func leaveQueue(_ slot: UInt32) {
    joining.remove(slot)
    connections.giveBackTicket(slot)
    shared.release(connections[slot].origin)
    guard case .joining(let wanted) = connections[slot].state else { return }
    wanted.counters.releasePlace()
    // No listener is left that the station was woken for.
    if wanted.counters.places == 0 {
      connections.mounts.mount(station: wanted.station)?.demand?.abandon()
    }
  }

  func join(
    _ slot: UInt32, _ wanted: Connection.Joining, _ shard: MountShard, at shardIndex: Int,
    _ place: Placement, _ format: AudioFormat, now: Int64
  ) {
    let mount = shard.mount
    var listener = Listener(
      fd: connections[slot].fd, slot: slot, cursor: place.start.position,
      icy: ICYInterleaver(
        metaint: wanted.request.metaint(mount.settings.metaint, for: format.codec) ?? 0),
      codec: format.codec, pace: place.pace(now: now), takenAt: now)
    let head = streamHead(
      wanted.head, wanted.request, mount, format, offset: place.offset,
      relay: relayHead(wanted.request, place, at: mount, in: shard.reader))
    noteRelay(wanted.request, slot, from: place.start, shard)
    if wanted.request.chainsTitles(in: format.codec) { listener.flags.insert(.chainsTitles) }
    if let stream = connections[slot].tls { fanout.encrypt(&listener, by: stream) }
    fanout.begin(&listener, with: head, in: shard)
    if connections[slot].ticket == nil { connections[slot].listenerID = shared.nextListenerID() }
    connections[slot].player = connections.players.name(wanted.head.fields["user-agent"])
    let moment = Moment.now()
    connections[slot].connectedAt = (moment.wall, moment.monotonic)
    connections.answered(slot, 200)
    connections[slot].deadline = connections.listeningEnd(slot, at: mount)
    connections[slot].state = .listening(shard: shardIndex, index: shard.listeners.count)
    if shard.isFallback { shards.settleHome(of: listener, in: shard, now: now) }
    if let session = wanted.request.session {
      begin(
        session, on: slot, &listener, in: shard, from: place.start,
        isSeeking: wanted.request.seek != nil)
    }
    if let session = wanted.request.earned { earn(session, on: slot) }
    shard.add(listener, at: now)
    mount.counters.joined()
    connections.counts.listening.joined(mount.station, at: loop.turnTime)
    if connections[slot].isInputEnded { attended.insert(slot) }
    shards.note(.connected, slot, bytes: 0)
    // The first turn comes at once, outside the phases.
    let index = shard.listeners.count - 1
    let phases = TickPlan.phases(listeners: shared.listeners)
    let outcome = serve(shard, index, phases: phases, now: now)
    noteFirstByte(of: shard.listeners[index])
    follow(outcome, shard, index, now: now)
    connections.owner.keepTicking()
  }

  /// Counts how long a listener has waited for its first byte, once it has taken that.
  func noteFirstByte(of listener: Listener) {
    if listener.bytes == 0 { return }
    connections.counts.firstBytes.add(nanoseconds: connections.sinceAsked(listener.slot))
  }

  private func streamHead(
    _ head: HTTPRequestHead, _ request: StreamRequest, _ mount: Mount, _ format: AudioFormat?,
    offset: Double, relay: StreamHead.Relay?
  ) -> [UInt8] {
    StreamHead(
      version: head.version, serverName: shared.configuration.name, mount: mount, format: format,
      bitrate: mount.log?.snapshot().bitrate ?? 0, offset: offset,
      metaint: request.metaint(mount.settings.metaint, for: format?.codec),
      session: request.session, relay: relay
    ).bytes(now: Moment.now().wall)
  }
}
