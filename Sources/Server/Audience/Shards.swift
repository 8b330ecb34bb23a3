import Reactor
import Timeshift
import Wire

/// A loop's shards of the mounts, and the listeners in them.
final class Shards {
  let connections: Connections
  let loop: EventLoop
  let fanout: Fanout
  /// Shards by index; a shard keeps its index as long as it exists.
  private(set) var all: [MountShard?] = []
  /// Sessions that are watched, on any loop.
  var followed = FollowedSessions()
  private var shardOfStation: [String: Int] = [:]

  init(_ connections: Connections, _ fanout: Fanout) {
    self.connections = connections
    self.fanout = fanout
    loop = connections.loop
  }

  subscript(index: Int) -> MountShard? { all[index] }

  typealias Place = (index: Int, shard: MountShard)

  /// Returns the mount's shard, making it if there is none. Nil when the mount is no stream.
  func place(of mount: Mount) -> Place? {
    if let index = shardOfStation[mount.station], let shard = all[index] { return (index, shard) }
    guard let shard = MountShard(mount) else { return nil }
    let index = add(shard)
    shardOfStation[mount.station] = index
    return (index, shard)
  }

  func add(_ shard: MountShard) -> Int {
    let index = all.firstIndex { $0 == nil } ?? all.count
    if index == all.count { all.append(nil) }
    all[index] = shard
    return index
  }

  func dropShard(_ index: Int) {
    guard let shard = all[index] else { return }
    all[index] = nil
    forget(shard.mount.station, at: index)
  }

  /// Forgets the station's shard: the station has another log from now on, or none.
  func forget(_ station: String, at index: Int) {
    if shardOfStation[station] == index { shardOfStation[station] = nil }
  }

  func find(_ id: UInt64) -> (shard: Int, index: Int)? {
    for (shardIndex, shard) in all.enumerated() {
      let index = shard?.listeners.firstIndex { connections[$0.slot].listenerID == id }
      if let index { return (shardIndex, index) }
    }
    return nil
  }

  /// Removes a listener from a shard, on its way to another one.
  func remove(_ index: Int, of shard: MountShard) -> Listener {
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
    shard.add(listener, at: loop.turnTime)
  }

  /// Ends a listener as soon as the rest of its current packet is out.
  func endAtBoundary(_ slot: UInt32, _ reason: EndReason) {
    guard case .listening(let shardIndex, let index) = connections[slot].state,
      let shard = all[shardIndex]
    else { return }
    let flags = shard.listeners[index].flags
    // Waiting is pointless for a paused listener that takes nothing.
    if flags.contains(.hasRest), !flags.isSuperset(of: [.paused, .blocked]) {
      shard.listeners[index].flags.insert(.ending)
      connections[slot].endReason = connections[slot].endReason ?? reason
    } else {
      connections.end(slot, reason)
    }
  }

  func note(_ change: ListenerEvent.Change, _ slot: UInt32, bytes: UInt64) {
    guard case .listening(let shardIndex, _) = connections[slot].state,
      let shard = all[shardIndex]
    else { return }
    let connection = connections[slot]
    connections.changes.append(
      ListenerEvent(
        change: change, id: connection.listenerID, station: shard.mount.station,
        address: connection.address, player: connection.player?.text,
        seconds: connections.secondsListened(slot), bytes: bytes))
  }
}
