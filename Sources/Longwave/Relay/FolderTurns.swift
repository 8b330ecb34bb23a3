import Synchronization
import Threads
import Timeshift

/// What is done in folders that may hang: in each one thing after the other, on a thread of its own, and nobody waits for
/// it longer than he likes. So a folder has one writer, also where the one before has not come back yet.
final class FolderTurns: Sendable {
  private typealias Work = @Sendable () -> Void

  /// By folder, what waits until something is done there that has begun.
  private let waiting = Mutex<[String: FIFO<Work>]>([:])

  /// Nothing of what was begun there is left.
  func isFree(_ folder: String) -> Bool { waiting.withLock { $0[folder] == nil } }

  var isIdle: Bool { waiting.withLock(\.isEmpty) }

  /// Does `work` behind all that was begun in `folder` before.
  ///
  /// - Parameters:
  ///   - seconds: that are waited for it; nil: as long as it takes.
  ///   - late: is given what comes of it behind that, before anything else is done there.
  /// - Returns: nil: it is not done yet.
  @discardableResult
  func run<Value: Sendable>(
    in folder: String, within seconds: Double?,
    late: @escaping @Sendable (Value) -> Void = { _ in },
    _ work: @escaping @Sendable () -> Value
  ) async -> Value? {
    let wait = Wait<Value>()
    submit(in: folder) {
      let value = work()
      if !wait.end(value) { late(value) }
    }
    guard let seconds else { return await wait.value }
    let patience = Task {
      try await Task.sleep(for: .seconds(seconds))
      wait.end(nil)
    }
    defer { patience.cancel() }
    return await wait.value
  }

  private func submit(in folder: String, _ work: @escaping Work) {
    let isFirst = waiting.withLock { waiting in
      if waiting[folder] != nil {
        waiting[folder]?.append(work)
        return false
      }
      waiting[folder] = FIFO()
      return true
    }
    if !isFirst { return }
    let all: Work = { [self] in
      var next: Work? = work
      while let work = next {
        work()
        next = self.next(in: folder)
      }
    }
    // A machine without a thread left: done here it is at least done.
    if !SystemThread.start("folder", all) { all() }
  }

  private func next(in folder: String) -> Work? {
    waiting.withLock { waiting in
      let next = waiting[folder]?.popFirst()
      if next == nil { waiting[folder] = nil }
      return next
    }
  }
}

/// For one value, which may come too late.
private final class Wait<Value: Sendable>: Sendable {
  private enum State {
    case begun
    case waited(CheckedContinuation<Value?, Never>)
    case ended(Value?)
  }

  private let state = Mutex(State.begun)

  /// False: it has ended before.
  @discardableResult func end(_ value: Value?) -> Bool {
    let (isFirst, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Value?, Never>?) in
      defer { if case .ended = state {} else { state = .ended(value) } }
      switch state {
      case .begun: return (true, nil)
      case .waited(let waiter): return (true, waiter)
      case .ended: return (false, nil)
      }
    }
    waiter?.resume(returning: value)
    return isFirst
  }

  var value: Value? {
    get async {
      await withCheckedContinuation { continuation in
        let ended = state.withLock { state -> Value?? in
          if case .ended(let value) = state { return .some(value) }
          state = .waited(continuation)
          return nil
        }
        if let ended { continuation.resume(returning: ended) }
      }
    }
  }
}
