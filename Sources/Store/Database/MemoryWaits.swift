import Synchronization
import Timeshift

/// How long the disk's thread has waited for memory, whose queue readers may hold. One thread at a time begins and ends.
final class MemoryWaits: Sendable {
  private struct State {
    var total: Int64 = 0
    /// When the wait began that goes on, in monotonic nanoseconds; nil while there is none.
    var since: Int64?
  }

  private let state = Mutex(State())

  func begin() {
    let now = MonotonicTime.now().nanoseconds
    state.withLock { $0.since = now }
  }

  func end() {
    let now = MonotonicTime.now().nanoseconds
    state.withLock { state in
      if let since = state.since { state.total += now - since }
      state.since = nil
    }
  }

  /// All waits until now.
  var nanoseconds: Int64 {
    state.withLock { state in
      state.total + (state.since.map { MonotonicTime.now().nanoseconds - $0 } ?? 0)
    }
  }
}
