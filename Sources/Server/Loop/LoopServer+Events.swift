import Reactor
import Timeshift
import Wire

// Server-sent events: what happens is rendered once for all who want the same.
extension LoopServer {
  private static let batchMax = 64
  private static let heartbeatNanoseconds: Int64 = 15_000_000_000

  private var watcherNanoseconds: Int64 {
    Int64(nanosecondsIn: shared.configuration.watcherTimeout)
  }

  func watch(_ slot: UInt32, _ head: HTTPRequestHead, _ filter: EventFilter, after: UInt64?) {
    let fields = HTTPFields([
      (name: "Server", value: shared.configuration.name),
      (name: "Connection", value: "close"),
      (name: "Content-Type", value: "text/event-stream"),
      (name: CacheControl.none.name, value: CacheControl.none.value),
      (name: CORS.anyOrigin.name, value: CORS.anyOrigin.value),
      (name: Sniffing.off.name, value: Sniffing.off.value),
      // nginx would hold events back.
      (name: "X-Accel-Buffering", value: "no"),
    ])
    let answer = HTTPResponseHead(version: head.version, status: 200, fields: fields)
    if head.method == "HEAD" { return send(slot, answer.bytes(), status: 200, keepsAlive: false) }
    let client = client(slot, head)
    guard admitWatcher(slot, head, client) else { return }
    connections[slot].note?.status = 200
    uncountForAddress(slot)
    // Whom a ban would be spoken against, and by whose name its place is given back.
    connections[slot].origin = client
    feedWatchers()
    let watch = EventWatch(
      of: eventFeeds.join(filter), after: after ?? eventFeeds.last,
      pending: answer.bytes() + Array(": longwave\n\n".utf8), now: loop.turnTime)
    connections[slot].state = .watching(watch)
    connections[slot].deadline = .max
    watching.insert(slot)
    continueWatch(slot)
  }

  private func admitWatcher(
    _ slot: UInt32, _ head: HTTPRequestHead, _ client: APIRequest.Origin
  ) -> Bool {
    switch shared.network.admitWatcher(AddressBlock(client)) {
    case .admitted: return true
    case .full:
      counts.refused += 1
      replyUnavailable(slot, to: head, "the server has all the watchers of events it takes")
    case .tooManyOfAddress:
      counts.refused += 1
      replyError(
        slot, to: head, status: 429, code: "too-many-watchers",
        message: "your address watches events as often as it may",
        fields: [.init(name: "Retry-After", value: "30")])
    }
    return false
  }

  /// It watches no more.
  func leave(_ watch: EventWatch, _ slot: UInt32) {
    watching.remove(slot)
    eventFeeds.leave(watch.feed, slot)
    shared.network.releaseWatcher(AddressBlock(connections[slot].origin))
  }

  /// Once a slot: what has come since goes to all who have had everything before.
  func feedWatchers() {
    let newest = shared.events.newestID
    if newest <= eventFeeds.last { return }
    if watching.isEmpty { return eventFeeds.last = newest }
    let batch = shared.events.frames(after: eventFeeds.last)
    eventFeeds.last = batch.last
    for feed in eventFeeds.all {
      let text = batch.text(for: feed.filter)
      if text.isEmpty { continue }
      for slot in feed.inStep { tell(slot, text[...]) }
    }
  }

  private func tell(_ slot: UInt32, _ text: ArraySlice<UInt8>) {
    guard case .watching(let watch) = connections[slot].state else { return }
    watch.pending = text
    continueWatch(slot)
  }

  /// Sends what is ready for it, and from the ring what it has not had yet.
  func continueWatch(_ slot: UInt32) {
    guard case .watching(let watch) = connections[slot].state else { return }
    setBlocked(slot, false)
    while true {
      if watch.pending.isEmpty, !catchUp(watch, slot) { break }
      switch write(slot, watch.pending) {
      case .ended: return end(slot, .clientGone)
      case .wouldBlock: return waitToTake(watch, slot)
      case .bytes(let count):
        watch.pending.removeFirst(count)
        watch.written += UInt64(count)
        watch.heartbeat = loop.turnTime + Self.heartbeatNanoseconds
      }
      if watch.pending.isEmpty { connections[slot].deadline = .max }
    }
    if flush(slot) { connections[slot].deadline = .max } else { waitToTake(watch, slot) }
  }

  /// It falls behind, and ends if it has not taken what is ready for it in time.
  private func waitToTake(_ watch: EventWatch, _ slot: UInt32) {
    guard case .watching = connections[slot].state else { return }
    // What it is told of just now is the last it has.
    if watch.feed.inStep.remove(slot) != nil { watch.last = eventFeeds.last }
    connections[slot].deadline = min(
      connections[slot].deadline, loop.turnTime + watcherNanoseconds)
    setBlocked(slot, true)
  }

  /// False: it has had everything, and is told with the others what comes.
  private func catchUp(_ watch: EventWatch, _ slot: UInt32) -> Bool {
    if watch.feed.inStep.contains(slot) {
      watch.last = eventFeeds.last
      return false
    }
    while watch.last < eventFeeds.last {
      let batch = shared.events.frames(
        after: watch.last, through: eventFeeds.last, limit: Self.batchMax,
        where: watch.feed.filter)
      watch.last = batch.last
      let text = batch.text(for: watch.feed.filter)
      if text.isEmpty { continue }
      watch.pending = text[...]
      return true
    }
    watch.last = eventFeeds.last
    watch.feed.inStep.insert(slot)
    return false
  }

  /// Once a second: comments keep proxies from closing, and show who takes nothing any more.
  func attendWatchers(now: Int64) {
    for slot in watching {
      guard case .watching(let watch) = connections[slot].state else { continue }
      if watch.isToBeLookedAt(now: now), !watch.takes(Socket.unacknowledged(connections[slot].fd)),
        now - watch.takenAt >= watcherNanoseconds
      {
        end(slot, .clientGone)
      } else if watch.heartbeat <= now, watch.pending.isEmpty, !connections[slot].isBlocked {
        tell(slot, Self.comment[...])
      }
    }
  }

  private static let comment = Array(":\n\n".utf8)
}
