import Dispatch
import Synchronization

/// Threads for work that blocks for long and comes by the hundred: so many at a time, and so many that wait. Neither
/// loops nor Swift's own pool ever wait for it.
final class BlockingLanes: Sendable {
  typealias Work = @Sendable () -> Void

  private struct State {
    var running = 0
    var waiting: [Work] = []
    var whenIdle: [CheckedContinuation<Void, Never>] = []
  }

  private let count: Int
  private let state = Mutex(State())
  private let queue: DispatchQueue

  init(_ name: String, count: Int) {
    self.count = count
    queue = DispatchQueue(label: "longwave.\(name)", attributes: .concurrent)
  }

  /// False: `waitingMax` wait already, and this will not be done.
  func submit(waitingMax: Int, _ work: @escaping Work) -> Bool {
    let starts: Bool? = state.withLock { state in
      if state.running < count {
        state.running += 1
        return true
      }
      if state.waiting.count >= waitingMax { return nil }
      state.waiting.append(work)
      return false
    }
    if starts == true { queue.async { [self] in runAll(from: work) } }
    return starts != nil
  }

  /// nil: too many wait already.
  func run<Value: Sendable>(
    waitingMax: Int, _ work: @escaping @Sendable () -> Value
  ) async -> Value? {
    await withCheckedContinuation { continuation in
      let isTaken = submit(waitingMax: waitingMax) { continuation.resume(returning: work()) }
      if !isTaken { continuation.resume(returning: nil) }
    }
  }

  /// Returns when everything that was submitted is done.
  func idle() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.running > 0 { state.whenIdle.append(continuation) }
        return state.running == 0
      }
      if isIdle { continuation.resume() }
    }
  }

  private func runAll(from work: @escaping Work) {
    var next: Work? = work
    while let work = next {
      work()
      next = nextOrEnd()
    }
  }

  private func nextOrEnd() -> Work? {
    let (next, waiters) = state.withLock { state -> (Work?, [CheckedContinuation<Void, Never>]) in
      if !state.waiting.isEmpty { return (state.waiting.removeFirst(), []) }
      state.running -= 1
      if state.running > 0 { return (nil, []) }
      defer { state.whenIdle = [] }
      return (nil, state.whenIdle)
    }
    for waiter in waiters { waiter.resume() }
    return next
  }
}
