import Synchronization

/// Does work in folders that may hang: each folder's tasks run one after another on a thread of its own.
///
/// A caller waits only as long as it allows. So a folder has one writer, even while an earlier task hangs.
package final class FolderTurns: Sendable {
  private typealias Work = @Sendable () -> Void

  /// Tasks that wait for a running task, by folder. A folder with a running task has a queue, maybe empty.
  private let waiting = Mutex<[String: FIFO<Work>]>([:])

  package init() {}

  /// Whether no task of the folder runs or waits.
  package func isFree(_ folder: String) -> Bool { waiting.withLock { $0[folder] == nil } }

  package var isIdle: Bool { waiting.withLock(\.isEmpty) }

  /// The folders in which a task runs or waits.
  package var busy: [String] { waiting.withLock { $0.keys.sorted() } }

  /// Does `work` after all tasks that were submitted for `folder` before.
  ///
  /// - Parameters:
  ///   - seconds: the longest wait for the result; nil: until it is there.
  ///   - late: receives a result that came after the wait, before the folder's next task begins.
  /// - Returns: the result; nil if it was not there in time.
  @discardableResult
  package func run<Value: Sendable>(
    in folder: String, within seconds: Double?,
    late: @escaping @Sendable (Value) -> Void = { _ in },
    _ work: @escaping @Sendable () -> Value
  ) async -> Value? {
    let wait = begin(in: folder, late, work)
    guard let seconds else { return await wait.value }
    let patience = Task {
      try await Task.sleep(for: .seconds(seconds))
      wait.end(nil)
    }
    defer { patience.cancel() }
    return await wait.value
  }

  /// Does `work` after all tasks that were submitted for `folder` before, and waits as long as the work gets on.
  ///
  /// - Parameter isStuck: asked a few times a second; the result is not waited for any more when it is true.
  /// - Returns: the result; nil if it was not waited for.
  package func run<Value: Sendable>(
    in folder: String, unless isStuck: @escaping @Sendable () -> Bool,
    late: @escaping @Sendable (Value) -> Void = { _ in },
    _ work: @escaping @Sendable () -> Value
  ) async -> Value? {
    let wait = begin(in: folder, late, work)
    let patience = Task {
      while !isStuck() { try await Task.sleep(for: .milliseconds(200)) }
      wait.end(nil)
    }
    defer { patience.cancel() }
    return await wait.value
  }

  private func begin<Value: Sendable>(
    in folder: String, _ late: @escaping @Sendable (Value) -> Void,
    _ work: @escaping @Sendable () -> Value
  ) -> Wait<Value> {
    let wait = Wait<Value>()
    submit(in: folder) {
      let value = work()
      if !wait.end(value) { late(value) }
    }
    return wait
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
    // When the machine gives no thread, the calling thread does the work.
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
