import CLinux
import Glibc

/// The signals a server lives with, as readable events: a C handler writes to an eventfd, since the runtime's own
/// threads do not block them as signalfd would need.
public enum SignalWatch {
  public enum Signal: Sendable {
    /// SIGTERM or SIGINT.
    case stop
    /// SIGHUP.
    case reload
  }

  /// Installs the handlers and ignores SIGPIPE. Called once, at start.
  public static func install() throws(SystemError) {
    if linux_watch_signals() < 0 { throw SystemError(call: "eventfd", on: "signals", code: errno) }
  }

  /// Waits for the next signal. Blocks: call it on a thread of its own.
  public static func next() -> Signal {
    linux_next_signal() == LINUX_SIGNAL_RELOAD ? .reload : .stop
  }
}
