import Reactor
import Timeshift
import Wire

/// What became of a listener who was to hear another station.
public enum MoveOutcome: Hashable, Sendable {
  case moved
  case unknownListener
  /// The station does not exist, is stopped, or has nothing to play.
  case nothingToPlay
  /// The listener's player was set up for another codec.
  case otherCodec
}

// From one station to another within an open connection: a jump whose target is in another log.
extension LoopServer {
  func move(_ id: UInt64, to station: String) -> MoveOutcome {
    guard let (fromIndex, place) = find(id), let from = shards[fromIndex] else {
      return .unknownListener
    }
    guard let mount = table.mount(station: station), !mount.isStopped,
      let toIndex = shardIndex(of: mount)
    else { return .nothingToPlay }
    let to = shards[toIndex]!
    // Also who hears its own station's fallback meanwhile.
    if to === from || (from.isFallback && from.mount.station == station) { return .moved }
    to.reader.refresh()
    // The player has its burst from the old station: another one would make it hear everything later.
    guard to.reader.edge.position > to.reader.oldest.position,
      let point = to.reader.point(atOrBefore: to.reader.edge.media - Fanout.landing),
      let format = to.reader.format(at: point.position)
    else { return .nothingToPlay }
    guard format.codec == from.listeners[place].codec else { return .otherCodec }
    carry(place, from, to, toIndex, at: point)
    return .moved
  }

  func find(_ id: UInt64) -> (shard: Int, index: Int)? {
    for (shardIndex, shard) in shards.enumerated() {
      let index = shard?.listeners.firstIndex { connections[$0.slot].listenerID == id }
      if let index { return (shardIndex, index) }
    }
    return nil
  }

  private func carry(
    _ index: Int, _ from: MountShard, _ to: MountShard, _ toIndex: Int, at point: LogPoint
  ) {
    var listener = takeOut(index, of: from)
    fanout.endPause(of: &listener)
    fanout.homes[listener.slot] = nil
    from.mount.counters.left()
    from.mount.counters.releasePlace()
    // Positions of titles are the log's own.
    listener.titleSent = Listener.noBlockYet
    listener.pace = .live(from: point.media, burst: listener.pace.burst, now: loop.turnTime)
    fanout.jump(&listener, to: point, in: to)
    remember(listener, in: to)
    put(listener, into: to, toIndex)
    // An administrator moves people to where they may not have come by themselves.
    _ = to.mount.counters.takePlace(of: nil)
    to.mount.counters.joined()
    keepTicking()
  }

  /// Takes a listener out of a share of a mount, on its way to another one.
  func takeOut(_ index: Int, of shard: MountShard) -> Listener {
    let listener = shard.listeners[index]
    if let moved = shard.remove(at: index),
      case .listening(let shardIndex, _) = connections[moved].state
    {
      connections[moved].state = .listening(shard: shardIndex, index: index)
    }
    return listener
  }

  func put(_ listener: Listener, into shard: MountShard, _ shardIndex: Int) {
    connections[listener.slot].state = .listening(shard: shardIndex, index: shard.listeners.count)
    shard.listeners.append(listener)
  }
}
