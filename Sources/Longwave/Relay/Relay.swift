import Ingest
import Library
import Logging
import Reactor
import Server
import Store
import Threads
import Timeshift
import Wire

/// A whole relay: pulls, stores and serves the stations of a configuration until it is stopped.
///
/// The relay makes its parts and connects them; audio never passes through it. Changes to stations happen one at a
/// time, in the order of the requests.
public actor Relay {
  package nonisolated let events: EventHub
  public nonisolated let dataPath: String
  let logger: Logger
  let options: RelayOptions
  let startedAt = Moment.now()
  /// The configuration of the start; some of its keys stay in force until the next start.
  let startedWith: Configuration

  // Parts that the stations are built on.
  private let data: DataDirectory
  let starts: StartWatch
  let store: StationStore
  let logs: StationLogs
  let ingestThread: EventLoop
  let ingest: IngestLoop
  let logFiles: LogFiles
  let recordingRegister: RecordingRegister
  let artworkCache: ArtworkCache
  let upstreamChecker: UpstreamChecker
  let soundMeters: SoundMeters
  let sampleMaker: SampleMaker
  let webhookList: WebhookList

  // Stations, and the parts that work on them.
  let stations: StationTable
  let leftOut: LeftOutStations
  let kit: StationKit
  let renditions: RenditionFiller
  let programmes: ProgrammeFiller
  let music: MusicFolders
  let plays: PlayDesk
  /// What people collected of the music.
  public nonisolated let collectionDesk: CollectionDesk
  package nonisolated let library: LibraryDesk
  let maker: FileMaker
  nonisolated let trackNotes: TrackNotes
  let stepDown: StepDownPolicy
  let onDemand: OnDemand
  let fallbackLooks: FallbackLooks
  let fallbacks: Fallbacks
  let serving: Serving
  let schedules: RecordingSchedules

  // Rights, bans and sessions.
  let adminRights: AdminRights
  let guesses: GuessLimits
  let banList: BanList
  let sessionKeeper: SessionKeeper

  // Background work.
  let turnstile = Turnstile()
  /// Turnstile for reloads: they run one after the other, so the last configuration read wins.
  let reloads = Turnstile()
  let reloadLooks = ReloadLooks()
  /// Taken while the relay starts: its sockets are open a little earlier than its stations take sources.
  let startup = Turnstile()
  let tally = ListenerTally()
  var places = PlaceHistograms()
  lazy var configurationMetrics = ConfigurationMetrics(takenOverAt: startedAt.wall)
  let keptFigures: KeptFigures
  let keptReplays = KeptReplays()
  let reports = AsyncStream.makeStream(
    of: Report.self, bufferingPolicy: .bufferingNewest(10_000))
  var background: [Task<Void, Never>] = []
  /// Whether the relay has started and has not been stopped.
  var isRunning = false

  /// A message from a loop, which must not wait until the relay has dealt with it.
  enum Report: Sendable {
    case listeners([ListenerEvent], at: WallTime)
    case headers(UpstreamHeaders, station: String)
    case goodbye(Goodbye, station: String)
    case demand(Demand.Call, station: String)
  }

  /// Locks the data folder and opens the store; nothing runs yet.
  ///
  /// Throws `RelayError.badConfiguration` for stations that no file could have, before anything is opened.
  public init(
    configuration: Configuration, options: RelayOptions = RelayOptions()
  ) async throws(RelayError) {
    let configuration = try configuration.validated()
    self.options = options
    logger = options.logger
    startedWith = configuration
    keptFigures = KeptFigures(from: startedAt)
    try OpenFiles.require(configuration, listen: options.listen)
    dataPath = DataDirectory.resolve(option: options.data, configured: configuration.server.data)
    let group: UInt32?
    do {
      group = try SystemAccounts.group(configuration.admin.socketGroup)
      data = try DataDirectory.open(dataPath, group: group)
    } catch {
      throw RelayError.cannotStart("\(error)")
    }
    starts = StartWatch(data: dataPath)
    do {
      var storing = StationStore.Options()
      storing.claim = { [data] in try data.hold() }
      store = try await StationStore.open(data.databasePath, storing)
      ingestThread = try EventLoop(name: "ingest")
    } catch {
      starts.stop(hasStarted: false)
      throw RelayError.cannotStart("\(error)")
    }
    events = EventHub(logger: logger, firstID: starts.firstEventID)
    logFiles = LogFiles(logger: logger)
    guesses = GuessLimits(now: options.guessClock, logger: logger)
    adminRights = AdminRights(configuration)
    recordingRegister = RecordingRegister(
      store: store, events: events, logger: logger,
      space: RecordingSpace(configuration.recordings, data: dataPath))
    let storages = Storages(
      home: data.logsPath, files: options.files,
      handlesMax: FileBudget.segmentsMax(openFiles: Limits.raiseOpenFiles()))
    logs = StationLogs(data: data, storages: storages, hub: events, files: options.files)
    ingest = IngestLoop(loop: ingestThread)
    artworkCache = ArtworkCache { [ingest] wish in
      await ingest.picture(at: wish.url, isOwn: wish.isOwn, by: wish.settings)
    }
    upstreamChecker = UpstreamChecker { [ingest] in await ingest.check($0, by: $1) }

    soundMeters = SoundMeters(events, makeDecoder: options.makeDecoder)
    webhookList = WebhookList(events.followers, logger: logger)
    sampleMaker = SampleMaker(events, soundMeters.pool, makeDecoder: options.makeDecoder)

    let reports = reports.continuation
    stations = StationTable(configuration, unlisted: events.unlisted)
    leftOut = LeftOutStations(starts.safeMode, store: store, logger: logger)
    let loader = StationLoader(
      stations: stations, leftOut: leftOut, store: store, logs: logs,
      startsStopped: options.startsStopped, logger: logger)
    renditions = RenditionFiller(
      stations, pool: soundMeters.pool, makeDecoder: options.makeDecoder
    ) { [events] in
      events.post($0, station: $1.station, log: $1.log)
    }
    stepDown = StepDownPolicy(stations)
    let pulled = IngestFiller(
      stations: stations, ingest: ingest, events: events, logFiles: logFiles,
      tellHeaders: { reports.yield(.headers($0, station: $1)) },
      tellGoodbye: { reports.yield(.goodbye($0, station: $1)) })
    let trackPlays = TrackPlays()
    let (libraryStore, libraryTurns) = (
      LibraryStore(dataPath + "/library.db", plays: trackPlays) { [store] in store.hasFolder },
      FolderTurns()
    )
    music = MusicFolders(
      data: dataPath, tagProgram: options.tagProgram, store: RootStore(libraryStore, libraryTurns)
    ) { [events, logger] in
      events.post($0, logger)
    }
    trackNotes = TrackNotes(store)
    let measures = TrackMeasures(said: { [trackNotes] in trackNotes[$0].gain }) { measures in
      await libraryTurns.run(in: libraryStore.path, within: nil) {
        (try? libraryStore.keep(measures)) != nil
      } ?? false
    }
    collectionDesk = CollectionDesk(store, music, logger: logger)
    library = LibraryDesk(
      libraryStore, music, measures, in: libraryTurns, logger: logger,
      part: { [collectionDesk] in await collectionDesk.file(of: $0) },
      held: { [store] in try? await store.collectedTracks() })
    plays = PlayDesk("\(dataPath)/plays.db", events, logger, tracks: trackPlays) { [store] in
      store.hasFolder
    }
    maker = FileMaker(MadeFiles("\(dataPath)/renditions"))
    programmes = ProgrammeFiller(
      stations, store, music, MusicLists(music, tagProgram: options.tagProgram),
      collectionDesk, trackNotes, measures, plays, maker, pool: soundMeters.pool,
      makeDecoder: options.makeDecoder,
      events: events, logger: logger
    ) { [events, logFiles] event, id, log, counters in
      events.post(event, station: id, log: log)
      if case .title(let title, _) = event { logFiles.note(title, of: id, listeners: counters.now) }
    }
    let table = FillerTable(ingest: pulled, renditions: renditions, programmes: programmes)
    onDemand = OnDemand(
      stations, fillers: table, recordings: recordingRegister, samples: sampleMaker
    ) {
      reports.yield(.demand($0, station: $1))
    }
    let fillers = Fillers(
      stations: stations, table: table, onDemand: onDemand, ledger: events.ledger)
    fallbackLooks = FallbackLooks(options.paths)
    fallbacks = Fallbacks(
      stations, onDemand: onDemand, events: events,
      contents: FallbackContents(fallbackLooks, options.paths, on: ingestThread, logger: logger),
      deadAir: { [soundMeters] in soundMeters.state(of: $0).deadAir })
    serving = Serving(
      stations, leftOut: leftOut, fallbacks: fallbacks, onDemand: onDemand,
      authorities: StationAuthorities(
        guesses: guesses.listeners, passes: adminRights.passes, logger: logger),
      doors: ServerDoors(
        listen: options.listen, shoutcastListen: options.shoutcastListen, opened: options.opened,
        unixSocket: options.hasUnixSocket ? data.socketPath : nil, unixSocketGroup: group,
        requests: logFiles, sessionGuesses: guesses.joins, samples: sampleMaker), events: events,
      logger: logger)
    kit = StationKit(
      stations: stations, store: store, loader: loader, fillers: fillers,
      recordings: recordingRegister, serving: serving, logger: logger)
    schedules = RecordingSchedules(
      stations, register: recordingRegister, onDemand: onDemand, starts: starts)
    banList = BanList(store, clock: starts.expiry, logger: logger)
    sessionKeeper = SessionKeeper(store, logger: logger)

    onDemand.whenDue = { [weak self] in await self?.lookAtDemand(of: $0) }
    schedules.whenDue = { [weak self] in await self?.followSchedulesWhenDue() }
    fallbackLooks.whenLooked = { [weak self] in await self?.note($0) }
  }

  /// Recovers the windows, opens the sockets and begins to pull. Call it once.
  public func start() async throws(RelayError) {
    await startup.enter()
    defer { startup.leave() }
    try await startThreads()
    logFiles.use(configuration.log)
    tellStorage()
    starts.warnOfClock(logger)
    do {
      try configuration.requireOwnPaths(data: dataPath)
      try await leftOut.load()
      try await kit.loader.loadAll(data: dataPath)
      try await banList.load()
      try await trackNotes.load()
      try serving.readFiles(data: dataPath)
      if configuration.server.hlsSecret == nil {
        serving.storedSecret = try await store.secret("hls")
      }
      let server = try makeServer()
      try await loadSessions(into: server)
      try await serving.start(server, bans: banList.bans)
      try await recordingRegister.resume(stations.byID, isSafe: starts.safeMode != nil)
    } catch {
      starts.stop(hasStarted: false)
      await stop()
      throw RelayError.cannotStart("\(error)")
    }
    isRunning = true
    await collectionDesk.use { [weak self] in await self?.collectionUsers() ?? [:] }
    webhookList.follow(configuration.webhooks)
    serving.warnOfLimits()
    fallbackRules.warn()
    stationPaths.warnOfFiles()
    await music.use(configuration)
    await collectionDesk.use(configuration.library)
    await library.use(configuration.library)
    maker.use(configuration.cache)
    await kit.begin(stations.order)
    await schedules.follow()
    runInBackground()
  }

  /// Releases the data folder for another relay.
  nonisolated func release() { data.release() }

  // MARK: Starting

  /// Starts the threads of the storages and of ingest. With too few threads nothing runs, and nothing may await a loop
  /// that has no thread.
  private func startThreads() async throws(RelayError) {
    if logs.storages.start(), ingestThread.start() { return }
    starts.stop(hasStarted: false)
    logs.storages.stop()
    await store.close()
    data.release()
    throw RelayError.cannotStart(
      "the system gives this process too few threads; raise the limit (ulimit -u, or TasksMax= in "
        + "the unit of systemd)")
  }

  /// Posts events for data that the database has lost, and for a database that is in memory only.
  private func tellStorage() {
    func tell(_ reason: String) {
      events.post(
        RelayEvent(
          .storageFailed, time: Moment.now().wall, details: ["reason": .string(reason)]))
    }
    if let rescue = store.rescue { tell(rescue.description) }
    if let reason = store.whyInMemory {
      tell(
        "the database has no room on the disk: changes of stations, bans and recordings are refused, "
          + "and sessions are in memory only: \(reason)")
    }
  }

  private func makeServer() throws(ServerError) -> RelayServer {
    let reports = reports.continuation
    return try RelayServer(
      configuration: serving.configuration,
      api: options.interface.make(self, adminRights, guesses), events: events.ring,
      sessionEvents: events.sessions, figures: events.figures
    ) { events in
      reports.yield(.listeners(events, at: Moment.now().wall))
    }
  }

  private func loadSessions(into server: RelayServer) async throws(StoreError) {
    server.set(configuration.sessions)
    server.expire(by: starts.expiry)
    if starts.safeMode == nil { try await sessionKeeper.restore(into: server) }
  }
}
