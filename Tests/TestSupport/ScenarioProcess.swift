import Glibc

/// A program as a process of its own, which ends with the last reference at the latest.
///
/// Its output goes to files, so that no pipe can fill up.
public final class ChildProcess {
  public let id: pid_t
  private let folder: TemporaryDirectory
  private let leadsGroup: Bool
  private var ended: Int32?

  /// The whole environment, unless said otherwise: nothing of whoever runs the tests. Without UTF-8 mpg123 shows no title
  /// that has more than ASCII.
  public static let plainEnvironment = [
    "PATH=/usr/bin:/bin", "HOME=/nonexistent", "LC_ALL=C.UTF-8",
  ]

  /// - Parameters:
  ///   - command: the program (found in PATH) and its arguments.
  ///   - environment: the whole of it, as `NAME=VALUE`.
  ///   - passing: descriptors that it gets from this process, by the numbers they have there.
  ///   - leadsGroup: whether it is a group of processes with all that it starts, which ends with it.
  public init(
    _ command: [String], environment: [String] = plainEnvironment, passing: [Int32: Int32] = [:],
    leadsGroup: Bool = false
  ) throws {
    folder = TemporaryDirectory()
    self.leadsGroup = leadsGroup
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let creating = O_WRONLY | O_CREAT | O_TRUNC
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, folder.path + "/out", creating, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, folder.path + "/log", creating, 0o600)
    for (number, descriptor) in passing {
      precondition(descriptor > 9, "no number that is taken before it is passed on")
      posix_spawn_file_actions_adddup2(&actions, descriptor, number)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    if leadsGroup { posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP)) }
    // The descriptors of the tests are not its affair: it would hold their ports.
    Self.close(from: (passing.keys.max() ?? 2) + 1, &actions)
    let arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    let variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
    defer { (arguments + variables).forEach { free($0) } }
    var id: pid_t = 0
    let code = posix_spawnp(&id, command[0], &actions, &attributes, arguments, variables)
    guard code == 0 else {
      throw Tool.Failure(description: "\(command[0]): \(String(cString: strerror(code)))")
    }
    self.id = id
  }

  /// `posix_spawn_file_actions_addclosefrom_np` of glibc 2.34, which is not imported.
  private static func close(from lowest: Int32, _ actions: inout posix_spawn_file_actions_t) {
    typealias Function =
      @convention(c) (
        UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32
      ) -> Int32
    let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np")!
    // The symbol is the function of that name, whose declaration the type repeats.
    let function = unsafeBitCast(symbol, to: Function.self)
    let code = function(&actions, lowest)
    precondition(code == 0)
  }

  deinit {
    if leadsGroup { Glibc.kill(-id, SIGKILL) }
    guard status() == nil else { return }
    Glibc.kill(id, SIGKILL)
    while waitpid(id, nil, 0) < 0 && errno == EINTR {}
  }

  /// What it wrote on standard output so far.
  public var output: String { String(decoding: outputBytes, as: UTF8.self) }

  public var outputBytes: [UInt8] { folder.read("out") }

  /// What it wrote on standard error so far.
  public var log: String { String(decoding: folder.read("log"), as: UTF8.self) }

  public func signal(_ signal: Int32) {
    if status() == nil { Glibc.kill(id, signal) }
  }

  /// The exit code, or the negative signal that ended it; nil while it runs.
  public func status() -> Int32? {
    if let ended { return ended }
    var status: Int32 = 0
    guard waitpid(id, &status, WNOHANG) == id else { return nil }
    // WIFEXITED, WEXITSTATUS: macros that Swift does not import.
    ended = status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
    return ended
  }

  /// Waits for its end.
  public func end(within seconds: Double = 60) async throws -> Int32 {
    try await eventually("the end of process \(id): \(log.suffix(1000))", within: seconds) {
      status()
    }
  }

  /// How a command ended.
  public struct Result: Sendable {
    public var status: Int32
    public var output: String
    public var log: String
    public var outputBytes: [UInt8]
  }

  /// Runs a command to its end.
  public static func run(
    _ command: [String], environment: [String] = plainEnvironment,
    within seconds: Double = 60
  ) async throws -> Result {
    let process = try ChildProcess(command, environment: environment)
    let status = try await process.end(within: seconds)
    return Result(
      status: status, output: process.output, log: process.log, outputBytes: process.outputBytes)
  }
}

/// The programs this package builds.
public enum Binary {
  /// `longwave`, beside the tests.
  public static var longwave: String { folder + "/longwave" }

  /// Where a program of the machine is: on PATH, or in Debian's usual places; nil if it is not installed.
  public static func find(_ name: String) -> String? {
    let path = getenv("PATH").map { String(cString: $0) } ?? ""
    let folders = path.split(separator: ":") + ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin"]
    return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  /// This program, which runs the tests.
  public static var tests: String {
    var path = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &path, path.count - 1)
    precondition(count > 0, "a process can read its own path")
    return String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static var folder: String { String(tests[..<tests.lastIndex(of: "/")!]) }
}
