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
/// It has a thread of its own, so that a service that hangs holds up no other. Events that are wanted wait in a queue
/// with a bound from the moment they are posted; what does not fit is lost and counted.
final class Webhook: Sendable {
  /// Seconds that a service has for its answer.
  private static let timeout = 10.0
  /// Seconds until an event is sent again: doubled with each failure.
  private static let pauses = 1.0...300.0
  /// Milliseconds between two looks at whether an event is to be sent again.
  private static let lookInterval: Int32 = 200

  private struct State {
    var queue = WebhookQueue()
    var shown: WebhookState
    /// When the first events of the queue may be sent again.
    var due: MonotonicTime?
    var pause = 0.0
    /// When the thread ends at the latest.
    var deadline: MonotonicTime?
    var isOver = false
  }

  let settings: WebhookSettings
  private let kinds: Set<String>
  private let stations: Set<String>
  /// Scheme and host of the service, for log lines. The path may be a secret, which only administrators see.
  let place: String
  private let logger: Logger
  private let signal = Signal()
  private let state: Mutex<State>

  init(_ settings: WebhookSettings, number: Int, logger: Logger) {
    (self.settings, self.logger) = (settings, logger)
    (kinds, stations) = (Set(settings.kinds), Set(settings.stations))
    place = WebURL.server(of: URLText.withoutSecrets(settings.url))
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

  /// Ends it, after it has told what it can in `seconds`. What was not taken so far is tried once more.
  func end(within seconds: Double) {
    state.withLock { state in
      state.deadline = MonotonicTime.now().adding(seconds)
      state.due = nil
    }
    signal.raise()
  }

  /// Ends it at once, and logs how many events were not told.
  func giveUp() {
    let left = state.withLock { state in
      if state.isOver { return 0 }
      state.isOver = true
      return state.queue.count
    }
    guard left > 0 else { return }
    let events = left == 1 ? "1 event was" : "\(left) events were"
    logger.warning("\(events) not sent to \(place) before the webhook ended")
  }

  /// Queues an event if it is wanted.
  func post(_ event: EventRing.Event) {
    guard isWanted(event) else { return }
    let (isFirst, isFirstLost) = state.withLock { state in
      guard state.shown.state != .stopped, !state.isOver else { return (false, false) }
      let isFirst = state.queue.count == 0
      guard state.queue.append(event) else { return (isFirst, false) }
      state.shown.lost = state.shown.lost.saturatingAdd(1)
      return (isFirst, state.shown.lost == 1)
    }
    if isFirst { signal.raise() }
    if isFirstLost {
      logger.warning("\(place) accepts events too slowly; the oldest are left out")
    }
  }

  private func isWanted(_ event: EventRing.Event) -> Bool {
    (kinds.isEmpty || kinds.contains(event.kind))
      && (stations.isEmpty || event.station.map(stations.contains) == true)
  }

  // MARK: Its thread

  private func run() {
    while true {
      let now = MonotonicTime.now()
      let next = state.withLock { step(&$0, at: now) }
      switch next {
      case .send(let events, let timeout): send(events, within: timeout)
      case .wait(let milliseconds): signal.wait(milliseconds: milliseconds)
      case .end: return giveUp()
      }
    }
  }

  private enum Step {
    case send([EventRing.Event], within: Double)
    case wait(milliseconds: Int32)
    case end
  }

  private func step(_ state: inout State, at now: MonotonicTime) -> Step {
    if state.isOver { return .end }
    let left = state.deadline.map { $0.seconds(since: now) }
    // What fails at the end is not sent again: there is no time to wait in.
    let isHopeless = state.due != nil || state.shown.state == .stopped
    if let left, left <= 0 || isHopeless || state.queue.count == 0 { return .end }
    if state.shown.state == .stopped || state.queue.count == 0 {
      return .wait(milliseconds: Self.lookInterval)
    }
    if let due = state.due, due > now { return .wait(milliseconds: Self.lookInterval) }
    if state.shown.state == .idle { state.shown.state = .delivering }
    let events = state.queue.next(settings.batch ?? 1, isIdentified: settings.isIdentified)
    return .send(events, within: min(Self.timeout, left ?? Self.timeout))
  }

  private func send(_ events: [EventRing.Event], within seconds: Double) {
    let texts = events.map { settings.isIdentified ? $0.identifiedJSON : $0.json }
    let joined = texts.joined(separator: ",")
    let body = Array((settings.batch == nil ? joined : "[\(joined)]").utf8)
    do throws(FetchError) {
      let reply = try Fetch.head(
        ofReplyTo: settings.url, method: "POST", headers: headers(of: events, body), body: body,
        timeout: seconds)
      switch reply.status {
      case 200..<300: delivered(events.count)
      case 410: stop()
      default: failed("the service answered \(reply.status)")
      }
    } catch {
      failed(error.reason)
    }
  }

  private func headers(of events: [EventRing.Event], _ body: [UInt8]) -> [String] {
    var headers = ["Content-Type: application/json", "User-Agent: \(RelayVersion.name)"]
    if let first = events.first {
      let kind = settings.batch == nil ? first.kind : "batch"
      headers += ["X-Longwave-Event: \(kind)", "X-Longwave-Delivery: \(first.id)"]
    }
    if let secret = settings.secret {
      let code = MessageCode.sha256(of: body, key: Array(secret.utf8)).hexadecimal
      headers.append("X-Longwave-Signature: sha256=\(code)")
    }
    return headers
  }

  private func delivered(_ count: Int) {
    let wasInTrouble = state.withLock { state in
      state.queue.delivered()
      let wasInTrouble = state.shown.state == .retrying
      state.shown.state = state.queue.count == 0 ? .idle : .delivering
      state.shown.delivered = state.shown.delivered.saturatingAdd(UInt64(count))
      state.shown.lastDelivery = Moment.now().wall
      (state.shown.failingSince, state.shown.nextAttempt) = (nil, nil)
      (state.due, state.pause) = (nil, 0)
      return wasInTrouble
    }
    if wasInTrouble { logger.info("\(place) accepts events again") }
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
    if isFirst { logger.warning("\(place) accepts no events: \(reason)") }
  }

  private func stop() {
    state.withLock { state in
      state.queue.removeAll()
      state.shown.state = .stopped
      (state.shown.nextAttempt, state.due) = (nil, nil)
      state.shown.lastError = "the service answered 410: it wants no more events"
      state.shown.failingSince = state.shown.failingSince ?? Moment.now().wall
    }
    logger.warning("\(place) wants no more events (410); a reload begins anew")
  }
}
