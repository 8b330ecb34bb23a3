import Foundation
import Longwave
import LongwaveAdmin

/// The reason why a well-formed command failed, in one line.
struct CommandFailure: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

/// The standard streams of a command.
enum Terminal {
  /// Writes lines for people to standard output, without delay even into a pipe. On a terminal no line is wider than
  /// it, as far as words allow.
  static func write(_ text: String) {
    let safe = TerminalText.safe(text, keepingLines: true, keepingColors: true)
    let width = width
    let lines = safe.split(separator: "\n", omittingEmptySubsequences: false)
      .flatMap { TextLines.wrapped(String($0), to: width, indent: "  ") }
    print(TerminalText.colored(lines.joined(separator: "\n"), hasColors: hasColors) + "\n")
  }

  /// Writes text for programs to standard output, byte for byte. The command ends where that cannot be done: what
  /// follows would be lost, too.
  static func print(_ text: String) { print(Array(text.utf8).span) }

  /// Writes bytes as `print` does text.
  static func print(_ bytes: Span<UInt8>) {
    switch StandardOutput.write(bytes) {
    case nil: break
    // Who reads has had enough.
    case EPIPE?: Foundation.exit(EXIT_SUCCESS)
    case let code?:
      complain(unwritable(code))
      Foundation.exit(EXIT_FAILURE)
    }
  }

  /// Writes text for people who start a server, which runs all the same where that cannot be done.
  static func announce(_ text: String) {
    if let code = StandardOutput.write(Array(text.utf8).span) { complain(unwritable(code)) }
  }

  private static func unwritable(_ code: Int32) -> String {
    "cannot write standard output: \(String(cString: strerror(code)))"
  }

  /// Writes to standard error, with the program's name before each line.
  static func complain(_ text: String) {
    let lines = text.split(separator: "\n").map { "longwave: \(TerminalText.safe(String($0)))\n" }
    try? FileHandle.standardError.write(contentsOf: Data(lines.joined().utf8))
  }

  /// The columns of the terminal, or the value of COLUMNS; nil if standard output is no terminal.
  static var width: Int? {
    guard isatty(1) == 1 else { return nil }
    if let text = ProcessInfo.processInfo.environment["COLUMNS"], let columns = Int(text),
      columns > 0
    {
      return columns
    }
    var size = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// The columns that help is laid out for.
  static var columns: Int { width ?? 80 }

  /// Whether words may be coloured: on a terminal that can, unless NO_COLOR is set (no-color.org).
  static var hasColors: Bool {
    let environment = ProcessInfo.processInfo.environment
    return isatty(1) == 1 && environment["NO_COLOR"]?.isEmpty != false
      && environment["TERM"] != "dumb"
  }

  /// Whether the terminal shows more than ASCII.
  static var isUnicode: Bool { Screen.isUnicode(ProcessInfo.processInfo.environment) }

  static var isOutput: Bool { isatty(1) == 1 }

  static var canAsk: Bool { isatty(0) == 1 && isatty(1) == 1 }

  /// Asks a question; anything but yes is no.
  static func ask(_ question: String) -> Bool {
    print(TerminalText.safe(question) + " [y/N] ")
    return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
  }
}
