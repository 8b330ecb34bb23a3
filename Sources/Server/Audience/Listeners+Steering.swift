import Reactor
import Timeshift
import Wire

// Moves listeners and sessions: in time by remote control, to another station by an administrator.
extension Listeners {
  /// Moves a listener, or a session without a connection, in time; only looks where it is if `steering` is nil. Nil while
  /// an index is being fetched, or when a connection has taken the session; ask again.
  func steer(_ subject: SteeringSubject, _ steering: Steering?) -> SteeringOutcome? {
    switch subject {
    case .listener(let id):
      guard let found = shards.find(id), let shard = shards[found.shard] else { return .unknown }
      let listener = shard.listeners[found.index]
      // Each jump adds to what waits for the listener's socket. The session of a listener that is ended here is moved
      // all the same.
      if steering != nil, fanout.isOverfull(listener) {
        connections.end(listener.slot, .tooSlow)
        return .unknown
      }
      return steer(connections[listener.slot].session?.token, in: shard, steering) {
        move(shard, found.index, steering)
      }
    case .session(let token, let record):
      guard let mount = connections.mounts.mount(station: record.station),
        let shard = shards.place(of: mount)?.shard
      else { return .nothingToPlay }
      return steer(token, in: shard, steering) { move(token, record, in: shard, steering) }
    }
  }

  /// The common part of both: the right to steer, and the events to the session's watchers.
  private func steer(
    _ token: SessionToken?, in shard: MountShard, _ steering: Steering?,
    _ move: () -> SteeringOutcome?
  ) -> SteeringOutcome? {
    if steering?.isShift == true, !shard.mount.settings.allowsShift { return .forbidden }
    shard.startTurn()
    let outcome = move()
    if let steering, let token, case .done(let snapshot)? = outcome {
      shards.tellMove(SessionMove.Reason(steering), of: token, to: snapshot)
    }
    return outcome
  }

  /// Moves a listener, home first if its wish is about its own station.
  private func move(_ shard: MountShard, _ index: Int, _ steering: Steering?) -> SteeringOutcome? {
    var (shard, index) = (shard, index)
    let now = loop.turnTime
    let slot = shard.listeners[index].slot
    let wasAway = shard.isFallback
    if wasAway, steering?.leavesFallback == true, let place = shards.goHome(index, from: shard) {
      (shard, index) = place
    }
    switch steering {
    case nil: break
    case .live where shard.isFallback: break
    case .pause:
      fanout.pause(
        &shard.listeners[index], as: shard.mount.settings.paused, in: shard, now: now)
      fanout.sidecars[slot]?.pointee.pause?.wasAway = wasAway
      attended.insert(slot)
    case .resume:
      guard fanout.resume(&shard.listeners[index], in: shard, now: now) else { return nil }
      if let cursor = shard.reader.media(at: shard.listeners[index].cursor) {
        _ = comeWithinReach(shard, index, cursor: cursor, now: now)
      }
    case .rewind, .forward, .behind, .at, .track, .live:
      switch fanout.steer(&shard.listeners[index], steering!, in: shard, now: now) {
      case .done: break
      case .loading: return nil
      case .otherCodec: return .otherCodec
      }
    }
    if steering != nil { connections[slot].session?.isSteered = true }
    shard.listeners[index].due = 0
    guard let snapshot = shards.sessionSnapshot(of: shard.listeners[index], in: shard) else {
      return nil
    }
    remember(shard.listeners[index], in: shard)
    return .done(snapshot)
  }

  /// Moves a session in the table alone.
  private func move(
    _ token: SessionToken, _ record: SessionRecord, in shard: MountShard, _ steering: Steering?
  ) -> SteeringOutcome? {
    let (reader, reach) = (shard.reader, shard.mount.settings.reach)
    guard reader.edge.position > reader.oldest.position else { return .nothingToPlay }
    guard let point = standing(record, in: reader, within: reach),
      reader.oldest(within: reach) != nil
    else { return nil }
    var place = SteeringPlace(at: point, within: reach)
    if let steering {
      guard let target = place.target(of: steering, in: reader) else { return nil }
      var record = record
      switch steering {
      case .pause: record.isPaused = true
      case .resume: record.isPaused = false
      case .rewind, .forward, .behind, .at, .track, .live:
        place = SteeringPlace(at: target.point ?? reader.edge, within: reach)
        record.place =
          target.point.map {
            .packet(at: $0.position, air: reader.air(at: $0.media), log: reader.logSerial)
          } ?? .live
      }
      // A connection has taken the session meanwhile: its listener is to be steered instead.
      guard shared.sessions.move(token, to: record) else { return nil }
    }
    return place.snapshot(at: record.station, .disconnected, isPlaced: true, in: reader)
      .map { .done($0) }
  }

