// Hot: the listeners' side of every write.

import Glibc
import Histogram
import Reactor

/// Many listeners in one thread: connects them at a steady rate, and follows every frame of each.
///
/// The generator never waits in `epoll_wait`, because the server would then pay for waking it with every single write.
/// It drains the sockets about every 5 ms, and sleeps between. The time between two drains is random, so that it does
/// not fall in step with a server's tick.
final class LoadGenerator: LoopHandler {
  struct Plan: Codable, Sendable {
    var port: UInt16
    var paths: ServerUnderTest.Paths
    var audience: Audience
    /// The number of this load process; its listeners have source addresses of their own.
    var part: Int
    var segmentBytes: Int32
    var withTitles: Bool
    var isEncrypted: Bool
    /// The listeners that leave and are replaced in each second of the window.
    var churn: Double
    /// The seconds after the ramp for which a listener without a first byte is waited for.
    var patienceSeconds: Double
  }

  /// One listener in so many has every byte checked, not only the stamps.
  private static let comparedOneIn = 50
  /// The nanoseconds for which a new listener may be without a first byte.
  private static let patienceNanoseconds: Int64 = 5_000_000_000
  /// A turn with fewer events than this has reported everything that was ready.
  private static let fullTurn = 64
  private static let drainMicroseconds: ClosedRange<UInt32> = 2_500...7_500
  /// The sleep while connecting; it is short, so that the time to the first byte is not mostly this sleep.
  private static let rampMicroseconds: ClosedRange<UInt32> = 500...1_000

