import Synchronization

/// A thread that may block, for callers that must not. Its tasks run one after the other, in order.
public final class WorkThread: Sendable {
  private let name: String
  private let tasksMax: Int
  private let signal = Signal()
  private let state = Mutex(State())

  private struct State: Sendable {
    var tasks: [@Sendable () -> Void] = []
    var thread: SystemThread?
    var isStopping = false
  }

  /// - Parameter tasksMax: how many tasks may wait; a further task is refused.
  public init(_ name: String, tasksMax: Int) {
    self.name = name
    self.tasksMax = tasksMax
  }

  /// Runs the task later. False: too many tasks wait, the thread is stopped, or the system gives no thread.
  public func run(_ task: @escaping @Sendable () -> Void) -> Bool {
    let isTaken = state.withLock { state in
      guard !state.isStopping, state.tasks.count < tasksMax else { return false }
      if state.thread == nil { state.thread = SystemThread(name) { [self] in work() } }
      guard state.thread != nil else { return false }
      state.tasks.append(task)
      return true
    }
    if isTaken { signal.raise() }
    return isTaken
  }

  /// Runs the task and returns its result. Nil if the task was refused, or if its caller stopped waiting before its
  /// turn.
  public func value<Value: Sendable>(
    of task: @escaping @Sendable () -> Value
  ) async -> Value? {
    let wish = Wish()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isTaken = run { continuation.resume(returning: wish.isOver ? nil : task()) }
        if !isTaken { continuation.resume(returning: nil) }
      }
    } onCancel: {
      wish.end()
    }
  }

  /// Whether a task's caller still waits.
  private final class Wish: Sendable {
    private let over = Atomic<Bool>(false)
    var isOver: Bool { over.load(ordering: .relaxed) }
    func end() { over.store(true, ordering: .relaxed) }
  }

  /// Blocks until every accepted task is done.
  public func stop() {
    let thread = state.withLock { state in
      state.isStopping = true
      return state.thread
    }
    signal.raise()
    thread?.join()
  }

  private func work() {
    while true {
      let (tasks, isStopping) = state.withLock { state in
        defer { state.tasks = [] }
        return (state.tasks, state.isStopping)
      }
      for task in tasks { task() }
      if tasks.isEmpty {
        if isStopping { return }
        signal.wait(milliseconds: -1)
      }
    }
  }
}
