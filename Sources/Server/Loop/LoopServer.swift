import Reactor
import Timeshift
import Wire

/// One loop's server, as other threads reach it. Its parts belong to the loop's thread; callers from elsewhere await.
actor LoopServer: SessionFeeding {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let shared: SharedState
  private var arrivals: LoopMailbox<Arrival>?
  private(set) lazy var parts = LoopParts(LoopThread(loop), shared, feeder: self)

  init(loop: EventLoop, shared: SharedState) {
    self.loop = loop
    self.shared = shared
  }

  func listen(_ fd: Int32, origin: ListeningSocket.Kind) throws(SystemError) {
    try parts.front.listen(fd, origin: origin)
  }

  /// Listens on a socket in place of the one of this kind, unless the server stops.
  func listen(_ fd: Int32, inPlaceOf origin: ListeningSocket.Kind) throws(SystemError) {
    guard !parts.connections.isDraining else { return Socket.close(fd) }
    try parts.front.listen(fd, inPlaceOf: origin)
  }

  /// A connection that another loop has accepted for this one.
  struct Arrival: Sendable {
    let fd: Int32
    let origin: ListeningSocket.Kind
    let address: SocketAddress
  }

  /// Accepts the connections of a socket for all loops, whose slots these are.
  func listen(
    _ fd: Int32, origin: ListeningSocket.Kind, takingTurns slots: [MailSlot<Arrival>]
  ) throws(SystemError) {
    var turn = 0
    try parts.front.listen(fd, origin: origin) { client, address in
      slots[turn].post(Arrival(fd: client, origin: origin, address: address))
      turn = (turn + 1) % slots.count
    }
  }

  /// Where other loops leave connections for this one.
  func arrivalSlot() throws(SystemError) -> MailSlot<Arrival> {
    if let arrivals { return arrivals.slot }
    let (front, connections) = (parts.front, parts.connections)
    let mailbox = try LoopMailbox<Arrival>(loop) { arrival in
      guard !connections.isDraining else { return Socket.close(arrival.fd) }
      front.welcome(arrival.fd, arrival.origin, arrival.address)
      connections.owner.keepTicking()
    }
    arrivals = mailbox
    return mailbox.slot
  }

  // MARK: Settings

  /// Replaces the mounts.
  func use(_ mounts: MountTable) { parts.use(mounts) }

  func use(
    _ clients: ClientSettings, tls: TLSOffer?, challenges: (any ChallengeAnswering)?
  ) {
    parts.use(clients, tls: tls, challenges: challenges)
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

  func hearings(of logs: Set<UInt64>) -> HearingSample { parts.reports.hearings(of: logs) }

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

  func steer(_ subject: SteeringSubject, _ steering: Steering?) -> SteeringOutcome? {
    parts.listeners.steer(subject, steering)
  }

  // MARK: Draining

  func stopAccepting() { parts.front.stopListening() }

  func startDraining() { parts.startDraining() }

  /// Returns when all connections are gone or their time is up.
  func drained() async {
    if parts.connections.count > 0 {
      await withCheckedContinuation { parts.whenDrained($0) }
    }
    parts.connections.reportChanges()
    arrivals?.close()
    parts.detach()
  }
}
