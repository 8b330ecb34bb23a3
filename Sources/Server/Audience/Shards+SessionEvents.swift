import Reactor
import Timeshift
import Wire

// Tells watchers what happens to sessions. Nothing is worked out for a session without watchers.
extension Shards {
  /// Tells the title that a watched session hears, if the title has changed.
  func tellTitle(_ slot: UInt32) {
    guard let link = connections[slot].session, let serial = followed.serials[link.token],
      case .listening(let shard, let index) = connections[slot].state, let shard = all[shard],
      !shard.isFallback
    else { return }
    tellTitle(slot, link, serial, shard.listeners[index], in: shard)
  }

  private func tellTitle(
    _ slot: UInt32, _ link: SessionLink, _ serial: UInt64, _ listener: Listener,
    in shard: MountShard
  ) {
    let reader = shard.reader
    guard let cursor = reader.media(at: listener.cursor) else { return }
    let pace = fanout.playing(listener, cursor: cursor, rate: shard.rate, now: loop.turnTime)
    guard let heard = fanout.heard(listener, pace, in: reader) else { return }
    let mark = reader.titlePosition(at: heard)
    guard mark != .max, mark != link.titleHeard || serial != link.followSerial,
      let title = reader.titleMark(at: heard)
    else { return }
    (link.titleHeard, link.followSerial) = (mark, serial)
    let listener = connections[slot].listenerID
    post(.heard(title), of: link.token, at: shard.mount.station, listener)
  }

  /// Returns a listener's session as its remote control shows it. Nil while an index is being fetched, or when the
  /// station has gone.
  func sessionSnapshot(of listener: Listener, in shard: MountShard) -> SessionSnapshot? {
    let run = shard.isFallback ? nil : fanout.sidecars[listener.slot]?.pointee.run
    guard let (listener, shard) = atHome(listener, in: shard),
      let cursor = shard.reader.media(at: listener.cursor)
    else { return nil }
    let reader = shard.reader
    let pace = fanout.playing(listener, cursor: cursor, rate: shard.rate, now: loop.turnTime)
    let place = SteeringPlace(
      cursor: LogPoint(position: listener.cursor, media: cursor), playPoint: pace.playPoint,
      heard: fanout.heard(listener, pace, in: reader), reach: shard.mount.settings.reach)
    var snapshot = place.snapshot(
      at: shard.mount.station, listener.flags.contains(.paused) ? .paused : .playing,
      isPlaced: listener.pace.isPlaced, in: reader)
    snapshot?.connection = run.map { .init($0, air: reader.air(at: $0.start.media)) }
    snapshot?.listener = connections[listener.slot].listenerID
    return snapshot
  }

  /// Tells the watchers of the listener's session where it goes on.
  func tellMove(_ reason: SessionMove.Reason, _ slot: UInt32) {
    guard let link = connections[slot].session, isFollowed(link.token),
      case .listening(let shard, let index) = connections[slot].state, let shard = all[shard],
      let snapshot = sessionSnapshot(of: shard.listeners[index], in: shard)
    else { return }
    tellMove(reason, of: link.token, to: snapshot)
  }

  /// Tells the watchers of a session where it goes on.
  func tellMove(
    _ reason: SessionMove.Reason, of token: SessionToken, to snapshot: SessionSnapshot
  ) {
    guard isFollowed(token) else { return }
    post(
      .moved(SessionMove(reason, to: snapshot)), of: token, at: snapshot.station, snapshot.listener)
  }

  private func isFollowed(_ token: SessionToken) -> Bool {
    _ = followed.refresh(from: connections.shared.sessionEvents)
    return followed.serials[token] != nil
  }

  private func post(
    _ change: SessionEvent.Change, of token: SessionToken, at station: String,
    _ listener: UInt64?
  ) {
    connections.shared.sessionEvents.post(
      SessionEvent(session: token, station: station, listener: listener, change: change))
  }
}

extension SessionSnapshot.Connection {
  fileprivate init(_ run: Run, air: WallTime) {
    self.init(
      since: run.since, media: run.start.media.seconds, position: run.start.position, air: air,
      jumps: run.jumps, after: run.before?.seconds)
  }
}

extension SessionMove {
  init(_ reason: Reason, to snapshot: SessionSnapshot) {
    self.init(reason: reason, position: snapshot.position, offset: snapshot.offset)
  }
}

extension SessionMove.Reason {
  init(_ steering: Steering) {
    self =
      switch steering {
      case .pause: .pause
      case .resume: .resume
      case .live: .live
      case .rewind, .forward, .behind, .at, .track: .seek
      }
  }
}
