import Timeshift

/// Finds the way back to a better upstream: while a later one of the list plays, those before it are tried beside it.
///
/// Each failed trial doubles the time to the next. Lives on the ingest loop, owned by the station's worker.
final class WayBack {
  /// Called when a better upstream has played cleanly for long enough. False: it cannot take over.
  var onWell: ((Better) -> Bool)?

  struct Better {
    var delivery: any UpstreamDelivery
    /// The packets that it has sent last.
    var held: HeldItems
    /// The index of its URL in the settings.
    var origin: Int
  }

  private let deliveries: DeliveryMaker
  private var settings: UpstreamSettings { deliveries.settings }
  private let log: PacketLog
  private var trial: UpstreamTrial?
  /// The indices of the URLs that are tried.
  private var origins: [Int] = []
  /// Seconds to the next trial.
  private var wait: Double
  private var timer: LoopTimer?

  /// - Parameter log: the log that the trials are for.
  init(by deliveries: DeliveryMaker, log: PacketLog) {
    self.log = log
    self.deliveries = deliveries
    wait = deliveries.settings.trial.interval
    timer = LoopTimer(deliveries.machinery.clock) { [unowned self] in begin() }
  }

  /// Schedules trials while the URL with the index `origin` plays.
  func schedule(from origin: Int) {
    // A source that pushes connects by itself.
    origins = (0..<origin).filter { settings.urls[$0] != PushSource.url }
    if !origins.isEmpty { timer?.set(after: wait) }
  }

  func cancel() {
    timer?.cancel()
    endTrial()
  }

  /// Notes that another upstream is the best to be had: trials become as frequent as at first.
  func hasArrived() { wait = settings.trial.interval }

  /// Notes that the better upstream was of no use, and doubles the wait.
  func wasInVain() { wait = min(wait * 2, settings.trial.intervalMax) }

  private func begin() {
    guard trial == nil else { return }
    trial = UpstreamTrial(
      urls: origins.map { settings.urls[$0] }, by: deliveries, relayHeaders: [log.viaLine])
    trial?.onEnd = { [unowned self] isClean in
      if !isClean || !handOver() { fail() }
    }
    trial?.begin()
  }

  private func handOver() -> Bool {
    guard let ended = trial, let delivery = ended.delivery else { return false }
    let better = Better(
      delivery: delivery, held: ended.held, origin: origins[ended.origin])
    trial = nil
    if onWell?(better) == true { return true }
    delivery.cancel()
    return false
  }

  private func fail() {
    endTrial()
    wasInVain()
    timer?.set(after: wait)
  }

  private func endTrial() {
    trial?.cancel()
    trial = nil
  }
}
