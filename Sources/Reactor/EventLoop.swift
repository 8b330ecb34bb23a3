import CLinux
import Glibc
import Synchronization
import Threads

/// The name of a handler on its loop.
public struct HandlerID: Hashable, Sendable {
  let rawValue: UInt32
}

/// An object that is called on the loop's thread when one of its descriptors or timers is ready.
public protocol LoopHandler: AnyObject {
  /// Called when a descriptor that was added with `token` is ready. Only `EventLoop.tokenBits` of the token come back.
  func ready(_ token: UInt64, _ readiness: Readiness)
  /// Called when the timer `token` has expired.
  func timerFired(_ token: UInt32)
  /// Called after the loop was away for `nanoseconds`, before it handles the events of that time.
  func stoodStill(for nanoseconds: Int64)
}

extension LoopHandler {
  public func stoodStill(for nanoseconds: Int64) {}
}

/// One thread with one epoll. It runs callbacks when descriptors and timers are ready, and the jobs of the actors
/// pinned to it.
///
/// A loop can be made on any thread; it is started once and stopped once. Its job queue is its inbox: callers await a
/// method of an actor whose executor is the loop. A call between actors of one loop costs 20–36 ns, from another thread
/// 7–9 µs. The loop is no `TaskExecutor`, because that would enqueue a job per call.
public final class EventLoop: SerialExecutor {
  /// The number of bits of a descriptor's token that fit beside its handler into epoll's 64.
  ///
  /// Tokens tell descriptors apart among the events of one wait; a removed descriptor causes no later events.
  public static let tokenBits: UInt64 = 48

  public let name: String
  private let inbox = Mutex<[UnownedJob]>([])
  /// Whether a job has been enqueued since the last drain of the inbox, so that one wake-up serves many jobs.
  private let isAwake = Atomic<Bool>(false)
  private let isStopping = Atomic<Bool>(false)
  /// The kernel's id of the loop's thread; 0 before the start.
  private let threadID = Atomic<Int32>(0)
  private let thread = Mutex<SystemThread?>(nil)
  private let wakeup: Int32
  // Only the loop's own thread uses the state (checked in `own`); `deinit` uses it after that thread has ended.
  nonisolated(unsafe) private let state: LoopState

  public init(name: String) throws(SystemError) {
    self.name = name
    wakeup = try withoutInterrupts("eventfd") {
      eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    }
    state = LoopState(name: name, poller: try Poller())
    try state.poller.add(wakeup, .read, data: .max)
  }

  deinit {
    close(wakeup)
  }

  // MARK: Any thread

  /// Starts the thread, once. Returns false when the system gives no thread; the loop must then not be awaited.
  @discardableResult
  public func start() -> Bool {
    thread.withLock { thread in
      precondition(thread == nil, "a loop is started once")
      thread = SystemThread(name) { [self] in run() }
      return thread != nil
    }
  }

  /// Ends the thread after its current turn, and waits for the end. Jobs not yet run never run.
  public func stop() {
    precondition(!isCurrent, "a loop does not stop itself")
    isStopping.store(true, ordering: .releasing)
    wake()
    let running = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    running?.join()
  }

