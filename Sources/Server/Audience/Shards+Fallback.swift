import Reactor
import Timeshift
import Wire

// A fallback is a jump with a way back. A listener that has heard the station's log to its end moves to a shard that
// reads another log. The listener comes back to the very position it left. All the while the listener is counted,
// limited and reported under its own station.
extension Shards {
  /// Returns where the shard's listeners go in this turn; nil when they stay. Asked once a turn.
  func detour(of shard: MountShard) -> Detour? {
    if shard.isFallback {
      guard let home = home(of: shard)?.shard else { return nil }
      return isInForce(shard, home) ? nil : .home
    }
    guard let fallback = shard.mount.fallback,
      fallback.isInForce(at: shard.reader.edge.position)
    else { return nil }
    let (index, other) = place(of: fallback, for: shard.mount)
    other.startTurn()
    guard other.reader.edge.position > other.reader.oldest.position,
      let format = other.reader.format, shard.reader.format.map({ format == $0 }) ?? true
    else { return nil }
    let from = fallback.isOverSilence ? fallback.edge : shard.reader.edge.position
    return .away(
      from: from, to: index, format: format,
      leaving: fallback.waitsUntilDry ? Self.reserve : nil)
  }

  private func isInForce(_ shard: MountShard, _ home: MountShard) -> Bool {
    guard let fallback = shard.mount.fallback, fallback.log === shard.log,
      fallback.isInForce(at: home.reader.edge.position)
    else { return false }
    guard let own = home.reader.format, let format = shard.reader.format else { return true }
    return format == own
  }

  /// Moves a listener to the fallback or back, if it may go now.
  ///
  /// - Returns: whether the listener has left the shard.
  func divert(_ detour: Detour, _ shard: MountShard, _ index: Int) -> Bool {
    let listener = shard.listeners[index]
    guard listener.flags.isDisjoint(with: [.ending, .replaced, .paused]) else { return false }
    switch detour {
    case .home: return goHome(index, from: shard) != nil
    case .away(let from, let to, let format, let reserve):
      // Silence that a listener hears in the past is part of that past.
      guard listener.cursor >= from, listener.codec == format.codec,
        !listener.pace.isPlaced || listener.cursor == shard.reader.edge.position
      else { return false }
      if let reserve {
        let played = listener.pace.played(at: loop.turnTime, rate: shard.rate)
        if shard.reader.edge.media - played > reserve { return false }
      }
      return goOver(index, from: shard, to: to)
    }
  }

  /// What a listener has left when it leaves for a fallback that it waits with: the longest tick, and the way to it.
  static let reserve = MediaTime(seconds: 1)

  /// Returns what a listener has been sent and cannot have played yet.
  private func ahead(of listener: Listener, in shard: MountShard) -> MediaTime {
    let cursor = shard.reader.media(ofBoundary: listener.cursor) ?? shard.reader.edge.media
    return max(.zero, cursor - listener.pace.played(at: loop.turnTime, rate: shard.rate))
  }

  private func goOver(_ index: Int, from shard: MountShard, to otherIndex: Int) -> Bool {
    guard let other = all[otherIndex] else { return false }
    let burst = shard.listeners[index].pace.burst
    let ahead = ahead(of: shard.listeners[index], in: shard)
    // What its player has used up of its burst comes from here. More would make it hear everything later.
    let missing = max(Fanout.landing, burst - ahead)
    guard let point = Placement.woken(burst: missing, in: other.reader)?.start else {
      return false
    }
    var listener = remove(index, of: shard)
    fanout.sidecars.change(listener.slot) { $0.home = Home(listener) }
    shard.mount.counters.wentAway()
    // Positions of titles belong to one log.
    listener.titleSent = Listener.noBlockYet
    listener.pace = .live(from: point.media - ahead, burst: burst, now: loop.turnTime)
    fanout.jump(&listener, to: point, in: other, from: shard)
    put(listener, into: other, otherIndex)
    tellMove(.fallback, listener.slot)
    return true
  }

  /// Moves a listener back to the position it left, or to the sound behind a silence, whether there is something yet or
  /// not. Nil when the station has gone.
  @discardableResult
  func goHome(_ index: Int, from shard: MountShard) -> (shard: MountShard, index: Int)? {
    guard let (homeIndex, home) = home(of: shard),
      let place = fanout.sidecars[shard.listeners[index].slot]?.pointee.home
    else { return nil }
    fanout.sidecars.clear(shard.listeners[index].slot) { $0.home = nil }
    let ahead = ahead(of: shard.listeners[index], in: shard)
    var listener = remove(index, of: shard)
    shard.mount.counters.cameHome()
    listener.titleSent = Listener.noBlockYet
    let cursor = max(place.cursor, min(home.mount.soundFrom, home.reader.edge.position))
    let media = home.reader.media(at: cursor) ?? home.reader.edge.media
    listener.pace = place.pace
    // What it has of the fallback is played first.
    listener.pace.move(to: media - ahead, now: loop.turnTime)
    fanout.jump(&listener, to: LogPoint(position: cursor, media: media), in: home, from: shard)
    put(listener, into: home, homeIndex)
    tellMove(.home, listener.slot)
    return (home, home.listeners.count - 1)
  }

  /// Gives a listener that began in the fallback a place in its own station: the live edge.
  func settleHome(of listener: Listener, in shard: MountShard, now: Int64) {
    guard let home = home(of: shard)?.shard else { return }
    var own = listener
    own.cursor = home.reader.edge.position
    own.runStart = own.cursor
    own.pace = .live(from: home.reader.edge.media, burst: listener.pace.burst, now: now)
    fanout.sidecars.change(listener.slot) { $0.home = Home(own) }
    shard.mount.counters.wentAway()
  }

  /// Returns the listener as it stands in its own station; nil when the station has gone.
  func atHome(_ listener: Listener, in shard: MountShard) -> (Listener, MountShard)? {
    if !shard.isFallback { return (listener, shard) }
    guard let place = fanout.sidecars[listener.slot]?.pointee.home,
      let home = home(of: shard)?.shard
    else { return nil }
    var own = listener
    own.cursor = place.cursor
    own.runStart = place.runStart
    own.pace = place.pace
    return (own, home)
  }

  /// Returns the shard of the mount's own log; nil when the station has gone, is stopped or has another log.
  private func home(of shard: MountShard) -> Place? {
    guard let mount = connections.mounts.mount(station: shard.mount.station), !mount.isStopped,
      mount.log === shard.mount.log, let place = place(of: mount)
    else { return nil }
    place.shard.startTurn()
    return place
  }

  private func place(of fallback: Fallback, for mount: Mount) -> Place {
    for (index, shard) in all.enumerated() {
      if let shard, shard.isFallback, shard.log === fallback.log,
        shard.mount.station == mount.station
      {
        return (index, shard)
      }
    }
    let shard = MountShard(mount, fallback: fallback.log)
    return (add(shard), shard)
  }

  /// Drops fallbacks' shards without listeners, since a shard holds its log.
  func dropFallbacks() {
    for index in all.indices {
      if let shard = all[index], shard.isFallback, shard.listeners.isEmpty { dropShard(index) }
    }
  }
}

/// Where the listeners of a shard go in this turn.
enum Detour {
  /// To the shard at index `to`, for listeners that were sent their own log up to the position `from`. Each stays while
  /// its player has more than `leaving` of that to play; nil: all go at once.
  case away(from: UInt64, to: Int, format: AudioFormat, leaving: MediaTime?)
  case home
}
