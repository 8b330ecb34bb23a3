import Glibc

/// Reads the kernel's text files under /proc.
public enum Proc {
  /// Returns the whole text; nil if the file is missing or may not be read.
  public static func text(_ path: String) -> String? {
    (try? readFile(path)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the first number after `key` at the beginning of a line.
  public static func value(_ key: String, in text: String) -> UInt64? {
    for line in text.split(separator: "\n") where line.hasPrefix(key) {
      let rest = line.dropFirst(key.count).drop { !$0.isNumber }
      return UInt64(rest.prefix { $0.isNumber })
    }
    return nil
  }

  /// Returns the names in a directory that are numbers.
  public static func numbers(in path: String) -> [pid_t] {
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
public struct CPUTime: Codable, Sendable {
  public var user = 0.0
  public var system = 0.0
  public var total: Double { user + system }

  public init(user: Double = 0, system: Double = 0) { (self.user, self.system) = (user, system) }

  public static func - (left: CPUTime, right: CPUTime) -> CPUTime {
    CPUTime(user: left.user - right.user, system: left.system - right.system)
  }

  public static func + (left: CPUTime, right: CPUTime) -> CPUTime {
    CPUTime(user: left.user + right.user, system: left.system + right.system)
  }
}

/// The kernel's figures of one process.
public enum ProcessFigures {
  private static let ticksPerSecond = Double(sysconf(Int32(_SC_CLK_TCK)))

  /// Returns utime and stime of proc(5)'s `stat`, whose resolution is 10 ms.
  public static func cpuTime(of process: pid_t) -> CPUTime {
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
}
