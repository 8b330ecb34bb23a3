import Reactor
import Timeshift
import Wire

// Server-sent events: cursors in the event ring.
extension LoopServer {
  private static let batchMax = 64
  private static let heartbeatNanoseconds: Int64 = 15_000_000_000

  func watch(_ slot: UInt32, _ head: HTTPRequestHead, _ filter: EventFilter, after: UInt64?) {
    let fields = HTTPFields([
      (name: "Server", value: shared.configuration.name),
      (name: "Connection", value: "close"),
      (name: "Content-Type", value: "text/event-stream"),
      (name: CacheControl.none.name, value: CacheControl.none.value),
      (name: CORS.anyOrigin.name, value: CORS.anyOrigin.value),
      // nginx would hold events back.
      (name: "X-Accel-Buffering", value: "no"),
    ])
    let answer = HTTPResponseHead(version: head.version, status: 200, fields: fields)
    if head.method == "HEAD" { return send(slot, answer.bytes(), status: 200, keepsAlive: false) }
    connections[slot].note?.status = 200
    // Whom a ban would be spoken against.
    connections[slot].origin = client(slot, head)
    connections[slot].state = .watching(
      EventWatch(
        filter: filter, last: after ?? shared.events.newestID,
        pending: answer.bytes() + Array(": longwave\n\n".utf8),
        heartbeat: loop.turnTime + Self.heartbeatNanoseconds))
    connections[slot].deadline = .max
    watching.insert(slot)
    continueWatch(slot)
  }

  func feedWatchers(now: Int64) {
    if watching.isEmpty { return }
    let newest = shared.events.newestID
    for slot in watching {
      guard case .watching(let watch) = connections[slot].state else { continue }
      if watch.pending.isEmpty, watch.last < newest || watch.heartbeat <= now {
        continueWatch(slot)
      }
    }
  }

  func continueWatch(_ slot: UInt32) {
    guard case .watching(var watch) = connections[slot].state else { return }
    setBlocked(slot, false)
    while true {
      if watch.pending.isEmpty { fill(&watch) }
      if watch.pending.isEmpty { break }
      switch write(slot, watch.pending[...]) {
      case .ended: return end(slot, .clientGone)
      case .wouldBlock:
        connections[slot].state = .watching(watch)
        return setBlocked(slot, true)
      case .bytes(let count): watch.pending.removeFirst(count)
      }
    }
    connections[slot].state = .watching(watch)
    _ = flush(slot)
  }

  private func fill(_ watch: inout EventWatch) {
    let batch = shared.events.read(after: watch.last, limit: Self.batchMax)
    watch.last = batch.last
    var text = batch.missed > 0 ? ": \(batch.missed) events missed\n\n" : ""
    for event in batch.events where watch.filter.admits(event) {
      let json = watch.filter.isIdentified ? event.identifiedJSON : event.json
      text += "id: \(event.id)\nevent: \(event.kind)\ndata: \(json)\n\n"
    }
    if text.isEmpty, watch.heartbeat <= loop.turnTime { text = ":\n\n" }
    if !text.isEmpty { watch.heartbeat = loop.turnTime + Self.heartbeatNanoseconds }
    watch.pending = Array(text.utf8)
  }
}

extension EventFilter {
  func admits(_ event: EventRing.Event) -> Bool {
    if let station, event.station != station { return false }
    if let kinds, !kinds.contains(event.kind) { return false }
    return true
  }
}
