import Dispatch
import Foundation
import Glibc
import Longwave
import Synchronization

/// A terminal that a picture of lines is drawn on, and that is put back however the program ends.
///
/// Control sequences are those of ECMA-48 and xterm; `?2026` (synchronised output) is overlooked by terminals without it.
public final class Screen: Sendable {
  private static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J"
  private static let leave = "\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"
  private static let begin = "\u{1B}[?2026h"
  private static let end = "\u{1B}[?2026l"
  /// Signals that end a program.
  private static let deadly = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  private struct State {
    var isOpen = false
    /// The keyboard's settings before; nil where the input is no terminal.
    var before: termios?
    /// Lines that the terminal shows.
    var shown: [String] = []
    var size: (columns: Int, rows: Int) = (0, 0)
    var isOver = false
    var sources: [any DispatchSourceProtocol] = []
  }

  // Unsafe where a source is handed on: sources are made and cancelled under the lock.
  private let state = Mutex(Sources())

  /// What the lock holds. Unchecked: it is touched under the lock only.
  private final class Sources: @unchecked Sendable { var state = State() }

  public init() {
    change { state in
      open(&state)
      for number in Self.deadly + [SIGTSTP, SIGCONT] {
        if number != SIGCONT { signal(number, SIG_IGN) }
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { [weak self] in self?.signalled(number) }
        source.resume()
        state.sources.append(source)
      }
      guard isatty(0) == 1 else { return }
      let keys = DispatchSource.makeReadSource(fileDescriptor: 0, queue: .global())
      keys.setEventHandler { [weak self] in self?.readKeys() }
      keys.resume()
      state.sources.append(keys)
    }
  }

  /// Puts the terminal back; further calls do nothing.
  public func close() { change { close(&$0) } }

  /// Draws a picture again and again until somebody ends it.
  ///
  /// - Parameter lines: Returns the picture for so many columns and rows; no line may be wider.
  public func show(
    every pause: Duration, _ lines: @Sendable (_ columns: Int, _ rows: Int) -> [String]
  ) async throws {
    while !change({ $0.isOver }) {
      // The picture is made outside the lock, since signals are waiting for it.
      let size = Self.size
      let lines = Array(lines(size.columns, size.rows).prefix(size.rows))
      change { draw(lines, size, &$0) }
      try await Task.sleep(for: pause)
    }
  }

  @discardableResult
  private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    state.withLock { body(&$0.state) }
  }

  // MARK: The terminal

  private func open(_ state: inout State) {
    if state.isOpen { return }
    (state.isOpen, state.shown, state.size) = (true, [], (0, 0))
    var settings = termios()
    if isatty(0) == 1, tcgetattr(0, &settings) == 0 {
      state.before = settings
      settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
      tcsetattr(0, TCSANOW, &settings)
    }
    Self.write(Self.enter)
  }

  private func close(_ state: inout State) {
    guard state.isOpen else { return }
    state.isOpen = false
    Self.write(Self.leave)
    if var before = state.before { tcsetattr(0, TCSANOW, &before) }
    state.before = nil
  }

  private func draw(_ lines: [String], _ size: (columns: Int, rows: Int), _ state: inout State) {
    guard state.isOpen else { return }
    var text = ""
    if size != state.size { (state.size, state.shown, text) = (size, [], "\u{1B}[2J") }
    for row in 0..<max(lines.count, state.shown.count) {
      let line = row < lines.count ? lines[row] : ""
      if row < state.shown.count, state.shown[row] == line { continue }
      text += "\u{1B}[\(row + 1);1H\(line)\u{1B}[K"
    }
    state.shown = lines
    if text.isEmpty { return }
    if !Self.write(Self.begin + text + Self.end) { state.isOver = true }
  }

  private static var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return (80, 24)
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Whether the locale says UTF-8 (POSIX: the first of these that is set counts).
  public static func isUnicode(_ environment: [String: String]) -> Bool {
    let name = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }
      .first { !$0.isEmpty }
    return name?.uppercased().replacing("-", with: "").contains("UTF8") ?? false
  }

  /// Writes all of a text; false when the terminal has gone.
  @discardableResult
  private static func write(_ text: String) -> Bool {
    StandardOutput.write(Array(text.utf8).span) == nil
  }

  // MARK: Keys and signals

  private func readKeys() {
    var keys = [UInt8](repeating: 0, count: 64)
    let count = read(0, &keys, keys.count)
    if count <= 0 || keys[..<count].contains(where: { "qQ".utf8.contains($0) }) {
      change { $0.isOver = true }
    }
  }

  private func signalled(_ number: Int32) {
    switch number {
    case SIGCONT: change { open(&$0) }
    case SIGTSTP:
      change { close(&$0) }
      // SIGSTOP cannot be handled, so nothing has to be set aside for it.
      kill(getpid(), SIGSTOP)
    default:
      change { close(&$0) }
      signal(number, SIG_DFL)
      kill(getpid(), number)
    }
  }
}
