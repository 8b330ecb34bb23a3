import Ingest
import Logging
import Reactor
import Server
import Store
import Threads
import Timeshift
import Wire

// Commands for listeners, sessions, bans and recordings, and the relay's figures.
extension Relay {
  /// Returns all listeners; empty when the relay is not running.
  public func listenerSnapshots() async -> [ListenerSnapshot] {
    await serving.server?.listeners() ?? []
  }

  /// Returns one listener.
  package func listenerSnapshot(_ id: UInt64) async throws(RelayError) -> ListenerSnapshot {
    guard let listener = await serving.server?.listener(id) else {
      throw RelayError.unknownListener(id)
    }
    return listener
  }

  /// Returns the audience in numbers; empty when the relay is not running.
  public func audience() async -> Audience { await serving.server?.audience() ?? Audience() }

  /// Returns a part of the list of listeners; empty when the relay is not running.
  public func listeners(_ listing: ListenerListing) async -> ListenerPage {
    await serving.server?.listeners(listing) ?? ListenerPage()
  }

  /// Returns how far behind live a station's listeners are, what they do, and what they play with.
  public func audience(of station: String) async throws(RelayError) -> StationAudience {
    let window = try views.window(of: station)
    return await serving.server?.audience(of: station, window: window)
      ?? StationAudience(window: window)
  }

  /// Moves a listener to another station of the same codec.
  public func move(_ listener: UInt64, to station: String) async throws(RelayError) {
    _ = try stations.station(station)
    await onDemand.wake(station)
    defer { for id in stations.order { onDemand.pauseWhenUnwanted(id) } }
    switch await serving.server?.move(listener: listener, to: station) {
    case .moved: break
    case .unknownListener, nil: throw RelayError.unknownListener(listener)
    case .nothingToPlay: throw RelayError.nothingToPlay(station)
    case .otherCodec: throw RelayError.otherCodec(listener: listener, station: station)
    }
  }

  /// Ends a listener. False when no listener has that number.
  public func kick(_ listener: UInt64) async -> Bool {
    await serving.server?.kick(listener: listener) ?? false
  }

  // MARK: Bans

  /// The bans that have not ended, in the order of their making.
  public func bans() -> [BanRecord] { banList.records }

  /// Bans addresses, and ends their listeners and sources.
  ///
  /// - Parameters:
  ///   - until: nil for good.
  ///   - reason: a text for people.
  public func ban(
    _ target: BanTarget, until: WallTime? = nil, reason: String? = nil
  ) async throws(RelayError) -> BanRecord {
    let range = try await range(of: target)
    await turnstile.enter()
    defer { turnstile.leave() }
    let ban = try await banList.add(range, until: until, reason: reason)
    await publishBans()
    banList.logAdded(ban)
    return ban
  }

  /// Bans an address or a range of them (`192.0.2.7`, `2001:db8::/32`), and ends its listeners.
  ///
  /// - Parameters:
  ///   - time: nil for good.
  ///   - reason: a text for people.
  /// - Throws: `RelayError.badField` for what is no address.
  @discardableResult
  public func ban(
    _ addresses: String, for time: Duration? = nil, reason: String? = nil
  ) async throws(RelayError) -> BanRecord {
    guard let range = AddressRange(addresses) else {
      throw .badField("address", "is no IP address, and no range of them")
    }
    let until = time.map { Moment.now().wall.adding(seconds: $0 / .seconds(1)) }
    return try await ban(.range(range), until: until, reason: reason)
  }

  /// Lifts a ban. False: there is none of that number.
  public func liftBan(_ id: Int64) async throws(RelayError) -> Bool {
    await turnstile.enter()
    defer { turnstile.leave() }
    guard let ban = try await banList.lift(id) else { return false }
    await publishBans()
    banList.logLifted(ban)
    return true
  }

  /// Publishes the bans to the server, which ends banned listeners, and ends sources at banned addresses.
  private func publishBans() async {
    let bans = banList.bans
    await serving.server?.publish(bans: bans)
    let now = Moment.now().wall
    let ended = await ingest.endSources("the source's address is banned") { address in
      bans.contains { $0.holds(address, at: now) }
    }
    for station in ended { logger.info("\(station): a ban has ended its source") }
  }

  private func range(of target: BanTarget) async throws(RelayError) -> AddressRange {
    switch target {
    case .range(let range): return range
    case .listener(let id):
      guard let range = AddressRange(try await listenerSnapshot(id).address) else {
        throw RelayError.noAddress(listener: id)
      }
      return range
    }
  }

  // MARK: Sessions

  package func familiarity(
    of token: SessionToken, to origin: Peer
  ) async -> SessionFamiliarity {
    serving.server?.familiarity(of: token, to: origin) ?? .unknown
  }

  package func show(session token: SessionToken, at origin: Peer) async {
    serving.server?.show(token, at: origin)
  }

  package func begin(
    session token: SessionToken, at station: String, for origin: Peer
  ) async throws(RelayError) {
    let found = try stations.station(station)
    guard found.definition.files == nil, !found.isStopped else {
      throw RelayError.nothingToPlay(station)
    }
    serving.server?.begin(token, at: station, for: origin)
  }

  package func steer(
    session token: SessionToken, _ steering: Steering?
  ) async throws(RelayError) -> SessionSnapshot {
    let outcome = await serving.server?.steer(session: token, steering) ?? .unknown
    return try outcome.snapshot(else: .unknownSession)
  }

