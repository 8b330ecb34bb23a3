import Glibc

/// Reads the kernel's text files under /proc.
enum Proc {
  /// Returns the whole text; nil if the file is missing or may not be read.
  static func text(_ path: String) -> String? {
    let fd = open(path, O_RDONLY | O_CLOEXEC)
    guard fd >= 0 else { return nil }
    defer { close(fd) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = read(fd, &buffer, buffer.count)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }

  /// Returns the first number after `key` at the beginning of a line.
  static func value(_ key: String, in text: String) -> UInt64? {
    for line in text.split(separator: "\n") where line.hasPrefix(key) {
      let rest = line.dropFirst(key.count).drop { !$0.isNumber }
      return UInt64(rest.prefix { $0.isNumber })
    }
    return nil
  }

  /// Returns the names in a directory that are numbers.
  static func numbers(in path: String) -> [pid_t] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var numbers: [pid_t] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if let number = pid_t(name) { numbers.append(number) }
    }
    return numbers
  }
}

/// The CPU time of one process over all its threads, in seconds.
struct CPUTime: Codable, Sendable {
  var user = 0.0
  var system = 0.0
  var total: Double { user + system }

  static func - (left: CPUTime, right: CPUTime) -> CPUTime {
    CPUTime(user: left.user - right.user, system: left.system - right.system)
  }

  static func + (left: CPUTime, right: CPUTime) -> CPUTime {
    CPUTime(user: left.user + right.user, system: left.system + right.system)
  }
}

/// The kernel's figures of one process.
enum ProcessFigures {
  private static let ticksPerSecond = Double(sysconf(Int32(_SC_CLK_TCK)))

  /// Returns utime and stime of proc(5)'s `stat`, whose resolution is 10 ms.
  static func cpuTime(of process: pid_t) -> CPUTime {
    // The second field is the name in brackets, and may contain anything.
    guard let text = Proc.text("/proc/\(process)/stat"), let end = text.lastIndex(of: ")") else {
      return CPUTime()
    }
    let fields = text[end...].split(separator: " ")
    guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else {
      return CPUTime()
    }
    return CPUTime(user: user / ticksPerSecond, system: system / ticksPerSecond)
  }

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
