import Reactor
import Timeshift
import Wire

/// One loop's server, as other threads reach it. Its parts belong to the loop's thread; callers from elsewhere await.
actor LoopServer: SessionFeeding {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let shared: SharedState
  private(set) lazy var parts = LoopParts(LoopThread(loop), shared, feeder: self)

  init(loop: EventLoop, shared: SharedState) {
    self.loop = loop
    self.shared = shared
  }

  func listen(_ fd: Int32, origin: ListeningSocket.Kind) throws(SystemError) {
    try parts.front.listen(fd, origin: origin)
  }

  /// Accepts the connections of a socket for all loops, this one among them.
  func listen(
    _ fd: Int32, origin: ListeningSocket.Kind, takingTurnsWith loops: [LoopServer]
  ) throws(SystemError) {
    var turn = 0
    try parts.front.listen(fd, origin: origin) { client, address in
      let next = loops[turn]
      turn = (turn + 1) % loops.count
      // Once per connection; a hop between loops costs less than the accept.
      Task { await next.welcome(client, origin, address) }
    }
  }

  private func welcome(_ fd: Int32, _ origin: ListeningSocket.Kind, _ address: SocketAddress) {
    guard !parts.connections.isDraining else { return Socket.close(fd) }
    parts.front.welcome(fd, origin, address)
    parts.connections.owner.keepTicking()
  }

  // MARK: Settings

  /// Replaces the mounts.
  func use(_ mounts: MountTable) { parts.use(mounts) }

  func use(
    trustedProxies: [AddressRange], hasProxyHeaders: Bool, publicURL: String?, tls: TLSOffer?,
    challenges: (any ChallengeAnswering)?
  ) {
    parts.use(
      trustedProxies: trustedProxies, hasProxyHeaders: hasProxyHeaders, publicURL: publicURL,
      tls: tls, challenges: challenges)
  }

  func endRefused(by rules: AccessRules, before: AccessRules) {
    parts.endRefused(by: rules, before: before)
  }

  func endBanned() { parts.endBanned() }

  // MARK: Listeners

  func snapshots() -> [ListenerSnapshot] { parts.snapshots() }

  func snapshot(of listener: UInt64) -> ListenerSnapshot? { parts.snapshot(of: listener) }

  func share(of listing: ListenerListing) -> ListenerShare { parts.share(of: listing) }

  func count(_ station: String, window: Double) -> StationAudience {
    var audience = StationAudience(window: window)
    parts.reports.count(station, into: &audience)
    return audience
  }

  func replays() -> ReplaySample { parts.reports.replays() }

  func places() -> PlaceHistograms { parts.reports.places() }

  func audience() -> Audience { parts.audience() }

  func loads() -> [String: StationLoad] { parts.loads() }

  func metrics() -> ServerMetrics { parts.metrics() }

  func add(to figures: inout ServerFigures) { parts.add(to: &figures) }

  func kick(_ id: UInt64) -> Bool { parts.kick(id) }

  func move(_ id: UInt64, to station: String) -> MoveOutcome {
    parts.listeners.move(id, to: station)
  }

  // MARK: Sessions

  func stopFeeding(_ listener: UInt64) -> Bool { parts.listeners.stopFeeding(listener) }

  func release(_ listener: UInt64) { parts.listeners.release(listener) }

  func steer(_ listener: UInt64, _ steering: Steering?) -> SteeringOutcome? {
    parts.listeners.steer(listener, steering)
  }

  /// Steers a session without a connection.
  func steer(
    _ token: SessionToken, _ record: SessionRecord, _ steering: Steering?
  ) -> SteeringOutcome? {
    parts.listeners.steer(token, record, steering)
  }

  // MARK: Draining

  func startDraining() { parts.startDraining() }

  /// Returns when all connections are gone or their time is up.
  func drained() async {
    if parts.connections.count > 0 {
      await withCheckedContinuation { parts.whenDrained($0) }
    }
    parts.connections.reportChanges()
    parts.detach()
  }
}
