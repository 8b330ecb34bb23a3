import Synchronization
import Threads

/// Lets other threads end, suspend and resume a tap.
package final class TapControl: Sendable {
  private enum State { case reading, suspended, ended }

  let signal = Signal()
  private let state = Mutex(State.reading)

  package init() {}

  /// Ends the tap: it yields nothing more, and stops waiting at once.
  package func end() { change { $0 = .ended } }

  /// Holds the tap at its place. It misses what the window gives up meanwhile.
  package func suspend() { change { if $0 == .reading { $0 = .suspended } } }

  package func resume() { change { if $0 == .suspended { $0 = .reading } } }

  package var isEnded: Bool { state.withLock { $0 == .ended } }
  package var isSuspended: Bool { state.withLock { $0 == .suspended } }

  private func change(_ body: (inout State) -> Void) {
    state.withLock { body(&$0) }
    signal.raise()
  }
}
