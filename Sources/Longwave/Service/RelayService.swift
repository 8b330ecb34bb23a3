import Foundation
import Glibc
import Logging
import Reactor
import Threads
import Timeshift

/// Runs a relay as a process of its own, until SIGTERM or SIGINT.
package enum RelayService {
  /// Starts, calls `whenStarted`, waits for the signal to stop, and stops cleanly. A service manager that has started
  /// this process is told of each step.
  ///
  /// Sockets that the manager has opened are listened on. Root's rights are given up where `options` names a user.
  ///
  /// A hanging part, such as a disk that does not answer, holds the end up for ten seconds. Then the process ends with
  /// status 1, and says what was left. A second signal ends it at once.
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
    let environment = ProcessInfo.processInfo.environment
    var options = options
    try options.becomeUser(configuration)
    try options.adoptSockets(environment)
    options.logger = LineLogHandler.logger(
      form: LogMessage.form(
        configuration.log.format == .json ? .json : .text, stream: environment["JOURNAL_STREAM"]))
    let manager = ServiceManager(environment)
    let relay = try await Relay(configuration: configuration, options: options)
    let start = ServiceReports.follow(startOf: relay, for: manager)
    defer { start.cancel() }
    try await relay.start()
    start.cancel()
    await whenStarted(relay)
    manager?.tell(.ready)
    if geteuid() == 0 {
      relay.logger.warning(
        """
        runs as root, which it does not need: give --user NAME, or write User=NAME in the unit of systemd
        """)
    }
    let life = manager.map { ServiceReports(manager: $0).follow(relay) }
    await waitForStop(relay, manager)
    life?.cancel()
    manager?.tell(.stopping, .status("stopping"))
    endAtSecondSignal()
    let ending = Ending()
    ending.limit(to: stopSeconds) { left in giveUp(on: left, of: relay) }
    await relay.stop(ending)
  }

  /// Seconds that a relay has to end: 3 of them its listeners, the rest its disks.
  private static let stopSeconds = 13.0

  /// Ends the process although something has not ended: most likely a disk does not answer, and the next process is not
  /// to wait for it.
  private static func giveUp(on left: [String], of relay: Relay) -> Never {
    for name in left {
      relay.logger.error(
        "\(name): not ended, most likely because a disk does not answer; left running")
    }
    relay.logger.error("stopped anyway, with status 1")
    relay.release()
    // Not `exit`, whose handlers may wait for what hangs.
    _exit(1)
  }

  private static func waitForStop(_ relay: Relay, _ manager: ServiceManager?) async {
    while true {
      switch await Blocking.run({ SignalWatch.next() }) {
      case .stop:
        relay.logger.info("stopping")
        return
      case .reload:
        manager?.tell(.reloading(since: .now()))
        // A rotation of logs must work even when the configuration is bad.
        relay.reopenLogs()
        // Errors of the configuration have been logged by `reload`; everything goes on as before.
        _ = try? await relay.reload()
        manager?.tell(.ready)
      case .reopen:
        // A rotation of logs takes no half-written configuration with it.
        relay.reopenLogs()
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
