import Reactor
import Timeshift
import Wire

// Listeners with a session continue where they stopped.
extension Listeners {
  // MARK: Coming

  /// Removes the session from a request of an address with too many guesses; each unknown token is a guess. The address
  /// still gets sessions whose tokens it showed before, and earns others by staying. Until then the listener has no
  /// session, so that clients cannot learn which tokens exist.
  func withholding(_ request: StreamRequest, from client: Peer) -> StreamRequest {
    guard let token = request.session else { return request }
    let familiarity = shared.sessions.familiarity(of: token, to: AddressBlock(client))
    let guesses = shared.configuration.sessionGuesses
    if familiarity == .own { return request }
    if guesses.isSpent(client) {
      var request = request
      (request.session, request.earned) = (nil, token)
      return request
    }
    if familiarity == .unknown { guesses.wrong(client, Guess(token)) }
    return request
  }

  /// Ends the session's older connection first, so that the older connection counts against no limit.
  ///
  /// - Returns: false when there is an older connection or no room; the request is then continued or answered here.
  func claim(
    _ session: SessionToken, for slot: UInt32, _ head: HTTPRequestHead, _ request: StreamRequest,
    _ mount: Mount
  ) -> Bool {
    guard shared.sessions.hasRoom(for: session, of: AddressBlock(connections.client(slot, head)))
    else {
      connections.giveBackTicket(slot)
      connections.counts.refuse(.full)
      answers.replyUnavailable(slot, to: head, "the server has all the sessions it keeps")
      return false
    }
    guard let owner = shared.sessions[session]?.owner else { return true }
    let station = mount.station
    connections.answerOffLoop(slot, endsWithConnection: false) {
      await owner.leave()
    } then: { [connections] slot, head, _ in
      connections.owner.letIn(slot, head, request, to: station)
    }
    return false
  }

  /// Stops feeding a listener whose session a newer connection takes up.
  ///
  /// - Returns: whether the client has all bytes that it was sent, or the listener has gone.
  func stopFeeding(_ listener: UInt64) -> Bool {
    guard let (shard, index) = shards.find(listener), let shard = shards[shard] else { return true }
    shard.listeners[index].flags.insert(.replaced)
    return fanout.unconfirmed(shard.listeners[index]).upperBound == 0
  }

  /// Ends the listener.
  func release(_ listener: UInt64) {
    guard let (shard, index) = shards.find(listener), let shard = shards[shard] else { return }
    connections.end(shard.listeners[index].slot, .replaced)
  }

  /// Returns where a listener begins: the session's place if it has one, else the place in the request. Nil while the
  /// place is not known yet.
  ///
  /// - Parameter now: nil when the listener waits for the disk only and for nothing else.
  func placement(
    _ request: StreamRequest, _ mount: Mount, burst: MediaTime, in reader: LogReader,
    at now: MonotonicTime?
  ) -> Placement? {
    let record = request.session.flatMap { shared.sessions[$0]?.record }
      .flatMap { carried($0, to: mount) }
    if let seek = request.seek {
      let reach = mount.settings.reach
      guard let point = standing(record, in: reader, within: reach) else { return nil }
      let place = SteeringPlace(at: point, within: reach)
      return Placement.steered(seek, from: place, burst: burst, in: reader)
    }
    if let record, case .packet(let position, let air, let log) = record.place {
      return Placement.resume(
        at: position, air: air, log: log, burst: burst, in: reader, within: mount.settings.reach,
        now: now)
    }
    let reach = mount.settings.reach
    // The same packets from in front of a gap would be heard twice by a relay's listeners.
    if mount.demand != nil || !request.via.isEmpty, request.place == .live {
      return Placement.woken(burst: burst, in: reader)?
        .resuming(request.resume, in: reader, within: reach)
    }
    return Placement.find(request.place, burst: burst, in: reader, within: reach)?
      .resuming(request.session == nil ? request.resume : nil, in: reader, within: reach)
  }

  /// Returns a session's record as it is at a mount; nil where the session was at another programme.
  ///
  /// In another log the packet of the same air time is looked for.
  private func carried(_ record: SessionRecord, to mount: Mount) -> SessionRecord? {
    if record.station == mount.station { return record }
    guard isSameProgramme(record.station, mount) else { return nil }
    var record = record
    record.station = mount.station
    if case .packet(_, let air, _) = record.place {
      record.place = .packet(at: .max, air: air, log: nil)
    }
    return record
  }

  private func isSameProgramme(_ station: String, _ mount: Mount) -> Bool {
    station == mount.station
      || connections.mounts.mount(station: station)?.programme == mount.programme
  }

