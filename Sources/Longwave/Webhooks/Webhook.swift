import Ingest
import Logging
import Reactor
import Server
import Synchronization
import Threads
import Timeshift
import Wire

/// Tells one web service of events: in order, one at a time, each until the service takes it.
///
/// It has a thread of its own, so that a service that hangs holds up no other. Events wait in a queue with a bound;
/// when that is full, the oldest are lost and counted.
final class Webhook: Sendable {
  /// Events that wait at most.
  static let queueMax = 1_000
  /// Seconds that a service has for its answer.
  private static let timeout = 10.0
  /// Seconds until an event is sent again: doubled with each failure.
  private static let pauses = 1.0...300.0
  /// Milliseconds between two looks for new events.
  private static let lookInterval: Int32 = 200

  private struct State {
    var queue: [EventRing.Event] = []
    var shown: WebhookState
    /// When the first event of the queue may be sent.
    var due: MonotonicTime?
    var pause = 0.0
    /// When the thread ends at the latest.
    var deadline: MonotonicTime?
    var isOver = false
  }

  let settings: WebhookSettings
  private let ring: EventRing
  private let logger: Logger
  private let signal = Signal()
  private let state: Mutex<State>
  private let first: UInt64

  init(_ settings: WebhookSettings, number: Int, _ ring: EventRing, logger: Logger) {
    (self.settings, self.ring, self.logger) = (settings, ring, logger)
    first = ring.newestID
    state = Mutex(
      State(
        shown: WebhookState(
          number: number, url: URLText.withoutSecrets(settings.url), kinds: settings.kinds,
          stations: settings.stations)))
  }

  /// Begins to tell. False: the system gives no thread.
  func begin() -> Bool { SystemThread.start("webhook") { [self] in run() } }

  var shown: WebhookState {
    state.withLock { state in
      var shown = state.shown
      shown.queued = state.queue.count
      return shown
    }
  }

  var isOver: Bool { state.withLock { $0.isOver } }

  func set(number: Int) { state.withLock { $0.shown.number = number } }

  /// Ends it, after it has told what it can in `seconds`.
  func end(within seconds: Double) {
    state.withLock { $0.deadline = MonotonicTime.now().adding(seconds) }
    signal.raise()
  }

  // MARK: Its thread

  private func run() {
    var last = first
    while true {
      collect(after: &last)
      let now = MonotonicTime.now()
      let next = state.withLock { step(&$0, at: now) }
      switch next {
      case .send(let event, let timeout): send(event, within: timeout)
      case .wait(let milliseconds): signal.wait(milliseconds: milliseconds)
      case .end: return
      }
    }
  }

  private enum Step {
    case send(EventRing.Event, within: Double)
    case wait(milliseconds: Int32)
    case end
  }

  private func step(_ state: inout State, at now: MonotonicTime) -> Step {
    let left = state.deadline.map { $0.seconds(since: now) }
    // At the end nothing is sent twice: there is no time to wait in.
    let isHopeless = state.due != nil || state.shown.state == .stopped
    if let left, left <= 0 || isHopeless || state.queue.isEmpty {
      state.isOver = true
      return .end
    }
    guard state.shown.state != .stopped, let event = state.queue.first else {
      return .wait(milliseconds: Self.lookInterval)
    }
    if let due = state.due, due > now { return .wait(milliseconds: Self.lookInterval) }
    if state.shown.state == .idle { state.shown.state = .delivering }
    return .send(event, within: min(Self.timeout, left ?? Self.timeout))
  }

  /// Takes what the ring has got since the last look.
  private func collect(after last: inout UInt64) {
    guard ring.newestID != last else { return }
    let batch = ring.read(after: last, limit: EventRing.countMax)
    last = batch.last
    let wanted = batch.events.filter(isWanted)
    let lost = state.withLock { state -> UInt64 in
      guard state.shown.state != .stopped else { return 0 }
      state.queue += wanted
      let tooMany = max(0, state.queue.count - Self.queueMax)
      state.queue.removeFirst(tooMany)
      // What the ring has overwritten may have been wanted.
      let lost = batch.missed + UInt64(tooMany)
      let before = state.shown.lost
      state.shown.lost = before.saturatingAdd(lost)
      return before == 0 ? lost : 0
    }
    if lost > 0 {
      logger.warning("\(shown.url) takes events too slowly; the oldest are not told any more")
    }
  }

  private func isWanted(_ event: EventRing.Event) -> Bool {
    (settings.kinds.isEmpty || settings.kinds.contains(event.kind))
      && (settings.stations.isEmpty || event.station.map(settings.stations.contains) == true)
  }

  private func send(_ event: EventRing.Event, within seconds: Double) {
    let body = Array((settings.isIdentified ? event.identifiedJSON : event.json).utf8)
    do throws(FetchError) {
      let reply = try Fetch.head(
        ofReplyTo: settings.url, method: "POST", headers: headers(of: event, body), body: body,
        timeout: seconds)
      switch reply.status {
      case 200..<300: delivered(event)
      case 410: stop()
      default: failed("it answered \(reply.status)")
      }
    } catch {
      failed(error.reason)
    }
  }

  private func headers(of event: EventRing.Event, _ body: [UInt8]) -> [String] {
    var headers = [
      "Content-Type: application/json", "User-Agent: \(RelayVersion.name)",
      "X-Longwave-Event: \(event.kind)", "X-Longwave-Delivery: \(event.id)",
    ]
    if let secret = settings.secret {
      let code = MessageCode.sha256(of: body, key: Array(secret.utf8))
        .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
      headers.append("X-Longwave-Signature: sha256=\(code)")
    }
    return headers
  }

  private func delivered(_ event: EventRing.Event) {
    let wasInTrouble = state.withLock { state in
      // It may have been dropped meanwhile, since too many waited.
      if state.queue.first?.id == event.id { state.queue.removeFirst() }
      let wasInTrouble = state.shown.state == .retrying
      state.shown.state = state.queue.isEmpty ? .idle : .delivering
      state.shown.delivered = state.shown.delivered.saturatingAdd(1)
      state.shown.lastDelivery = Moment.now().wall
      (state.shown.failingSince, state.shown.nextAttempt) = (nil, nil)
      (state.due, state.pause) = (nil, 0)
      return wasInTrouble
    }
    if wasInTrouble { logger.info("\(shown.url) takes events again") }
  }

  private func failed(_ reason: String) {
    let isFirst = state.withLock { state in
      let isFirst = state.shown.state != .retrying
      state.shown.state = .retrying
      state.shown.failed = state.shown.failed.saturatingAdd(1)
      state.shown.lastError = reason
      let longest = Self.pauses.upperBound
      state.pause = min(longest, max(Self.pauses.lowerBound, state.pause * 2))
      let pause = state.pause * Double.random(in: 0.8...1)
      let now = Moment.now()
      if isFirst { state.shown.failingSince = now.wall }
      state.due = now.monotonic.adding(pause)
      state.shown.nextAttempt = now.wall + MediaTime(seconds: pause)
      return isFirst
    }
    if isFirst { logger.warning("\(shown.url) takes no events: \(reason)") }
  }

  private func stop() {
    state.withLock { state in
      state.queue = []
      state.shown.state = .stopped
      (state.shown.nextAttempt, state.due) = (nil, nil)
      state.shown.lastError = "it answered 410: it wants no more"
      state.shown.failingSince = state.shown.failingSince ?? Moment.now().wall
    }
    logger.warning("\(shown.url) wants no more events (410); a reload begins anew")
  }
}
