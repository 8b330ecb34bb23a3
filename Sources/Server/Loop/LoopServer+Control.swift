import Reactor
import Timeshift
import Wire

// What the control side asks of a loop.
extension LoopServer {
  /// The mounts from now on.
  func take(_ table: MountTable) {
    let before = self.table
    self.table = table
    defer {
      endRefused(since: before)
      dropFallbacks()
    }
    endStoppedFiles()
    for index in shards.indices {
      guard let shard = shards[index] else { continue }
      // A station that was removed and added again has another log: its old listeners are not its new ones'.
      if let mount = table.mount(station: shard.mount.station), mount.log === shard.mount.log,
        mount.delay == shard.mount.delay
      {
        shard.mount = mount
        if !mount.isStopped { continue }
      } else if shardOfStation[shard.mount.station] == index {
        shardOfStation[shard.mount.station] = nil
      }
      for listener in shard.listeners.reversed() { endAtBoundary(listener.slot, .stationStopped) }
      if shard.listeners.isEmpty { dropShard(index) }
    }
  }

  /// Ends whom the stations' own rules refuse from now on.
  private func endRefused(since before: MountTable) {
    for mount in table.mounts {
      guard let old = before.mount(station: mount.station) else { continue }
      endRefused(by: mount.access, before: old.access, at: mount.station)
    }
  }

  func take(
    trustedProxies: [AddressRange], hasProxyHeaders: Bool, publicURL: String?, tls: TLSOffer?
  ) {
    self.trustedProxies = trustedProxies
    self.hasProxyHeaders = hasProxyHeaders
    self.publicURL = publicURL
    self.tls = tls
  }

  func kick(_ id: UInt64) -> Bool {
    if let slot = fileSlots.first(where: { connections[$0].listenerID == id }) {
      endFile(slot, .kicked)
      return true
    }
    guard let (shard, index) = find(id), let shard = shards[shard] else { return false }
    endAtBoundary(shard.listeners[index].slot, .kicked)
    return true
  }

  func snapshots() -> [ListenerSnapshot] {
    var all: [ListenerSnapshot] = []
    for case let shard? in shards where !shard.listeners.isEmpty {
      shard.reader.refresh()
      for listener in shard.listeners { all.append(snapshot(of: listener, in: shard)) }
    }
    return all + fileSlots.compactMap(fileSnapshot)
  }

  func add(to figures: inout ServerFigures) {
    figures.connections += connections.count
    for case let shard? in shards {
      figures.listeners += shard.listeners.count
      figures.blocked += shard.listeners.count { $0.flags.contains(.blocked) }
    }
    figures.listeners += fileSlots.count
    figures.accepted += counts.accepted
    figures.refused += counts.refused
    figures.bytesSent += fanout.figures.bytes + fileBytes + clips.bytesSent
    figures.clips += clips.now
    figures.clipsTotal += clips.total
    figures.clipBytes += clips.bytesSent
    figures.promptSlotsFull += prompt.slotsFull
    figures.writes += fanout.figures.writes
    figures.wouldBlocks += fanout.figures.wouldBlocks
    figures.skips += fanout.figures.skips
    figures.overruns += fanout.figures.overruns
    figures.handshakes.add(handshakes.figures)
  }

  /// Where this loop's listeners are now. Without anybody's name: it costs a fraction of `snapshots`.
  func places() -> PlaceHistograms {
    var places = PlaceHistograms()
    let now = MonotonicTime.now()
    for case let shard? in shards where !shard.listeners.isEmpty {
      shard.reader.refresh()
      for listener in shard.listeners {
        guard let (own, home) = atHome(listener, in: shard) else { continue }
        let place = place(of: own, in: home, at: now)
        if let lag = place.lag { places.lag.add(lag) }
        if let offset = place.offset { places.offset.add(offset) }
      }
    }
    return places
  }

  /// In media seconds behind the live edge; nil while an index is being fetched.
  private func place(
    of listener: Listener, in shard: MountShard, at now: MonotonicTime
  ) -> (lag: Double?, offset: Double?, heard: UInt64?) {
    let reader = shard.reader
    guard let cursor = reader.media(at: listener.cursor) else { return (nil, nil, nil) }
    let pace = fanout.playing(listener, cursor: cursor, rate: shard.rate, now: now.nanoseconds)
    return (
      (reader.edge.media - cursor).seconds, (reader.edge.media - pace.playPoint).seconds,
      fanout.heard(listener, pace, in: reader)
    )
  }

  private func state(
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
    let place = atHome(listener, in: shard).map { self.place(of: $0, in: $1, at: now) }
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
}
