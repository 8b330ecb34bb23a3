import Server
import Timeshift
import Wire

/// Decides when the fallback of a station begins and ends. The server moves listeners to it and back.
///
/// Not Sendable: only the relay's actor has it.
final class Fallbacks {
  private let stations: StationTable
  private let onDemand: OnDemand
  private let events: EventHub
  private let contents: FallbackContents
  private let deadAir: @Sendable (String) -> DeadAir?
  private var watch = FallbackWatch()
  private var hasEnded = false

  /// Seconds between two calls of `attend`: a fallback may be that late.
  static let lookSeconds = 0.25
  /// Seconds without audio after which another station is no fallback any more. A shorter stall is waited out, since
  /// what listeners get of it at their return they may have heard.
  private static let stallMax = 10.0
  /// Seconds between two wake-ups of a station on demand while it is a fallback: less than the shortest useful
  /// `run-on`.
  private static let askSeconds = 5.0

  init(
    _ stations: StationTable, onDemand: OnDemand, events: EventHub,
    contents: FallbackContents, deadAir: @escaping @Sendable (String) -> DeadAir?
  ) {
    (self.stations, self.onDemand, self.events) = (stations, onDemand, events)
    (self.contents, self.deadAir) = (contents, deadAir)
  }

  // MARK: What there is

  /// Whether no station has a fallback, and none plays.
  var areNone: Bool { watch.running.isEmpty && own.isEmpty }

  private var own: [String] { stations.order.filter { stations[$0]?.definition.fallback != nil } }

  /// Returns what a station's listeners are to hear now instead of its own log.
  func served(of id: String) -> Fallback? { watch.running[id]?.served }

  /// Returns the position to which listeners of a fallback over silence come back; zero if there was none.
  func soundFrom(of id: String) -> UInt64 { watch.soundFrom[id] ?? 0 }

  /// Returns the fallback that a station's listeners hear now, as it was set.
  func setting(of id: String) -> FallbackSetting? {
    watch.running[id].flatMap { $0.isTold ? $0.setting : nil }
  }

  /// Whether a station is the fallback of another one now, and that one has listeners.
  func isInUse(_ id: String) -> Bool {
    watch.running.contains { station, running in
      running.setting == .station(id) && (stations[station]?.counters.places ?? 0) > 0
    }
  }

  // MARK: Looking

  /// Looks at the stations that have a fallback. True when listeners are to hear something else than before.
  func attend() async -> Bool {
    let own = own
    lookAtTargets(besides: own)
    var isChanged = false
    for id in watch.running.keys where !own.contains(id) { isChanged = await end(id) }
    // Each may have waited for the end of all.
    for id in own where !hasEnded {
      if await attend(id) { isChanged = true }
    }
    return isChanged
  }

  /// Looks at the stations that are fallbacks of others, which have to deliver audio themselves.
  private func lookAtTargets(besides own: [String]) {
    let now = MonotonicTime.now()
    let targets = own.compactMap {
      if case .station(let id)? = stations[$0]?.definition.fallback { id } else { nil }
    }
    let looked = Set(own).union(targets)
    watch.forget(all: looked)
    contents.looks.forget(all: looked)
    for id in Set(targets).subtracting(own) {
      if let log = stations[id]?.log { _ = watch.look(id, log, at: now) }
    }
  }

  /// Looks at one station. True when its listeners are to hear something else than before.
  private func attend(_ id: String) async -> Bool {
    guard let station = stations[id] else { return false }
    guard let setting = station.definition.fallback, !station.isStopped, let log = station.ownLog
    else {
      watch.forget(id)
      contents.looks.forget(id)
      return await end(id)
    }
    let now = MonotonicTime.now()
    let isAnotherLog = watch.progress[id].map { $0.log !== log } ?? false
    let silence = station.definition.sound.silence?.startsFallback == true ? deadAir(id) : nil
    let isOverSilence = watch.running[id]?.served.isOverSilence == true
    if isAnotherLog { watch.soundFrom[id] = nil }
    let isMoved = watch.look(id, log, at: now)
    if isMoved, silence?.isNow != true { watch.refused[id] = nil }
    if isAnotherLog || isMoved && !isOverSilence, await end(id) { return true }
    if isOverSilence, silence?.isNow != true {
      watch.soundFrom[id] = silence?.soundFrom
      return await end(id)
    }
    guard let progress = watch.progress[id] else { return false }
    let isGoodbye = watch.goodbyes[id]?.isDue(edge: progress.edge, at: now) == true
    let goesAtOnce = isGoodbye || silence?.isNow == true
    if let running = watch.running[id] {
      guard running.setting == setting, isUsable(running, for: log, at: now) else {
        return await end(id)
      }
      await keep(running, of: station, at: now)
      let isNews = goesAtOnce && running.served.waitsUntilDry
      if isNews { watch.running[id]?.served.waitsUntilDry = false }
      tellWhenHeard(station, at: now)
      return isNews
    }
    guard goesAtOnce || progress.seconds(at: now) >= station.definition.fallbackAfter else {
      return false
    }
    if let resting = station.restsWith, !onDemand.demand(of: resting).isRunning {
      watch.progress[id]?.rest(at: now)
      return false
    }
    let served = Fallback(
      log: log, edge: progress.edge, isOverSilence: silence?.isNow == true,
      waitsUntilDry: !goesAtOnce)
    return await begin(setting, of: station, served, at: now)
  }

  /// Notes that an upstream of a station has said goodbye, with its log ending at `edge`.
  func note(_ goodbye: Goodbye, of id: String) {
    if stations[id]?.definition.fallback != nil { watch.goodbyes[id] = goodbye }
  }

