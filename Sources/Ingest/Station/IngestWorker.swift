import Reactor
import Timeshift
import Wire

/// Keeps one station's log supplied, for ever.
///
/// Lives on the ingest loop and is used nowhere else. One connection at a time feeds the log (`Appender`); a second one
/// may be on trial beside it.
///
/// Whatever happens to a connection ends in `connectNext`, which goes to the next URL: at once, or later after a round
/// of failures.
final class IngestWorker {
  let settings: UpstreamSettings
  private let log: PacketLog
  private let report: (IngestEvent) -> Void
  private let machinery: IngestMachinery
  let titles: TitleReader

  private var list: UpstreamList
  private var policy: ReconnectPolicy
  private var appender: Appender
  private var connection: UpstreamConnection?
  private var connectedAt: Moment?
  private var playedURL: String?
  /// How the last connection ended, while the same relay is asked for what follows.
  private var farewell: UpstreamEnd?
  private let wayBack: WayBack
  private var poller: TitlePoller?
  private var slow = SlowUpstreams()

  private var state = StationState.stopped
  private var reason = ""
  private var attempts = 0
  /// The body bytes of ended connections.
  private var bytesBefore = BodyBytes()
  private var headers: UpstreamHeaders?
  private var reservation = SourceReservation()
  /// Called once when the source that is connected has left.
  var whenSourceLeaves: (() -> Void)?

  private var retryTimer: LoopTimer?
  private var holdTimer: LoopTimer?
  private var rateTimer: LoopTimer?
  private var brakeTimer: LoopTimer?

  init(
    settings: UpstreamSettings, writer: LogWriter, machinery: IngestMachinery, seed: UInt64,
    report: @escaping (IngestEvent) -> Void
  ) {
    self.settings = settings
    log = writer.log
    self.report = report
    self.machinery = machinery
    let clock = machinery.clock
    titles = TitleReader(settings)
    list = UpstreamList(settings.urls)
    policy = ReconnectPolicy(settings: settings.reconnect, seed: seed)
    appender = Appender(writer: writer, settings: settings, report: report)
    wayBack = WayBack(settings, titles: titles, log: writer.log, machinery: machinery)
    retryTimer = LoopTimer(clock) { [unowned self] in connect() }
    holdTimer = LoopTimer(clock) { [unowned self] in holdIsOver() }
    brakeTimer = LoopTimer(clock) { [unowned self] in brake() }
    rateTimer = LoopTimer(clock) { [unowned self] in lookAtDelivery() }
    wayBack.onWell = { [unowned self] better in goBack(to: better) }
    poller = makePoller()
  }

  var status: IngestStatus {
    let bytes = bytesBefore + (connection?.bodyBytes ?? BodyBytes())
    return IngestStatus(
      state: state, stateReason: reason,
      url: connection?.shownURL ?? URLText.withoutCredentials(list.current.url),
      connectedSince: connectedAt?.wall, attempts: attempts,
      bytes: bytes.received, bytesSkipped: bytes.skipped, metadata: poller?.status, headers: headers
    )
  }

  // MARK: Start and stop

  func start(isPaused: Bool) {
    appender.recall(at: .now())
    recallAudio()
    if isPaused { enter(.paused, reason: Self.nobodyListens) } else { connect() }
  }

  static let nobodyListens = "nobody listens"

  /// Goes on for a worker with other settings. `isIdle`: stays paused as that one was.
  func start(after previous: IngestWorker, isIdle: Bool) {
    takeOver(from: previous)
    if !isIdle { connect() }
  }

  /// Goes on after `stop`.
  func resume() { connect() }

  /// Ends everything; the log keeps what it has. `state` is stopped or paused.
  func stop(_ state: StationState, reason: String) {
    end()
    enter(state, reason: reason)
  }

  /// Ends the connection, the trial and all timers.
  private func end() {
    poller?.pause()
    retryTimer?.cancel()
    wayBack.cancel()
    dropConnection()
  }

