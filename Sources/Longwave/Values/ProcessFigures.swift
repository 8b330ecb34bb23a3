import Foundation
import Glibc

/// The resources that the process uses, from /proc (proc(5)).
public struct ProcessFigures: Hashable, Sendable {
  /// Resident bytes.
  public var memory = 0
  /// User and system time since the start, in seconds.
  public var cpuSeconds = 0.0
  public var openFiles = 0
  public var openFilesMax = 0
  public var threads = 0

  public init() {}

  /// Reads a few files of /proc, which is memory: quick enough for any thread but a loop's.
  public static func now() -> ProcessFigures {
    var figures = ProcessFigures()
    figures.read(status: text("/proc/self/status"))
    figures.cpuSeconds = cpuSeconds()
    let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    figures.openFiles = files?.count ?? 0
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    figures.openFilesMax = Int(clamping: limit.rlim_cur)
    return figures
  }

  private mutating func read(status: String) {
    for line in status.split(separator: "\n") {
      let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      guard words.count >= 2, let number = Int(words[1]) else { continue }
      if words[0] == "VmRSS:" { memory = number * 1024 }
      if words[0] == "Threads:" { threads = number }
    }
  }

  private static func cpuSeconds() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    func seconds(_ time: timeval) -> Double {
      Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
    }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }

  private static func text(_ path: String) -> String {
    // /proc files have no length, so some readers see them as empty; String's reader reads to the end.
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }
}
