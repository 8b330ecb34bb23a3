import Glibc
import TestSupport

/// The processes that take part in a trial.
struct Cast {
  var server: pid_t
  var loads: [pid_t]
  var upstream: pid_t
  let softirqThreads = MachineFigures.softirqThreads()
}

/// The counters of all parts at one moment, or their differences between two moments.
struct Usage: Sendable {
  /// The monotonic time in seconds, or the window's length.
  var seconds = 0.0
  var server = CPUTime()
  var load = CPUTime()
  var upstream = CPUTime()
  /// The CPU time of the kernel's ksoftirqd threads.
  var softirq = CPUTime()
  /// The CPU time of this process, which only waits.
  var bench = CPUTime()
  /// The CPU seconds of all processes on this machine.
  var machineBusySeconds = 0.0
  /// The context switches of the server, by thread.
  private var switches: [pid_t: ContextSwitches] = [:]

  init(of cast: Cast) {
    server = ProcessFigures.cpuTime(of: cast.server)
    load = Self.sum(cast.loads)
    upstream = ProcessFigures.cpuTime(of: cast.upstream)
    softirq = Self.sum(cast.softirqThreads)
    bench = ProcessFigures.cpuTime(of: getpid())
    machineBusySeconds = MachineFigures.busySeconds()
    switches = ProcessFigures.contextSwitches(of: cast.server)
    seconds = Double(monotonicNow()) / 1e9
  }

  private init() {}

  /// The CPU seconds of server, listeners, upstream and softirq threads: the cost of the whole job, whoever is billed.
  var allInSeconds: Double { server.total + load.total + upstream.total + softirq.total }

  /// The cores that the rest of the machine used, which reveal a noisy run.
  var otherCores: Double {
    max(0, machineBusySeconds - allInSeconds - bench.total) / seconds
  }

  var voluntarySwitches: UInt64 { switches.values.reduce(0) { $0 + $1.voluntary } }
  var involuntarySwitches: UInt64 { switches.values.reduce(0) { $0 + $1.involuntary } }

  static func - (after: Usage, before: Usage) -> Usage {
    var usage = Usage()
    usage.seconds = after.seconds - before.seconds
    usage.server = after.server - before.server
    usage.load = after.load - before.load
    usage.upstream = after.upstream - before.upstream
    usage.softirq = after.softirq - before.softirq
    usage.bench = after.bench - before.bench
    usage.machineBusySeconds = after.machineBusySeconds - before.machineBusySeconds
    // The difference is made thread by thread, because a thread that has ended takes its count with it.
    for (thread, new) in after.switches {
      let old = before.switches[thread] ?? ContextSwitches()
      usage.switches[thread] = ContextSwitches(
        voluntary: new.voluntary - min(old.voluntary, new.voluntary),
        involuntary: new.involuntary - min(old.involuntary, new.involuntary))
    }
    return usage
  }

  private static func sum(_ processes: [pid_t]) -> CPUTime {
    processes.reduce(CPUTime()) { $0 + ProcessFigures.cpuTime(of: $1) }
  }
}
