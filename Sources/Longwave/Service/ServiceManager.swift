import Glibc
import Reactor
import Timeshift
import Wire

/// Tells a service manager how this process is: datagrams of lines `KEY=value` (sd_notify(3)).
///
/// Nothing waits for the manager: what it does not take at once is lost, and newer words follow.
struct ServiceManager: Hashable, Sendable {
  enum Notice: Hashable, Sendable {
    case ready
    /// - Parameter since: when the reload began.
    case reloading(since: MonotonicTime)
    case stopping
    case status(String)
    case alive
    /// The start takes so many seconds more, at most.
    case starting(seconds: Int)

    /// The lines of the protocol.
    var lines: [String] {
      switch self {
      case .ready: ["READY=1"]
      case .reloading(let since):
        ["RELOADING=1", "MONOTONIC_USEC=\(since.nanoseconds / 1000)"]
      case .stopping: ["STOPPING=1"]
      case .status(let text): ["STATUS=\(TerminalText.safe(text))"]
      case .alive: ["WATCHDOG=1"]
      case .starting(let seconds): ["EXTEND_TIMEOUT_USEC=\(seconds.saturatingMultiply(1_000_000))"]
      }
    }
  }

  /// The manager's socket.
  let address: String
  /// Seconds after which the manager kills a process that says nothing; nil where it does not.
  let watchdogSeconds: Double?

  /// Microseconds that a manager may name: a day.
  private static let microsecondsMax = 86_400_000_000

  /// Nil where no manager has started this process.
  init?(_ environment: [String: String], process: pid_t = getpid()) {
    guard let address = environment["NOTIFY_SOCKET"], LocalDatagram.isAddress(address) else {
      return nil
    }
    self.address = address
    let isOther = environment["WATCHDOG_PID"].map { $0 != "\(process)" } ?? false
    watchdogSeconds =
      isOther
      ? nil
      : environment["WATCHDOG_USEC"].flatMap { Int($0, in: 1...Self.microsecondsMax) }.map {
        Double($0) / 1e6
      }
  }

  func tell(_ notices: Notice...) {
    let text = notices.flatMap(\.lines).map { $0 + "\n" }.joined()
    _ = LocalDatagram.send(Array(text.utf8), to: address)
  }
}
