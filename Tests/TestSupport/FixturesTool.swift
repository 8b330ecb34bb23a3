import Glibc

/// A command of the test machine (`lame`, `ffmpeg`, `ffprobe`, `mpg123`), run and waited for.
public enum Tool {
  public struct Result: Sendable {
    public var status: Int32
    public var output: [UInt8]
    /// What it said on stderr.
    public var log: String
  }

  public struct Failure: Error, CustomStringConvertible {
    public var description: String
  }

  /// Runs `command` (found in PATH) with its output going through files in `scratch`, so that no
  /// pipe can fill up. A status other than 0 is the caller's affair.
  public static func run(_ command: [String], in scratch: TemporaryDirectory) throws -> Result {
    let out = scratch.file("stdout")
    let log = scratch.file("stderr")
    let status = try spawn(command, out: out, log: log)
    return Result(
      status: status, output: try readFile(out),
      log: String(decoding: try readFile(log), as: UTF8.self))
  }

  /// The same, but a status other than 0 is an error that quotes the tool.
  @discardableResult
  public static func must(_ command: [String], in scratch: TemporaryDirectory) throws -> Result {
    let result = try run(command, in: scratch)
    guard result.status == 0 else {
      throw Failure(description: "\(command) ended with \(result.status): \(result.log)")
    }
    return result
  }

  private static func spawn(_ command: [String], out: String, log: String) throws -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let creating = O_WRONLY | O_CREAT | O_TRUNC
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, out, creating, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, log, creating, 0o600)
    let arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var pid: pid_t = 0
    let code = posix_spawnp(&pid, command[0], &actions, nil, arguments, environ)
    guard code == 0 else { throw Failure(description: "\(command[0]): errno \(code)") }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
    // WIFEXITED, WEXITSTATUS: macros that Swift does not import.
    return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
  }
}