  /// Whether the caller runs on the loop's thread.
  public var isCurrent: Bool { threadID.load(ordering: .relaxed) == linux_gettid() }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    inbox.withLock { $0.append(job) }
    if !isAwake.exchange(true, ordering: .acquiringAndReleasing) { wake() }
  }

  public func checkIsolated() {
    precondition(isCurrent, "only on the thread of loop \(name)")
  }

  public func isIsolatingCurrentContext() -> Bool? { isCurrent }

  // MARK: The loop's own thread

  /// The monotonic clock at the start of this turn, in nanoseconds; read once per turn, not per listener.
  public var turnTime: Int64 { own.turnTime }

  /// What the loop has done, without the running turn.
  public var figures: LoopFigures { own.figures }

  /// Adds a handler; the loop holds it until `detach`.
  public func attach(_ handler: any LoopHandler) -> HandlerID {
    HandlerID(rawValue: own.place(handler))
  }

  /// Releases a handler and its timers. The handler must have removed its descriptors.
  public func detach(_ id: HandlerID) {
    own.timers.cancelAll { $0.handler == id.rawValue }
    own.removeHandler(at: id.rawValue)
  }

  /// Registers a descriptor; readiness is reported to `handler` with `token`.
  public func add(
    _ fd: Int32, _ interest: Interest, handler: HandlerID, token: UInt64
  ) throws(SystemError) {
    try own.poller.add(fd, interest, data: Self.data(handler, token))
  }

  /// Changes the watched events of a registered descriptor.
  public func modify(
    _ fd: Int32, _ interest: Interest, handler: HandlerID, token: UInt64
  ) throws(SystemError) {
    try own.poller.modify(fd, interest, data: Self.data(handler, token))
  }

  private static let tokenMask: UInt64 = 1 << tokenBits - 1

  private static func data(_ handler: HandlerID, _ token: UInt64) -> UInt64 {
    UInt64(handler.rawValue) << tokenBits | token & tokenMask
  }

  /// Stops watching a descriptor. Call it before the descriptor is closed.
  public func remove(_ fd: Int32) {
    own.poller.remove(fd)
  }

  /// Fires a timer once, `nanoseconds` from now; setting a token again moves its timer.
  public func setTimer(_ handler: HandlerID, token: UInt32, after nanoseconds: Int64) {
    let sum = monotonicNanoseconds().addingReportingOverflow(max(0, nanoseconds))
    own.timers.set(
      TimerKey(handler: handler.rawValue, token: token),
      deadline: sum.overflow ? .max : sum.partialValue)
  }

  public func cancelTimer(_ handler: HandlerID, token: UInt32) {
    own.timers.cancel(TimerKey(handler: handler.rawValue, token: token))
  }

  private var own: LoopState {
    assert(isCurrent, "only on the thread of loop \(name)")
    return state
  }

  private func run() {
    threadID.store(linux_gettid(), ordering: .relaxed)
    var batch: [UnownedJob] = []
    while !isStopping.load(ordering: .acquiring) {
      let ready = state.poller.wait(milliseconds: state.millisecondsToWait)
      state.turnBegins(at: monotonicNanoseconds())
      for index in 0..<ready { dispatch(state.poller.event(at: index)) }
      while let key = state.timers.popDue(now: state.turnTime) {
        state.handlers[Int(key.handler)]?.timerFired(key.token)
      }
      runJobs(&batch)
      state.turnEnded()
    }
    state.removeHandlers()
  }

  private func dispatch(_ event: (data: UInt64, readiness: Readiness)) {
    if event.data == .max {
      var count: UInt64 = 0
      _ = read(wakeup, &count, 8)
      return
    }
    state.handlers[Int(event.data >> Self.tokenBits)]?.ready(
      event.data & Self.tokenMask, event.readiness)
  }

  private func runJobs(_ batch: inout [UnownedJob]) {
    // From this store on a new job wakes the loop. The inbox must be emptied after it, never before.
    isAwake.store(false, ordering: .sequentiallyConsistent)
    while true {
      inbox.withLock { swap(&$0, &batch) }
      if batch.isEmpty { return }
      for job in batch { job.runSynchronously(on: asUnownedSerialExecutor()) }
      batch.removeAll(keepingCapacity: true)
    }
  }

  private func wake() {
    var one: UInt64 = 1
    _ = write(wakeup, &one, 8)
  }
}

/// The name of a timer among the timers of all handlers.
private struct TimerKey: Hashable {
  var handler: UInt32
  var token: UInt32
}

/// The part of the loop that only the loop's thread uses.
private final class LoopState {
  let poller: Poller
  var timers = Deadlines<TimerKey>()
  private(set) var handlers: [(any LoopHandler)?] = []
  private var free: [UInt32] = []
  /// Numbers of handlers released in this turn. They are not reused yet, since late events must not reach other
  /// handlers.
  private var justFreed: [UInt32] = []
  private(set) var turnTime: Int64 = monotonicNanoseconds()
  /// How long the next wait may be; -1 for any time.
  private(set) var millisecondsToWait: Int32 = 0
  private(set) var figures: LoopFigures
  private var standstill = Standstill()

  init(name: String, poller: consuming Poller) {
    self.poller = poller
    figures = LoopFigures(name: name)
  }

  func place(_ handler: any LoopHandler) -> UInt32 {
    if let index = free.popLast() {
      handlers[Int(index)] = handler
      return index
    }
    // The last number belongs to the wake-up.
    precondition(handlers.count < 0xffff, "a loop has fewer than 65,535 handlers")
    handlers.append(handler)
    return UInt32(handlers.count - 1)
  }

  func turnBegins(at now: Int64) {
    let due = timers.earliest()
    let missed = standstill.missed(since: turnTime, due: due, at: now, work: workNanoseconds)
    figures.turnBegins(at: now, due: due)
    turnTime = now
    guard missed > 0 else { return }
    for handler in handlers { handler?.stoodStill(for: missed) }
  }

  func removeHandler(at index: UInt32) {
    handlers[Int(index)] = nil
    justFreed.append(index)
  }

  func turnEnded() {
    let now = monotonicNanoseconds()
    figures.turns.add(nanoseconds: now - turnTime)
    millisecondsToWait = millisecondsToWait(at: now)
    if justFreed.isEmpty { return }
    free += justFreed
    justFreed.removeAll()
  }

  func removeHandlers() { handlers.removeAll() }

  /// Returns how long to wait, rounded up, so that a wait never ends just before its deadline; -1 without a deadline.
  private func millisecondsToWait(at now: Int64) -> Int32 {
    guard let deadline = timers.earliest() else { return -1 }
    let nanoseconds = deadline - now
    if nanoseconds <= 0 { return 0 }
    return Int32(min((nanoseconds + 999_999) / 1_000_000, 60_000))
  }
}

// A function of its own, outside any actor: a closure made in isolated code would check its isolation on this thread.
func monotonicNanoseconds() -> Int64 { nanoseconds(of: CLOCK_MONOTONIC) }

/// Returns the working time of this thread in nanoseconds.
private func workNanoseconds() -> Int64 { nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) }

private func nanoseconds(of clock: clockid_t) -> Int64 {
  var time = timespec()
  clock_gettime(clock, &time)
  // The clock counts nanoseconds since the machine was started.
  return Int64(time.tv_sec) * 1_000_000_000  // bounded: 292 years
    + Int64(time.tv_nsec)
}
