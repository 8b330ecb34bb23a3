import Timeshift

/// Finds the way back to a better upstream: while a later one of the list plays, those before it are tried beside it.
///
/// Each failed trial doubles the time to the next. Lives on the ingest loop, owned by the station's worker.
final class WayBack {
  /// Called when a better upstream has played cleanly for long enough. False: it cannot take over.
  var onWell: ((Better) -> Bool)?

  struct Better {
    var connection: UpstreamConnection
    /// The packets that it has sent last.
    var held: HeldItems
    /// The index of its URL in the settings.
    var origin: Int
  }

  private let settings: UpstreamSettings
  private let titles: TitleReader
  private let machinery: IngestMachinery
  private let log: PacketLog
  private var trial: UpstreamTrial?
  /// The indices of the URLs that are tried.
  private var origins: [Int] = []
  /// Seconds to the next trial.
  private var wait: Double
  private var timer: LoopTimer?

  /// - Parameter log: the log that the trials are for.
  init(
    _ settings: UpstreamSettings, titles: TitleReader, log: PacketLog, machinery: IngestMachinery
  ) {
    self.log = log
    self.settings = settings
    self.titles = titles
    self.machinery = machinery
    wait = settings.trial.interval
    timer = LoopTimer(machinery.clock) { [unowned self] in begin() }
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
      urls: origins.map { settings.urls[$0] }, settings: settings, titles: titles,
      relayHeaders: [log.viaLine], machinery: machinery)
    trial?.onEnd = { [unowned self] isClean in
      if !isClean || !handOver() { fail() }
    }
    trial?.begin()
  }

  private func handOver() -> Bool {
    guard let ended = trial, let connection = ended.connection else { return false }
    let better = Better(
      connection: connection, held: ended.held, origin: origins[ended.origin])
    trial = nil
    if onWell?(better) == true { return true }
    connection.cancel()
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
