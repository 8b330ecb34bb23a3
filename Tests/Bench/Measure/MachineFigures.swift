import Glibc
import TestSupport

extension ProcessFigures {
  /// Returns the proportional set size in KiB; nil if the process is gone or belongs to another user.
  static func pssKiB(of process: pid_t) -> UInt64? {
    Proc.text("/proc/\(process)/smaps_rollup").flatMap { Proc.value("Pss:", in: $0) }
  }

  /// Returns the context switches since each thread began, by the thread's id.
  static func contextSwitches(of process: pid_t) -> [pid_t: ContextSwitches] {
    var threads: [pid_t: ContextSwitches] = [:]
    for thread in Proc.numbers(in: "/proc/\(process)/task") {
      guard let text = Proc.text("/proc/\(process)/task/\(thread)/status") else { continue }
      threads[thread] = ContextSwitches(
        voluntary: Proc.value("voluntary_ctxt_switches:", in: text) ?? 0,
        involuntary: Proc.value("nonvoluntary_ctxt_switches:", in: text) ?? 0)
    }
    return threads
  }
}

/// A server's memory and descriptors at one moment of the window.
struct Sample: Codable, Sendable, CustomStringConvertible {
  /// Seconds since the window began.
  var seconds: Double
  var pssKiB: UInt64?
  var descriptors: Int

  init(of process: pid_t, since start: Double) {
    seconds = Double(monotonicNow()) / 1e9 - start
    pssKiB = ProcessFigures.pssKiB(of: process)
    descriptors = Proc.numbers(in: "/proc/\(process)/fd").count
  }

  var description: String {
    "after \(Int(seconds)) s: Pss \(pssKiB.map { "\($0) KiB" } ?? "unknown"), \(descriptors) descriptors"
  }
}

/// How often a thread gave up its core, and how often the kernel took it away.
struct ContextSwitches: Sendable {
  var voluntary: UInt64 = 0
  var involuntary: UInt64 = 0
}

/// The kernel's figures of the machine.
enum MachineFigures {
  /// Returns the busy seconds of all cores: everything but idle time. Guests are already in user time.
  static func busySeconds() -> Double {
    guard let line = Proc.text("/proc/stat")?.split(separator: "\n").first else { return 0 }
    let fields = line.split(separator: " ").dropFirst().compactMap { Double($0) }
    guard fields.count >= 8 else { return 0 }
    let busy = fields[0] + fields[1] + fields[2] + fields[5] + fields[6] + fields[7]
    return busy / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Returns the kernel's threads for deferred work on network packets.
  static func softirqThreads() -> [pid_t] {
    Proc.numbers(in: "/proc").filter {
      Proc.text("/proc/\($0)/comm")?.hasPrefix("ksoftirqd/") ?? false
    }
  }

  /// Returns the kernel memory in TCP socket buffers of the whole machine, in KiB.
  static func socketMemoryKiB() -> UInt64? {
    guard let text = Proc.text("/proc/net/sockstat") else { return nil }
    for line in text.split(separator: "\n") where line.hasPrefix("TCP:") {
      let words = line.split(separator: " ")
      guard let index = words.firstIndex(of: "mem"), index + 1 < words.count else { return nil }
      return UInt64(words[index + 1]).map { $0 * UInt64(sysconf(Int32(_SC_PAGESIZE))) / 1024 }
    }
    return nil
  }

  /// Returns the processor's name.
  static func processor() -> String {
    let line = Proc.text("/proc/cpuinfo")?.split(separator: "\n").first {
      $0.hasPrefix("model name")
    }
    return line.flatMap { $0.split(separator: ":").last.map { String($0.dropFirst()) } } ?? "?"
  }

  /// Returns the kernel's release.
  static func kernel() -> String {
    Proc.text("/proc/sys/kernel/osrelease")?.split(separator: "\n").first.map(String.init) ?? "?"
  }
}
