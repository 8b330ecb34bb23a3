import Synchronization

/// Threads for blocking work that comes by the hundred.
///
/// The numbers of threads, of waiting tasks and of each key's waiting tasks are bounded. The threads exist only while
/// there is work. Neither loops nor Swift's own pool ever wait for these threads.
public final class Lanes<Key: Hashable & Sendable>: Sendable {
  public typealias Work = @Sendable () -> Void

  private struct Item: Sendable {
    let work: Work
    let group: String?
    /// Called instead of `work` when another key needs the room.
    let refused: Work
  }

  private struct State {
    var running = 0
    /// Running tasks of each group that has some.
    var runningOf: [String: Int] = [:]
    var waiting = FairQueue<Key?, Item>()
    var whenIdle: [CheckedContinuation<Void, Never>] = []

    func running(of group: String?) -> Int { group.flatMap { runningOf[$0] } ?? 0 }

    mutating func begin(_ group: String?) {
      if let group { runningOf[group, default: 0] += 1 }
    }

    mutating func end(_ group: String?) {
      guard let group, let count = runningOf[group] else { return }
      runningOf[group] = count > 1 ? count - 1 : nil
    }
  }

  private enum Outcome { case starts, waits, full }

  private let name: String
  private let count: Int
  private let waitingMax: Int
  private let waitingPerKey: Int
  private let runningPerGroup: Int
  private let isBackground: Bool
  private let startThread: @Sendable (String, @escaping Work) -> Bool
  private let state = Mutex(State())
  /// Orders what waiting tasks hold.
  private let handover = Handover()

  /// - Parameters:
  ///   - runningPerGroup: threads that tasks of one group may hold, at least 1.
  ///   - isBackground: whether all other threads run first when processors are short.
  public convenience init(
    _ name: String, count: Int, waitingMax: Int = .max, waitingPerKey: Int = .max,
    runningPerGroup: Int = .max, isBackground: Bool = false
  ) {
    self.init(
      name, count: count, waitingMax: waitingMax, waitingPerKey: waitingPerKey,
      runningPerGroup: runningPerGroup, isBackground: isBackground,
      startThread: SystemThread.start)
  }

  init(
    _ name: String, count: Int, waitingMax: Int = .max, waitingPerKey: Int = .max,
    runningPerGroup: Int = .max, isBackground: Bool = false,
    startThread: @escaping @Sendable (String, @escaping Work) -> Bool
  ) {
    self.name = name
    self.startThread = startThread
    self.isBackground = isBackground
    self.count = count
    self.waitingMax = waitingMax
    self.waitingPerKey = waitingPerKey
    self.runningPerGroup = runningPerGroup
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
  ///
  /// - Parameter group: what the task may hang with; while `runningPerGroup` of its tasks run, others go first.
  public func submit(
    for key: Key? = nil, of group: String? = nil, refused: @escaping Work = {},
    _ work: @escaping Work
  ) -> Bool {
    let item = Item(work: work, group: group, refused: refused)
    handover.give()
    var displaced: Item?
    let outcome: Outcome = state.withLock { state in
      if state.running < count, state.running(of: group) < runningPerGroup {
        state.running += 1
        state.begin(group)
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
    for key: Key? = nil, of group: String? = nil, _ work: @escaping @Sendable () -> Value
  ) async -> Value? {
    await withCheckedContinuation { continuation in
      let refused: Work = { continuation.resume(returning: nil) }
      let isTaken = submit(for: key, of: group, refused: refused) {
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
    if startThread(name, { [self] in runAll(from: item) }) { return true }
    var forsaken: [Item] = []
    let (waits, waiters) = state.withLock { state in
      state.running -= 1
      state.end(item.group)
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

  private func runAll(from item: Item) {
    if isBackground { SystemThread.stepBack() }
    var next: Item? = item
    while let item = next {
      item.work()
      next = nextOrEnd(after: item)
      handover.receive()
    }
  }

  /// Returns a waiting task whose group has a thread to spare. Others go on waiting: a thread of their own group, each
  /// of which runs, takes them.
  private func nextOrEnd(after done: Item) -> Item? {
    let (next, waiters) = state.withLock { state -> (Item?, [CheckedContinuation<Void, Never>]) in
      state.end(done.group)
      let runningOf = state.runningOf
      let next = state.waiting.popFirst { item in
        item.group.flatMap { runningOf[$0] } ?? 0 < runningPerGroup
      }
      if let next {
        state.begin(next.group)
        return (next, [])
      }
      state.running -= 1
      if state.running > 0 { return (nil, []) }
      defer { state.whenIdle = [] }
      return (nil, state.whenIdle)
    }
    for waiter in waiters { waiter.resume() }
    return next
  }
}
