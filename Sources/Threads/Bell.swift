import Synchronization

/// Wakes all listening threads. Ringing costs one atomic load while no thread listens.
package final class Bell: Sendable {
  private let count = Atomic<Int>(0)
  private let signals = Mutex<[Signal]>([])

  package init() {}

  /// Wakes the thread of `signal` from now on. The caller looks afterwards for what happened before.
  package func listen(_ signal: Signal) {
    signals.withLock { $0.append(signal) }
    count.add(1, ordering: .sequentiallyConsistent)
  }

  package func forget(_ signal: Signal) {
    let isFound = signals.withLock { signals in
      guard let index = signals.firstIndex(where: { $0 === signal }) else { return false }
      signals.remove(at: index)
      return true
    }
    if isFound { count.subtract(1, ordering: .sequentiallyConsistent) }
  }

  package func ring() {
    guard count.load(ordering: .sequentiallyConsistent) > 0 else { return }
    for signal in signals.withLock({ $0 }) { signal.raise() }
  }
}
