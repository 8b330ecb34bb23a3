import Synchronization
import Timeshift
import Wire

/// Looks at files and folders that a configuration or a command names, for whoever waits for an answer: their disks may
/// hang.
///
/// What is looked at under one name is looked at one after the other, on a thread of its own (`FolderTurns`), and nobody
/// waits for it longer than `patience`. So however often it is tried, a disk that hangs holds one thread for each name.
final class NamedPaths: Sendable {
  /// Seconds.
  let patience: Double
  private let turns = FolderTurns()
  private let running = Mutex<[String: PathLook]>([:])
  /// Done before each path that is looked at, on its thread: for tests of disks that hang.
  private let before: (@Sendable (String) -> Void)?

  /// Where so many names hang, nobody waits for another one.
  private static let hangingMax = 64
  /// Seconds: what takes longer hangs.
  private static let promptness = 1.0

  init(
    patience: Double = SilentFolders.patience, before: (@Sendable (String) -> Void)? = nil
  ) {
    (self.patience, self.before) = (patience, before)
  }

  /// What comes of `work`, within the patience there is.
  func look<Value: Sendable>(
    _ name: String, _ work: @escaping @Sendable () -> Value
  ) async throws(SilentPath) -> Value {
    try await look(name, within: patience, work)
  }

  /// The same for who can wait for as long as it takes. Throws only where too many do.
  func wait<Value: Sendable>(
    _ name: String, _ work: @escaping @Sendable () -> Value
  ) async throws(SilentPath) -> Value {
    try await look(name, within: nil, work)
  }

  private func look<Value: Sendable>(
    _ name: String, within seconds: Double?, _ work: @escaping @Sendable () -> Value
  ) async throws(SilentPath) -> Value {
    if hanging >= Self.hangingMax, running.withLock({ $0[name] == nil }) { throw silence(name) }
    let look = PathLook(before)
    let value = await turns.run(in: name, within: seconds) { [self] () -> Value? in
      // Behind one that hung for long.
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

/// A file or folder whose disk has not answered.
struct SilentPath: Error, Hashable, Sendable, CustomStringConvertible {
  var path: String
  /// That it had.
  var seconds: Double

  var description: String {
    "\(path): its disk has not answered for \(Int(bounded: seconds, in: 0...3600)) s; "
      + SilentFolders.advice
  }
}
