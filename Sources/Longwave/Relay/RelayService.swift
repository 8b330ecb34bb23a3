import Glibc
import Logging
import Reactor
import Threads

/// Runs a relay as a process of its own: until SIGTERM or SIGINT.
public enum RelayService {
  /// Starts, calls `whenStarted`, waits for the signal to stop, and stops cleanly.
  ///
  /// A second signal ends the process at once.
  public static func run(
    _ configuration: Configuration, _ options: RelayOptions,
    whenStarted: (Relay) async -> Void
  ) async throws(RelayError) {
    // What it stores are others' passwords and audio; files that the group may read say so themselves.
    umask(0o077)
    do throws(SystemError) {
      try SignalWatch.install()
    } catch {
      throw RelayError(error)
    }
    let relay = try await Relay(configuration: configuration, options: options)
    try await relay.start()
    await whenStarted(relay)
    await waitForStop(relay)
    endAtSecondSignal()
    await relay.stop()
  }

  /// Throws where the process may have fewer files open than a relay needs, with the limit raised as far as it goes.
  ///
  /// - Parameter beside: what else the process has open.
  static func requireOpenFiles(
    _ configuration: Configuration, _ options: RelayOptions, beside: Int = 0
  ) throws(RelayError) {
    let least = beside + leastOpenFiles(configuration.server, listen: options.listen)
    let limit = Limits.raiseOpenFiles()
    guard limit < least else { return }
    // Without a configuration there is nothing to lower.
    let isConfigured = configuration.file != nil
    throw RelayError(
      "this process \(tooFewFiles(limit, least: least))" + (isConfigured ? orFewerThreads : ""))
  }

  /// What too few files mean, and what to do.
  static func tooFewFiles(_ limit: Int, least: Int) -> String {
    "may have \(limit) files open, and needs \(least) at least; raise the hard limit (ulimit -Hn, or "
      + "LimitNOFILE=1024 in the unit of systemd)"
  }

  static let orFewerThreads = ", or lower server: threads"

  /// - Parameter listen: in the place of what the configuration says.
  static func leastOpenFiles(_ server: ServerSection, listen: [SocketAddress]? = nil) -> Int {
    FileBudget.least(
      loops: server.threads > 0 ? server.threads : Limits.processors(),
      addresses: (listen ?? server.listen).count + server.shoutcastListen.count)
  }

  private static func waitForStop(_ relay: Relay) async {
    while true {
      switch await Blocking.run({ SignalWatch.next() }) {
      case .stop:
        relay.logger.info("stopping")
        return
      case .reload:
        // Whoever rotates logs must not have to care whether the configuration is right.
        relay.reopenLogs()
        // What is wrong with it has been logged; everything goes on as it was.
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
