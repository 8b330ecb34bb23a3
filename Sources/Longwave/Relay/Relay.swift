import Ingest
import Logging
import Media
import Reactor
import Server
import Synchronization
import Threads
import Timeshift
import Wire

/// A whole relay: the stations of a configuration, pulled, stored and served until it is stopped.
///
/// Storage, ingest loop, server and store are made here and meet here; audio never passes through. What is
/// done to stations is done one at a time, in the order it was asked for.
public actor Relay {
  public internal(set) var configuration: Configuration
  /// As it was at the start: some of it counts until the next one.
  let startedServer: ServerSection
  public nonisolated let events: EventHub
  public nonisolated let dataPath: String
  let logger: Logger
  let store: StationStore
  let logs: StationLogs
  let ingest: IngestLoop
  let tally = ListenerTally()
  let desk: LogDesk
  let recordingDesk: RecordingDesk
  let apiSettings: APISettings
  let guesses: GuessLimits
  var places = PlaceHistograms()
  let turnstile = Turnstile()
  /// Of those who read the configuration again: the last one counts.
  let reloads = Turnstile()
  var paths: NamedPaths { options.paths }
  /// The relay's own folders, which nobody is served from.
  var hidden: PrivateFolder?
  let startedAt = Moment.now()
  let options: RelayOptions
  let starts: StartWatch
  /// Left out of this start.
  var leftOut: [LeftOutStation] = []
  private let data: DataDirectory
  private let ingestThread: EventLoop
  var background: [Task<Void, Never>] = []
  let reports = AsyncStream.makeStream(
    of: Report.self, bufferingPolicy: .bufferingNewest(10_000))

  /// It has started, and nobody has stopped it.
  private var isRunning = false
  /// What this start is without; nil: nothing.
  var safeMode: SafeMode? { starts.safeMode }

  /// In the order of the file, then of adding.
  var order: [String] = []
  var stations: [String: RelayStation] = [:]
  var authorities: StationAuthorities
  var keptBans: [BanRecord] = []
  /// As the store has them.
  var keptSessions: [SessionToken: SessionRecord] = [:]
  var server: RelayServer?
  let tickets = TLSTicketKeys()
  /// For connections to come.
  var tls: TLSOffer?
  /// Of stations on demand.
  var demands: [String: Demand] = [:]
  /// Of those that are pulled.
  var restTimers: [String: RestTimer] = [:]
  /// Waits for the next recording that a schedule begins.
  var scheduleTask: Task<Void, Never>?
  /// When `followSchedules` last did, by the machine's own clock.
  var schedulesLookedAt: MonotonicTime?
  var fallbacks = FallbackWatch()

  /// What loops tell in passing; they must not wait until it is dealt with.
  enum Report: Sendable {
    case listeners([ListenerEvent], at: WallTime)
    case headers(UpstreamHeaders, station: String)
    case demand(Demand.Call, station: String)
  }

  /// Locks the data folder and opens the store; nothing runs yet.
  public init(
    configuration: Configuration, options: RelayOptions = RelayOptions()
  ) async throws(RelayError) {
    self.configuration = configuration
    startedServer = configuration.server
    self.options = options
    logger = options.logger
    events = EventHub(logger: options.logger)
    desk = LogDesk(logger: options.logger)
    guesses = GuessLimits(logger: options.logger)
    authorities = StationAuthorities(guesses: guesses.listeners, logger: options.logger)
    apiSettings = APISettings(configuration)
    try RelayService.requireOpenFiles(configuration, options)
    dataPath = DataDirectory.resolve(option: options.data, configured: configuration.server.data)
    do {
      data = try DataDirectory.open(dataPath)
    } catch {
      throw RelayError("\(error)")
    }
    starts = StartWatch(data: dataPath)
    do {
      store = try await StationStore.open(data.databasePath)
      ingestThread = try EventLoop(name: "ingest")
    } catch {
      starts.stop(hasStarted: false)
      throw RelayError("\(error)")
    }
    recordingDesk = RecordingDesk(
      store: store, events: events, logger: logger,
      space: RecordingSpace(configuration.recordings, data: dataPath))
    let storages = Storages(
      home: data.logsPath, files: options.files,
      handlesMax: FileBudget.segmentsMax(openFiles: Limits.raiseOpenFiles()))
    logs = StationLogs(data: data, storages: storages, hub: events, files: options.files)
    ingest = IngestLoop(loop: ingestThread)
  }

  /// Recovers the windows, opens the sockets and begins to pull. Call it once.
  public func start() async throws(RelayError) {
    try await startThreads()
    desk.use(configuration.log)
    if let rescue = store.rescue {
      let time = Moment.now().wall
      let details: KeyValuePairs = ["reason": JSON.string(rescue.description)]
      events.post(RelayEvent(.storageFailed, time: time, details: details))
    }
    warnOfClock()
    if let reason = store.whyInMemory {
      let text =
        "the database has no room on the disk; until there is, what is asked for of stations, bans "
        + "and recordings is refused, and sessions are in memory only: \(reason)"
      events.post(
        RelayEvent(.storageFailed, time: Moment.now().wall, details: ["reason": .string(text)]))
    }
    do {
      try configuration.requireOwnPaths(data: dataPath)
      hidden = PathRules.hidden(configuration, data: dataPath)
      try await enterSafeMode()
      try await loadStations()
      followAuthorities()
      try await loadBans()
      tls = try Self.offer(configuration.server.tls, tickets)
      warnOfCertificate()
      let server = try makeServer()
      try await loadSessions(into: server)
      try await server.start(mounts: mounts, bans: serverBans)
      self.server = server
      try await recordingDesk.resume(stations, isSafe: safeMode != nil)
    } catch {
      starts.stop(hasStarted: false)
      await stop()
      throw RelayError("\(error)")
    }
    isRunning = true
    warnOfLimits()
    warnOfFallbacks()
    warnOfFiles()
    for station in stations.values where !station.isStopped { await pull(station) }
    await followSchedules()
    runInBackground()
  }

  /// Where the system gives too few, nothing runs: of a loop without a thread nothing may be awaited.
  private func startThreads() async throws(RelayError) {
    if logs.storages.start(), ingestThread.start() { return }
    starts.stop(hasStarted: false)
    logs.storages.stop()
    await store.close()
    data.release()
    throw RelayError(
      "the system gives this process too few threads; raise the limit (ulimit -u, or TasksMax= in "
        + "the unit of systemd)")
  }

  /// Ends every listener between two packets, then ingest, and writes what is still in memory.
  public func stop() async {
    if isRunning { starts.stop(hasStarted: true) }
    isRunning = false
    for task in background { task.cancel() }
    background = []
    for timer in restTimers.values { timer.task.cancel() }
    restTimers = [:]
    await turnstile.enter()
    scheduleTask?.cancel()
    scheduleTask = nil
    turnstile.leave()
    reports.continuation.finish()
    await server?.drain()
    await recordingDesk.suspend()
    await keepSessions()
    await authorities.settle()
    server = nil
    for running in fallbacks.running.values { await running.feed?.run(false) }
    await ingest.shutdown()
    await logs.close(
      Array(stations.values).ownLogs, within: StationLogs.patience)
    await desk.close()
    await keepTotals()
    await store.close()
    await Blocking.run { [ingestThread, logs] in
      ingestThread.stop()
      logs.stop()
    }
    data.release()
  }

  /// What the server has of the configuration.
  var serverConfiguration: ServerConfiguration {
    var settings = ServerConfiguration(
      listen: options.listen ?? configuration.server.listen, name: RelayVersion.name)
    settings.shoutcastListen = configuration.server.shoutcastListen
    settings.unixSocket = options.hasUnixSocket ? data.socketPath : nil
    settings.threads = configuration.server.threads
    settings.listenersMax = listenersPossible
    settings.connectionsMax = connectionsPossible
    settings.connectionsPerAddress = configuration.server.connectionsPerAddress
    settings.watchersMax = configuration.server.watchersMax
    settings.watchersPerAddress = configuration.server.watchersPerAddress
    settings.publicURL = configuration.server.publicURL
    settings.listenersPerAddress = configuration.server.listenersPerAddress
    settings.startsPerAddress = configuration.server.startsPerAddress
    settings.clipsPerAddress = configuration.server.clipsPerAddress
    settings.clipSpeed = Double(configuration.server.clipSpeed)
    settings.access = configuration.server.access
    settings.trustedProxies = configuration.server.trustedProxies
    settings.hasProxyHeaders = configuration.server.hasProxyHeaders
    settings.tls = tls
    settings.requests = desk
    settings.hidden = hidden
    settings.sessionGuesses = guesses.joins
    return settings
  }

  /// As many as are wanted, where the files for it may be open.
  private var listenersPossible: Int {
    min(configuration.server.listenersMax, files.listenersPossible)
  }

  private var connectionsPossible: Int {
    let wanted = configuration.server.connectionsMax
    return wanted > 0 ? min(wanted, files.connectionsPossible) : files.connectionsPossible
  }

  private var files: FileBudget {
    let windows = stations.values.filter(\.isPulled).map { configuration.window(of: $0.definition) }
    let hasMedia = stations.values.contains { $0.definition.files != nil }
    return FileBudget(openFiles: Limits.raiseOpenFiles(), windows: windows, hasMedia: hasMedia)
  }

  private func makeServer() throws(ServerError) -> RelayServer {
    let router = APIRouter(relay: self, settings: apiSettings, limits: guesses)
    let continuation = reports.continuation
    return try RelayServer(
      configuration: serverConfiguration, api: router, events: events.ring
    ) { events in
      continuation.yield(.listeners(events, at: Moment.now().wall))
    }
  }

  func warnOfLimits() {
    let connections = files.connectionsPossible
    if configuration.server.connectionsMax > connections {
      logger.warning(
        "\(connections) connections are possible, not \(configuration.server.connectionsMax): the limit on open files is too low"
      )
    }
    let wanted = configuration.server.listenersMax
    guard let possible = server?.listenersMax, possible < wanted else { return }
    logger.log(
      level: configuration.server.isListenersMaxWritten ? .warning : .debug,
      "\(possible) listeners are possible, not \(wanted): the limit on open files is too low")
  }
}

