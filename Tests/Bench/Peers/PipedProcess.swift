import Foundation
import Reactor

/// A part or a server in a process of its own, with pipes to its standard input and output.
///
/// Only the thread that runs the comparison uses the object.
final class PipedProcess {
  let id: pid_t
  private var input: Int32
  private let output: Int32
  private var received: [UInt8] = []
  private var hasEnded = false

  /// - Parameters:
  ///   - arguments: The program, absolute or found on PATH, and its arguments.
  ///   - log: The file for standard output and standard error; nil for a pipe as output and the bench's own standard
  ///     error.
  init(_ arguments: [String], log: String? = nil) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let toChild = try Self.pipeEnds()
    let fromChild = try Self.pipeEnds()
    posix_spawn_file_actions_adddup2(&actions, toChild.read, STDIN_FILENO)
    if let log {
      posix_spawn_file_actions_addopen(
        &actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0o666)
      posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    } else {
      posix_spawn_file_actions_adddup2(&actions, fromChild.write, STDOUT_FILENO)
    }
    defer {
      close(toChild.read)
      close(fromChild.write)
    }
    do {
      id = try Self.spawn(arguments, &actions)
    } catch {
      close(toChild.write)
      close(fromChild.read)
      throw error
    }
    input = toChild.write
    output = fromChild.read
    Leftovers.note(process: id)
  }

  deinit {
    stop(patience: 0)
    close(output)
  }

  var isRunning: Bool {
    if !hasEnded && waitpid(id, nil, WNOHANG) == id { markEnded() }
    return !hasEnded
  }

  func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
  }

  /// Returns the next line of the process's output.
  func line(within seconds: Double, of what: String) throws -> String {
    let deadline = monotonicNow() + Int64(seconds * 1e9)
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      if let end = received.firstIndex(of: 10) {
        defer { received.removeFirst(end + 1) }
        return String(decoding: received[..<end], as: UTF8.self)
      }
      let left = (deadline - monotonicNow()) / 1_000_000
      guard left > 0 else { throw BenchError("\(what): no word for \(Int(seconds)) s") }
      var entry = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, Int32(min(left, 60_000))) > 0 else { continue }
      let count = read(output, &buffer, buffer.count)
      guard count > 0 else { throw BenchError("\(what) has ended") }
      received += buffer[..<count]
    }
  }

  /// Asks the process to end, and kills it after `seconds`.
  func stop(patience seconds: Double = 3) {
    if input >= 0 { close(input) }
    input = -1
    guard isRunning else { return }
    kill(id, SIGTERM)
    let deadline = monotonicNow() + Int64(seconds * 1e9)
    while isRunning && monotonicNow() < deadline { usleep(10_000) }
    guard isRunning else { return }
    kill(id, SIGKILL)
    waitpid(id, nil, 0)
    markEnded()
  }

  private func markEnded() {
    hasEnded = true
    Leftovers.forget(process: id)
  }

  /// Makes a pipe whose ends are closed in children, except where they are passed on purpose.
  private static func pipeEnds() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw SystemError(call: "pipe", code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func spawn(
    _ arguments: [String], _ actions: inout posix_spawn_file_actions_t
  ) throws -> pid_t {
    // The bench ignores SIGPIPE; a server must start with the default, as from a shell.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var defaults = sigset_t()
    sigemptyset(&defaults)
    sigaddset(&defaults, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var id = pid_t()
    let code = posix_spawnp(&id, arguments[0], &actions, &attributes, &words, environ)
    guard code == 0 else { throw SystemError(call: "spawn", on: arguments[0], code: code) }
    return id
  }
}
