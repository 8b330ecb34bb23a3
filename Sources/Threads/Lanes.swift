import Synchronization

/// Threads for work that blocks and comes by the hundred: so many at a time, so many that wait, and of each who brings
/// it so many. They are there while there is work. Neither loops nor Swift's own pool ever wait for it.
public final class Lanes<Key: Hashable & Sendable>: Sendable {
  public typealias Work = @Sendable () -> Void

  private struct Item: Sendable {
    let work: Work
    /// Called instead of `work` where others need the place.
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
  private let state = Mutex(State())

  /// - Parameter isBackground: whether all other threads come first where processors are short.
  public init(
    _ name: String, count: Int, waitingMax: Int = .max, waitingPerKey: Int = .max,
    isBackground: Bool = false
  ) {
    self.name = name
    self.isBackground = isBackground
    self.count = count
    self.waitingMax = waitingMax
    self.waitingPerKey = waitingPerKey
  }

  /// How many wait.
  public var waiting: Int { state.withLock { $0.waiting.count } }

  /// False: too many wait already, in all or of `key`, and this will not be done. What waits may have to make room for
  /// somebody of whom nothing does: then `refused` is called in its place.
  public func submit(
    for key: Key? = nil, refused: @escaping Work = {}, _ work: @escaping Work
  ) -> Bool {
    let item = Item(work: work, refused: refused)
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

  /// nil: too many wait already.
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

  /// Returns when everything that was submitted is done.
  public func idle() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.running > 0 { state.whenIdle.append(continuation) }
        return state.running == 0
      }
      if isIdle { continuation.resume() }
    }
  }

  /// False: the system gives no thread, and no other lane is there to do it later.
  private func start(_ item: Item) -> Bool {
    if SystemThread.start(name, { [self] in runAll(from: item.work) }) { return true }
    let (waits, waiters) = state.withLock { state in
      state.running -= 1
      if state.running > 0 {
        state.waiting.append(item, of: nil)
        return (true, [] as [CheckedContinuation<Void, Never>])
      }
      defer { state.whenIdle = [] }
      return (false, state.whenIdle)
    }
    for waiter in waiters { waiter.resume() }
    return waits
  }

  private func runAll(from work: @escaping Work) {
    if isBackground { SystemThread.stepBack() }
    var next: Work? = work
    while let work = next {
      work()
      next = nextOrEnd()
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
