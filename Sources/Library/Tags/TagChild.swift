import CLinux
import Glibc
import Wire

/// The process that reads tags: this program, called with a hidden word, and a socket as its standard input.
///
/// It gets an open file and its number in one message, and answers each with one line of JSON: `[NUMBER,{…}]`, or
/// `[NUMBER,"why-not"]`. It opens no path, and ends with the socket.
public enum TagChild {
  /// The only argument of the program that makes it this process.
  public static let word = "read-tags"

  /// The most memory of the process in bytes, as addresses: 512 MiB.
  private static let memoryMax: UInt64 = 512 << 20
  /// The seconds of a processor for one file.
  private static let secondsMax: UInt32 = 10
  private static let socket: Int32 = 0

  /// Reads tags until the relay has gone.
  public static func run() {
    // A crash ends the process at once; the runtime's own handlers would start another program.
    for number in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE] { signal(number, SIG_DFL) }
    // Nobody reads its last words, and they must not hide the signal that ended it.
    signal(SIGPIPE, SIG_IGN)
    linux_confine(memoryMax)
    while let (number, file) = receive() {
      linux_limit_processor(secondsMax)
      let line = answer(number, file)
      close(file)
      guard write(line) else { return }
    }
  }

  private static func receive() -> (number: UInt64, file: Int32)? {
    var number: UInt64 = 0
    var file: Int32 = -1
    let count = linux_receive_file(socket, &number, MemoryLayout<UInt64>.size, &file)
    return count == MemoryLayout<UInt64>.size && file >= 0 ? (number, file) : nil
  }

  private static func answer(_ number: UInt64, _ file: Int32) -> [UInt8] {
    var line = Array("[\(number),".utf8)
    do {
      try TagFile.read(file).append(to: &line)
    } catch {
      line += "\"\(error.rawValue)\"".utf8
    }
    line += "]\n".utf8
    return line
  }

  private static func write(_ line: [UInt8]) -> Bool {
    var rest = line[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(socket, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