  /// Goes on where a worker with other settings stopped, without reporting it.
  private func takeOver(from previous: IngestWorker) {
    previous.end()
    slow.recall(previous.slow)
    appender.recall(previous.appender)
    (state, reason, attempts) = (previous.state, previous.reason, previous.attempts)
    (bytesBefore, headers, playedURL) = (previous.bytesBefore, previous.headers, previous.playedURL)
    recallAudio()
  }

  /// Recalls when audio last came: an upstream that just went away is expected back, whichever worker pulled it before.
  private func recallAudio() {
    let now = Moment.now()
    if case .exactly(let away)? = log.away(at: now) { policy.recall(away: away, at: now.monotonic) }
  }

  // MARK: Connecting

  private func connect() {
    retryTimer?.cancel()
    if list.current.isPush { return awaitSource() }
    if state != .failed { enter(.connecting, reason: state == .connecting ? reason : "") }
    attempts += 1
    appender.begin()
    connection = UpstreamConnection(
      list.current, settings: settings, titles: titles,
      connectTimeout: policy.connectTimeout(settings.connectTimeout, at: .now()),
      relayHeaders: appender.relayHeaders, machinery: machinery, owner: self
    ) { [unowned self] step in
      if case .said(let line) = step { report(.programSaid(line)) }
    }
  }

  /// Whether a relay has ended its audio to be asked for what follows, as at a gap: it then says how long that is.
  private func asksAgain(_ connection: UpstreamConnection, behind end: UpstreamEnd) -> Bool {
    end.isGoodbye && connectedAt != nil && connection.headers?.relay != nil
      && appender.connection.secondsAppended >= Self.askedAgainAfter
  }

  /// The seconds of audio that such a connection brought at least.
  private static let askedAgainAfter = 1.0

  private func askAgain(behind end: UpstreamEnd) {
    dropConnection()
    wayBack.cancel()
    farewell = end
    connect()
  }

  /// Connects at once after few attempts, otherwise after a wait: a playlist may name a server hundreds of times.
  private func connectSoon() {
    let wait = policy.attemptFailed()
    if wait > 0 { retryTimer?.set(after: wait) } else { connect() }
  }

  /// Waits for a source that may connect or not; meanwhile other upstreams play.
  private func awaitSource() {
    if !settings.isOnlyPushed {
      return connectNext(afterFailure: "no source is connected", hopeless: false)
    }
    enter(.connecting, reason: "waiting for a source")
  }

  /// Reserves the station for a source that is about to come. False: the station accepts none now.
  ///
  /// A source that is held back and has gone meanwhile makes room, though not all of it has been read.
  func reserve() -> Bool {
    settings.urls.contains(PushSource.url) && connection?.holdsPlace != true && state != .stopped
      && reservation.take(at: .now())
  }

  var hasSource: Bool { connection?.isPush == true }

  /// Makes a source the station's upstream, before whatever else plays.
  func take(_ source: PushSource, on loop: EventLoop) {
    guard let origin = settings.urls.firstIndex(of: PushSource.url), connection?.holdsPlace != true
    else { return }
    reservation.giveBack()
    retryTimer?.cancel()
    wayBack.cancel()
    dropConnection()
    list.select(origin: origin)
    attempts += 1
    appender.begin()
    let connection = UpstreamConnection(
      source, settings: settings, titles: titles, loop: loop, clock: machinery.clock, owner: self)
    self.connection = connection
    connection.start()
  }

  /// Ends a source from an unwanted address. False: there is no such source.
  func endSource(_ reason: String, where isUnwanted: (SocketAddress) -> Bool) -> Bool {
    guard let connection, let peer = connection.peer, isUnwanted(peer) else { return false }
    self.connection(connection, ended: .disconnected(reason: reason))
    return true
  }

  private func dropConnection() {
    guard let connection else { return }
    bytesBefore += connection.bodyBytes
    connection.cancel()
    self.connection = nil
    connectedAt = nil
    for timer in [holdTimer, brakeTimer, rateTimer] { timer?.cancel() }
    appender.interrupted(at: .now())
  }