extension Relay {
  /// The addresses listened on, with the ports the system chose.
  public var addresses: [SocketAddress] { server?.boundAddresses ?? [] }

  /// Where sources of SHOUTcast's first protocol connect.
  public var shoutcastAddresses: [SocketAddress] { server?.boundShoutcastAddresses ?? [] }

  /// A station's URL as this machine can open it.
  public func url(of station: String) -> String {
    "\(ServerURL.base(addresses, publicURL: configuration.server.publicURL, isEncrypted: configuration.server.tls?.isOnly == true))/\(station)"
  }

  public var stationIDs: [String] { order }
}

extension Relay {
  /// Begins to pull a station into its log.
  func pull(_ station: RelayStation) async {
    guard let log = station.ownLog else { return }
    let id = station.id
    let continuation = reports.continuation
    let settings = station.definition.upstreamSettings(configuration.upstream)
    let isPaused = station.definition.rests && station.counters.places == 0
    if station.definition.rests { demand(of: id).set(isRunning: !isPaused) }
    await ingest.add(station: id, settings: settings, log: log, isPaused: isPaused) {
      [events, desk, counters = station.counters] event in
      events.post(event, station: id, log: log)
      if case .title(let title, _) = event { desk.note(title, of: id, listeners: counters.now) }
      if case .headers(let headers) = event { continuation.yield(.headers(headers, station: id)) }
    }
    if !isPaused { pauseWhenUnwanted(id) }
    await wanted(ifRecorded: id)
  }

  /// Tells the server what there is to listen to.
  func publish() async {
    followAuthorities()
    guard let server else { return }
    let before = server.listenersMax
    server.setListenersMax(listenersPossible)
    server.setConnectionLimits(serverConfiguration)
    if server.listenersMax < before { warnOfLimits() }
    await server.publish(mounts: mounts)
  }

  private func followAuthorities() {
    authorities.follow(order.map { ($0, stations[$0]?.definition.auth) })
  }

  private var mounts: [Mount] {
    order.compactMap { id in
      guard let station = stations[id] else { return nil }
      var mount = station.mount(configuration.listeners)
      mount.timeZone = zone(of: station.definition)
      mount.authority = authorities.authority(of: id)
      mount.fallback = fallbacks.running[id]?.served
      if station.definition.rests {
        mount.firstPacketTimeout = station.definition.firstPacketTimeout(configuration.upstream)
        mount.demand = demand(of: id)
      }
      return mount
    } + leftOut.map { leftOutMount($0.id) }
  }
}
