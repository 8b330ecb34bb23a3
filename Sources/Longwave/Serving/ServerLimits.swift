import Logging
import Reactor
import Server

/// The limits on connections and listeners: as many as are wanted, if the files for them may be open.
struct ServerLimits {
  private let wanted: ServerSection
  private let files: FileBudget

  init(_ stations: StationTable) {
    wanted = stations.configuration.server
    let all = stations.byID.values
    files = FileBudget(
      openFiles: Limits.raiseOpenFiles(),
      windows: all.filter(\.definition.hasOwnLog).map { stations.window(of: $0.definition) },
      hasMedia: all.contains { $0.definition.files != nil })
  }

  var listeners: Int { min(wanted.listenersMax, files.listenersPossible) }

  var connections: Int {
    let possible = files.connectionsPossible
    return wanted.connectionsMax > 0 ? min(wanted.connectionsMax, possible) : possible
  }

  /// Warns when fewer connections or listeners are possible than wanted.
  ///
  /// - Parameter server: nil when it does not run yet.
  func warn(_ server: RelayServer?, _ logger: Logger) {
    let connections = files.connectionsPossible
    if wanted.connectionsMax > connections {
      logger.warning(
        "\(connections) connections are possible, not \(wanted.connectionsMax): the limit on open files is too low"
      )
    }
    guard let listeners = server?.listenersMax, listeners < wanted.listenersMax else { return }
    logger.log(
      level: wanted.isListenersMaxWritten ? .warning : .debug,
      "\(listeners) listeners are possible, not \(wanted.listenersMax): the limit on open files is too low"
    )
  }
}