  /// Whether a listener with the station's own burst has nothing left by now.
  private func isDry(_ station: RelayStation, at now: MonotonicTime) -> Bool {
    let burst = stations.configuration.burst(of: station.definition)
    let seconds = watch.progress[station.id]?.seconds(at: now) ?? 0
    return seconds >= max(burst, station.definition.fallbackAfter)
  }

  /// Tells of a fallback once somebody hears it, or would.
  private func tellWhenHeard(_ station: RelayStation, at now: MonotonicTime) {
    guard let running = watch.running[station.id], !running.isTold else { return }
    let isHeard = !running.served.waitsUntilDry || station.counters.away > 0
    guard isHeard || isDry(station, at: now) else { return }
    watch.running[station.id]?.isTold = true
    events.post(
      .fallbackStarted(
        running.setting, of: station, overSilence: running.served.isOverSilence))
  }

  /// Whether the fallback that plays is still the one that was begun, and its format still fits.
  private func isUsable(
    _ running: RunningFallback, for log: PacketLog, at now: MonotonicTime
  ) -> Bool {
    if case .station(let id) = running.setting {
      guard let other = stations[id], !other.isStopped, other.log === running.served.log,
        let progress = watch.progress[id], progress.seconds(at: now) < Self.stallMax
      else { return false }
    }
    guard let own = log.snapshot().format,
      let format = running.served.log.snapshot().format
    else { return true }
    return format == own
  }

  private func keep(
    _ running: RunningFallback, of station: RelayStation, at now: MonotonicTime
  ) async {
    let isNeeded = !hasEnded && station.counters.places > 0
    await running.feed?.run(isNeeded)
    if case .station(let id) = running.setting, isNeeded { await ask(for: id, at: now) }
  }

  private func ask(for id: String, at now: MonotonicTime) async {
    guard stations[id]?.restsWith != nil else { return }
    if let last = watch.asked[id], now.seconds(since: last) < Self.askSeconds { return }
    watch.asked[id] = now
    await onDemand.wake(id)
  }

  // MARK: Beginning and ending

  /// - Parameter served: what is to be served, with the station's own log in place of the fallback's.
  private func begin(
    _ setting: FallbackSetting, of station: RelayStation, _ served: Fallback,
    at now: MonotonicTime
  ) async -> Bool {
    let (id, own) = (station.id, served.log)
    do throws(RelayError) {
      guard let (log, feed) = try await content(of: setting, for: station, own, at: now) else {
        return false
      }
      // New audio of the station ends its fallback before it begins.
      guard !hasEnded, stations[id]?.log === own,
        served.isOverSilence || own.edgePosition == served.edge
      else { return false }
      watch.refused[id] = nil
      var served = served
      served.log = log
      watch.running[id] = RunningFallback(
        setting: setting, since: now, served: served, feed: feed)
      await feed?.run(station.counters.places > 0)
    } catch {
      // Until somebody would hear it, it may still come right.
      guard !served.waitsUntilDry || isDry(station, at: now) else { return false }
      if watch.refused[id] == error.description { return false }
      watch.refused[id] = error.description
      events.post(.fallbackRefused(setting, of: station, reason: error.description))
      return false
    }
    tellWhenHeard(station, at: now)
    return true
  }

  private func end(_ id: String) async -> Bool {
    guard let running = watch.running.removeValue(forKey: id) else { return false }
    // Where it ends for another reason than sound, the silence so far is over for its listeners.
    if running.served.isOverSilence, watch.soundFrom[id] ?? 0 < running.served.edge {
      watch.soundFrom[id] = stations[id]?.log?.edgePosition
    }
    await running.feed?.run(false)
    guard running.isTold else { return true }
    let seconds = MonotonicTime.now().seconds(since: running.since)
    let position = stations[id]?.log?.edgePosition
    events.post(
      .fallbackStopped(running.setting, of: id, position: position, seconds: seconds))
    return true
  }

  /// Ends all fallbacks; none begins from now on.
  func endAll() async {
    hasEnded = true
    for running in watch.running.values { await running.feed?.run(false) }
  }

  // MARK: What it is

  /// Returns the log of a fallback, and its feed; nil while that is being found out.
  private func content(
    of setting: FallbackSetting, for station: RelayStation, _ own: PacketLog,
    at now: MonotonicTime
  ) async throws(RelayError) -> FallbackContents.Content? {
    switch setting {
    case .station(let id): return (try await log(of: id, for: station, own, at: now), nil)
    case .file(let path): return try contents.file(path, for: station.id, own, at: now)
    case .silence: return try await contents.silence(for: station.id, own)
    }
  }

  private func log(
    of id: String, for station: RelayStation, _ own: PacketLog, at now: MonotonicTime
  ) async throws(RelayError) -> PacketLog {
    guard let other = stations[id], !other.isStopped, let log = other.log else {
      throw RelayError.badField("fallback", "the station \"\(id)\" is stopped or gone")
    }
    if station.counters.places > 0 { await ask(for: id, at: now) }
    guard let progress = watch.progress[id], progress.log === log, progress.hasMoved,
      progress.seconds(at: now) < other.definition.fallbackAfter
    else { throw RelayError.badField("fallback", "the station \"\(id)\" delivers nothing either") }
    if let format = log.snapshot().format { try FallbackContents.refuse(format, in: own) }
    return log
  }

  /// Notes the outcome of a look into a file. True when it is time to attend to the stations.
  func note(_ outcome: FallbackLooks.Outcome) -> Bool {
    !hasEnded && contents.looks.note(outcome)
  }
}
