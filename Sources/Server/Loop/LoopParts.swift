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
  let hls: HLSGivers
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
    hls = HLSGivers(connections, answers)
    watchers = Watchers(connections, answers)
    shards = Shards(connections, fanout)
    listeners = Listeners(connections, answers, shards)
    admission = Admission(
      connections,
      Givers(
        answers: answers, clips: clips, taps: taps, files: files, listeners: listeners,
        hls: hls))
    front = Front(connections, answers, files, watchers, admission)
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
      act(connections.table.row(slot).writable, on: slot)
    }
    if readiness.contains(.read), connections.slot(of: token) != nil { front.readable(slot) }
  }

  func timerFired() {
    isTicking = false
    let now = loop.turnTime
    listeners.serveSlot(now: now)
    listeners.retryJoins(now: now)
    answers.serveTurns()
    clips.serveWaits()
    hls.serve(now: now)
    answers.serveDue(now: now)
    listeners.followSessions()
    watchers.feedWatchers(now: now)
    front.listenAgain(now: now)
    if now >= nextSweep {
      sweep(now: now)
      watchers.attendWatchers(now: now)
      shared.reserve.refill()
      listeners.attend(now: now)
      front.attendHandshakes()
      answers.attendSlowReaders(now: now)
      files.endOverdueFiles(now: now)
      answers.endOverdueClips(now: now)
      hls.attend(now: now)
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
      && front.listening.allSatisfy { !$0.isHeld } && shared.hls.audience.isEmpty
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

  func evict(_ slot: UInt32) { act(connections.table.row(slot).eviction, on: slot) }

  func descriptorIsFree() { front.descriptorIsFree() }

  func proceed(_ slot: UInt32) { front.proceed(slot) }

  func letIn(
    _ slot: UInt32, _ head: HTTPRequestHead, _ request: StreamRequest, to station: String
  ) {
    admission.letIn(slot, head, request, to: station)
  }

  // MARK: Draining

  func startDraining() {
    connections.isDraining = true
    front.stopListening()
    let now = loop.turnTime
    hls.endWaits()
    for slot in connections.slots where connections[slot].fd >= 0 {
      act(connections.table.row(slot).drain, on: slot)
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
        act(connections.table.row(slot).grace, on: slot)
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
