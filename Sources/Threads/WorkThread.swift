import Synchronization

/// A thread that may block, for the work of those that must not: tasks one after the other, in the order they came.
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

  /// - Parameter tasksMax: more than so many do not wait; whoever brings one more is told.
  public init(_ name: String, tasksMax: Int) {
    self.name = name
    self.tasksMax = tasksMax
  }

  /// Has the task done. False: too many wait, it is stopped, or the system gives no thread; the task is not done.
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

  /// What the task comes to; nil where it is not done, because it is not taken or nobody waits for it any more when its
  /// turn comes.
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

  /// Whether somebody still waits for a task.
  private final class Wish: Sendable {
    private let over = Atomic<Bool>(false)
    var isOver: Bool { over.load(ordering: .relaxed) }
    func end() { over.store(true, ordering: .relaxed) }
  }

  /// Blocks until everything that was taken is done.
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