  /// Goes to the next URL. `atLeast`: the seconds to wait that the upstream asked for.
  private func connectNext(afterFailure reason: String, hopeless: Bool, atLeast: Double = 0) {
    guard list.failed(hopeless: hopeless) else {
      enter(.connecting, reason: reason)
      return connectSoon()
    }
    let wait = policy.roundFailed(hopeless: list.isHopeless, at: .now())
    enter(wait.isFailed ? .failed : .connecting, reason: reason)
    retryTimer?.set(after: max(wait.seconds, min(atLeast, policy.settings.delayMax)))
  }

  // MARK: Audio

  /// Announces a title that did not come in the audio.
  func announce(_ title: Title, from origin: TitleTrack.Origin) {
    appender.announce(title, from: origin)
  }

  private func makePoller() -> TitlePoller? {
    guard let metadata = settings.metadata else { return nil }
    let poller = TitlePoller(metadata, upstream: settings, machinery: machinery)
    poller.isWanted = { [unowned self] in connectedAt != nil }
    poller.onTitle = { [unowned self] in appender.announce(titles.completed($0), from: .page) }
    // The poller keeps this closure. Held strongly in it, the poller would keep itself, and libcurl with it.
    poller.onTrouble = { [unowned self, unowned poller] in
      report(.metadataFailed($0, url: poller.status.url))
    }
    return poller
  }

  private func received(_ arrivals: Arrivals) {
    let now = Moment.now()
    appender.received(besides: arrivals.besides, at: now)
    guard !arrivals.isEmpty else { return brake() }
    policy.delivered(at: now.monotonic, isSteady: isSteady(at: now))
    appender.overrule(settings.metadata?.isInstead == true && poller?.isAnswering == true)
    appender.take(arrivals, at: now)
    audioCame(at: now)
  }

  private func audioCame(at now: Moment) {
    if let reason = appender.station.refusal { return turnAway(reason) }
    if connectedAt == nil { connected(at: now) }
    if isSteady(at: now) { list.beginRound() }
    let remark = connection?.remark ?? ""
    if state != .playing || reason != remark, appender.isHeard { enter(.playing, reason: remark) }
    settleHold(at: now)
    brake()
  }

  private func isSteady(at now: Moment) -> Bool {
    guard let connectedAt else { return false }
    return now.monotonic.seconds(since: connectedAt.monotonic) >= settings.reconnect.steadyAfter
  }

  /// Ends a connection whose audio is of no use, however well it comes.
  private func turnAway(_ reason: String) {
    guard let connection else { return }
    policy.gaveNothing()
    self.connection(connection, ended: .notAudio(reason: reason))
  }

  private func connected(at now: Moment) {
    (connectedAt, farewell) = (now, nil)
    let url = connection?.shownURL ?? ""
    if playedURL != nil && playedURL != url { report(.upstreamChanged(url: url)) }
    playedURL = url
    poller?.start()
    wayBack.schedule(from: list.current.origin)
    slow.begin()
    if connection?.isLive == true { rateTimer?.set(after: DeliveryWatch.interval) }
  }

  private func lookAtDelivery() {
    guard let connection, connectedAt != nil else { return }
    rateTimer?.set(after: DeliveryWatch.interval)
    let (now, isBraked) = (MonotonicTime.now(), brakeTimer?.isSet == true)
    let hadLeft = slow.hasLeft(within: .infinity, at: now)
    let received = appender.connection.secondsReceived
    if let rate = slow.tooFast(seconds: received, isBraked: isBraked, at: now) {
      report(.tooFast(rate: rate, url: connection.shownURL))
    }
    if isBraked { return slow.paused() }
    switch slow.look(seconds: received, others: list.others, at: now) {
    case .goesOn: break
    case .leave(let rate):
      if hadLeft { wayBack.wasInVain() }
      self.connection(connection, ended: .tooSlow(rate: rate))
    case .tell(let rate): tell(.tooSlow(rate: rate), of: connection.shownURL)
    }
  }

