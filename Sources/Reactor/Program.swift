import CLinux
import Glibc
import Synchronization
import Threads

/// A program that runs beside this process, with all that it starts in one group.
///
/// A thread of its own begins it, waits for its end and takes the group away: loading a program may wait for a disk.
/// While the group is there, the program stays a zombie, so that no signal reaches another group of that number.
///
/// When this process is killed, nothing is sent to the group. Its pipe breaks: its next write ends it (SIGPIPE).
public final class Program: Sendable {
  /// What happened to a program, in this order: begun or refused; exited after begun; gone at last.
  public enum News: Sendable {
    case begun(ProgramPipes)
    case refused(String)
    /// The program has ended; others of its group may still run.
    case exited(ProgramEnd)
    /// Nothing of the group is left, and no trace of the program.
    case gone
  }

  /// The seconds between asking the group to end and killing it.
  public static let grace = 3.0
  private static let graceNanoseconds: Int64 = 3_000_000_000
  /// The nanoseconds that what was killed may take to be gone: a disk may hold it.
  private static let deathNanoseconds: Int64 = 1_000_000_000
  /// Microseconds between two looks at what is left of the group.
  private static let lookInterval: UInt32 = 50_000
  /// Beginnings of the names of variables that are ours alone: some hold secrets, others are a service manager's.
  private static let hiddenVariables = [
    "LONGWAVE_", "NOTIFY_SOCKET=", "WATCHDOG_", "LISTEN_", "JOURNAL_STREAM=",
  ]

  private struct State {
    /// The program, until it is forgotten; zero before and after.
    var child: pid_t = 0
    var isEnding = false
    var hasExited = false
    /// When those of the group that still run are killed, in nanoseconds.
    var deadline = Int64.max

    mutating func askToEnd() {
      isEnding = true
      guard child > 0 else { return }
      kill(-child, SIGTERM)
      deadline = min(deadline, monotonicNanoseconds() + Program.graceNanoseconds)
    }
  }

  private let call: ProgramCall
  /// What becomes the program's standard input; -1: what the call says.
  private let socket: Int32
  private let tell: @Sendable (News) -> Void
  private let state = Mutex(State())
  private let exit = Signal()

  private init(_ call: ProgramCall, socket: Int32, tell: @escaping @Sendable (News) -> Void) {
    self.call = call
    self.socket = socket
    self.tell = tell
  }

  /// Begins a program. Nil: the system gives no thread for it.
  ///
  /// - Parameters:
  ///   - socket: becomes the program's standard input, and is closed here in any case; see `ProgramSocket`.
  ///   - tell: called on the program's thread; must not block.
  public static func begin(
    _ call: ProgramCall, socket: Int32 = -1, tell: @escaping @Sendable (News) -> Void
  ) -> Program? {
    let program = Program(call, socket: socket, tell: tell)
    if SystemThread.start("command", { program.run() }) { return program }
    if socket >= 0 { close(socket) }
    return nil
  }

  /// The program's number; nil before it is begun and once it is forgotten.
  public var id: Int32? {
    state.withLock { $0.child > 0 ? $0.child : nil }
  }

  /// Kills the group at once. Does not block.
  public func endAtOnce() {
    state.withLock { state in
      state.isEnding = true
      if state.child > 0 { kill(-state.child, SIGKILL) }
    }
  }

  /// Asks the group to end, and kills it after `grace` seconds. Does not block.
  public func end() {
    let isFirst = state.withLock { state in
      if state.isEnding { return false }
      state.askToEnd()
      return state.child > 0 && !state.hasExited
    }
    if isFirst { killLater() }
  }

  private func killLater() {
    let isWaiting = SystemThread.start("command.end") { [self] in
      while millisecondsLeft > 0 { exit.wait(milliseconds: millisecondsLeft) }
      killRunning()
    }
    // Without a thread there is no wait.
    if !isWaiting { killRunning() }
  }

  /// The time until the program is killed; zero once it has ended.
  private var millisecondsLeft: Int32 {
    state.withLock { state in
      if state.hasExited { return 0 }
      return Int32(clamping: max(0, state.deadline - monotonicNanoseconds()) / 1_000_000)
    }
  }

