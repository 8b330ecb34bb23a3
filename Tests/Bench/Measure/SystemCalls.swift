import Foundation
import TestSupport

/// Counts the system calls of a process with strace(1).
enum SystemCalls {
  private static let seconds = 2.0

  /// Returns the calls per second, counted for two seconds; nil if strace is not installed or may not trace.
  /// - Parameter log: The file for strace's output.
  static func perSecond(of process: pid_t, log: String) -> Double? {
    guard let strace = Binary.find("strace"),
      let tracer = try? PipedProcess([strace, "-f", "-c", "-p", "\(process)"], log: log)
    else { return nil }
    Thread.sleep(forTimeInterval: seconds)
    // strace then detaches from the process, and prints its counts.
    tracer.stop()
    return Proc.text(log).flatMap(total).map { $0 / seconds }
  }

  /// Reads the table's last line: share, seconds, µs each, calls, errors (or nothing), "total".
  static func total(in text: String) -> Double? {
    let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
    guard let last = lines.last(where: { $0.last == "total" }), last.count >= 5 else { return nil }
    return Double(last[3])
  }
}
