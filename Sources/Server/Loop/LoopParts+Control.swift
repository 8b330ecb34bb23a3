import Reactor
import Timeshift
import Wire

// Requests of the control side to a loop.
extension LoopParts {
  /// Replaces the mounts, and ends listeners that are no longer allowed or whose station is gone or stopped.
  func use(_ table: MountTable) {
    let before = connections.mounts
    connections.mounts = table
    connections.bytesOfStations.keep(only: table)
    connections.counts.listening.keep(only: table)
    defer {
      endRefused(since: before)
      shards.dropFallbacks()
    }
    files.endStoppedFiles()
    answers.endStoppedClips()
    for index in shards.all.indices {
      guard let shard = shards[index] else { continue }
      // A station that was removed and added again has another log: its old listeners are not listeners of the new one.
      if let mount = table.mount(station: shard.mount.station), mount.log === shard.mount.log,
        mount.delay == shard.mount.delay
      {
        shard.mount = mount
        if !mount.isStopped { continue }
      } else {
        shards.forget(shard.mount.station, at: index)
      }
      for listener in shard.listeners.reversed() {
        shards.endAtBoundary(listener.slot, .stationStopped)
      }
      if shard.listeners.isEmpty { shards.dropShard(index) }
    }
  }

  /// Ends listeners that the stations' own rules refuse from now on.
  private func endRefused(since before: MountTable) {
    for mount in connections.mounts.mounts {
      guard let old = before.mount(station: mount.station) else { continue }
      endRefused(by: mount.access, before: old.access, at: mount.station)
    }
  }

  func use(
    _ clients: ClientSettings, tls: TLSOffer?, challenges: (any ChallengeAnswering)?
  ) {
    connections.clients = clients
    front.tls = tls
    front.challenges = challenges
  }

  func kick(_ id: UInt64) -> Bool {
    if let slot = files.fileSlots.first(where: { connections[$0].listenerID == id }) {
      answers.endBody(slot, .kicked)
      return true
    }
    guard let (shard, index) = shards.find(id), let shard = shards[shard] else { return false }
    shards.endAtBoundary(shard.listeners[index].slot, .kicked)
    return true
  }

  func snapshots() -> [ListenerSnapshot] {
    reports.snapshots() + files.fileSlots.compactMap(files.fileSnapshot)
  }

  /// Returns one listener, without copying out the others; nil when it is not this loop's.
  func snapshot(of id: UInt64) -> ListenerSnapshot? {
    if let slot = files.fileSlots.first(where: { connections[$0].listenerID == id }) {
      return files.fileSnapshot(slot)
    }
    guard let (shard, index) = shards.find(id), let shard = shards[shard] else { return nil }
    shard.reader.refresh()
    return reports.snapshot(at: shard.listeners[index].slot)
  }

  /// Returns this loop's first listeners of a list, all chosen and copied out in one turn.
  func share(of listing: ListenerListing) -> ListenerShare {
    var picks = ListenerPicks(listing)
    reports.offer(to: &picks)
    for slot in files.fileSlots {
      guard let station = connections[slot].file?.mount.station,
        station == listing.station ?? station
      else { continue }
      // A file has no live edge that its listener could be behind.
      let id = connections[slot].listenerID
      picks.offer(ListenerRank(id: id, value: nil, in: listing.order), at: slot)
    }
    let first = picks.first().compactMap { pick in
      (reports.snapshot(at: pick.slot) ?? files.fileSnapshot(pick.slot)).map { (pick.rank, $0) }
    }
    return ListenerShare(total: picks.total, rest: picks.rest, listeners: first)
  }

  /// Returns the load of this loop's listeners, by station.
  func loads() -> [String: StationLoad] {
    var loads = reports.loads()
    for (station, bytes) in connections.bytesOfStations.stations {
      loads[station, default: StationLoad()].bytes &+= bytes
    }
    for case let file? in files.fileSlots.lazy.map({ self.connections[$0].file }) {
      loads[file.mount.station, default: StationLoad()].listeners += 1
      loads[file.mount.station]?.bytes &+= file.sending.bytes
    }
    for (station, milliseconds) in connections.counts.listening.milliseconds(at: loop.turnTime) {
      loads[station, default: StationLoad()].listeningMilliseconds &+= milliseconds
    }
    return loads
  }

