import Timeshift

// The delivery's audio on its way into the log: held, braked and measured.
extension IngestWorker {
  func deliveryBrought(_ arrivals: Arrivals) {
    let now = Moment.now()
    appender.received(besides: arrivals.besides, at: now)
    guard !arrivals.isEmpty else { return brake() }
    policy.delivered(at: now.monotonic, isSteady: isSteady(at: now))
    appender.overrule(settings.metadata?.isInstead == true && poller?.isAnswering == true)
    appender.receive(arrivals, at: now)
    audioCame(at: now)
  }

  private func audioCame(at now: Moment) {
    if let reason = appender.station.refusal { return turnAway(reason) }
    if connectedAt == nil { connected(at: now) }
    if isSteady(at: now) { list.beginRound() }
    let remark = delivery?.remark ?? ""
    if state != .playing || reason != remark, appender.isHeard { enter(.playing, reason: remark) }
    settleHold(at: now)
    brake()
  }

  private func isSteady(at now: Moment) -> Bool {
    guard let connectedAt else { return false }
    return now.monotonic.seconds(since: connectedAt.monotonic) >= settings.reconnect.steadyAfter
  }

  /// Ends a delivery whose audio is of no use, however well it comes.
  private func turnAway(_ reason: String) {
    guard delivery != nil else { return }
    policy.gaveNothing()
    deliveryEnded(.notAudio(reason: reason))
  }

  private func connected(at now: Moment) {
    (connectedAt, farewell) = (now, nil)
    let url = delivery?.shownURL ?? ""
    if playedURL != nil && playedURL != url { report(.upstreamChanged(url: url)) }
    playedURL = url
    poller?.start()
    wayBack.schedule(from: list.current.origin)
    slow.begin()
    if delivery?.isLive == true { rateTimer?.set(after: DeliveryWatch.interval) }
  }

  func lookAtPace() {
    guard let delivery, connectedAt != nil else { return }
    rateTimer?.set(after: DeliveryWatch.interval)
    let (now, isBraked) = (MonotonicTime.now(), brakeTimer?.isSet == true)
    let hadLeft = slow.hasLeft(within: .infinity, at: now)
    let received = appender.connection.secondsReceived
    if let rate = slow.tooFast(seconds: received, isBraked: isBraked, at: now) {
      report(.tooFast(rate: rate, url: delivery.shownURL))
    }
    if isBraked { return slow.paused() }
    switch slow.look(seconds: received, others: list.others, at: now) {
    case .goesOn: break
    case .leave(let rate):
      if hadLeft { wayBack.wasInVain() }
      deliveryEnded(.tooSlow(rate: rate))
    case .tell(let rate): tell(.tooSlow(rate: rate), of: delivery.shownURL)
    }
  }

  private func settleHold(at now: Moment) {
    if let deadline = appender.deadline(at: now) {
      holdTimer?.set(after: max(0.001, deadline.seconds(since: now.monotonic)))
    } else {
      holdTimer?.cancel()
    }
  }

  func holdIsOver() {
    let now = Moment.now()
    appender.decide(at: now)
    audioCame(at: now)
  }

  func brake() {
    guard let delivery else { return }
    if let pause = appender.pause(at: .now()) {
      delivery.pause()
      slow.paused()
      brakeTimer?.set(after: pause)
    } else {
      brakeTimer?.cancel()
      delivery.resume()
    }
  }

  // MARK: The way back to a better upstream

  func goBack(to better: WayBack.Better) -> Bool {
    let now = Moment.now()
    guard let delivery,
      appender.adopt(
        better.held, from: better.delivery.sourceURL, of: settings.urls[better.origin], at: now)
    else { return false }
    let hadSource = hasSource
    bytesBefore += delivery.bodyBytes
    delivery.cancel()
    list.select(origin: better.origin)
    // An upstream that was too slow not long ago is tried less and less often.
    if !slow.hasLeft(within: settings.trial.intervalMax * 2, at: now.monotonic) {
      wayBack.hasArrived()
    }
    (self.delivery, source, connectedAt) = (better.delivery, nil, nil)
    better.delivery.owner = self
    headers = better.delivery.headers
    if let headers { report(.headers(headers)) }
    audioCame(at: now)
    if hadSource { sourceHasLeft() }
    return true
  }
}
