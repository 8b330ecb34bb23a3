import Reactor
import Timeshift
import Wire

/// Keeps one station's log supplied, for ever.
///
/// Lives on the ingest loop and is used nowhere else. One delivery at a time feeds the log (`Appender`); a second one
/// may be on trial beside it. This file decides which upstream delivers, `IngestWorker+Audio` handles what comes.
///
/// Whatever happens to a delivery ends in `connectNext`, which goes to the next URL: at once, or later after a round
/// of failures.
final class IngestWorker {
  let report: (IngestEvent) -> Void
  let deliveries: DeliveryMaker
  var settings: UpstreamSettings { deliveries.settings }
  var titles: TitleReader { deliveries.titles }

  var list: UpstreamList
  var policy: ReconnectPolicy
  let appender: Appender
  var delivery: (any UpstreamDelivery)?
  /// The delivery, if it is a source's.
  var source: PushedDelivery?
  /// When the delivery's first audio came.
  var connectedAt: Moment?
  var playedURL: String?
  /// How the last delivery ended, while the same relay is asked for what follows.
  var farewell: UpstreamEnd?
  let wayBack: WayBack
  var poller: TitlePoller?
  var slow = SlowUpstreams()

  private(set) var state = StationState.stopped
  private(set) var reason = ""
  private var attempts = 0
  /// The body bytes of ended deliveries.
  var bytesBefore = BodyBytes()
  var headers: UpstreamHeaders?
  private var reservation = SourceReservation()
  /// Called once when the source that is connected has left.
  var whenSourceLeaves: (() -> Void)?

  /// Whether somebody waits for the station's audio.
  private let isAwaited: () -> Bool
  private var retryTimer: LoopTimer?
  /// Seconds that are still to be waited behind the timer, unless somebody waits for the station.
  private var retryRest = 0.0
  var holdTimer: LoopTimer?
  var rateTimer: LoopTimer?
  var brakeTimer: LoopTimer?

  init(
    settings: UpstreamSettings, writer: LogWriter, machinery: IngestMachinery, seed: UInt64,
    isAwaited: @escaping () -> Bool = { false },
    report: @escaping (IngestEvent) -> Void
  ) {
    self.report = report
    self.isAwaited = isAwaited
    deliveries = DeliveryMaker(settings, machinery: machinery)
    let clock = machinery.clock
    list = UpstreamList(settings.urls)
    policy = ReconnectPolicy(settings: settings.reconnect, seed: seed)
    appender = Appender(writer: writer, settings: settings, report: report)
    wayBack = WayBack(by: deliveries, log: writer.log)
    retryTimer = LoopTimer(clock) { [unowned self] in retryIsDue() }
    holdTimer = LoopTimer(clock) { [unowned self] in holdIsOver() }
    brakeTimer = LoopTimer(clock) { [unowned self] in brake() }
    rateTimer = LoopTimer(clock) { [unowned self] in lookAtPace() }
    wayBack.onWell = { [unowned self] better in goBack(to: better) }
    poller = makePoller()
  }

