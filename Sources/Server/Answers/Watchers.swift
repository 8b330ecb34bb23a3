import Reactor
import Timeshift
import Wire

/// Watchers of server-sent events: an event is rendered once for all watchers that want the same.
final class Watchers {
  private let connections: Connections
  private let loop: EventLoop
  private let shared: SharedState
  private let answers: Answers
  var watching: Set<UInt32> = []
  private var eventFeeds: EventFeeds

  init(_ connections: Connections, _ answers: Answers) {
    self.connections = connections
    self.answers = answers
    loop = connections.loop
    shared = connections.shared
    eventFeeds = EventFeeds(
      after: shared.events.newestID, sessions: shared.sessionEvents, board: shared.figures)
  }

  private static let batchMax = 64

  private static let heartbeatNanoseconds: Int64 = 15_000_000_000

  private var watcherNanoseconds: Int64 {
    Int64(nanosecondsIn: shared.configuration.watcherTimeout)
  }

  /// - Parameter seconds: how long the client may be told; nil without end.
  func watch(
    _ slot: UInt32, _ head: HTTPRequestHead, _ filter: EventFilter, after: UInt64?,
    for seconds: Double?
  ) {
    let fields = HTTPFields([
      (name: "Server", value: shared.configuration.name),
      (name: "Connection", value: "close"),
      (name: "Content-Type", value: "text/event-stream"),
      (name: CacheControl.none.name, value: CacheControl.none.value),
      (name: CORS.anyOrigin.name, value: CORS.anyOrigin.value),
      (name: Sniffing.off.name, value: Sniffing.off.value),
      // Without this field nginx would hold events back.
      (name: "X-Accel-Buffering", value: "no"),
    ])
    let answer = HTTPResponseHead(version: head.version, status: 200, fields: fields)
    if head.method == "HEAD" {
      return answers.send(slot, answer.bytes(), status: 200, keepsAlive: false)
    }
    let client = connections.client(slot, head)
    guard admitWatcher(slot, head, client, filter), admitToSound(slot, head, client, filter) else {
      return
    }
    connections.answered(slot, 200)
    connections.uncountForAddress(slot)
    // The address that a ban would be for, and under which the watcher's place is given back.
    connections[slot].origin = client
    connections[slot].player = connections.players.name(head.fields["User-Agent"])
    feedWatchers(now: loop.turnTime)
    let feed = eventFeeds.join(filter)
    // An id that comes a moment later is not the one that the client has.
    let last = after.map { $0 > eventFeeds.last ? EventRing.unknownID : $0 }
    let watch = EventWatch(
      of: feed, after: last ?? eventFeeds.last,
      pending: answer.bytes() + Array(": longwave\n\n".utf8) + eventFeeds.toldFigures(feed),
      endsAt: seconds.map { loop.turnTime.saturatingAdd(Int64(nanosecondsIn: $0)) } ?? .max,
      now: loop.turnTime)
    connections[slot].state = .watching(watch)
    connections[slot].deadline = .max
    watching.insert(slot)
    continueWatch(slot)
  }

  private func admitWatcher(
    _ slot: UInt32, _ head: HTTPRequestHead, _ client: Peer, _ filter: EventFilter
  ) -> Bool {
    let block = AddressBlock(client)
    switch shared.network.admitWatcher(block) {
    case .admitted:
      if filter.moment == nil || shared.momentPlaces.reserve(block?.siteOrSelf) { return true }
      shared.network.releaseWatcher(block)
      connections.counts.refuse(.address)
      answers.replyError(
        slot, to: head, status: 429, code: "too-many-places",
        message: "your address watches as many places in the past as it may",
        fields: [.init(name: "Retry-After", value: "30")])
    case .full:
      connections.counts.refuse(.full)
      answers.replyUnavailable(slot, to: head, "the server has all the watchers of events it takes")
    case .tooManyOfAddress:
      connections.counts.refuse(.address)
      answers.replyError(
        slot, to: head, status: 429, code: "too-many-watchers",
        message: "your address watches events as often as it may",
        fields: [.init(name: "Retry-After", value: "30")])
    }
    return false
  }

  /// Whether what the filter wants of sound may be decoded for this address; gives the watcher's place back where not.
  private func admitToSound(
    _ slot: UInt32, _ head: HTTPRequestHead, _ client: Peer, _ filter: EventFilter
  ) -> Bool {
    guard let place = soundPlace(of: filter) else { return true }
    let block = AddressBlock(client)
    switch shared.soundPlaces.reserve(place, for: block) {
    case .admitted: return true
    case .full:
      connections.counts.refuse(.full)
      answers.replyUnavailable(
        slot, to: head, "the sound of too many stations is being measured; ask again")
    case .tooManyOfAddress:
      connections.counts.refuse(.address)
      answers.replyError(
        slot, to: head, status: 429, code: "too-many-stations",
        message: "your address gets the sound of \(SoundPlaces<FigureKey>.perAddress) stations; "
          + "close one of them first",
        fields: [.init(name: "Retry-After", value: "30")])
    }
    shared.network.releaseWatcher(block)
    if filter.moment != nil { shared.momentPlaces.release(block?.siteOrSelf) }
    return false
  }

  /// The place that counts for the address of a watcher; administrators are told of all.
  private func soundPlace(of filter: EventFilter) -> FigureKey? {
    filter.isIdentified ? nil : shared.figures.soundPlace(of: filter)
  }

