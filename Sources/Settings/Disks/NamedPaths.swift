import Synchronization
import Threads
import Timeshift
import Wire

/// Looks at files and folders that a configuration or a command names; their disks may hang.
///
/// Looks under one name run one after the other, on a thread of their own (`FolderTurns`), and `look` waits no longer
/// than `patience`. So however often it is tried, a disk that hangs holds one thread for each name.
package final class NamedPaths: Sendable {
  /// Seconds that `look` waits.
  package let patience: Double
  private let turns = FolderTurns()
  private let running = Mutex<[String: PathLook]>([:])
  /// Called on the look's thread with the look's name and each path that is to be looked at: for tests of disks that
  /// hang.
  private let before: (@Sendable (_ name: String, _ path: String) -> Void)?

  /// Number of hanging names at which no other name is waited for any more.
  private static let hangingMax = 64
  /// Seconds after which a look counts as hanging.
  private static let promptness = 1.0

  package init(
    patience: Double = SilentPath.patience,
    before: (@Sendable (_ name: String, _ path: String) -> Void)? = nil
  ) {
    (self.patience, self.before) = (patience, before)
  }

  /// Returns the outcome of `work`; throws when it takes longer than `patience`.
  package func look<Outcome: Sendable>(
    _ name: String, _ work: @escaping @Sendable () -> Outcome
  ) async throws(SilentPath) -> Outcome {
    try await look(name, within: patience, work)
  }

  /// Returns the outcome of `work`, however long it takes. Throws only when too many names hang.
  package func wait<Outcome: Sendable>(
    _ name: String, _ work: @escaping @Sendable () -> Outcome
  ) async throws(SilentPath) -> Outcome {
    try await look(name, within: nil, work)
  }

  private func look<Outcome: Sendable>(
    _ name: String, within seconds: Double?, _ work: @escaping @Sendable () -> Outcome
  ) async throws(SilentPath) -> Outcome {
    if hanging >= Self.hangingMax, running.withLock({ $0[name] == nil }) { throw silence(name) }
    let look = PathLook { [before] path in before?(name, path) }
    let value = await turns.run(in: name, within: seconds) { [self] () -> Outcome? in
      // The caller gave up while this look waited behind one that hung.
      if look.isGivenUp { return nil }
      look.begin()
      running.withLock { $0[name] = look }
      defer { running.withLock { $0[name] = nil } }
      return PathLook.$current.withValue(look) { work() }
    }
    if case .some(.some(let value)) = value { return value }
    look.giveUp()
    throw silence(name)
  }

  private var hanging: Int {
    let now = MonotonicTime.now()
    return running.withLock { running in
      running.values.count { now.seconds(since: $0.beganAt) > Self.promptness }
    }
  }

  private func silence(_ name: String) -> SilentPath {
    SilentPath(path: running.withLock { $0[name] }?.path ?? name, seconds: patience)
  }
}
