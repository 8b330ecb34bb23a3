import CLinux
import Glibc

/// Turns the signals that a server handles into readable events. A C handler writes to an eventfd; signalfd would need
/// all threads to block the signals, and the runtime's own threads do not.
public enum SignalWatch {
  public enum Signal: Sendable {
    /// SIGTERM or SIGINT.
    case stop
    /// SIGHUP.
    case reload
    /// SIGUSR1: log files are opened anew.
    case reopen
  }

  /// Installs the handlers and ignores SIGPIPE. Call it once, at start.
  public static func install() throws(SystemError) {
    if linux_watch_signals() < 0 { throw SystemError(call: "eventfd", on: "signals", code: errno) }
  }

  /// Waits for the next signal. The call blocks and needs a thread of its own.
  public static func next() -> Signal {
    switch linux_next_signal() {
    case LINUX_SIGNAL_RELOAD: .reload
    case LINUX_SIGNAL_REOPEN: .reopen
    default: .stop
    }
  }
}
