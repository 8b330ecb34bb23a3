import Reactor
import Timeshift
import Wire

/// All stations whose upstreams one loop pulls: their workers, and the one libcurl multi handle that they share.
///
/// Pinned to the loop: a call from outside runs on the loop's thread, and the loop's own callbacks are on it already.
/// The loop is started before the first call and stopped after `shutdown`.
public actor IngestLoop {
  private nonisolated let loop: EventLoop
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    loop.asUnownedSerialExecutor()
  }

  private struct Station {
    var worker: IngestWorker
    var writer: LogWriter
    var report: @Sendable (IngestEvent) -> Void
    var isAwaited: @Sendable () -> Bool
    /// Settings that count once the source that pushes has left.
    var next: UpstreamSettings?
  }

  private var stations: [String: Station] = [:]
  private var machinery: IngestMachinery?
  private var isShutDown = false
  private let pictures = PictureFetches()
  private let checks = UpstreamChecks()
  private let oddities: IngestOddities

  public init(loop: EventLoop) {
    self.init(loop: loop, oddities: IngestOddities())
  }

  init(loop: EventLoop, oddities: IngestOddities) {
    self.loop = loop
    self.oddities = oddities
  }

  /// Begins to pull a station into its log; with `isPaused` it waits for `resume`. A station of that name is stopped
  /// first.
  ///
  /// Fails if another station still writes into that log. Calls `report` on the loop's thread; it must not block. Nor
  /// must `isAwaited`, which says whether somebody waits for the audio: an upstream that fails is tried again sooner then.
  public func add(
    station: String, settings: UpstreamSettings, log: PacketLog, isPaused: Bool = false,
    isAwaited: @escaping @Sendable () -> Bool = { false },
    report: @escaping @Sendable (IngestEvent) -> Void
  ) {
    stop(station: station)
    guard !settings.urls.isEmpty else {
      return report(.state(.failed, reason: "the station has no upstream"))
    }
    guard let writer = log.writer() else {
      return report(.state(.failed, reason: "another station writes into its window"))
    }
    let worker = makeWorker(settings, writer, isAwaited, report)
    stations[station] = Station(
      worker: worker, writer: writer, report: report, isAwaited: isAwaited)
    worker.start(isPaused: isPaused)
  }

  /// Gives a station other settings. Log and tail stay; the connection is made anew, and its audio is stitched. A source
  /// that pushes is not thrown off: few encoders come again. The settings count once it has left.
  public func update(station: String, settings: UpstreamSettings) {
    guard let old = stations[station] else { return }
    stations[station]?.next = nil
    guard old.worker.settings != settings else { return }
    guard !settings.urls.isEmpty else {
      return add(
        station: station, settings: settings, log: old.writer.log, isAwaited: old.isAwaited,
        report: old.report)
    }
    if old.worker.hasSource, settings.urls.first == PushSource.url {
      stations[station]?.next = settings
      old.worker.whenSourceLeaves = { self.useNextSettings(of: station) }
      return
    }
    use(settings, for: station)
  }

  private func useNextSettings(of station: String) {
    guard let next = stations[station]?.next else { return }
    stations[station]?.next = nil
    use(next, for: station)
  }

  private func use(_ settings: UpstreamSettings, for station: String) {
    guard let old = stations[station] else { return }
    let isIdle = old.worker.status.state == .paused
    let worker = makeWorker(settings, old.writer, old.isAwaited, old.report)
    stations[station]?.worker = worker
    worker.start(after: old.worker, isIdle: isIdle)
  }

  /// Ends a station's ingest and forgets the station.
  public func stop(station: String) {
    guard let ended = stations.removeValue(forKey: station) else { return }
    ended.worker.stop(.stopped, reason: "")
    ended.writer.end()
  }

  /// Ends the connection of a station without listeners; `resume` goes on.
  public func pause(station: String) {
    stations[station]?.worker.stop(
      .paused, reason: IngestWorker.nobodyListens)
    useNextSettings(of: station)
  }

  /// Goes on with a paused station; does nothing to any other.
  public func resume(station: String) {
    guard let worker = stations[station]?.worker, worker.status.state == .paused else { return }
    worker.resume()
  }

  /// Marks a title at the live edge. It counts until the upstream announces another title than its last.
  ///
  /// - Returns: false for a station that is not being pulled.
  public func announce(_ title: Title, station: String) -> Bool {
    guard let worker = stations[station]?.worker else { return false }
    worker.announce(title, from: .hand)
    return true
  }

  /// Marks a title that a source's request has sent, in the station's charset.
  ///
  /// - Returns: false for a station that is not being pulled.
  public func announce(_ title: SentTitle, station: String) -> Bool {
    guard let worker = stations[station]?.worker else { return false }
    worker.announce(title.title(worker.titles.texts.text), from: .request)
    return true
  }

  /// Reserves the station for a source that is about to come, for a few seconds. False: the station accepts none now.
  public func reserve(station: String) -> Bool {
    stations[station]?.worker.reserve() ?? false
  }

  /// Gives a station the source that it was reserved for.
  public func accept(_ source: PushSource, station: String) {
    if stations[station]?.worker.isSourceGone == true { useNextSettings(of: station) }
    stations[station]?.worker.accept(source)
  }

  /// Ends the sources that push from unwanted addresses; `reason` is reported.
  ///
  /// - Returns: the names of their stations.
  public func endSources(
    _ reason: String, where isUnwanted: @Sendable (SocketAddress) -> Bool
  ) -> [String] {
    stations.keys.filter {
      stations[$0]?.worker.endSource(reason, where: isUnwanted) == true
    }.sorted()
  }

  public func status(station: String) -> IngestStatus? {
    stations[station]?.worker.status
  }

  /// Returns once the loop has turned: it does nothing else.
  public func turn() {}

  /// The loop's work so far, read at its turn.
  public func figures() -> LoopFigures { loop.figures }

  /// Stops every station and lets go of libcurl. The last call; waits until the stations' programs are gone.
  public func shutdown() async {
    isShutDown = true
    for station in stations.keys { stop(station: station) }
    await endOfPrograms()
    pictures.close()
    checks.close()
    machinery?.close()
    machinery = nil
  }

  /// Waits until no program is left, or until those that were killed should be.
  private func endOfPrograms() async {
    guard let machinery else { return }
    var timer: LoopTimer?
    await withCheckedContinuation { continuation in
      var waiting: CheckedContinuation<Void, Never>? = continuation
      func goOn() {
        waiting?.resume()
        waiting = nil
      }
      timer = LoopTimer(machinery.clock) { goOn() }
      timer?.set(after: Program.grace * 2)
      machinery.programs.whenEmpty { goOn() }
    }
    timer?.cancel()
  }

  /// Fetches a picture of at most 2 MiB within 5 s.
  ///
  /// - Parameters:
  ///   - isOwn: whether the operator named the URL. Other URLs lead to addresses of the world only.
  ///   - settings: how the station's upstream is asked, which the picture belongs to.
  public func picture(
    at url: String, isOwn: Bool, by settings: UpstreamSettings
  ) async -> Result<FetchedPicture, PictureFailure> {
    if isShutDown { return .failure(PictureFailure(reason: "the relay ends")) }
    var request = TransferRequest(url: url, userAgent: settings.userAgent, connectTimeout: 5)
    request.lead = isOwn ? nil : .world
    request.allowsPrivate = settings.allowsPrivate
    request.proxy = settings.proxy
    request.verifyTLS = settings.verifyTLS
    request.caFile = settings.caFile
    return await withCheckedContinuation { continuation in
      pictures.begin(request, on: sharedMachinery()) { continuation.resume(returning: $0) }
    }
  }

  /// Tries URLs beside the stations, all at once and for 9 s, and returns what each is found to be.
  ///
  /// - Parameter settings: how they are asked; its own URLs do not matter.
  public func check(
    _ urls: [String], by settings: UpstreamSettings
  ) async -> [UpstreamFinding] {
    await withTaskGroup(of: (index: Int, finding: UpstreamFinding).self) { group in
      for (index, url) in urls.enumerated() {
        group.addTask { (index, await self.check(url, by: settings)) }
      }
      var found: [(index: Int, finding: UpstreamFinding)] = []
      for await one in group { found.append(one) }
      return found.sorted { $0.index < $1.index }.map(\.finding)
    }
  }

  private func check(_ url: String, by settings: UpstreamSettings) async -> UpstreamFinding {
    let number = checks.nextNumber()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if isShutDown {
          var finding = UpstreamFinding(url: url)
          finding.trouble = UpstreamChecks.relayEnds
          return continuation.resume(returning: finding)
        }
        checks.begin(number, url, settings: settings, machinery: sharedMachinery()) {
          continuation.resume(returning: $0)
        }
      }
    } onCancel: {
      // Comes after the beginning: that happens in the turn in which the number was given.
      Task { await self.giveUp(check: number) }
    }
  }

  private func giveUp(check number: UInt64) { checks.giveUp(number) }

  /// Made here and not in `init`: all of it belongs to the loop's thread.
  private func sharedMachinery() -> IngestMachinery {
    let machinery = machinery ?? IngestMachinery(loop: loop, oddities: oddities)
    self.machinery = machinery
    return machinery
  }

  private func makeWorker(
    _ settings: UpstreamSettings, _ writer: LogWriter, _ isAwaited: @escaping () -> Bool,
    _ report: @escaping @Sendable (IngestEvent) -> Void
  ) -> IngestWorker {
    IngestWorker(
      settings: settings, writer: writer, machinery: sharedMachinery(),
      seed: .random(in: 0 ... .max), isAwaited: isAwaited, report: report)
  }
}
