import Logging
import Server
import Store
import Wire

/// Keeps the server's sessions in the store.
///
/// Not Sendable: only the relay's actor has it.
final class SessionKeeper {
  private let store: StationStore
  private let logger: Logger
  /// The sessions as the store has them.
  private var kept: [SessionToken: SessionRecord] = [:]

  init(_ store: StationStore, logger: Logger) { (self.store, self.logger) = (store, logger) }

  /// Gives a server the sessions from before a restart.
  func restore(into server: RelayServer) async throws(StoreError) {
    kept = try await store.sessions()
    server.restore(kept)
  }

  /// Stores the places of the sessions, if any has changed.
  func keep(_ server: RelayServer?) async {
    guard let sessions = server?.sessions, sessions != kept else { return }
    do {
      try await store.keep(sessions, before: kept)
      kept = sessions
    } catch {
      logger.error("\(error)")
    }
  }

  /// Seconds for which a session that begins is stored each second; from then on `keep` has stored it.
  private static let newSeconds = 11.0

  /// Stores the places of sessions that began lately: lives that are shorter than the time between two `keep` would
  /// begin at the same place again and again.
  func keepNew(_ server: RelayServer?) async {
    guard let server else { return }
    let new = server.sessions(takenWithin: Self.newSeconds).filter { kept[$0.key] != $0.value }
    if new.isEmpty { return }
    do {
      try await store.keep(new, before: [:])
      kept.merge(new) { $1 }
    } catch {
      logger.error("\(error)")
    }
  }

  /// Forgets the sessions of listeners that are not connected.
  func forget(_ server: RelayServer?) async throws(RelayError) {
    server?.forgetSessions()
    try await RelayError.attempt { try await store.forgetSessions() }
    kept = [:]
    logger.info("all sessions without a connection are forgotten")
  }
}