  private func settleHold(at now: Moment) {
    if let deadline = appender.deadline(at: now) {
      holdTimer?.set(after: max(0.001, deadline.seconds(since: now.monotonic)))
    } else {
      holdTimer?.cancel()
    }
  }

  private func holdIsOver() {
    let now = Moment.now()
    appender.decide(at: now)
    audioCame(at: now)
  }

  private func brake() {
    guard let connection else { return }
    if let pause = appender.pause(at: .now()) {
      connection.pause()
      slow.paused()
      brakeTimer?.set(after: pause)
    } else {
      brakeTimer?.cancel()
      connection.resume()
    }
  }

  // MARK: The way back to a better upstream

  private func goBack(to better: WayBack.Better) -> Bool {
    let now = Moment.now()
    guard let connection,
      appender.takeOver(
        better.held, from: better.connection.sourceURL, of: settings.urls[better.origin], at: now)
    else { return false }
    bytesBefore += connection.bodyBytes
    connection.cancel()
    list.select(origin: better.origin)
    // An upstream that was too slow not long ago is tried less and less often.
    if !slow.hasLeft(within: settings.trial.intervalMax * 2, at: now.monotonic) {
      wayBack.hasArrived()
    }
    self.connection = better.connection
    better.connection.owner = self
    connectedAt = nil
    headers = better.connection.headers
    if let headers { report(.headers(headers)) }
    audioCame(at: now)
    return true
  }

  // MARK: Words

  private func tell(_ end: UpstreamEnd, of url: String) {
    end.event(url: url, isProgram: settings.program != nil).map(report)
  }

  private func enter(_ state: StationState, reason: String) {
    guard state != self.state || reason != self.reason else { return }
    self.state = state
    self.reason = reason
    report(.state(state, reason: reason))
  }
}

extension IngestWorker: UpstreamConnectionOwner {
  func connection(_ connection: UpstreamConnection, opened headers: UpstreamHeaders) {
    self.headers = headers
    if appender.isLoop(headers.relay) { return self.connection(connection, ended: .loop) }
    appender.opened(connection.sourceURL, connection.stitchSource, relay: headers.relay)
    let speaker = connection.speaker(of: settings.urls[list.current.origin])
    appender.opened(by: speaker, metaint: headers.metaint, at: .now())
    report(.headers(headers))
    enter(.buffering, reason: "")
  }

  func connection(_ connection: UpstreamConnection, delivered arrivals: Arrivals) {
    received(arrivals)
  }

  func connection(_ connection: UpstreamConnection, ended end: UpstreamEnd) {
    if asksAgain(connection, behind: end) { return askAgain(behind: end) }
    let url = connection.shownURL
    let left = farewell ?? (connectedAt == nil ? nil : end)
    if let farewell { tell(farewell, of: url) }
    farewell = nil
    if let loss = left?.loss(isProgram: settings.program != nil) { report(.upstreamLeft(loss)) }
    let isGoodbye = left?.isGoodbye == true
    dropConnection()
    wayBack.cancel()
    if isGoodbye { report(.saidGoodbye(isLast: settings.isOnlyPushed)) }
    switch end {
    case .playlist(let entries, let scope):
      if list.expand(into: entries, from: scope) { return connectSoon() }
      report(.badContent(reason: "playlists nested too deep", url: url))
      connectNext(afterFailure: "playlists nested too deep", hopeless: true)
    case .fileComplete:
      report(.fileComplete(url: url))
      fileIsComplete()
    default:
      tell(end, of: url)
      connectNext(
        afterFailure: end.reason, hopeless: end.isHopeless, atLeast: connection.retryAfter ?? 0)
    }
    if connection.isPush { whenSourceLeaves.take()?() }
  }

  private func fileIsComplete() {
    appender.fileIsComplete()
    if settings.program?.readsInput == true {
      return stop(.stopped, reason: "standard input has ended")
    }
    guard list.completed() else { return connect() }
    let wait = policy.roundFailed(hopeless: false, at: .now())
    retryTimer?.set(after: wait.seconds)
  }
}
