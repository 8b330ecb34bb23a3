import Glibc
import TestSupport

/// Reads how much CPU a process and its children have taken.
enum ProcessClock {
  /// Returns the CPU seconds of all threads that the process has had, in nanoseconds' resolution: the ticks of
  /// proc(5)'s `stat` are too coarse for a few stations.
  static func seconds(of process: pid_t) -> Double {
    var clock = clockid_t()
    guard clock_getcpuclockid(process, &clock) == 0 else { return 0 }
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Returns the same with all children of the process, those that have ended too.
  static func secondsOfAll(_ process: pid_t) -> Double {
    var seconds = seconds(of: process) + endedChildren(of: process)
    for thread in Proc.numbers(in: "/proc/\(process)/task") {
      let children = Proc.text("/proc/\(process)/task/\(thread)/children") ?? ""
      for child in children.split(separator: " ") {
        if let child = pid_t(child) { seconds += secondsOfAll(child) }
      }
    }
    return seconds
  }

  /// Returns cutime and cstime of proc(5)'s `stat`.
  private static func endedChildren(of process: pid_t) -> Double {
    guard let text = Proc.text("/proc/\(process)/stat"), let end = text.lastIndex(of: ")") else {
      return 0
    }
    let fields = text[end...].split(separator: " ")
    guard fields.count > 15, let user = Double(fields[14]), let system = Double(fields[15]) else {
      return 0
    }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
