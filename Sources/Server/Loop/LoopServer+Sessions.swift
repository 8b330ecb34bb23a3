import Reactor
import Timeshift
import Wire

// Listeners with a session: they go on where they stopped, and are moved in time by remote control.
extension LoopServer {
  // MARK: Coming

  /// The session's older connection goes first, and so counts against no limit.
  ///
  /// - Returns: false: there is one, or no room; the connection is looked after.
  func claim(
    _ session: SessionToken, for slot: UInt32, _ head: HTTPRequestHead, _ request: StreamRequest,
    _ mount: Mount
  ) -> Bool {
    guard shared.sessions.hasRoom(for: session, of: AddressBlock(client(slot, head))) else {
      giveBackTicket(slot)
      counts.refused += 1
      replyUnavailable(slot, to: head, "the server has all the sessions it keeps")
      return false
    }
    guard let owner = shared.sessions[session]?.owner else { return true }
    let token = connections.token(slot)
    let station = mount.station
    Task.detached {
      await owner.leave()
      await self.comeIn(token, request, to: station)
    }
    return false
  }

  private func comeIn(_ token: UInt64, _ request: StreamRequest, to station: String) {
    guard let slot = connections.slot(of: token),
      case .answering(let head, _) = connections[slot].state
    else { return }
    letIn(slot, head, .stream(request), to: station)
    if connections.slot(of: token) != nil { proceed(slot) }
    keepTicking()
  }

  /// Feeds a listener no more whose session somebody else takes up.
  ///
  /// - Returns: whether its client has all that it was sent, or is not there any more.
  func stopFeeding(_ listener: UInt64) -> Bool {
    guard let (shard, index) = find(listener), let shard = shards[shard] else { return true }
    shard.listeners[index].flags.insert(.replaced)
    return fanout.unconfirmed(shard.listeners[index]).upperBound == 0
  }

  /// Ends it.
  func release(_ listener: UInt64) {
    guard let (shard, index) = find(listener), let shard = shards[shard] else { return }
    end(shard.listeners[index].slot, .replaced)
  }

  /// Where a listener begins: a session's own place before what the request says. nil: that is not known yet.
  ///
  /// - Parameter now: nil: it waits no longer than for the disk.
  func placement(
    _ request: StreamRequest, _ mount: Mount, burst: MediaTime, in reader: LogReader,
    at now: MonotonicTime?
  ) -> Placement? {
    if let token = request.session, let record = shared.sessions[token]?.record,
      record.station == mount.station, case .packet(let position, let air, let log) = record.place
    {
      return Placement.resume(
        at: position, air: air, log: log, burst: burst, in: reader, within: mount.settings.reach,
        now: now)
    }
    return Placement.find(
      request.place, burst: burst, in: reader, within: mount.settings.reach)
  }

  /// The listener that is about to be fed has the session from now on.
  func begin(
    _ token: SessionToken, on slot: UInt32, _ listener: inout Listener, in shard: MountShard
  ) {
    let before = shared.sessions[token]?.record
    connections[slot].session = SessionLink(token, before: before, isGuess: before == nil)
    sessionSlots.insert(slot)
    let isSame = before?.station == shard.mount.station
    let record = SessionRecord(
      station: shard.mount.station, place: place(of: listener, in: shard) ?? .live,
      isPaused: isSame && before?.isPaused == true, lastSeen: .now)
    let owner = SessionTable.Owner(loop: self, listener: connections[slot].listenerID)
    let previous = shared.sessions.take(
      token, record, by: owner, at: AddressBlock(connections[slot].origin))
    // Two came at the same time: this one is the newer.
    if let previous, previous.listener != owner.listener {
      Task.detached { await previous.leave() }
    }
    if record.isPaused {
      fanout.pause(
        &listener, as: shard.mount.settings.paused, in: shard, now: loop.turnTime)
    }
  }

  // MARK: Going

  /// Of a probe, which is gone before it has its burst, the session keeps nothing.
  private static let probeSeconds = 2.0

  /// A player that closes with audio unread resets the connection. It was heard up to the play point, but never is
  /// more than this repeated.
  private static let unheardMax = MediaTime(seconds: 2)

  /// A listener goes: its session stays where its client's side stopped taking.
  func leaveSession(
    _ slot: UInt32, _ listener: Listener, in shard: MountShard, _ reason: EndReason
  ) {
    stopEarning(slot)
    guard let session = connections[slot].session else { return }
    connections[slot].session = nil
    sessionSlots.remove(slot)
    let seconds = secondsListened(slot)
    guard let (listener, shard, cursor) = end(of: listener, in: shard, reason) else {
      return shared.sessions.update(
        session.token, of: connections[slot].listenerID, goneAfter: seconds
      ) { $0.lastSeen = .now }
    }
    let taken = shard.reader.media(at: cursor).flatMap { end in
      shard.reader.media(at: listener.runStart).map { end - $0 }
    }
    let isProbe =
      reason == .clientGone && !session.isSteered && seconds < Self.probeSeconds
      && (taken ?? .zero) < listener.pace.burst
      && session.before?.station == shard.mount.station
    let stands = place(cursor, listener.pace, in: shard.reader)
    shared.sessions.update(session.token, of: connections[slot].listenerID, goneAfter: seconds) {
      if isProbe, let before = session.before {
        $0 = before
      } else {
        $0.place = stands
        $0.isPaused = listener.flags.contains(.paused)
      }
      $0.lastSeen = .now
    }
  }