  /// Returns who is told how a station sounds, or any station if `station` is nil; administrators are not among them.
  func hearing(_ station: String?) -> [UInt32] {
    watching.filter { slot in
      guard case .watching(let watch) = connections[slot].state,
        let place = soundPlace(of: watch.feed.filter)
      else { return false }
      return place.station == station ?? place.station
    }
  }

  /// Forgets a watcher.
  func leaveWatch(_ slot: UInt32) {
    guard case .watching(let watch) = connections[slot].state else { return }
    watching.remove(slot)
    eventFeeds.leave(watch.feed, slot)
    let block = AddressBlock(connections[slot].origin)
    shared.network.releaseWatcher(block)
    if watch.feed.filter.moment != nil { shared.momentPlaces.release(block?.siteOrSelf) }
    if let place = soundPlace(of: watch.feed.filter) {
      shared.soundPlaces.release(place, for: block)
    }
  }

  /// Once a slot: sends new events to all watchers that want them and have had everything before.
  func feedWatchers(now: Int64) {
    feedEvents()
    feedEventsOfSessions()
    for (feed, text) in eventFeeds.figureTexts(now: now) {
      for slot in feed.inStep { tell(slot, text[...]) }
    }
  }

  private func feedEvents() {
    let newest = shared.events.newestID
    if newest <= eventFeeds.last { return }
    if watching.isEmpty { return eventFeeds.last = newest }
    let batch = shared.events.frames(after: eventFeeds.last) { eventFeeds.want($0) }
    eventFeeds.last = batch.last
    for (feed, text) in eventFeeds.texts(of: batch) {
      for slot in feed.inStep { tell(slot, text[...]) }
    }
  }

  /// Sends each watcher the events of its own session.
  private func feedEventsOfSessions() {
    let newest = shared.sessionEvents.newestID
    if newest == eventFeeds.lastOfSessions { return }
    eventFeeds.lastOfSessions = newest
    for feed in eventFeeds.ofSessions {
      for slot in feed.inStep { continueWatch(slot) }
    }
  }

  private func tell(_ slot: UInt32, _ text: ArraySlice<UInt8>) {
    guard case .watching(let watch) = connections[slot].state else { return }
    watch.pending = text
    continueWatch(slot)
  }

  /// Sends a watcher what is ready for it, and from the ring what it has not had yet.
  func continueWatch(_ slot: UInt32) {
    guard case .watching(let watch) = connections[slot].state else { return }
    connections.setBlocked(slot, false)
    while true {
      if watch.pending.isEmpty, !catchUp(watch, slot) { break }
      switch connections.write(slot, watch.pending) {
      case .ended: return connections.end(slot, .clientGone)
      case .wouldBlock: return waitToTake(watch, slot)
      case .bytes(let count):
        watch.pending.removeFirst(count)
        watch.written += UInt64(count)
        watch.heartbeat = loop.turnTime + Self.heartbeatNanoseconds
      }
      if watch.pending.isEmpty { connections[slot].deadline = .max }
    }
    if connections.flush(slot) {
      connections[slot].deadline = .max
    } else {
      waitToTake(watch, slot)
    }
  }

  /// Waits for a watcher's socket. The watcher falls behind, and ends if it does not take in time what is ready for it.
  private func waitToTake(_ watch: EventWatch, _ slot: UInt32) {
    guard case .watching = connections[slot].state else { return }
    // The events that are sent just now are the last ones the watcher has.
    if watch.feed.inStep.remove(slot) != nil { watch.last = eventFeeds.last }
    connections[slot].deadline = min(
      connections[slot].deadline, loop.turnTime + watcherNanoseconds)
    connections.setBlocked(slot, true)
  }

  /// Reads more for a watcher. False when the watcher has had everything and is in step with the others.
  private func catchUp(_ watch: EventWatch, _ slot: UInt32) -> Bool {
    if addEventsOfSession(to: watch) { return true }
    if watch.feed.inStep.contains(slot) {
      watch.last = eventFeeds.last
      return false
    }
    while watch.last < eventFeeds.last || watch.last == EventRing.unknownID {
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

  private func addEventsOfSession(to watch: EventWatch) -> Bool {
    guard watch.feed.filter.session != nil,
      watch.lastOfSession != shared.sessionEvents.newestID
    else { return false }
    let (text, last) = shared.sessionEvents.text(
      for: watch.feed.filter, after: watch.lastOfSession)
    watch.lastOfSession = last
    watch.pending = text[...]
    return !text.isEmpty
  }

  /// Once a second: sends comments, which keep proxies from closing, and ends watchers that take nothing any more or
  /// whose time is over.
  func attendWatchers(now: Int64) {
    for slot in watching {
      guard case .watching(let watch) = connections[slot].state else { continue }
      if watch.endsAt <= now {
        connections.end(slot, .listeningTime)
      } else if watch.isToBeLookedAt(now: now),
        !watch.confirms(Socket.unacknowledged(connections[slot].fd)),
        now - watch.takenAt >= watcherNanoseconds
      {
        connections.end(slot, .clientGone)
      } else if watch.heartbeat <= now, watch.pending.isEmpty, !connections[slot].isBlocked {
        tell(slot, Self.comment[...])
      }
    }
  }

  private static let comment = Array(":\n\n".utf8)
}