  /// Returns this loop's share of what supervisors are told.
  func metrics() -> ServerMetrics {
    var metrics = ServerMetrics()
    metrics.loops = [loop.figures]
    metrics.requests = connections.counts.requests
    metrics.refusals = connections.counts.refusals
    metrics.firstBytes = connections.counts.firstBytes
    metrics.loads = loads()
    return metrics
  }

  func audience() -> Audience {
    var audience = reports.audience()
    files.add(to: &audience)
    return audience
  }

  func add(to figures: inout ServerFigures) {
    figures.connections += connections.count
    for case let shard? in shards.all {
      figures.listeners += shard.listeners.count
      figures.blocked += shard.listeners.count { $0.flags.contains(.blocked) }
    }
    figures.listeners += files.fileSlots.count
    figures.accepted += connections.counts.accepted
    figures.refused += connections.counts.refused
    figures.bytesSent += shards.fanout.figures.bytes + answers.sendings.bytes
    figures.clips += clips.figures.now
    figures.clipsTotal += clips.figures.total
    figures.clipBytes += clips.figures.bytes
    figures.promptSlotsFull += answers.prompt.slotsFull
    figures.writes += shards.fanout.figures.writes
    figures.wouldBlocks += shards.fanout.figures.wouldBlocks
    figures.skips += shards.fanout.figures.skips
    figures.overruns += shards.fanout.figures.overruns
    figures.handshakes.add(front.handshakes.figures)
  }

  /// Ends the listeners and sound watchers whom these rules refuse and the rules before let in: of a station, or of all
  /// if `station` is nil. A listener that both refuse stays: an administrator has moved it.
  func endRefused(by rules: AccessRules, before: AccessRules, at station: String? = nil) {
    if rules == before { return }
    func isRefused(_ client: Peer, _ agent: String?) -> Bool {
      rules.refusal(of: client, agent: agent) != nil
        && before.refusal(of: client, agent: agent) == nil
    }
    func isRefused(_ slot: UInt32, as client: Peer? = nil) -> Bool {
      isRefused(client ?? connections[slot].origin, connections[slot].player?.text)
    }
    for case let shard? in shards.all where shard.mount.station == station ?? shard.mount.station {
      for listener in shard.listeners.reversed()
      where isRefused(listener.slot) {
        shards.endAtBoundary(listener.slot, .denied)
      }
    }
    for slot in files.fileSlots {
      guard let file = connections[slot].file, file.mount.station == station ?? file.mount.station
      else { continue }
      if isRefused(slot, as: file.client) { answers.endBody(slot, .denied) }
    }
    answers.endClips(.denied) { slot, place in
      place.mount.station == station ?? place.mount.station && isRefused(slot, as: place.client)
    }
    for slot in watchers.hearing(station) where isRefused(slot) { connections.end(slot, .denied) }
    for slot in listeners.joining {
      guard case .joining(let wanted) = connections[slot].state,
        wanted.station == station ?? wanted.station
      else { continue }
      let agent = wanted.head.fields["User-Agent"]
      if isRefused(connections[slot].origin, agent) { connections.end(slot, .denied) }
    }
  }

  /// Ends connections that are banned from now on: listeners between two packets, others at once.
  func endBanned() {
    for case let shard? in shards.all {
      for listener in shard.listeners.reversed()
      where shared.gate.isBanned(connections[listener.slot].origin) {
        shards.endAtBoundary(listener.slot, .banned)
      }
    }
    for slot in files.fileSlots {
      if let file = connections[slot].file, shared.gate.isBanned(file.client) {
        answers.endBody(slot, .banned)
      }
    }
    answers.endClips(.banned) { _, place in shared.gate.isBanned(place.client) }
    for slot in listeners.joining.union(watchers.watching)
    where shared.gate.isBanned(connections[slot].origin) {
      connections.end(slot, .banned)
    }
  }
}
