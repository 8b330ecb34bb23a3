import Reactor
import Timeshift
import Wire

/// One loop's server, part by part, the lower ones first. All of it belongs to the loop's thread.
final class LoopParts: ConnectionsOwner {
  let connections: Connections
  let answers: Answers
  let clips: Clips
  let taps: Taps
  let files: Files
  let watchers: Watchers
  let shards: Shards
  var reports: AudienceReports { AudienceReports(shards: shards) }
  let listeners: Listeners
  let admission: Admission
  let front: Front
  let loop: EventLoop
  let shared: SharedState
  // The feeder holds the parts, which go with it.
  unowned let feeder: any SessionFeeding
  private var handler: HandlerID?
  private var nextSlot: Int64 = 0
  private var isTicking = false
  private var nextSweep: Int64 = 0
  /// When connections are ended whose request is still on its way; nil once they are.
  private var drainGrace: Int64?
  private var drainDeadline = Int64.max
  private var drainWaiter: CheckedContinuation<Void, Never>?

  init(_ home: LoopThread, _ shared: SharedState, feeder: any SessionFeeding) {
    let fanout = Fanout()
    loop = home.loop
    self.shared = shared
    self.feeder = feeder
    connections = Connections(home, shared, fanout.records)
    answers = Answers(connections)
    clips = Clips(connections, answers, Reversals(connections, answers))
    taps = Taps(connections, answers)
    files = Files(connections, answers)
    watchers = Watchers(connections, answers)
    shards = Shards(connections, fanout)
    listeners = Listeners(connections, answers, shards)
    admission = Admission(
      connections,
      Givers(answers: answers, clips: clips, taps: taps, files: files, listeners: listeners))
    front = Front(connections, answers, files, watchers, listeners, admission)
    connections.owner = self
  }

  var handlerID: HandlerID {
    if let handler { return handler }
    let id = loop.attach(LoopPartsHandler(self))
    handler = id
    return id
  }

  /// Detaches the parts: the loop calls them no more.
  func detach() {
    if let handler { loop.detach(handler) }
    handler = nil
  }

  // MARK: Called by the loop

  func ready(_ event: UInt64, _ readiness: Readiness) {
    if let index = front.listeningIndex(ofEvent: event) { return front.accept(at: index) }
    guard let slot = connections.slot(ofEvent: event) else { return }
    let token = connections.token(slot)
    if readiness.contains(.error) || readiness.contains(.hangUp) {
      return connections.end(slot, .clientGone)
    }
    if readiness.contains(.write) {
      if connections[slot].tls?.wantsWrite == true { connections.readAgain(slot) }
      writable(slot)
    }
    if readiness.contains(.read), connections.slot(of: token) != nil { front.readable(slot) }
  }

  func writable(_ slot: UInt32) {
    switch connections[slot].state {
    case .replying:
      let token = connections.token(slot)
      answers.continueReply(slot)
      if connections.slot(of: token) != nil { proceed(slot) }
    case .listening(let shard, let index): listeners.goOn(slot, shard, index)
    case .watching: watchers.continueWatch(slot)
    case .shakingHands: if front.shakeHands(slot) { front.readable(slot) }
    case .lingering: connections.sayEnd(slot)
    case .free, .reading, .readingBody, .answering, .joining: break
    }
  }

  func timerFired() {
    isTicking = false
    let now = loop.turnTime
    listeners.serveSlot(now: now)
    listeners.retryJoins(now: now)
    answers.serveTurns()
    clips.serveWishes()
    answers.serveDue(now: now)
    listeners.followSessions()
    watchers.feedWatchers(now: now)
    front.listenAgain(now: now)
    if now >= nextSweep {
      sweep(now: now)
      watchers.attendWatchers(now: now)
      shared.reserve.refill()
      listeners.attendSessions(now: now)
      front.attendHandshakes()
      answers.attendSlowReaders(now: now)
      files.endOverdueFiles(now: now)
      answers.endOverdueClips(now: now)
      listeners.attendSilent(now: now)
      nextSweep = now + 1_000_000_000
    }
    connections.reportChanges()
    if connections.isDraining { finishDraining(now: now) }
    keepTicking()
  }