  /// Returns where a session without a connection stands; the live edge without a record.
  func standing(
    _ record: SessionRecord?, in reader: LogReader, within reach: Reach?
  ) -> LogPoint? {
    guard case .packet(let position, let air, let log)? = record?.place else { return reader.edge }
    return Placement.resume(
      at: position, air: air, log: log, burst: .zero, in: reader, within: reach)?.start
  }

  // MARK: To another station

  func move(_ id: UInt64, to station: String) -> MoveOutcome {
    guard let (fromIndex, place) = shards.find(id), let from = shards[fromIndex] else {
      return .unknownListener
    }
    guard let mount = connections.mounts.mount(station: station), !mount.isStopped,
      let (toIndex, to) = shards.place(of: mount)
    else { return .nothingToPlay }
    // A listener that hears its own station's fallback stays as it is, too.
    if to === from || (from.isFallback && from.mount.station == station) { return .moved }
    to.reader.refresh()
    guard to.reader.edge.position > to.reader.oldest.position,
      let point = landing(of: from.listeners[place], from, in: to),
      let format = to.reader.format(at: point.position)
    else { return .nothingToPlay }
    guard format.codec == from.listeners[place].codec else { return .otherCodec }
    carry(place, from, to, toIndex, at: point)
    return .moved
  }

  /// Returns where a listener goes on in another station: at the same air time in the same programme, else live.
  private func landing(of listener: Listener, _ from: MountShard, in to: MountShard) -> LogPoint? {
    if to.mount.programme == from.mount.programme, !from.isFallback {
      from.startTurn()
      return from.reader.media(at: listener.cursor).flatMap {
        to.reader.point(at: from.reader.air(at: $0))
      }
    }
    // The player has its burst from the old station: another burst would make it hear everything later.
    return to.reader.point(atOrBefore: to.reader.edge.media - Fanout.landing)
  }

  private func carry(
    _ index: Int, _ from: MountShard, _ to: MountShard, _ toIndex: Int, at point: LogPoint
  ) {
    var listener = shards.remove(index, of: from)
    listener.flags.remove(.paused)
    if fanout.sidecars[listener.slot]?.pointee.home != nil { from.mount.counters.cameHome() }
    fanout.sidecars.clear(listener.slot) { $0.leaveStation() }
    // A line that was too slow for one station is measured anew in the other.
    fanout.lines.clear(listener.slot) { $0.shortfall = nil }
    from.mount.counters.left()
    connections.counts.listening.left(from.mount.station, at: loop.turnTime)
    connections.bytesOfStations.move(
      listener.bytes, from: from.mount.station, to: to.mount.station)
    from.mount.counters.releasePlace()
    // Positions of titles belong to one log.
    listener.titleSent = Listener.noBlockYet
    listener.pace = pace(of: listener, from, to, at: point)
    fanout.jump(&listener, to: point, in: to, from: from)
    remember(listener, in: to)
    shards.put(listener, into: to, toIndex)
    shards.tellMove(.station, listener.slot)
    // No limit applies: an administrator may move listeners where they could not go by themselves.
    _ = to.mount.counters.reservePlace(of: nil)
    to.mount.counters.joined()
    connections.counts.listening.joined(to.mount.station, at: loop.turnTime)
    connections.owner.keepTicking()
  }

  /// Returns the pace at which a listener goes on in another station: in the same programme it is as far behind.
  private func pace(
    of listener: Listener, _ from: MountShard, _ to: MountShard, at point: LogPoint
  ) -> Pace {
    let (burst, now) = (listener.pace.burst, loop.turnTime)
    guard listener.pace.isPlaced, to.mount.programme == from.mount.programme, !from.isFallback,
      let cursor = from.reader.media(at: listener.cursor)
    else { return .live(from: point.media, burst: burst, now: now) }
    let ahead = max(.zero, cursor - listener.pace.playPoint)
    return .placed(at: point.media - ahead, burst: burst, now: now)
  }
}
