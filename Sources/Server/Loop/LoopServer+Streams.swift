import Glibc
import Reactor
import Timeshift
import Wire

// From "I want to listen" to the first packet.
extension LoopServer {
  /// Somebody who may listen does.
  func enter(
    _ slot: UInt32, _ head: HTTPRequestHead, _ request: StreamRequest, _ mount: Mount
  ) {
    if head.method == "HEAD" {
      giveBackTicket(slot)
      return describe(slot, head, request, mount)
    }
    let request = withholding(request, from: client(slot, head))
    if let session = request.session, !claim(session, for: slot, head, request, mount) { return }
    let client = client(slot, head)
    guard mayStart(slot, head, client, mount), admit(slot, head, client, to: mount) else {
      return giveBackTicket(slot)
    }
    uncountForAddress(slot)
    // Its places are given back under this name.
    connections[slot].origin = client
    var last = head
    // Whatever the answer will be, it is the last on this connection.
    last.fields.set("Connection", "close")
    connections[slot].state = .joining(
      .init(
        head: last, request: request, station: mount.station, counters: mount.counters))
    let patience = mount.firstPacketTimeout ?? shared.configuration.firstPacketTimeout
    connections[slot].deadline = loop.turnTime + Int64(nanosecondsIn: patience)
    mount.demand?.ask()
    joining.insert(slot)
    tryJoin(slot, now: loop.turnTime)
  }

  /// Whether a station on demand runs, or its listener may wake it; answers whoever has woken too many.
  private func mayStart(
    _ slot: UInt32, _ head: HTTPRequestHead, _ client: APIRequest.Origin, _ mount: Mount
  ) -> Bool {
    guard let demand = mount.demand, !demand.isRunning,
      !shared.starts.take(client, now: loop.turnTime)
    else { return true }
    counts.refused += 1
    replyError(
      slot, to: head, status: 429, code: "too-many-starts",
      message: "your address has woken all the stations it may in a minute; "
        + "those that play already can be heard",
      fields: [.init(name: "Retry-After", value: "60")])
    return false
  }

  /// Takes a place for a listener, or says that there is none.
  func admit(
    _ slot: UInt32, _ head: HTTPRequestHead, _ client: APIRequest.Origin, to mount: Mount
  ) -> Bool {
    func refuse(_ message: String) {
      counts.refused += 1
      replyUnavailable(slot, to: head, message)
    }
    guard mount.counters.takePlace(of: mount.settings.listenersMax) else {
      refuse("station \(mount.station) has all the listeners it takes")
      return false
    }
    switch shared.admit(client) {
    case .admitted: return true
    case .full: refuse("the server has all the listeners it takes")
    case .tooManyOfAddress:
      counts.refused += 1
      replyError(
        slot, to: head, status: 429, code: "too-many-listeners",
        message: "your address has all the listeners it may have",
        fields: [.init(name: "Retry-After", value: "30")])
    }
    mount.counters.releasePlace()
    return false
  }

  /// HEAD: what GET would answer, without waiting for anything or counting anybody.
  private func describe(
    _ slot: UInt32, _ head: HTTPRequestHead, _ request: StreamRequest, _ mount: Mount
  ) {
    let reader = mount.log.map { LogReader($0, delay: mount.delay) }
    guard let reader, reader.edge.position > reader.oldest.position else {
      return replyUnavailable(slot, to: head, "station \(mount.station) has nothing to play yet")
    }
    let burst = request.burst ?? mount.settings.burst
    // Not the session's place: this would tell for nothing which tokens are somebody's.
    let place = Placement.find(request.place, burst: burst, in: reader)
    send(
      slot,
      streamHead(
        head, request, mount, place.flatMap { reader.format(at: $0.start.position) },
        offset: place?.offset ?? 0), status: 200, keepsAlive: false)
  }

