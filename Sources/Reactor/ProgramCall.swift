import Glibc

/// A program of this machine with its arguments. No shell reads them.
public struct ProgramCall: Hashable, Sendable {
  /// The program, by its path or as it is found in PATH, and its arguments.
  public let arguments: [String]
  /// The folder that the program runs in; relative paths begin there.
  public let folder: String
  /// Whether the program reads this process's standard input, and so is run once; others have none.
  public let readsInput: Bool
  /// The text shown in the program's place: the source that it reads. A call waits while another one with its label
  /// ends.
  public let label: String?
  /// The Debian package that has the program; nil where that is not known.
  public let package: String?

  /// The program that passes on standard input, whatever kind of file that is.
  public static let input = ProgramCall(
    ["cat"], in: "/", readsInput: true, label: "standard input")

  /// - Parameter arguments: the program and its arguments; the program at least.
  public init(
    _ arguments: [String], in folder: String, readsInput: Bool = false, label: String? = nil,
    package: String? = nil
  ) {
    precondition(!arguments.isEmpty, "a call names a program")
    self.arguments = arguments
    self.folder = folder
    self.readsInput = readsInput
    self.label = label
    self.package = package
  }

  /// Whether both may need the same device: a call that begins while the other one ends has to wait.
  public func excludes(_ other: ProgramCall) -> Bool {
    self == other || label != nil && label == other.label
  }

  /// The program's name without its folder, which everybody may see. Arguments may hold secrets.
  public var name: String {
    let program = arguments[0]
    return program.split(separator: "/").last.map(String.init) ?? program
  }

  /// Returns the program's file. Blocks.
  public func path() throws(ProgramError) -> String {
    var hidden: String?
    for path in candidates {
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      if faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0 { return path }
      hidden = hidden ?? path
    }
    if let hidden { throw .notExecutable(hidden) }
    if let package { throw .notInstalled(package, program: arguments[0]) }
    throw .notFound(arguments[0])
  }

  /// The paths that may be the program's, in order. PATH means the working folder by relative and empty entries; that
  /// would be any folder.
  private var candidates: [String] {
    let program = arguments[0]
    if program.hasPrefix("/") { return [program] }
    if program.contains("/") { return [folder + "/" + program] }
    let places = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
    return places.split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/\(program)" }
  }
}

/// Why a program cannot be run.
public enum ProgramError: Error, Hashable, Sendable, CustomStringConvertible {
  case notFound(String)
  case notInstalled(_ package: String, program: String)
  /// A file of that name is there, and this user may not execute it.
  case notExecutable(String)
  case noFolder(String)
  /// The system refuses, with this `errno`.
  case refused(String, Int32)

  public var description: String {
    switch self {
    case .notFound(let program):
      program.contains("/")
        ? "no such program: \(program)" : "no such program: \(program) (looked for in PATH)"
    case .notInstalled(let package, let program):
      "\(package) is not installed: no such program: \(program) (looked for in PATH)"
    case .notExecutable(let path): "\(path) is not executable; chmod +x makes it so"
    case .noFolder(let folder): "there is no folder \(folder) to run it in"
    case .refused(let path, ENOENT): "\(path) cannot be run: its interpreter is missing"
    case .refused(let path, ENOEXEC):
      "\(path) cannot be run: it is no program; a script begins with #!"
    case .refused(let path, let code):
      "\(path) cannot be run: \(SystemError(call: "posix_spawn", code: code).reason)"
    }
  }
}

/// How a program ended.
public enum ProgramEnd: Hashable, Sendable {
  case exited(Int32)
  case signalled(Int32)
  /// Nobody knows: the program was no child of this process any more.
  case unknown

  /// The end in words that follow the program's name.
  public var words: String {
    switch self {
    case .exited(0): "ended"
    case .exited(let code): "ended with exit code \(code)"
    case .signalled(let number): "was ended by signal \(number) (\(Self.word(for: number)))"
    case .unknown: "has gone"
    }
  }

  private static func word(for number: Int32) -> String {
    strsignal(number).map { String(cString: $0) } ?? "unknown"
  }
}
