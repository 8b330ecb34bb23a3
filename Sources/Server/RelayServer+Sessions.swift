import Timeshift
import Wire

// Listening sessions, and listeners by remote control.
extension RelayServer {
  public func familiarity(
    of token: SessionToken, to origin: Peer
  ) -> SessionFamiliarity {
    shared.sessions.familiarity(of: token, to: AddressBlock(origin))
  }

  /// Notes that a client at this address has shown the token.
  public func show(_ token: SessionToken, at origin: Peer) {
    shared.sessions.show(token, at: AddressBlock(origin))
  }

  /// Begins a session at the live edge of a station, before its listener comes.
  public func begin(_ token: SessionToken, at station: String, for origin: Peer) {
    let now = Moment.now()
    let record = SessionRecord(
      station: station, place: .live, isPaused: false, lastSeen: now.wall)
    shared.sessions.begin(token, record, at: AddressBlock(origin), now: now)
  }

  /// Returns what is known of a session; `steering` first moves it. A session without a connection is moved all the
  /// same.
  public func steer(
    session token: SessionToken, _ steering: Steering? = nil
  ) async -> SteeringOutcome {
    await patiently {
      guard let entry = self.shared.sessions[token] else { return .unknown }
      guard let owner = entry.owner else {
        return await self.loops[0].steer(.session(token, entry.record), steering)
      }
      let outcome = await owner.loop.steer(.listener(owner.listener), steering)
      // The listener left at this moment: the session is still there.
      if case .unknown? = outcome { return nil }
      return outcome
    }
  }

  /// Moves a listener in time, whether it has a session or not.
  public func steer(listener id: UInt64, _ steering: Steering) async -> SteeringOutcome {
    await patiently {
      for loop in self.loops {
        let outcome = await loop.steer(.listener(id), steering)
        if case .unknown? = outcome { continue }
        return outcome
      }
      return .unknown
    }
  }

  /// Sessions that are to be kept over a restart.
  public var sessions: [SessionToken: SessionRecord] {
    shared.sessions.forgetExpired()
    return shared.sessions.records
  }

  /// Sessions that a listener took in the last seconds.
  public func sessions(takenWithin seconds: Double) -> [SessionToken: SessionRecord] {
    shared.sessions.records(takenWithin: seconds)
  }

  /// Takes up sessions that were kept.
  public func restore(_ sessions: [SessionToken: SessionRecord]) {
    shared.sessions.restore(sessions)
  }

  /// Forgets sessions without a connection.
  public func forgetSessions() { shared.sessions.forgetAway() }

  /// Sets the clock by which sessions without a connection end; the wall clock unless one is set.
  public func expire(by clock: ExpiryClock) { shared.sessions.expire(by: clock) }

  public func set(_ limits: SessionLimits) { shared.sessions.set(limits) }

  /// How long an index may take to be fetched from the disk, in steps of `pause`.
  private static let attempts = 500
  private static let pause = Duration.milliseconds(10)

  private func patiently(
    _ attempt: () async -> SteeringOutcome?
  ) async -> SteeringOutcome {
    for _ in 0..<Self.attempts {
      if let outcome = await attempt() { return outcome }
      try? await Task.sleep(for: Self.pause)
    }
    return .nothingToPlay
  }
}