  /// How far it has come in its station; nil: that is gone.
  private func end(
    of listener: Listener, in shard: MountShard, _ reason: EndReason
  ) -> (Listener, MountShard, UInt64)? {
    // What is on its way to it is the fallback's.
    if shard.isFallback { return atHome(listener, in: shard).map { ($0, $1, $0.cursor) } }
    // All of it has been sent. In front of the change it would come to the same end again, and again.
    if reason == .formatChanged { return (listener, shard, listener.cursor) }
    let cursor = fanout.accepted(listener, in: shard)
    // An end without a reset is that of a client that has read everything. Not so over TLS: there it is said by the
    // player, and the reset for what it has not read comes behind that.
    let connection = connections[listener.slot]
    if reason != .clientGone || (connection.isInputEnded && connection.tls == nil) {
      return (listener, shard, cursor)
    }
    return (listener, shard, unheard(before: cursor, listener, in: shard))
  }

  private func unheard(
    before cursor: UInt64, _ listener: Listener, in shard: MountShard
  ) -> UInt64 {
    let reader = shard.reader
    // What may not have come as well is part of what may not have been heard.
    guard let media = reader.media(at: cursor),
      let taken = reader.media(at: fanout.accepted(listener, atMost: true, in: shard))
    else { return cursor }
    let pace = fanout.playing(listener, cursor: media, rate: shard.rate, now: loop.turnTime)
    // A client that leaves its socket full does not play as the clock says.
    let played = listener.flags.contains(.blocked) ? .zero : pace.playPoint
    let heard = min(media, max(played, taken - Self.unheardMax))
    return reader.point(atOrBefore: heard).map { max($0.position, listener.runStart) } ?? cursor
  }

  private func place(of listener: Listener, in shard: MountShard) -> SessionRecord.Place? {
    atHome(listener, in: shard).map { place($0.cursor, $0.pace, in: $1.reader) }
  }

  /// A place that outlasts the connection.
  private func place(
    _ cursor: UInt64, _ pace: Pace, in reader: LogReader
  ) -> SessionRecord.Place {
    guard let media = reader.media(at: cursor) else {
      return .packet(
        at: cursor, air: reader.air(at: pace.playPoint), log: reader.logSerial)
    }
    return .packet(at: cursor, air: reader.air(at: media), log: reader.logSerial)
  }

  // MARK: Steering

