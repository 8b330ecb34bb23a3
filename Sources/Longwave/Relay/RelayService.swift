import Glibc
import Logging
import Reactor
import Threads

/// Runs a relay as a process of its own, until SIGTERM or SIGINT.
package enum RelayService {
  /// Starts, calls `whenStarted`, waits for the signal to stop, and stops cleanly.
  ///
  /// A second signal ends the process at once.
  package static func run(
    _ configuration: Configuration, _ options: RelayOptions,
    whenStarted: (Relay) async -> Void
  ) async throws(RelayError) {
    // The relay stores passwords of others and audio; files that the group may read set their mode themselves.
    umask(0o077)
    do throws(SystemError) {
      try SignalWatch.install()
    } catch {
      throw RelayError.cannotStart("\(error)")
    }
    let relay = try await Relay(configuration: configuration, options: options)
    try await relay.start()
    await whenStarted(relay)
    await waitForStop(relay)
    endAtSecondSignal()
    await relay.stop()
  }

  private static func waitForStop(_ relay: Relay) async {
    while true {
      switch await Blocking.run({ SignalWatch.next() }) {
      case .stop:
        relay.logger.info("stopping")
        return
      case .reload:
        // A rotation of logs must work even when the configuration is bad.
        relay.reopenLogs()
        // Errors of the configuration have been logged by `reload`; everything goes on as before.
        _ = try? await relay.reload()
      }
    }
  }

  private static func endAtSecondSignal() {
    Task.detached {
      while await Blocking.run({ SignalWatch.next() }) != .stop {}
      exit(1)
    }
  }
}