  /// Keeps the beat running while there is a connection to serve or to wait for, or anything to report.
  func keepTicking() {
    let isIdle =
      connections.count == 0 && connections.finished.isEmpty && connections.changes.isEmpty
      && front.listening.allSatisfy { !$0.isHeld }
    if isTicking || (isIdle && drainWaiter == nil) { return }
    isTicking = true
    let now = MonotonicTime.now().nanoseconds
    nextSlot += TickPlan.slotNanoseconds
    // The beat is late by more than a slot, or has just begun: it starts anew from now.
    if nextSlot < now || nextSlot > now + TickPlan.slotNanoseconds {
      nextSlot = now + TickPlan.slotNanoseconds
    }
    loop.setTimer(handlerID, token: 0, after: nextSlot - now)
  }

  // MARK: What connections ask

  func endsForAnother(_ slot: UInt32) {
    if case .shakingHands = connections[slot].state { front.handshakeAbandoned() }
  }

  func descriptorIsFree() { front.descriptorIsFree() }

  func proceed(_ slot: UInt32) { front.proceed(slot) }

  func letIn(
    _ slot: UInt32, _ head: HTTPRequestHead, _ request: StreamRequest, to station: String
  ) {
    admission.letIn(slot, head, request, to: station)
  }

  /// Gives back all that a connection can have taken, in this order.
  func leave(_ slot: UInt32, _ reason: EndReason) {
    switch connections[slot].state {
    case .listening: listeners.leaveShard(slot, reason)
    case .joining: listeners.leaveQueue(slot)
    case .watching(let watch): watchers.leaveWatch(watch, slot)
    case .shakingHands: front.handshakeEnded(slot)
    case .reading where connections[slot].helloBytes > 0: front.handshakeAbandoned()
    case .replying(let reply): if let sending = reply.sending { answers.leaveBody(slot, sending) }
    case .free, .reading, .readingBody, .answering, .lingering: break
    }
    connections[slot].work?.cancel()
    connections[slot].work = nil
    files.leaveFile(slot, reason)
    clips.leaveClip(slot)
    taps.leaveTap(slot)
    connections.giveBackTicket(slot)
    connections.finishRequest(slot)
  }

  // MARK: Time is up

  /// Once a second: handles connections whose time for their state is up.
  func sweep(now: Int64) {
    for index in connections.table.places.indices
    where connections.table.places[index].deadline <= now {
      let slot = UInt32(index)
      switch connections[slot].state {
      // `retryJoins` looks after the deadline of a join.
      case .free, .joining: break
      case .answering(let head, _):
        // An answer that comes later is dropped, and the connection is closed.
        var last = head
        last.fields.set("Connection", "close")
        answers.replyUnavailable(slot, to: last, "there is no answer in time; ask again later")
      case .watching: connections.end(slot, .clientGone)
      case .listening: shards.endAtBoundary(slot, .listeningTime)
      case .shakingHands:
        front.handshakeAbandoned()
        connections.close(slot, .clientGone)
      // The client has not begun to ask anything, or not in HTTP: there is nothing to answer.
      case .reading(let head) where head.isEmpty || connections[slot].isLogin:
        connections.close(slot, .clientGone)
      case .reading, .readingBody:
        answers.reply(
          slot, to: nil, status: 408, mediaType: ErrorBody.mediaType,
          body: ErrorBody.json(
            code: "timeout", message: "the request did not come in time; send it at once"))
      case .replying:
        connections.close(slot, connections[slot].file == nil ? .clientGone : .pauseTimeout)
      case .lingering: connections.close(slot, .clientGone)
      }
    }
  }