  /// nil: an index is being fetched; ask again.
  func steer(_ listener: UInt64, _ steering: Steering?) -> SteeringOutcome? {
    guard var (shardIndex, index) = find(listener), var shard = shards[shardIndex] else {
      return .unknown
    }
    // Each jump adds to what waits for its socket. Its session is moved all the same.
    if steering != nil, fanout.isOverfull(shard.listeners[index]) {
      end(shard.listeners[index].slot, .tooSlow)
      return .unknown
    }
    if steering?.isShift == true, !shard.mount.settings.allowsShift { return .forbidden }
    let now = loop.turnTime
    shard.startTurn()
    let wasAway = shard.isFallback
    if wasAway, steering?.leavesFallback == true, let place = goHome(index, from: shard) {
      (shardIndex, index) = place
      shard = shards[shardIndex]!
    }
    switch steering {
    case nil: break
    case .live where shard.isFallback: break
    case .pause:
      fanout.pause(
        &shard.listeners[index], as: shard.mount.settings.paused, in: shard,
        now: now)
      fanout.pauses[shard.listeners[index].slot]?.wasAway = wasAway
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
    if steering != nil { connections[shard.listeners[index].slot].session?.isSteered = true }
    shard.listeners[index].due = 0
    guard let snapshot = sessionSnapshot(of: shard.listeners[index], in: shard) else { return nil }
    remember(shard.listeners[index], in: shard)
    return .done(snapshot)
  }

  /// The same for a session that nobody is connected to.
  func steer(_ token: SessionToken, _ record: SessionRecord, _ steering: Steering?)
    -> SteeringOutcome?
  {
    guard let mount = table.mount(station: record.station), let index = shardIndex(of: mount)
    else { return .nothingToPlay }
    if steering?.isShift == true, !mount.settings.allowsShift { return .forbidden }
    let reach = mount.settings.reach
    let shard = shards[index]!
    shard.startTurn()
    let reader = shard.reader
    guard reader.edge.position > reader.oldest.position else { return .nothingToPlay }
    var record = record
    guard var point = standing(record, in: reader, within: reach),
      let oldest = reader.oldest(within: reach)
    else { return nil }
    if let steering {
      let place = SteeringPlace(
        cursor: point.media, playPoint: point.media, heard: point.position, reach: reach)
      guard let target = place.target(of: steering, in: reader) else { return nil }
      switch steering {
      case .pause: record.isPaused = true
      case .resume: record.isPaused = false
      case .rewind, .forward, .behind, .at, .track, .live:
        point = target.point ?? reader.edge
        record.place =
          target.point.map {
            .packet(at: $0.position, air: reader.air(at: $0.media), log: reader.logSerial)
          } ?? .live
      }
      // Somebody has connected meanwhile: it is theirs to steer.
      guard shared.sessions.move(token, to: record) else { return nil }
    }
    return .done(
      SessionSnapshot(
        station: record.station, state: .disconnected, position: point.position,
        offset: (reader.edge.media - point.media).seconds,
        oldest: reader.air(at: oldest.media),
        live: reader.air(at: reader.edge.media), canRewind: point.position > oldest.position,
        canForward: reader.edge.media - point.media > Fanout.landing,
        title: reader.titleMark(at: point.position)))
  }

  private func standing(
    _ record: SessionRecord, in reader: LogReader, within reach: Reach?
  ) -> LogPoint? {
    guard case .packet(let position, let air, let log) = record.place else { return reader.edge }
    return Placement.resume(
      at: position, air: air, log: log, burst: .zero, in: reader, within: reach)?.start
  }

  /// nil: an index is being fetched.
  private func sessionSnapshot(of listener: Listener, in shard: MountShard) -> SessionSnapshot? {
    guard let (listener, shard) = atHome(listener, in: shard) else { return nil }
    let reader = shard.reader
    guard let cursor = reader.media(at: listener.cursor) else { return nil }
    let pace = fanout.playing(listener, cursor: cursor, rate: shard.rate, now: loop.turnTime)
    guard let heard = fanout.heard(listener, pace, in: reader),
      let oldest = reader.oldest(within: shard.mount.settings.reach)
    else { return nil }
    return SessionSnapshot(
      station: shard.mount.station, state: listener.flags.contains(.paused) ? .paused : .playing,
      position: listener.cursor, offset: max(0, (reader.edge.media - pace.playPoint).seconds),
      oldest: reader.air(at: oldest.media), live: reader.air(at: reader.edge.media),
      canRewind: heard > oldest.position,
      canForward: listener.pace.isPlaced && reader.edge.media - cursor > Fanout.landing,
      title: reader.titleMark(at: heard))
  }

  /// The table learns where a session is, so that it survives whatever ends this process.
  func remember(_ listener: Listener, in shard: MountShard) {
    guard let session = connections[listener.slot].session,
      let stands = place(of: listener, in: shard)
    else { return }
    shared.sessions.update(session.token, of: connections[listener.slot].listenerID) {
      $0.station = shard.mount.station
      $0.place = stands
      $0.isPaused = listener.flags.contains(.paused)
      $0.lastSeen = .now
    }
  }

  // MARK: Once a second

  /// Tells what sessions hear now, remembers where they are, and ends who was paused for too long.
  func attendSessions(now: Int64) {
    attendGuesses()
    for (slot, pause) in fanout.pauses {
      guard case .listening(let shard, _) = connections[slot].state, let shard = shards[shard]
      else { continue }
      let timeout = shard.mount.settings.pauseTimeout
      if timeout > 0, Double(now - pause.since) / 1e9 >= timeout { end(slot, .pauseTimeout) }
    }
    for slot in sessionSlots {
      guard case .listening(let shard, let index) = connections[slot].state,
        let shard = shards[shard]
      else { continue }
      remember(shard.listeners[index], in: shard)
      if !shard.isFallback { tellTitle(slot, shard.listeners[index], in: shard) }
    }
  }

  private func tellTitle(_ slot: UInt32, _ listener: Listener, in shard: MountShard) {
    let reader = shard.reader
    guard let session = connections[slot].session, let cursor = reader.media(at: listener.cursor)
    else { return }
    let pace = fanout.playing(listener, cursor: cursor, rate: shard.rate, now: loop.turnTime)
    guard let heard = fanout.heard(listener, pace, in: reader) else { return }
    let mark = reader.titlePosition(at: heard)
    guard mark != .max, mark != session.titleHeard, let title = reader.titleMark(at: heard) else {
      return
    }
    session.titleHeard = mark
    note(.heard(title, session.token), slot, bytes: listener.bytes)
  }
}

extension WallTime {
  fileprivate static var now: WallTime { Moment.now().wall }
}
