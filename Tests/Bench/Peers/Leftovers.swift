import Foundation
import Reactor
import Synchronization

/// The child processes and temporary directories that must not outlive the bench, however the bench ends.
enum Leftovers {
  private struct State {
    var processes: Set<pid_t> = []
    var directories: Set<String> = []
  }

  private static let state = Mutex(State())

  static func note(process: pid_t) { state.withLock { _ = $0.processes.insert(process) } }
  static func forget(process: pid_t) { state.withLock { _ = $0.processes.remove(process) } }

  /// Makes a new directory that other users may enter, because icecast2 runs as another user.
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

  /// Ends and removes everything on SIGINT and SIGTERM, and then ends the bench.
  static func clearOnSignals() throws {
    try SignalWatch.install()
    Thread.detachNewThread {
      while SignalWatch.next() != .stop {}
      clear()
      _exit(130)
    }
  }

  private static func clear() {
    // The lock is kept during the removal, so that nothing new begins in the last moment.
    state.withLock { state in
      for process in state.processes { kill(process, SIGKILL) }
      for process in state.processes { waitpid(process, nil, 0) }
      for directory in state.directories { try? FileManager.default.removeItem(atPath: directory) }
    }
  }
}
