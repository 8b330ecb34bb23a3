import Foundation

/// How many system calls a process makes, as strace(1) counts them.
enum SystemCalls {
  private static let seconds = 2.0

  /// Looks at a process for two seconds; nil: strace is not installed, or may not look.
  static func perSecond(of process: pid_t) -> Double? {
    guard let strace = Executables.find("strace") else { return nil }
    let report = Pipe()
    let tracer = Process()
    tracer.executableURL = URL(fileURLWithPath: strace)
    tracer.arguments = ["-f", "-c", "-p", "\(process)"]
    tracer.standardError = report
    guard (try? tracer.run()) != nil else { return nil }
    Thread.sleep(forTimeInterval: seconds)
    // It lets go of the process, and says what it has counted.
    tracer.interrupt()
    let text = String(decoding: report.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    tracer.waitUntilExit()
    return total(in: text).map { $0 / seconds }
  }

  /// Of the table's last line: share, seconds, µs each, calls, errors (or nothing), "total".
  static func total(in text: String) -> Double? {
    let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
    guard let last = lines.last(where: { $0.last == "total" }), last.count >= 5 else { return nil }
    return Double(last[3])
  }
}
