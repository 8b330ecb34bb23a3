import Foundation

/// How many system calls a process makes, as strace(1) counts them.
enum SystemCalls {
  private static let seconds = 2.0

  /// Looks at a process for two seconds; nil: strace is not installed, or may not look.
  /// - Parameter log: a file for what strace says.
  static func perSecond(of process: pid_t, log: String) -> Double? {
    guard let strace = Executables.find("strace"),
      let tracer = try? ChildProcess([strace, "-f", "-c", "-p", "\(process)"], log: log)
    else { return nil }
    Thread.sleep(forTimeInterval: seconds)
    // It lets go of the process, and says what it has counted.
    tracer.stop()
    return Proc.text(log).flatMap(total).map { $0 / seconds }
  }

  /// Of the table's last line: share, seconds, µs each, calls, errors (or nothing), "total".
  static func total(in text: String) -> Double? {
    let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
    guard let last = lines.last(where: { $0.last == "total" }), last.count >= 5 else { return nil }
    return Double(last[3])
  }
}
