import Synchronization

/// Lets one caller through at a time, or a few, in the order of arrival. An actor alone would mix two commands at each
/// `await`.
package final class Turnstile: Sendable {
  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  /// - Parameter count: how many may be through at a time.
  package init(_ count: Int = 1) { state = Mutex(State(free: count)) }

  /// How many wait to be let through.
  var waiting: Int { state.withLock(\.waiting.count) }

  package func enter() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.free == 0 {
          state.waiting.append(continuation)
          return false
        }
        state.free -= 1
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  package func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if state.waiting.isEmpty {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
