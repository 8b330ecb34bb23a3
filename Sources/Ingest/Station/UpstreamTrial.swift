import Timeshift
import Wire

/// A second delivery beside the running one: tests whether a better upstream is well again.
///
/// Its packets are not logged; the newest are kept, so that the takeover can happen at a packet that both have sent.
/// Lives on the ingest loop, owned by the station's worker.
final class UpstreamTrial: UpstreamDeliveryOwner {
  /// Called once, with whether the better upstream has played cleanly for long enough.
  var onEnd: ((Bool) -> Void)?
  private(set) var delivery: (any UpstreamDelivery)?
  private(set) var held = HeldItems()
  /// The headers of the arriving Ogg stream.
  private var headers: OggHeaders?
  private var formats = FormatWatch()
  private let deliveries: DeliveryMaker
  private let relayHeaders: [String]
  private var list: UpstreamList
  private var beganAt: MonotonicTime?
  private var secondsReceived = 0.0
  private var pace = DeliveryWatch()
  private var isSlow = false
  private var brake: IntakeBrake
  private var brakeTimer: LoopTimer?
  private var policy: ReconnectPolicy
  private var nextTimer: LoopTimer?
  private var rateTimer: LoopTimer?

  /// Makes a trial. `urls` are those better than the running one, best first.
  init(
    urls: [String], by deliveries: DeliveryMaker, relayHeaders: [String]
  ) {
    self.relayHeaders = relayHeaders
    self.deliveries = deliveries
    let (settings, clock) = (deliveries.settings, deliveries.machinery.clock)
    list = UpstreamList(urls)
    brake = IntakeBrake(leadMax: settings.leadMax)
    policy = ReconnectPolicy(settings: settings.reconnect, seed: .random(in: 0 ... .max))
    nextTimer = LoopTimer(clock) { [unowned self] in begin() }
    rateTimer = LoopTimer(clock) { [unowned self] in lookAtPace() }
    brakeTimer = LoopTimer(clock) { [unowned self] in delivery?.resume() }
  }

  /// The index of the URL on trial.
  var origin: Int { list.current.origin }

  func begin() {
    brake.connectionBegins()
    beganAt = nil
    secondsReceived = 0
    pace.restart()
    isSlow = false
    held = HeldItems()
    headers = nil
    formats = FormatWatch()
    delivery = deliveries.begin(list.current, relayHeaders: relayHeaders, owner: self)
  }

  func cancel() {
    onEnd = nil
    brakeTimer?.cancel()
    nextTimer?.cancel()
    rateTimer?.cancel()
    delivery?.cancel()
    delivery = nil
  }

  func deliveryOpened(_ headers: UpstreamHeaders) {}

  func deliveryBrought(_ arrivals: Arrivals) {
    guard let delivery else { return }
    let (now, isLive) = (MonotonicTime.now(), delivery.isLive)
    var place = arrivals.place
    for item in arrivals.items {
      switch item {
      case .title(let title): held.append(title)
      case .headers(let next):
        headers = next
        formats.linkBegins(at: now)
      case .packet(let packet):
        if beganAt == nil {
          beganAt = now
          if isLive { rateTimer?.set(after: DeliveryWatch.interval) }
        }
        guard formats.admits(packet.format, headers, at: now) else { return finish(false) }
        let bytes = arrivals.bytes.span.extracting(packet.range)
        held.append(bytes, packet, hash: packetHash(bytes), headers: headers, place: place)
        place = place?.advanced(by: UInt64(packet.range.count))
        let seconds = packet.seconds
        secondsReceived += seconds
        brake.appended(
          seconds: seconds, bytes: packet.range.count, isLive: isLive, at: now)
      case .lost(let seconds): held.lose(seconds)
      }
    }
    if formats.isExceeded { return finish(false) }
    brake.received(besides: arrivals.besides, at: now)
    if let pause = brake.pause(held: 0, waitsForDisk: false, at: now) {
      delivery.pause()
      pace.restart()
      brakeTimer?.set(after: pause)
    }
    held.trim(to: deliveries.settings.trial.heldSeconds)
    judge(at: now)
  }

  func deliveryEnded(_ end: UpstreamEnd) {
    if case .playlist(let entries, let scope) = end, list.expand(into: entries, from: scope) {
      return beginSoon()
    }
    if list.failed(hopeless: end.isHopeless) { finish(false) } else { beginSoon() }
  }

  /// Begins at once after few attempts, otherwise after a wait.
  private func beginSoon() {
    let wait = policy.attemptFailed()
    if wait > 0 { nextTimer?.set(after: wait) } else { begin() }
  }

  private func lookAtPace() {
    rateTimer?.set(after: DeliveryWatch.interval)
    // A transfer that the relay has stopped delivers nothing.
    if brakeTimer?.isSet == true { return pace.restart() }
    isSlow = pace.look(seconds: secondsReceived, at: .now()) != nil
  }

  private func judge(at now: MonotonicTime) {
    guard let beganAt else { return }
    let passed = now.seconds(since: beganAt)
    guard passed >= deliveries.settings.trial.clean else { return }
    // A tenth may be missing: playing counts, not that the clocks agree. A burst hides more for a while.
    finish(secondsReceived >= passed * DeliveryWatch.rateMin && !isSlow)
  }

  private func finish(_ isClean: Bool) {
    let onEnd = onEnd
    self.onEnd = nil
    rateTimer?.cancel()
    onEnd?(isClean)
  }
}
