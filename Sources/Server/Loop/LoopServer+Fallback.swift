import Reactor
import Timeshift
import Wire

extension Fanout {
  /// A listener's place in its station while it hears the fallback.
  struct Home {
    var cursor: UInt64
    var runStart: UInt64
    var pace: Pace

    /// Whoever goes has heard its station to the end.
    init(_ listener: Listener) {
      cursor = listener.cursor
      runStart = listener.runStart
      pace = listener.pace
      pace.becomeLive()
    }
  }
}

// A fallback is a jump with a way back: who has heard the station's log to its end goes on in another one, in a share
// of the mount that reads it, and comes back to the very position it left. Everything that is counted, limited and told
// of it goes on under its own station.
extension LoopServer {
  /// Where the listeners of a share go in this turn.
  enum Detour {
    /// Those at the log's end.
    case away(to: Int, at: LogPoint, format: AudioFormat)
    case home
  }

  /// Asked once a turn.
  func detour(of shard: MountShard) -> Detour? {
    if shard.isFallback {
      guard let home = home(of: shard)?.shard else { return nil }
      return isInForce(shard, home) ? nil : .home
    }
    guard let fallback = shard.mount.fallback, fallback.edge == shard.reader.edge.position else {
      return nil
    }
    let index = index(of: fallback, for: shard.mount)
    let other = shards[index]!
    other.startTurn()
    // The player has its burst: another one would make it hear everything later.
    guard other.reader.edge.position > other.reader.oldest.position,
      let point = other.reader.point(atOrBefore: other.reader.edge.media - Fanout.landing),
      let format = other.reader.format(at: point.position),
      shard.reader.format.map({ format == $0 }) ?? true
    else { return nil }
    return .away(to: index, at: point, format: format)
  }

  private func isInForce(_ shard: MountShard, _ home: MountShard) -> Bool {
    guard let fallback = shard.mount.fallback, fallback.log === shard.log,
      fallback.edge == home.reader.edge.position
    else { return false }
    guard let own = home.reader.format, let format = shard.reader.format else { return true }
    return format == own
  }

  /// - Returns: whether the listener has gone.
  func take(_ detour: Detour, _ shard: MountShard, _ index: Int) -> Bool {
    let listener = shard.listeners[index]
    guard listener.flags.isDisjoint(with: [.ending, .replaced, .paused]) else { return false }
    switch detour {
    case .home: return goHome(index, from: shard) != nil
    case .away(let to, let point, let format):
      guard listener.cursor == shard.reader.edge.position, listener.codec == format.codec else {
        return false
      }
      goOver(index, from: shard, to: to, at: point)
      return true
    }
  }

  private func goOver(_ index: Int, from shard: MountShard, to otherIndex: Int, at point: LogPoint)
  {
    let other = shards[otherIndex]!
    var listener = takeOut(index, of: shard)
    fanout.homes[listener.slot] = Fanout.Home(listener)
    // Positions of titles are the log's own.
    listener.titleSent = Listener.noBlockYet
    listener.pace = .live(from: point.media, burst: listener.pace.burst, now: loop.turnTime)
    fanout.jump(&listener, to: point, in: other)
    put(listener, into: other, otherIndex)
  }

  /// Back to the position it left, whether there is something yet or not. nil: there is no such station any more.
  @discardableResult
  func goHome(_ index: Int, from shard: MountShard) -> (shard: Int, index: Int)? {
    guard let (homeIndex, home) = home(of: shard),
      let place = fanout.homes.removeValue(forKey: shard.listeners[index].slot)
    else { return nil }
    var listener = takeOut(index, of: shard)
    listener.titleSent = Listener.noBlockYet
    listener.pace = place.pace
    let media = home.reader.media(at: place.cursor) ?? home.reader.edge.media
    fanout.jump(&listener, to: LogPoint(position: place.cursor, media: media), in: home)
    put(listener, into: home, homeIndex)
    return (homeIndex, home.listeners.count - 1)
  }

  /// A listener who comes while there is a fallback and nothing of the station's own.
  func joinFallback(
    _ slot: UInt32, _ wanted: Connection.Joining, _ home: MountShard, now: Int64
  ) -> Bool {
    guard home.reader.edge.position == home.reader.oldest.position,
      case .away(let index, _, let format) = detour(of: home)
    else { return false }
    // What is paused is paused at home.
    if let session = wanted.request.session, shared.sessions[session]?.record.isPaused == true {
      return false
    }
    let shard = shards[index]!
    let burst = wanted.request.burst ?? home.mount.settings.burst
    guard let place = Placement.find(.live, burst: burst, in: shard.reader) else { return false }
    joining.remove(slot)
    join(slot, wanted, shard, at: index, place, format, now: now)
    return true
  }

  /// The place at home of somebody who has never been there.
  func settleHome(of listener: Listener, in shard: MountShard, now: Int64) {
    guard let home = home(of: shard)?.shard else { return }
    var own = listener
    own.cursor = home.reader.edge.position
    own.runStart = own.cursor
    own.pace = .live(from: home.reader.edge.media, burst: listener.pace.burst, now: now)
    fanout.homes[listener.slot] = Fanout.Home(own)
  }

  /// The listener as it stands in its own station; nil: there is no such station any more.
  func atHome(_ listener: Listener, in shard: MountShard) -> (Listener, MountShard)? {
    if !shard.isFallback { return (listener, shard) }
    guard let place = fanout.homes[listener.slot], let home = home(of: shard)?.shard else {
      return nil
    }
    var own = listener
    own.cursor = place.cursor
    own.runStart = place.runStart
    own.pace = place.pace
    return (own, home)
  }

  /// The share of the mount's own log.
  private func home(of shard: MountShard) -> (index: Int, shard: MountShard)? {
    guard let mount = table.mount(station: shard.mount.station), !mount.isStopped,
      mount.log === shard.mount.log, let index = shardIndex(of: mount)
    else { return nil }
    shards[index]!.startTurn()
    return (index, shards[index]!)
  }

  private func index(of fallback: Fallback, for mount: Mount) -> Int {
    let known = shards.firstIndex {
      $0?.isFallback == true && $0?.log === fallback.log && $0?.mount.station == mount.station
    }
    return known ?? add(MountShard(mount, fallback: fallback.log))
  }

  /// Shares of fallbacks hold their logs: those that nobody hears go.
  func dropFallbacks() {
    for index in shards.indices {
      if let shard = shards[index], shard.isFallback, shard.listeners.isEmpty { dropShard(index) }
    }
  }
}