  var status: IngestStatus {
    let bytes = bytesBefore + (delivery?.bodyBytes ?? BodyBytes())
    return IngestStatus(
      state: state, stateReason: reason,
      url: delivery?.shownURL ?? URLText.withoutCredentials(list.current.url),
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
    adopt(from: previous)
    if !isIdle { connect() }
  }

  /// Goes on after `stop`.
  func resume() { connect() }

  /// Ends everything; the log keeps what it has. `state` is stopped or paused.
  func stop(_ state: StationState, reason: String) {
    end()
    enter(state, reason: reason)
  }

  /// Ends the delivery, the trial and all timers.
  private func end() {
    poller?.pause()
    retryTimer?.cancel()
    wayBack.cancel()
    dropDelivery()
    farewell = nil
  }

  /// Goes on where a worker with other settings stopped, without reporting it.
  private func adopt(from previous: IngestWorker) {
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
    guard case .exactly(let away)? = appender.log.away(at: now) else { return }
    policy.recall(away: away, at: now.monotonic)
  }

  // MARK: Connecting

  private func connect() {
    retryTimer?.cancel()
    if list.current.isPush { return awaitSource() }
    if state != .failed { enter(.connecting, reason: state == .connecting ? reason : "") }
    attempts += 1
    appender.begin()
    delivery = deliveries.begin(
      list.current, connectTimeout: policy.connectTimeout(settings.connectTimeout, at: .now()),
      relayHeaders: appender.relayHeaders, owner: self
    ) { [unowned self] step in
      if case .said(let line) = step { report(.programSaid(line)) }
    }
  }

  /// Whether a relay has ended its audio to be asked for what follows, as at a gap: it then says how long that is.
  private func asksAgain(_ delivery: any UpstreamDelivery, behind end: UpstreamEnd) -> Bool {
    end.isGoodbye && connectedAt != nil && delivery.headers?.relay != nil
      && appender.connection.secondsAppended >= Self.askedAgainAfter
  }

  /// The seconds of audio that such a delivery brought at least.
  private static let askedAgainAfter = 1.0

  private func askAgain(behind end: UpstreamEnd) {
    dropDelivery()
    wayBack.cancel()
    farewell = end
    connect()
  }

  /// Connects at once after few attempts, otherwise after a wait: a playlist may name a server hundreds of times.
  private func connectSoon() {
    let wait = policy.attemptFailed()
    if wait > 0 { retry(after: wait) } else { connect() }
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
    settings.urls.contains(PushSource.url) && source?.isThere != true && state != .stopped
      && reservation.reserve(at: .now())
  }

  var hasSource: Bool { source != nil }

  /// Whether its source has gone, and what it has sent is still being read.
  var isSourceGone: Bool { source?.isThere == false }

  /// Makes a source the station's upstream, before whatever else plays.
  func accept(_ source: PushSource) {
    guard let origin = settings.urls.firstIndex(of: PushSource.url), self.source?.isThere != true
    else { return }
    reservation.giveBack()
    retryTimer?.cancel()
    wayBack.cancel()
    dropDelivery()
    list.select(origin: origin)
    attempts += 1
    appender.begin()
    let pushed = PushedDelivery(source, by: deliveries, owner: self)
    (delivery, self.source) = (pushed, pushed)
    pushed.start()
  }

  /// Ends a source from an unwanted address. False: there is no such source.
  func endSource(_ reason: String, where isUnwanted: (SocketAddress) -> Bool) -> Bool {
    guard let peer = source?.peer, isUnwanted(peer) else { return false }
    deliveryEnded(.disconnected(reason: reason))
    return true
  }

  private func dropDelivery() {
    guard let delivery else { return }
    bytesBefore += delivery.bodyBytes
    delivery.cancel()
    (self.delivery, source, connectedAt) = (nil, nil, nil)
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
    let least = min(atLeast, policy.settings.delayMax)
    retry(after: max(wait.seconds, least), atLeast: least)
  }

  /// Connects later: in parts, since a listener may come meanwhile.
  private func retry(after seconds: Double, atLeast: Double = 0) {
    let part = min(seconds, max(atLeast, deliveries.machinery.oddities.awaitedDelayMax))
    retryRest = seconds - part
    retryTimer?.set(after: part)
  }

  private func retryIsDue() {
    if retryRest > 0, !isAwaited() { retry(after: retryRest) } else { connect() }
  }

  // MARK: Titles

  /// Announces a title that did not come in the audio.
  func announce(_ title: Title, from origin: TitleTrack.Origin) {
    appender.announce(title, from: origin)
  }

  private func makePoller() -> TitlePoller? {
    guard let metadata = settings.metadata else { return nil }
    let poller = TitlePoller(metadata, upstream: settings, machinery: deliveries.machinery)
    poller.isWanted = { [unowned self] in connectedAt != nil }
    poller.onTitle = { [unowned self] in appender.announce(titles.completed($0), from: .page) }
    // The poller keeps this closure. Held strongly in it, the poller would keep itself, and libcurl with it.
    poller.onTrouble = { [unowned self, unowned poller] in
      report(.metadataFailed($0, url: poller.status.url))
    }
    return poller
  }

  // MARK: Words

  func tell(_ end: UpstreamEnd, of url: String) { end.event(url: url).map(report) }

  func enter(_ state: StationState, reason: String) {
    guard state != self.state || reason != self.reason else { return }
    self.state = state
    self.reason = reason
    report(.state(state, reason: reason))
  }
}

extension IngestWorker: UpstreamDeliveryOwner {
  func deliveryOpened(_ headers: UpstreamHeaders) {
    guard let delivery else { return }
    self.headers = headers
    if appender.isLoop(headers.relay) { return deliveryEnded(.loop) }
    appender.opened(delivery.sourceURL, delivery.stitchSource, relay: headers.relay)
    let speaker = delivery.speaker(of: settings.urls[list.current.origin])
    appender.opened(by: speaker, metaint: headers.metaint, at: .now())
    report(.headers(headers))
    enter(.buffering, reason: "")
  }

  func deliveryEnded(_ end: UpstreamEnd) {
    guard let delivery else { return }
    if asksAgain(delivery, behind: end) { return askAgain(behind: end) }
    let (url, hadSource) = (delivery.shownURL, hasSource)
    // Nothing has come since the relay's farewell: that is what the audio ended with.
    let left = farewell ?? (connectedAt == nil ? nil : end)
    if let farewell { tell(farewell, of: url) }
    farewell = nil
    if let loss = left?.loss { report(.upstreamLeft(loss)) }
    dropDelivery()
    wayBack.cancel()
    if left?.isGoodbye == true { report(.saidGoodbye(isLast: settings.isOnlyPushed)) }
    switch end {
    case .playlist(let entries, let scope):
      if list.expand(into: entries, from: scope) { return connectSoon() }
      report(.badContent(reason: "playlists nested too deep", url: url))
      connectNext(afterFailure: "playlists nested too deep", hopeless: true)
    case .fileComplete(let isLast):
      report(.fileComplete(url: url))
      fileIsComplete(isLast: isLast)
    case .status(_, let retryAfter):
      tell(end, of: url)
      connectNext(afterFailure: end.reason, hopeless: end.isHopeless, atLeast: retryAfter ?? 0)
    default:
      tell(end, of: url)
      connectNext(afterFailure: end.reason, hopeless: end.isHopeless)
    }
    if hadSource { sourceHasLeft() }
  }

  /// Comes last wherever a source's delivery ends for another: this worker may be replaced by one with other settings.
  func sourceHasLeft() { whenSourceLeaves.take()?() }

  private func fileIsComplete(isLast: Bool) {
    appender.fileIsComplete()
    if isLast { return stop(.stopped, reason: "standard input has ended") }
    guard list.completed() else { return connect() }
    retry(after: policy.roundFailed(hopeless: false, at: .now()).seconds)
  }
}
