import Logging
import Server
import Timeshift
import Wire

/// What the API needs to move listeners in time.
protocol SessionControl: Sendable {
  func familiarity(
    of token: SessionToken, to origin: APIRequest.Origin
  ) async -> SessionFamiliarity
  /// Whoever is there has shown that they know it.
  func show(session token: SessionToken, at origin: APIRequest.Origin) async
  /// A session after it was steered; as it is without `steering`.
  func steer(
    session token: SessionToken, _ steering: Steering?
  ) async throws(APIError) -> SessionSnapshot
  func steer(listener id: UInt64, _ steering: Steering) async throws(APIError)
  /// Of all who are not connected.
  func forgetSessions() async throws(APIError)
}

// Listening sessions: asked of the server, kept in the store.
extension Relay: SessionControl {
  func familiarity(
    of token: SessionToken, to origin: APIRequest.Origin
  ) async -> SessionFamiliarity {
    server?.familiarity(of: token, to: origin) ?? .unknown
  }

  func show(session token: SessionToken, at origin: APIRequest.Origin) async {
    server?.show(token, at: origin)
  }

  func steer(
    session token: SessionToken, _ steering: Steering?
  ) async throws(APIError) -> SessionSnapshot {
    let outcome = await server?.steer(session: token, steering) ?? .unknown
    return try Self.snapshot(outcome, else: .unknownSession)
  }

  func steer(listener id: UInt64, _ steering: Steering) async throws(APIError) {
    let outcome = await server?.steer(listener: id, steering) ?? .unknown
    _ = try Self.snapshot(outcome, else: .unknownListener("\(id)"))
  }

  private static func snapshot(
    _ outcome: SteeringOutcome, else unknown: APIError
  ) throws(APIError) -> SessionSnapshot {
    switch outcome {
    case .done(let snapshot): return snapshot
    case .unknown: throw unknown
    case .otherCodec:
      throw APIError(
        409, "other-codec", "There the station had another codec than the player was set up for.")
    case .forbidden:
      throw APIError(403, "shift-off", "The station is heard live only.")
    case .nothingToPlay:
      throw APIError(409, "nothing-to-play", "The station is gone or has nothing to play now.")
    }
  }

  func forgetSessions() async throws(APIError) {
    do throws(StoreError) {
      server?.forgetSessions()
      try await store.forgetSessions()
      keptSessions = [:]
    } catch {
      throw APIError.failed(error)
    }
    logger.info("the sessions of all who are not connected are forgotten")
  }

  /// Those kept from before a restart.
  func loadSessions(into server: RelayServer) async throws(StoreError) {
    server.set(configuration.sessions)
    server.expire(by: starts.expiry)
    if safeMode != nil { return }
    keptSessions = try await store.sessions()
    server.restore(keptSessions)
  }

  /// Puts down where the sessions are, if it has changed.
  func keepSessions() async {
    guard let sessions = server?.sessions, sessions != keptSessions else { return }
    do {
      try await store.keep(sessions, before: keptSessions)
      keptSessions = sessions
    } catch {
      logger.error("\(error)")
    }
  }
}
