import Foundation
import Reactor
import Synchronization

/// What must not outlive the bench, however it ends: child processes and temporary directories.
enum Leftovers {
  private struct State {
    var processes: Set<pid_t> = []
    var directories: Set<String> = []
  }

  private static let state = Mutex(State())

  static func note(process: pid_t) { state.withLock { _ = $0.processes.insert(process) } }
  static func forget(process: pid_t) { state.withLock { _ = $0.processes.remove(process) } }

  /// A new directory that others may enter: icecast2 runs as somebody else.
  static func makeDirectory() throws -> String {
    let path = FileManager.default.temporaryDirectory.path + "/longwave-bench-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    state.withLock { _ = $0.directories.insert(path) }
    return path
  }

  static func remove(directory: String) {
    try? FileManager.default.removeItem(atPath: directory)
    state.withLock { _ = $0.directories.remove(directory) }
  }

  /// Ends and removes everything on SIGINT and SIGTERM, and then the bench.
  static func clearOnSignals() throws {
    try SignalWatch.install()
    Thread.detachNewThread {
      while SignalWatch.next() != .stop {}
      clear()
      _exit(130)
    }
  }

  private static func clear() {
    // The lock is kept: nothing new may begin in the last moment.
    state.withLock { state in
      for process in state.processes { kill(process, SIGKILL) }
      for process in state.processes { waitpid(process, nil, 0) }
      for directory in state.directories { try? FileManager.default.removeItem(atPath: directory) }
    }
  }
}
