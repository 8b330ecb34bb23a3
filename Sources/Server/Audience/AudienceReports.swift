import Reactor
import Timeshift
import Wire

/// Reports of a loop's listeners of streams: each of them, their places in time, and their numbers.
struct AudienceReports {
  let shards: Shards

  var all: [MountShard?] { shards.all }
  var connections: Connections { shards.connections }
  private var fanout: Fanout { shards.fanout }

  func snapshots() -> [ListenerSnapshot] {
    var snapshots: [ListenerSnapshot] = []
    for case let shard? in all where !shard.listeners.isEmpty {
      shard.reader.refresh()
      for listener in shard.listeners { snapshots.append(snapshot(of: listener, in: shard)) }
    }
    return snapshots
  }

  /// Returns the listener of a connection; nil when the connection is no stream's listener.
  func snapshot(at slot: UInt32) -> ListenerSnapshot? {
    guard case .listening(let shardIndex, let index) = connections[slot].state,
      let shard = all[shardIndex]
    else { return nil }
    return snapshot(of: shard.listeners[index], in: shard)
  }

  /// Returns where this loop's listeners are now. Without names, this costs a fraction of `snapshots`.
  func places() -> PlaceHistograms {
    var places = PlaceHistograms()
    let now = MonotonicTime.now()
    for case let shard? in all where !shard.listeners.isEmpty {
      shard.reader.refresh()
      for listener in shard.listeners {
        guard let (own, home) = shards.atHome(listener, in: shard) else { continue }
        let place = place(of: own, in: home, at: now)
        if let lag = place.lag { places.lag.add(lag) }
        if let offset = place.offset { places.offset.add(offset) }
      }
    }
    return places
  }

  /// Returns lag and offset in media seconds behind the live edge, and the byte that is heard. Nil while an index is
  /// being fetched.
  private func place(
    of listener: Listener, in shard: MountShard, at now: MonotonicTime
  ) -> (lag: Double?, offset: Double?, heard: UInt64?) {
    guard let (lag, pace) = delivery(of: listener, in: shard, at: now) else {
      return (nil, nil, nil)
    }
    let reader = shard.reader
    return (
      lag, (reader.edge.media - pace.playPoint).seconds, fanout.heard(listener, pace, in: reader)
    )
  }

  /// Returns the lag in media seconds, and the pace with the play point of now. Nil while an index is being fetched.
  func delivery(
    of listener: Listener, in shard: MountShard, at now: MonotonicTime
  ) -> (lag: Double, pace: Pace)? {
    guard let cursor = shard.reader.media(at: listener.cursor) else { return nil }
    let pace = fanout.playing(listener, cursor: cursor, rate: shard.rate, now: now.nanoseconds)
    return ((shard.reader.edge.media - cursor).seconds, pace)
  }

  func state(
    of listener: Listener, in shard: MountShard
  ) -> ListenerSnapshot.State {
    if listener.flags.contains(.paused) { return .paused }
    if listener.flags.contains(.blocked) { return .stalled }
    if shard.isFallback { return .fallback }
    return listener.pace.isPlaced ? .shifted : .live
  }

  private func snapshot(of listener: Listener, in shard: MountShard) -> ListenerSnapshot {
    let connection = connections[listener.slot]
    let now = MonotonicTime.now()
    let heard = place(of: listener, in: shard, at: now).heard
    let place = shards.atHome(listener, in: shard).map { self.place(of: $0, in: $1, at: now) }
    return ListenerSnapshot(
      id: connection.listenerID, station: shard.mount.station, address: connection.address,
      user: connection.ticket?.user, player: connection.player?.text,
      protocolName: connection.protocolName,
      connectedAt: connection.connectedAt.wall,
      seconds: now.seconds(since: connection.connectedAt.monotonic),
      bytes: listener.bytes, offset: place?.offset, lag: place?.lag,
      state: state(of: listener, in: shard), session: connection.session?.token,
      title: shard.reader.titleMark(at: heard ?? listener.cursor))
  }

  func audience() -> Audience {
    var audience = Audience()
    for case let shard? in all where !shard.listeners.isEmpty {
      var crowd = Audience.Crowd()
      for listener in shard.listeners {
        crowd.add(
          connections[listener.slot].address, seconds: connections.secondsListened(listener.slot))
      }
      audience.add(crowd, at: shard.mount.station)
    }
    return audience
  }

  /// Returns the load of the streams' listeners, by station.
  func loads() -> [String: StationLoad] {
    var loads: [String: StationLoad] = [:]
    for case let shard? in all where !shard.listeners.isEmpty {
      shard.reader.refresh()
      loads[shard.mount.station, default: StationLoad()].add(load(of: shard))
    }
    return loads
  }

  private func load(of shard: MountShard) -> StationLoad {
    var load = StationLoad()
    load.listeners = shard.listeners.count
    for listener in shard.listeners {
      load.bytes &+= listener.bytes
      guard !listener.pace.isPlaced, !shard.isFallback else { continue }
      let cursor = shard.reader.media(at: listener.cursor)
      load.add(lag: cursor.map { (shard.reader.edge.media - $0).seconds })
    }
    return load
  }
}
