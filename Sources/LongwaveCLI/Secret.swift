import Foundation
import Longwave

/// Reads a secret from a file or a terminal; every user of the machine could read it on a command line (`ps`).
struct Secret {
  private static let bytesMax = 4096

  /// Returns the first line of a file; with `-` of standard input, where a terminal does not echo it.
  static func read(from path: String, asking question: String) throws -> String {
    let text = path == "-" ? try typed(question) : try file(path)
    let line = text.prefix { !$0.isNewline }
    guard !line.isEmpty else {
      throw CommandFailure(
        "\(path == "-" ? "standard input" : path) has no secret in its first line")
    }
    return String(line)
  }

  private static func file(_ path: String) throws -> String {
    guard let handle = FileHandle(forReadingAtPath: path) else { throw refused(path, errno) }
    defer { try? handle.close() }
    var status = stat()
    let isKnown = fstat(handle.fileDescriptor, &status) == 0
    if isKnown, status.st_mode & S_IFMT == S_IFDIR { throw refused(path, EISDIR) }
    if isKnown, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 {
      Terminal.complain("others may read \(path); chmod 600 \(path)")
    }
    let bytes = try handle.read(upToCount: bytesMax) ?? Data()
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandFailure("\(path) is not UTF-8")
    }
    return text
  }

  private static func refused(_ path: String, _ code: Int32) -> CommandFailure {
    CommandFailure(
      "cannot read \(path): \(String(cString: strerror(code))); "
        + "name a file whose first line is the secret")
  }

  private static func typed(_ question: String) throws -> String {
    guard isatty(0) == 1 else { return readLine() ?? "" }
    // The question goes to the terminal: standard output may be a pipe.
    FileHandle.standardError.write(Data("\(question): ".utf8))
    var shown = termios()
    let isTerminal = tcgetattr(0, &shown) == 0
    var silent = shown
    silent.c_lflag &= ~tcflag_t(ECHO)
    if isTerminal { tcsetattr(0, TCSAFLUSH, &silent) }
    defer {
      if isTerminal { tcsetattr(0, TCSAFLUSH, &shown) }
      FileHandle.standardError.write(Data("\n".utf8))
    }
    return readLine() ?? ""
  }
}
