import Glibc

/// The processes that take part in a trial.
struct Cast {
  var server: pid_t
  var loads: [pid_t]
  var upstream: pid_t
  let softirqThreads = MachineFigures.softirqThreads()
}

/// The counters of everything that takes part, at one moment; or what happened between two.
struct Usage: Sendable {
  /// Monotonic time, or the window's length.
  var seconds = 0.0
  var server = CPUTime()
  var load = CPUTime()
  var upstream = CPUTime()
  /// The kernel's ksoftirqd threads.
  var softirq = CPUTime()
  /// This process, which only waits.
  var bench = CPUTime()
  /// CPU seconds used by anybody on this machine.
  var machineBusySeconds = 0.0
  /// The server's, by thread.
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

  /// Server, listeners, upstream and softirq threads: what the whole job costs, wherever it is
  /// billed.
  var allInSeconds: Double { server.total + load.total + upstream.total + softirq.total }

  /// Cores that the rest of the machine used: a noisy run is seen here.
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
    // Thread by thread: one that has ended takes its count with it.
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
