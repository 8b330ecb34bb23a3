import Reactor
import Wire

// Who may come in, before anything is done for them.
extension LoopServer {
  /// Answers whoever is banned; false: nobody is. `/api/v1` stays open, since what matters there needs the token: an
  /// administrator behind the same address can lift the ban.
  func refuseBanned(_ slot: UInt32, _ head: HTTPRequestHead) -> Bool {
    guard !head.isBelow("/api/v1/"), shared.gate.isBanned(client(slot, head)) else {
      return false
    }
    counts.refused += 1
    // The rest of what it has to say is not read.
    var last = head
    last.fields.set("Connection", "close")
    replyError(
      slot, to: last, status: 403, code: "address-banned", message: "your address is banned")
    return true
  }

  /// Answers whoever the server's or the station's rules do not let listen; false: nobody is in their way.
  func refuseUnwelcome(_ slot: UInt32, _ head: HTTPRequestHead, at mount: Mount) -> Bool {
    let client = client(slot, head)
    let agent = head.fields["User-Agent"]
    let refusal =
      shared.gate.rules.refusal(of: client, agent: agent)
      ?? mount.access.refusal(of: client, agent: agent)
    guard let refusal else { return false }
    counts.refused += 1
    switch refusal {
    case .address:
      replyError(
        slot, to: head, status: 403, code: "address-denied",
        message: "listening is not allowed from your address")
    case .agent:
      replyError(
        slot, to: head, status: 403, code: "player-denied",
        message: "listening is not allowed with your player")
    }
    return true
  }

  /// Ends whom rules refuse that let them in before: of a station, or (nil) of all. Whoever the rules from before would
  /// not have let in either stays: an administrator has moved them.
  func endRefused(by rules: AccessRules, before: AccessRules, at station: String? = nil) {
    if rules == before { return }
    func isRefused(_ slot: UInt32, _ agent: String?) -> Bool {
      let origin = connections[slot].origin
      return rules.refusal(of: origin, agent: agent) != nil
        && before.refusal(of: origin, agent: agent) == nil
    }
    for case let shard? in shards where shard.mount.station == station ?? shard.mount.station {
      for listener in shard.listeners.reversed()
      where isRefused(listener.slot, connections[listener.slot].player?.text) {
        endAtBoundary(listener.slot, .denied)
      }
    }
    for slot in fileSlots {
      guard let file = connections[slot].file, file.mount.station == station ?? file.mount.station
      else { continue }
      if rules.refusal(of: file.client, agent: connections[slot].player?.text) != nil,
        before.refusal(of: file.client, agent: connections[slot].player?.text) == nil
      {
        endFile(slot, .denied)
      }
    }
    for slot in joining {
      guard case .joining(let wanted) = connections[slot].state,
        wanted.station == station ?? wanted.station
      else { continue }
      if isRefused(slot, wanted.head.fields["User-Agent"]) { end(slot, .denied) }
    }
  }

  /// Ends whoever is banned from now on: listeners between two packets, others at once.
  func endBanned() {
    for case let shard? in shards {
      for listener in shard.listeners.reversed()
      where shared.gate.isBanned(connections[listener.slot].origin) {
        endAtBoundary(listener.slot, .banned)
      }
    }
    for slot in fileSlots {
      if let file = connections[slot].file, shared.gate.isBanned(file.client) {
        endFile(slot, .banned)
      }
    }
    for slot in joining.union(watching) where shared.gate.isBanned(connections[slot].origin) {
      end(slot, .banned)
    }
  }
}
