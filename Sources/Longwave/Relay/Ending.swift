import Glibc
import Synchronization
import Threads
import Timeshift

/// Ends the parts of a relay one after the other, and knows what has not ended. A part whose disk hangs holds up the
/// next ones only for a moment.
package final class Ending: Sendable {
  /// Seconds that a part has before the next one ends beside it.
  private static let moment = 2.0

  private struct State {
    var isOver = false
    var number = 0
    /// The parts that have not ended, in words.
    var names: [Int: @Sendable () -> String] = [:]
    var tasks: [Task<Void, Never>] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// What has not ended, in words.
  package var left: [String] {
    state.withLock { $0.names.sorted { $0.key < $1.key }.map(\.value) }.map { $0() }
  }

  /// Ends a part. Returns when it has ended, or after a while.
  ///
  /// - Parameters:
  ///   - name: what is left as long as the part has not ended.
  ///   - seconds: how long it is waited for before the next part; nil: until it has ended.
  /// - Returns: what a later part that needs this one to have ended awaits.
  @discardableResult
  func end(
    _ name: @escaping @autoclosure @Sendable () -> String, of relay: Relay,
    within seconds: Double? = Ending.moment,
    _ work: @escaping @Sendable (isolated Relay) async -> Void
  ) async -> Task<Void, Never> {
    let number = state.withLock { state in
      state.number += 1
      state.names[state.number] = name
      return state.number
    }
    let wait = Wait<Bool>()
    let part = Task {
      await work(relay)
      state.withLock { $0.names[number] = nil }
      wait.end(true)
    }
    state.withLock { $0.tasks.append(part) }
    let patience = seconds.map { seconds in
      Task {
        try await Task.sleep(for: .seconds(seconds))
        wait.end(nil)
      }
    }
    defer { patience?.cancel() }
    _ = await wait.value
    return part
  }

  /// Returns when all parts have ended.
  func all() async {
    for task in state.withLock(\.tasks) { await task.value }
    state.withLock { $0.isOver = true }
  }

  /// Calls `giveUp` with what is left if not all has ended after so many seconds. On a thread of its own: where disks
  /// hang, tasks may too.
  package func limit(to seconds: Double, giveUp: @escaping @Sendable ([String]) -> Void) {
    let end = MonotonicTime.now().adding(seconds)
    _ = SystemThread.start("ending") { [self] in
      while !state.withLock(\.isOver) {
        if MonotonicTime.now() >= end { return giveUp(left) }
        usleep(50_000)
      }
    }
  }
}
