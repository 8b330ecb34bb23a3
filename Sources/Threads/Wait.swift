import Synchronization

/// Hands one value to one waiter; the value may come too late.
package final class Wait<Value: Sendable>: Sendable {
  private enum State {
    case begun
    case waited(CheckedContinuation<Value?, Never>)
    case ended(Value?)
  }

  private let state = Mutex(State.begun)

  package init() {}

  /// Sets the value. False: the value was already set, or the wait was over.
  @discardableResult package func end(_ value: Value?) -> Bool {
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

  package var value: Value? {
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
