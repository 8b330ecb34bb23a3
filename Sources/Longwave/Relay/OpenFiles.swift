import Reactor

/// The number of files that a process must be able to open for a relay.
package enum OpenFiles {
  /// Raises the limit on open files as far as possible; throws when a relay needs more files than that.
  ///
  /// - Parameters:
  ///   - listen: replaces the listen addresses of the configuration.
  ///   - beside: number of files that the process opens besides.
  static func require(
    _ configuration: Configuration, listen: [SocketAddress]? = nil, beside: Int = 0
  ) throws(RelayError) {
    let least = beside + least(configuration.server, listen: listen)
    let limit = Limits.raiseOpenFiles()
    guard limit < least else { return }
    // A relay without a configuration file has no number of threads to lower.
    let isConfigured = configuration.file != nil
    throw RelayError.cannotStart(
      "this process \(tooFew(limit, least: least))" + (isConfigured ? orFewerThreads : ""))
  }

  /// Says that the limit is too low and how to raise it.
  package static func tooFew(_ limit: Int, least: Int) -> String {
    "may have \(limit) files open, and needs \(least) at least; raise the hard limit (ulimit -Hn, or "
      + "LimitNOFILE=1024 in the unit of systemd)"
  }

  private static let orFewerThreads = ", or lower server: threads"

  /// Returns the number of open files that a relay needs at least.
  ///
  /// - Parameter listen: replaces the listen addresses of the configuration.
  package static func least(_ server: ServerSection, listen: [SocketAddress]? = nil) -> Int {
    FileBudget.least(
      loops: server.threads > 0 ? server.threads : Limits.processors(),
      addresses: (listen ?? server.listen).count + server.shoutcastListen.count)
  }
}
