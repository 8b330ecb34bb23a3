import Synchronization

/// Threads for blocking work that comes by the hundred.
///
/// The numbers of threads, of waiting tasks and of each key's waiting tasks are bounded. The threads exist only while
/// there is work. Neither loops nor Swift's own pool ever wait for these threads.
public final class Lanes<Key: Hashable & Sendable>: Sendable {
  public typealias Work = @Sendable () -> Void

  private struct Item: Sendable {
    let work: Work
    /// Called instead of `work` when another key needs the room.
    let refused: Work
  }

  private struct State {
    var running = 0
    var waiting = FairQueue<Key?, Item>()
    var whenIdle: [CheckedContinuation<Void, Never>] = []
  }

  private enum Outcome { case starts, waits, full }

  private let name: String
  private let count: Int
  private let waitingMax: Int
  private let waitingPerKey: Int
  private let isBackground: Bool
  private let startThread: @Sendable (String, @escaping Work) -> Bool
  private let state = Mutex(State())
  /// Orders what waiting tasks hold.
  private let handover = Handover()

  /// - Parameter isBackground: whether all other threads run first when processors are short.
  public convenience init(
    _ name: String, count: Int, waitingMax: Int = .max, waitingPerKey: Int = .max,
    isBackground: Bool = false
  ) {
    self.init(
      name, count: count, waitingMax: waitingMax, waitingPerKey: waitingPerKey,
      isBackground: isBackground, startThread: SystemThread.start)
  }

  init(
    _ name: String, count: Int, waitingMax: Int = .max, waitingPerKey: Int = .max,
    isBackground: Bool = false, startThread: @escaping @Sendable (String, @escaping Work) -> Bool
  ) {
    self.name = name
    self.startThread = startThread
    self.isBackground = isBackground
    self.count = count
    self.waitingMax = waitingMax
    self.waitingPerKey = waitingPerKey
    ThreadRegistry.add(ObjectIdentifier(self)) { [weak self] in self?.figures }
  }

  deinit { ThreadRegistry.remove(ObjectIdentifier(self)) }

  /// The number of waiting tasks.
  public var waiting: Int { state.withLock { $0.waiting.count } }

  private var figures: ThreadFigures.Lane {
    state.withLock { state in
      ThreadFigures.Lane(
        name: name, busy: state.running, limit: count, waiting: state.waiting.count)
    }
  }

  /// Runs the task on a free thread, or lets it wait. False: too many tasks wait, in all or of `key`, or the system
  /// gives no thread; the task is not done.
  ///
  /// When all room is used, a key without a waiting task displaces the last one of the key with the most. The displaced
  /// task's `refused` is called instead of its work.
  public func submit(
    for key: Key? = nil, refused: @escaping Work = {}, _ work: @escaping Work
  ) -> Bool {
    let item = Item(work: work, refused: refused)
    handover.give()
    var displaced: Item?
    let outcome: Outcome = state.withLock { state in
      if state.running < count {
        state.running += 1
        return .starts
      }
      let own = state.waiting.count(of: key)
      if own >= waitingPerKey { return .full }
      if state.waiting.count >= waitingMax {
        guard own == 0 else { return .full }
        displaced = state.waiting.popLastOfGreediest()
        if displaced == nil { return .full }
      }
      state.waiting.append(item, of: key)
      return .waits
    }
    displaced?.refused()
    switch outcome {
    case .starts: return start(item)
    case .waits: return true
    case .full: return false
    }
  }

  /// Runs the task and returns its result; nil if the task is refused or displaced.
  public func run<Value: Sendable>(
    for key: Key? = nil, _ work: @escaping @Sendable () -> Value
  ) async -> Value? {
    await withCheckedContinuation { continuation in
      let isTaken = submit(for: key, refused: { continuation.resume(returning: nil) }) {
        continuation.resume(returning: work())
      }
      if !isTaken { continuation.resume(returning: nil) }
    }
  }

  /// Returns when every submitted task is done.
  public func idle() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.running > 0 { state.whenIdle.append(continuation) }
        return state.running == 0
      }
      if isIdle { continuation.resume() }
    }
  }

  /// Starts a thread with the task. False: the system gives no thread, and no other thread could do the task later.
  private func start(_ item: Item) -> Bool {
    if startThread(name, { [self] in runAll(from: item.work) }) { return true }
    var forsaken: [Item] = []
    let (waits, waiters) = state.withLock { state in
      state.running -= 1
      if state.running > 0 {
        state.waiting.append(item, of: nil)
        return (true, [] as [CheckedContinuation<Void, Never>])
      }
      // These tasks waited for this thread.
      while let next = state.waiting.popFirst() { forsaken.append(next) }
      defer { state.whenIdle = [] }
      return (false, state.whenIdle)
    }
    for item in forsaken { item.refused() }
    for waiter in waiters { waiter.resume() }
    return waits
  }

  private func runAll(from work: @escaping Work) {
    if isBackground { SystemThread.stepBack() }
    var next: Work? = work
    while let work = next {
      work()
      next = nextOrEnd()
      handover.take()
    }
  }

  private func nextOrEnd() -> Work? {
    let (next, waiters) = state.withLock { state -> (Work?, [CheckedContinuation<Void, Never>]) in
      if let item = state.waiting.popFirst() { return (item.work, []) }
      state.running -= 1
      if state.running > 0 { return (nil, []) }
      defer { state.whenIdle = [] }
      return (nil, state.whenIdle)
    }
    for waiter in waiters { waiter.resume() }
    return next
  }
}