  /// Kills the group, unless its leader has ended: the rest of it then has its own time.
  private func killRunning() {
    state.withLock { state in
      if state.child > 0, !state.hasExited { kill(-state.child, SIGKILL) }
    }
  }

  // MARK: The program's thread

  private func run() {
    defer { tell(.gone) }
    do throws(ProgramError) {
      let (child, pipes) = try spawn()
      let isUnwanted = state.withLock { state in
        state.child = child
        if state.isEnding { state.askToEnd() }
        return state.isEnding
      }
      if isUnwanted { killLater() } else { tell(.begun(pipes)) }
      tell(.exited(awaitEnd(of: child)))
      clear(child)
    } catch {
      tell(.refused("\(error)"))
    }
  }

  private func spawn() throws(ProgramError) -> (pid_t, ProgramPipes) {
    defer { if socket >= 0 { close(socket) } }
    let path = try call.path()
    guard access(call.folder, X_OK) == 0 else { throw .noFolder(call.folder) }
    guard let output = Pipe.open(), let errors = Pipe.open() else {
      throw .refused(path, EMFILE)
    }
    let arguments: [UnsafeMutablePointer<CChar>?] = call.arguments.map { strdup($0) } + [nil]
    let hidden = Self.hiddenVariables.map { UnsafePointer(strdup($0)) } + [nil]
    defer {
      for argument in arguments { free(argument) }
      for name in hidden { free(UnsafeMutablePointer(mutating: name)) }
    }
    var child: pid_t = 0
    let code = linux_spawn(
      path, arguments, call.folder, hidden, socket >= 0 ? socket : call.readsInput ? 0 : -1,
      output.writing, errors.writing, &child)
    guard code == 0 else { throw .refused(path, code) }
    return (child, ProgramPipes(output: output.reading(), errors: errors.reading()))
  }

  private func awaitEnd(of child: pid_t) -> ProgramEnd {
    let code = linux_await_end(child)
    state.withLock { state in
      state.hasExited = true
      // The number may be another program's by now.
      if code == LINUX_END_UNKNOWN { state.child = 0 }
    }
    exit.raise()
    if code == LINUX_END_UNKNOWN { return .unknown }
    return code < 0 ? .signalled(-code) : .exited(code)
  }

  /// Ends what the program has left behind, and forgets the program.
  private func clear(_ child: pid_t) {
    guard state.withLock({ $0.child > 0 }) else { return }
    if ProcessGroup.hasOthers(than: child) {
      let deadline = state.withLock { state in
        state.askToEnd()
        return state.deadline
      }
      awaitOthers(than: child, until: deadline)
      kill(-child, SIGKILL)
      awaitOthers(than: child, until: monotonicNanoseconds() + Self.deathNanoseconds)
    }
    state.withLock { state in
      kill(-child, SIGKILL)
      state.child = 0
      linux_reap(child)
    }
  }

  private func awaitOthers(than child: pid_t, until deadline: Int64) {
    while ProcessGroup.hasOthers(than: child), monotonicNanoseconds() < deadline {
      usleep(Self.lookInterval)
    }
  }
}

/// The processes of a group, as `/proc` lists them.
enum ProcessGroup {
  /// Whether the group has processes that run, besides its leader.
  static func hasOthers(than leader: pid_t) -> Bool {
    guard let folder = opendir("/proc") else { return true }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard let id = pid_t(name), id != leader else { continue }
      if group(of: id) == leader { return true }
    }
    return false
  }

  /// Returns a process's group; nil for a zombie, and for one that is gone (proc_pid_stat(5)).
  private static func group(of id: pid_t) -> pid_t? {
    let file = open("/proc/\(id)/stat", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = read(file, &bytes, bytes.count)
    guard count > 0 else { return nil }
    // The name in brackets may hold anything; state, parent and group follow it.
    let text = String(decoding: bytes[..<count], as: UTF8.self)
    let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
    guard fields.count > 3, fields[1] != "Z" else { return nil }
    return pid_t(fields[3])
  }
}