  /// Of one slot of 25 ms: with more, each is tried less often.
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
      replyUnavailable(
        slot, to: wanted.head, "station \(wanted.station) has nothing to play yet")
    }
  }

  /// Whoever waits for a station on demand and has closed its sending half has most likely gone: nothing is sent to it
  /// that would show. It may still have what comes soon.
  func hurry(_ slot: UInt32) {
    guard case .joining(let wanted) = connections[slot].state,
      table.mount(station: wanted.station)?.demand != nil
    else { return }
    connections[slot].deadline = min(
      connections[slot].deadline, loop.turnTime + Self.hurryNanoseconds)
  }

  static let hurryNanoseconds: Int64 = 3_000_000_000

  /// True: the connection waits no longer.
  @discardableResult
  private func tryJoin(_ slot: UInt32, now: Int64) -> Bool {
    guard case .joining(let wanted) = connections[slot].state else { return true }
    guard let mount = table.mount(station: wanted.station), !mount.isStopped,
      let index = shardIndex(of: mount)
    else {
      leaveQueue(slot)
      replyUnavailable(slot, to: wanted.head, "station \(wanted.station) is stopped")
      return true
    }
    let shard = shards[index]!
    shard.reader.refresh()
    let burst = wanted.request.burst ?? mount.settings.burst
    let patience = now < connections[slot].deadline ? MonotonicTime(nanoseconds: now) : nil
    guard shard.reader.edge.position > shard.reader.oldest.position,
      let place = placement(wanted.request, mount, burst: burst, in: shard.reader, at: patience),
      let format = shard.reader.format(at: place.start.position)
    else { return joinFallback(slot, wanted, shard, now: now) }
    joining.remove(slot)
    join(slot, wanted, shard, at: index, place, format, now: now)
    return true
  }

  /// Gives back the place that was taken when the request came.
  func leaveQueue(_ slot: UInt32) {
    joining.remove(slot)
    giveBackTicket(slot)
    shared.release(connections[slot].origin)
    guard case .joining(let wanted) = connections[slot].state else { return }
    wanted.counters.releasePlace()
    // Nobody is left to wait for what it was woken for.
    if wanted.counters.places == 0 { table.mount(station: wanted.station)?.demand?.abandon() }
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
    let head = streamHead(wanted.head, wanted.request, mount, format, offset: place.offset)
    if wanted.request.chainsTitles(in: format.codec) { listener.flags.insert(.chainsTitles) }
    if let stream = connections[slot].tls { fanout.encrypt(&listener, by: stream) }
    fanout.begin(&listener, with: head, in: shard)
    if connections[slot].ticket == nil { connections[slot].listenerID = shared.nextListenerID() }
    connections[slot].player = players.name(wanted.head.fields["user-agent"])
    let moment = Moment.now()
    connections[slot].connectedAt = (moment.wall, moment.monotonic)
    connections[slot].note?.status = 200
    let timeMax = connections[slot].ticket?.timeMax ?? mount.settings.listeningTimeMax
    connections[slot].deadline = timeMax > 0 ? now + Int64(nanosecondsIn: timeMax) : .max
    connections[slot].state = .listening(shard: shardIndex, index: shard.listeners.count)
    if shard.isFallback { settleHome(of: listener, in: shard, now: now) }
    if let session = wanted.request.session { begin(session, on: slot, &listener, in: shard) }
    if let session = wanted.request.earned { earn(session, on: slot) }
    shard.listeners.append(listener)
    mount.counters.joined()
    if connections[slot].isInputEnded { silent.insert(slot) }
    note(.connected, slot, bytes: 0)
    // At once, outside the phases.
    let index = shard.listeners.count - 1
    let phases = TickPlan.phases(listeners: shared.listeners)
    follow(serve(shard, index, phases: phases, now: now), shard, index, now: now)
    keepTicking()
  }

  /// nil: the mount is no stream.
  func shardIndex(of mount: Mount) -> Int? {
    if let index = shardOfStation[mount.station] { return index }
    guard let shard = MountShard(mount) else { return nil }
    let index = add(shard)
    shardOfStation[mount.station] = index
    return index
  }

  func add(_ shard: MountShard) -> Int {
    let index = shards.firstIndex { $0 == nil } ?? shards.count
    if index == shards.count { shards.append(nil) }
    shards[index] = shard
    return index
  }

  private func streamHead(
    _ head: HTTPRequestHead, _ request: StreamRequest, _ mount: Mount, _ format: AudioFormat?,
    offset: Double
  ) -> [UInt8] {
    StreamHead(
      version: head.version, serverName: shared.configuration.name, mount: mount, format: format,
      bitrate: mount.log?.snapshot().bitrate ?? 0, offset: offset,
      metaint: request.metaint(mount.settings.metaint, for: format?.codec),
      session: request.session
    ).bytes(now: Moment.now().wall)
  }

  // MARK: Stalls

  /// Ends who sends no more and has been sent nothing for a while, as where a station stands still: most likely it has
  /// gone, which only a write would show, and meanwhile somebody else could have its place.
  func attendSilent(now: Int64) {
    for slot in silent {
      guard connections[slot].isInputEnded,
        case .listening(let shard, let index) = connections[slot].state,
        let listener = shards[shard]?.listeners[index]
      else {
        silent.remove(slot)
        continue
      }
      if !listener.flags.contains(.blocked), now - listener.takenAt > Self.silentNanoseconds {
        end(slot, .clientGone)
      }
    }
  }

  private static let silentNanoseconds: Int64 = 10_000_000_000

  /// A listener whose socket takes nothing.
  func attendStalled(_ shard: MountShard, at shardIndex: Int, _ index: Int, now: Int64) {
    if now < shard.listeners[index].due { return }
    shard.listeners[index].due = now + TickPlan.placedNanoseconds
    judge(shard, index, now: now, isBlocked: true)
  }

  /// The socket takes bytes again.
  func resume(_ slot: UInt32, _ shardIndex: Int, _ index: Int) {
    guard let shard = shards[shardIndex], flush(slot) else { return }
    let now = loop.turnTime
    setBlocked(slot, false)
    shard.listeners[index].flags.remove(.blocked)
    shard.startTurn()
    judge(shard, index, now: now, isBlocked: false)
    // It may have been ended.
    guard case .listening(shardIndex, index) = connections[slot].state else { return }
    // Walks pass by whoever's socket is full, which of a slow reader it always is: it goes over and back here.
    if let detour = detour(of: shard), take(detour, shard, index) {
      guard case .listening(let shardIndex, let index) = connections[slot].state,
        let other = shards[shardIndex]
      else { return }
      return serveResumed(other, index, now: now)
    }
    serveResumed(shard, index, now: now)
  }

  private func serveResumed(_ shard: MountShard, _ index: Int, now: Int64) {
    let phases = TickPlan.phases(listeners: shared.listeners)
    follow(serve(shard, index, phases: phases, now: now), shard, index, now: now)
  }

  private func judge(_ shard: MountShard, _ index: Int, now: Int64, isBlocked: Bool) {
    guard let cursor = shard.reader.media(at: shard.listeners[index].cursor) else { return }
    let listener = shard.listeners[index]
    if listener.flags.contains(.paused) { return }
    if !isBlocked, comeWithinReach(shard, index, cursor: cursor, now: now) { return }
    if listener.pace.isPlaced {
      shard.listeners[index].pace.advance(to: now, rate: shard.rate)
      if shard.mount.settings.behindAllowed == .shift {
        shard.listeners[index].pace.wait(at: cursor)
      }
    }
    shard.followEdge(at: now)
    let wanted = listener.pace.isPlaced ? shard.listeners[index].pace.owed : shard.reader.edge.media
    let decision = shard.policy.decide(
      lag: wanted - cursor, burst: listener.pace.burst, surge: shard.surge.seconds,
      isPlaced: listener.pace.isPlaced,
      stalled: Double(now - listener.takenAt) / 1e9, isBlocked: isBlocked)
    switch decision {
    case .wait: break
    case .place: shard.listeners[index].pace.place(at: cursor, now: now)
    case .skip:
      fanout.skip(&shard.listeners[index], in: shard, now: now)
      note(.skipped, listener.slot, bytes: listener.bytes)
    case .drop(let reason): end(listener.slot, reason)
    }
  }
}