  package func steer(listener id: UInt64, _ steering: Steering) async throws(RelayError) {
    let outcome = await serving.server?.steer(listener: id, steering) ?? .unknown
    _ = try outcome.snapshot(else: .unknownListener(id))
  }

  package func forgetSessions() async throws(RelayError) {
    try await sessionKeeper.forget(serving.server)
  }

  // MARK: Recordings

  package func recordings() async -> [RecordingEntry] { await recordingRegister.list() }

  /// Returns a station's shows: when they are on air, and what was recorded of them.
  public func shows(of id: String) async throws(RelayError) -> StationShows {
    try await views.shows(of: id, recordingRegister)
  }

  package func recordedShow(
    _ id: Int64, of station: String
  ) async throws(RelayError) -> RecordedShow? {
    try await views.show(id, of: station, recordingRegister)
  }

  package func plannedRecordings() async -> [PlannedRecording] { schedules.planned }

  package func recordingCalendar(
    of station: String?, from first: WallTime?, days: Int
  ) async throws(RelayError) -> RecordingCalendar {
    try schedules.calendar(of: station, from: first, days: days)
  }

  package func record(_ options: RecordingEntry.Options) async throws(RelayError) -> RecordingEntry
  {
    await turnstile.enter()
    defer { turnstile.leave() }
    let station = try stations.station(options.station)
    if station.log == nil { throw RelayError.recordingOfFiles(station.id) }
    if !station.definition.allowsRecording { throw RelayError.recordingOff(station.id) }
    try RecordingRegister.refuseGone(options, from: station)
    var options = options
    options.zone = stations.zone(of: station.definition).name
    let entry = try await recordingRegister.start(options, of: station)
    await onDemand.wake(station.id)
    let folder = await recordingRegister.space.folder
    logger.info("\(station.id): recording \(entry.id) into \(folder)")
    return entry
  }

  /// Ends a recording; its files stay. False: there is none of that number.
  public func stopRecording(_ id: Int64) async throws(RelayError) -> Bool {
    try await recordingRegister.stop(id)
  }

  /// The recordings there are, in the order of their beginning.
  ///
  /// - Parameter station: nil for those of all stations.
  public func recordings(of station: String?) async -> [Recording] {
    await recordings().filter { station == nil || $0.options.station == station }
      .map(Recording.init)
  }

  // MARK: Figures

  /// The web services that are told of events, in the order of the configuration.
  public func webhooks() -> [WebhookState] { webhookList.states }

  /// Returns the relay's own figures.
  public func figures() async -> RelayFigures {
    let now = Moment.now()
    var figures = RelayFigures(
      version: RelayVersion.number, startedAt: startedAt.wall,
      uptime: now.monotonic.seconds(since: startedAt.monotonic),
      stations: stations.order.count, listenersPeak: tally.peak,
      listenersTotal: stations.byID.values.reduce(0) { $0 + $1.counters.total },
      places: places, sessions: tally.sessions, logLinesLost: logFiles.linesLost,
      wrongPasswords: guesses.wrongPasswords,
      server: await serving.server?.figures() ?? ServerFigures(),
      process: await Blocking.run { ProcessFigures.now() })
    figures.leftOut = leftOut.text
    figures.databaseFailure = store.whyInMemory
    figures.threads = ThreadFigures.now()
    figures.webhooks = webhookList.states
    figures.certificates = serving.certificates
    return figures
  }

  /// Returns what supervisors are told, besides the stations.
  package func metrics() async -> RelayMetrics {
    var metrics = RelayMetrics(figures: await figures())
    metrics.server = await serving.server?.metrics() ?? ServerMetrics()
    metrics.ingest = await ingest.figures()
    metrics.storage = logs.storages.figures
    metrics.counts = events.ledger.counts()
    for entry in await recordingRegister.list() {
      metrics.recordings[entry.state, default: 0] += 1
    }
    metrics.library = await library.report()
    metrics.configuration = configurationMetrics
    return metrics
  }

  /// Returns a station's figures over time.
  public func figures(
    of station: String, each step: FigureSeries.Step
  ) async throws(RelayError) -> FigureSeries {
    keptFigures.series(of: try stations.station(station), step, at: .now())
  }

  /// Returns the figures over time of all stations together.
  public func figures(each step: FigureSeries.Step) async -> FigureSeries {
    keptFigures.series(step, at: .now())
  }

  /// Returns what keeps the relay from being ready, in words; empty when it is ready.
  package func obstacles() async -> [String] {
    if serving.server == nil { return ["starting or stopping"] }
    return (serving.obstacle.map { [$0] } ?? []) + views.obstacles(store: store.whyInMemory)
  }
}

extension SteeringOutcome {
  /// Returns the session after it was steered.
  ///
  /// - Parameter unknown: the error to throw when the session or the listener is unknown.
  fileprivate func snapshot(else unknown: RelayError) throws(RelayError) -> SessionSnapshot {
    switch self {
    case .done(let snapshot): return snapshot
    case .unknown: throw unknown
    case .otherCodec: throw RelayError.otherCodecThen
    case .forbidden: throw RelayError.shiftOff
    case .nothingToPlay: throw RelayError.nothingToPlay(nil)
    }
  }
}