  /// Puts off by the time of a standstill what had to happen during it. What lasts for a stated time, as a listening
  /// time or the drain, is not put off.
  func stoodStill(for nanoseconds: Int64) {
    for slot in connections.slots { bearWith(slot, nanoseconds) }
    for case let shard? in shards.all { shard.stoodStill(for: nanoseconds) }
    let fanout = shards.fanout
    for slot in fanout.pauses.keys { fanout.pauses[slot]?.since.saturatingGrow(by: nanoseconds) }
    for index in clips.wishes.indices {
      clips.wishes[index].deadline.saturatingGrow(by: nanoseconds)
    }
    front.handshakes.bear(nanoseconds)
  }

  private func bearWith(_ slot: UInt32, _ nanoseconds: Int64) {
    switch connections[slot].state {
    case .free, .listening: return
    case .replying(var reply):
      reply.bear(nanoseconds)
      connections[slot].state = .replying(reply)
    case .watching(let watch): watch.bear(nanoseconds)
    case .shakingHands, .reading, .readingBody, .answering, .joining, .lingering: break
    }
    let deadline = connections[slot].deadline.saturatingAdd(nanoseconds)
    connections[slot].deadline = max(deadline, loop.turnTime + Self.graceNanoseconds)
  }

  /// A loop can only guess when its standstill began. So every deadline is at least this far ahead afterwards.
  private static let graceNanoseconds: Int64 = 5_000_000_000

  // MARK: Draining

  func startDraining() {
    connections.isDraining = true
    front.stopListening()
    let now = loop.turnTime
    for slot in connections.slots where connections[slot].fd >= 0 {
      switch connections[slot].state {
      case .listening: shards.endAtBoundary(slot, .draining)
      // A file may be hours long, samples have no end.
      case .replying where connections[slot].file != nil || connections[slot].clip?.isTap == true:
        answers.endBody(slot, .draining)
      case .watching: connections.end(slot, .draining)
      case .reading(let head) where head.isEmpty && connections.hasServed(slot):
        connections.end(slot, .draining)
      // The last bytes are on their way, or the request is.
      case .answering, .lingering, .reading, .readingBody, .replying, .shakingHands, .joining,
        .free:
        break
      }
    }
    drainGrace = now + Self.drainGraceNanoseconds
    drainDeadline = now + Int64(nanosecondsIn: shared.configuration.drainTimeout)
    keepTicking()
  }

  /// Time for requests that were on their way when the server began to stop: they are told so.
  private static let drainGraceNanoseconds: Int64 = 500_000_000

  /// Resumes a waiter at the end of the drain.
  ///
  /// - Parameter waiter: resumed when all connections are gone or their time is up.
  func whenDrained(_ waiter: CheckedContinuation<Void, Never>) {
    drainWaiter = waiter
    keepTicking()
  }

  private func finishDraining(now: Int64) {
    if let grace = drainGrace, now >= grace {
      drainGrace = nil
      for slot in connections.slots where connections[slot].fd >= 0 {
        switch connections[slot].state {
        case .reading, .readingBody, .shakingHands: connections.end(slot, .draining)
        case .answering, .joining, .lingering, .listening, .replying, .watching, .free: break
        }
      }
    }
    if connections.count > 0, now < drainDeadline { return }
    for slot in connections.slots where connections[slot].fd >= 0 {
      connections.close(slot, .draining)
    }
    drainWaiter?.resume()
    drainWaiter = nil
  }
}

/// The handler through which the loop calls its parts.
private final class LoopPartsHandler: LoopHandler {
  // Unowned, since the handler is detached from the loop, which holds it, before its parts go.
  private unowned let parts: LoopParts

  init(_ parts: LoopParts) { self.parts = parts }

  func ready(_ token: UInt64, _ readiness: Readiness) { parts.ready(token, readiness) }

  func timerFired(_ token: UInt32) {
    if token == Front.goOnTimer { parts.front.goOnLater() } else { parts.timerFired() }
  }

  func stoodStill(for nanoseconds: Int64) { parts.stoodStill(for: nanoseconds) }
}

extension Int64 {
  fileprivate mutating func saturatingGrow(by other: Int64) { self = saturatingAdd(other) }
}
