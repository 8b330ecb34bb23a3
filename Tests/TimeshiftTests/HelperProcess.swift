import Glibc
import Testing

/// A `CrashWriter` in a process of its own.
struct HelperProcess {
  private let process: pid_t
  private let output: Int32

  init(_ arguments: String...) throws {
    var pipe: [Int32] = [0, 0]
    try #require(Glibc.pipe(&pipe) == 0)
    _ = fcntl(pipe[0], F_SETFD, FD_CLOEXEC)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, pipe[1], 1)
    posix_spawn_file_actions_addclose(&actions, pipe[1])
    defer { posix_spawn_file_actions_destroy(&actions) }
    var words: [UnsafeMutablePointer<CChar>?] = ([Self.path] + arguments).map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var process = pid_t()
    let result = posix_spawn(&process, Self.path, &actions, nil, &words, environ)
    close(pipe[1])
    self.process = process
    output = pipe[0]
    try #require(result == 0, "\(Self.path) can be started")
  }

  /// The next line it says; nil when it has ended.
  func line() -> String? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while read(output, &byte, 1) == 1 {
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
    return nil
  }

  /// Kills it, if it is still there.
  func end() {
    kill(process, SIGKILL)
    var status: Int32 = 0
    waitpid(process, &status, 0)
    close(output)
  }

  /// Built beside the tests.
  private static var path: String {
    let own = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    guard let full = realpath(own, nil) else { return own }
    defer { free(full) }
    let parts = String(cString: full).split(separator: "/").dropLast()
    return "/" + parts.joined(separator: "/") + "/CrashWriter"
  }
}