  /// Gives the session to the listener, and pauses the listener if the session was paused at this station.
  ///
  /// - Parameters:
  ///   - start: first packet that the listener gets; nil for a listener that has got some.
  ///   - isSeeking: whether the request moved the session, which lets it play.
  func begin(
    _ token: SessionToken, on slot: UInt32, _ listener: inout Listener, in shard: MountShard,
    from start: LogPoint? = nil, isSeeking: Bool = false
  ) {
    let before = shared.sessions[token]?.record
    connections[slot].session = SessionLink(token, before: before, isGuess: before == nil)
    connections[slot].session?.isSteered = isSeeking
    attended.insert(slot)
    // A listener that earned its session may stand where an index is being fetched.
    let start =
      start
      ?? shard.reader.media(at: listener.cursor).map {
        LogPoint(position: listener.cursor, media: $0)
      }
    if let start {
      fanout.sidecars.change(slot) { $0.run = Run(since: Moment.now().wall, start: start) }
    }
    let isSame = before.map { isSameProgramme($0.station, shard.mount) } ?? false
    let record = SessionRecord(
      station: shard.mount.station, place: place(of: listener, in: shard) ?? .live,
      isPaused: isSame && !isSeeking && before?.isPaused == true, lastSeen: .now)
    let owner = SessionTable.Owner(
      loop: connections.owner.feeder, listener: connections[slot].listenerID)
    let previous = shared.sessions.claim(
      token, record, by: owner, at: AddressBlock(connections[slot].origin))
    // Two connections came at the same time: this one is the newer.
    if let previous, previous.listener != owner.listener {
      Task.detached { await previous.leave() }
    }
    if record.isPaused {
      fanout.pause(
        &listener, as: shard.mount.settings.paused, in: shard, now: loop.turnTime)
    }
  }

  // MARK: Going

  /// A client that leaves sooner, before it has its burst, is a probe: its session keeps the earlier place.
  private static let probeSeconds = 2.0

  /// Most audio that a returning player hears again. A player that closes with audio unread resets the connection. It
  /// has heard audio up to the play point, but its place goes back by no more than this.
  private static let unheardMax = MediaTime(seconds: 2)

  /// Leaves the session of a listener that goes where the client's side stopped taking bytes.
  func leaveSession(
    _ slot: UInt32, _ listener: Listener, in shard: MountShard, _ reason: EndReason
  ) {
    guard let session = connections[slot].session else { return }
    connections[slot].session = nil
    let seconds = connections.secondsListened(slot)
    guard let (listener, shard, cursor) = lastPlace(of: listener, in: shard, reason) else {
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

  /// Returns the listener's last place in its own station; nil when the station has gone.
  private func lastPlace(
    of listener: Listener, in shard: MountShard, _ reason: EndReason
  ) -> (Listener, MountShard, UInt64)? {
    // Bytes on their way to the listener belong to the fallback's log.
    if shard.isFallback { return shards.atHome(listener, in: shard).map { ($0, $1, $0.cursor) } }
    // All bytes have been sent. A place before the change would lead to the same end again and again.
    if reason == .formatChanged { return (listener, shard, listener.cursor) }
    let cursor = fanout.accepted(listener, in: shard)
    // A client that ends without a reset has read everything. This does not hold over TLS: the player announces its
    // end, and the reset for unread bytes comes behind the announcement.
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
    // Bytes that may not have arrived are part of the audio that may not have been heard.
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
    shards.atHome(listener, in: shard).map { place($0.cursor, $0.pace, in: $1.reader) }
  }

  /// Returns a place that outlasts the connection.
  private func place(
    _ cursor: UInt64, _ pace: Pace, in reader: LogReader
  ) -> SessionRecord.Place {
    guard let media = reader.media(at: cursor) else {
      return .packet(
        at: cursor, air: reader.air(at: pace.playPoint), log: reader.logSerial)
    }
    return .packet(at: cursor, air: reader.air(at: media), log: reader.logSerial)
  }

  /// Tells the table where a session is, so that the place survives any end of this process.
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

  // MARK: Watched sessions

  /// Once a slot: tells the titles of watched sessions when another session begins to be watched.
  func followSessions() {
    if shards.followed.refresh(from: shared.sessionEvents) { tellTitles() }
  }

  /// Once a second: tells what watched sessions hear, and which of them were overrun.
  func attendFollowedSessions() {
    let overrun = fanout.overrun
    fanout.overrun.removeAll()
    if shards.followed.isEmpty { return }
    for slot in overrun { shards.tellMove(.overrun, slot) }
    tellTitles()
  }

  private func tellTitles() {
    if shards.followed.isEmpty { return }
    for slot in attended { shards.tellTitle(slot) }
  }

  // MARK: Sessions that are to be earned

  /// Promises the session to the listener for when it has stayed. The promises of one address are limited, so that a
  /// guess costs a connection for some seconds.
  func earn(_ token: SessionToken, on slot: UInt32) {
    guard shared.earning.reserve(AddressBlock(connections[slot].origin)) else { return }
    fanout.sidecars.change(slot) { $0.promise = token }
    attended.insert(slot)
  }

  /// Gives a listener that has stayed the session it was promised, or takes back its guess.
  func reward(_ shard: MountShard, _ index: Int) {
    let slot = shard.listeners[index].slot
    if let token = fanout.sidecars[slot]?.pointee.promise {
      let block = AddressBlock(connections[slot].origin)
      fanout.sidecars.clear(slot) { $0.promise = nil }
      shared.earning.release(block)
      guard shared.sessions[token] == nil, shared.sessions.hasRoom(for: token, of: block) else {
        return
      }
      var listener = shard.listeners[index]
      begin(token, on: slot, &listener, in: shard)
      connections[slot].session?.isGuess = false
      shard.listeners[index] = listener
    } else if let session = connections[slot].session, session.isGuess {
      session.isGuess = false
      shared.configuration.sessionGuesses.forgive(connections[slot].origin)
    }
  }
}

extension WallTime {
  fileprivate static var now: WallTime { Moment.now().wall }
}
