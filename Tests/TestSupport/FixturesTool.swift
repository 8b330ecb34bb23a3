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
  public static func run(_ command: [String], in scratch: Scratch) throws -> Result {
    let out = scratch.path("stdout")
    let log = scratch.path("stderr")
    let status = try spawn(command, out: out, log: log)
    return Result(
      status: status, output: try Scratch.read(out),
      log: String(decoding: try Scratch.read(log), as: UTF8.self))
  }

  /// The same, but a status other than 0 is an error that quotes the tool.
  @discardableResult
  public static func must(_ command: [String], in scratch: Scratch) throws -> Result {
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

/// A directory of its own in the system's temporary one; it and its files go with the last
/// reference.
public final class Scratch: Sendable {
  private let directory: String

  public init() throws {
    let root = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(root)/longwave-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw Tool.Failure(description: "mkdtemp in \(root): errno \(errno)")
    }
    directory = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  public func path(_ name: String) -> String { "\(directory)/\(name)" }

  /// Writes a file and answers its path.
  public func write(_ bytes: [UInt8], as name: String) throws -> String {
    let path = path(name)
    guard let file = fopen(path, "w") else {
      throw Tool.Failure(description: "\(path): errno \(errno)")
    }
    let written = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, written == bytes.count else {
      throw Tool.Failure(description: "\(path): cannot write")
    }
    return path
  }

  /// The whole of a file.
  public static func read(_ path: String) throws -> [UInt8] {
    guard let file = fopen(path, "r") else {
      throw Tool.Failure(description: "\(path): errno \(errno)")
    }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let got = fread(&buffer, 1, buffer.count, file)
      guard got > 0 else { return bytes }
      bytes.append(contentsOf: buffer[..<got])
    }
  }

  deinit { Self.remove(directory) }

  /// A folder with everything in it; links are not followed.
  private static func remove(_ folder: String) {
    if let entries = opendir(folder) {
      while let entry = readdir(entries) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        let path = "\(folder)/\(name)"
        if name != ".", name != "..", unlink(path) != 0, errno == EISDIR { remove(path) }
      }
      closedir(entries)
    }
    rmdir(folder)
  }
}
