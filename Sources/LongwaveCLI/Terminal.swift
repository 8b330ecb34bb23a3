import Foundation

/// Where commands write.
enum Terminal {
  /// One line, or several, on standard output; at once, also where that is a pipe.
  static func write(_ text: String, ending: String = "\n") {
    try? FileHandle.standardOutput.write(contentsOf: Data((text + ending).utf8))
  }

  /// On standard error, each line with our name.
  static func complain(_ text: String) {
    let lines = text.split(separator: "\n").map { "longwave: \($0)\n" }.joined()
    try? FileHandle.standardError.write(contentsOf: Data(lines.utf8))
  }

  /// Columns of the terminal; nil where output is none.
  static var width: Int? {
    guard isatty(1) == 1 else { return nil }
    var size = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  static var canAsk: Bool { isatty(0) == 1 && isatty(1) == 1 }

  /// Asks for a yes; anything else is a no.
  static func ask(_ question: String) -> Bool {
    try? FileHandle.standardOutput.write(contentsOf: Data((question + " [y/N] ").utf8))
    return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
  }

  static func clear() {
    // ECMA-48: cursor home, erase in display.
    try? FileHandle.standardOutput.write(contentsOf: Data("\u{1B}[H\u{1B}[2J".utf8))
  }
}