  private let loop: EventLoop
  private let plan: Plan
  /// The TLS context of all listeners; nil without TLS.
  private let context: TLSContext?
  private let settled: () -> Void
  private var id: HandlerID?
  private var listeners: ContiguousArray<LoadListener> = []
  private var figures = LoadFigures()
  private let started = monotonicNow()
  private var eventsThisTurn = 0
  private var isSettled = false
  /// When listeners began to come and go; nil before that.
  private var churnedSince: Int64?
  private var churned = 0
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)

  /// - Parameter settled: Called once, when every listener has its first byte or is given up.
  init(loop: EventLoop, plan: Plan, settled: @escaping () -> Void) {
    self.loop = loop
    self.plan = plan
    // The bench's own server is trusted without a check.
    context = plan.isEncrypted ? try? TLSContext(trusting: nil) : nil
    self.settled = settled
    listeners.reserveCapacity(plan.audience.listeners)
    id = loop.attach(self)
    setTimer()
  }

  deinit { buffer.deallocate() }

  /// Begins the window: from here on bytes, frames and latencies count.
  func beginWindow() {
    figures.windowBytes = 0
    figures.windowFrames = 0
    figures.latency.reset()
    let now = monotonicNow()
    for index in listeners.indices { listeners[index].beginWindow(at: now) }
    churnedSince = now
  }

  /// Returns the figures seen until now.
  func endWindow() -> LoadFigures {
    var sum = figures
    sum.asked = plan.audience.listeners
    sum.windowBytes = 0
    sum.unserved = plan.audience.listeners - listeners.count
    let now = monotonicNow()
    for listener in listeners where listener.hasFirstByte {
      sum.silence.record(nanoseconds: listener.longestSilence(at: now))
      if listener.isOpen { sum.silenceEnd = max(sum.silenceEnd, listener.silenceEnd) }
    }
    for listener in listeners {
      // A new listener may still wait for its first byte.
      let isNew = monotonicNow() - listener.begun < Self.patienceNanoseconds
      if !listener.hasFirstByte && !(isNew && listener.isOpen) { sum.unserved += 1 }
      if listener.phase == .closed { sum.closedEarly += 1 }
      if listener.phase == .streaming && listener.windowBytes == 0 && !isNew { sum.silent += 1 }
      sum.add(listener)
    }
    return sum
  }

  // MARK: Coming and going

  /// Ends listeners, and begins as many new ones.
  private func churn() {
    guard plan.churn > 0, let since = churnedSince else { return }
    let due = Int(Double(monotonicNow() - since) / 1e9 * plan.churn)
    while churned < due {
      churned += 1
      let index = Int.random(in: listeners.indices)
      guard listeners[index].phase == .streaming else { continue }
      // The faults of the ended listener still count.
      figures.add(listeners[index])
      listeners[index].leave()
      listeners[index] = begin(index)
      watch(index, again: false)
    }
  }

  func ready(_ token: UInt64, _ readiness: Readiness) {
    eventsThisTurn += 1
    let index = Int(token)
    if !listeners[index].hasRequested {
      let wasConnecting = listeners[index].phase == .connecting
      listeners[index].sendRequest(request(of: index))
      if wasConnecting { watch(index, again: true) }
    }
    if !readiness.isDisjoint(with: [.read, .error, .hangUp]) { drain(index) }
  }

  func timerFired(_ token: UInt32) {
    connectDue()
    churn()
    if !isSettled { settleIfDone() }
    if eventsThisTurn < Self.fullTurn {
      let isRamping = listeners.count < plan.audience.listeners
      usleep(.random(in: isRamping ? Self.rampMicroseconds : Self.drainMicroseconds))
    }
    eventsThisTurn = 0
    setTimer()
  }

  private func request(of index: Int) -> [UInt8] {
    let path = plan.audience.path(of: index, from: plan.paths)
    let icy = plan.withTitles ? "Icy-MetaData: 1\r\n" : ""
    let host = "Host: 127.0.0.1:\(plan.port)\r\nUser-Agent: longwave-bench\r\n"
    return Array("GET \(path) HTTP/1.1\r\n\(host)\(icy)\r\n".utf8)
  }

  private func setTimer() {
    if let id { loop.setTimer(id, token: 0, after: 0) }
  }

  private func drain(_ index: Int) {
    while listeners[index].isOpen {
      switch listeners[index].receive(into: buffer) {
      case .wouldBlock: return
      case .ended: listeners[index].end()
      case .bytes(let count):
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        listeners[index].take(bytes, at: monotonicNow(), figures: &figures)
        if listeners[index].isDrained(by: count, room: buffer.count) { return }
      }
    }
  }

  private func connectDue() {
    let elapsed = Double(monotonicNow() - started) / 1e9
    let due = min(plan.audience.listeners, Int(elapsed * plan.audience.ramp))
    while listeners.count < due { connect(listeners.count) }
  }

  private func connect(_ index: Int) {
    listeners.append(begin(index))
    watch(index, again: false)
  }

  private func begin(_ index: Int) -> LoadListener {
    let begun = monotonicNow()
    let source = Loopback.source(part: plan.part, index: index)
    let fd = try? Loopback.beginConnecting(
      from: source, to: plan.port, segmentBytes: plan.segmentBytes)
    let compares = index % Self.comparedOneIn == 0
    var listener = LoadListener(
      fd: fd ?? -1, begun: begun, comparesFiller: compares, context: context)
    // On loopback the connection is mostly established already.
    listener.sendRequest(request(of: index))
    return listener
  }

  /// Watches a listener level-triggered, since an end of stream that arrives together with audio must not be missed.
  private func watch(_ index: Int, again: Bool) {
    let listener = listeners[index]
    guard listener.isOpen, let id else { return }
    let interest: Interest = listener.phase == .connecting ? [.read, .write] : .read
    do {
      if again {
        try loop.modify(listener.fd, interest, handler: id, token: UInt64(index))
      } else {
        try loop.add(listener.fd, interest, handler: id, token: UInt64(index))
      }
    } catch {
      listeners[index].end()
    }
  }

  private func settleIfDone() {
    guard listeners.count == plan.audience.listeners else { return }
    let rampSeconds = plan.audience.rampSeconds
    let elapsed = Double(monotonicNow() - started) / 1e9
    guard elapsed > rampSeconds + plan.patienceSeconds || listeners.allSatisfy(\.isSettled) else {
      return
    }
    isSettled = true
    figures.settledSeconds = elapsed
    settled()
  }
}
