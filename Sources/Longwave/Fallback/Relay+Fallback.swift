import Ingest
import Logging
import Server
import Threads
import Timeshift
import Wire

// What listeners get while no upstream delivers: when it begins and ends. Who goes over and back is the server's.
extension Relay {
  /// Looks at the stations that have a fallback.
  func attendFallbacks() async {
    let own = order.filter { stations[$0]?.definition.fallback != nil }
    if own.isEmpty, fallbacks.running.isEmpty { return }
    await turnstile.enter()
    defer { turnstile.leave() }
    lookAtTargets(besides: own)
    var isChanged = false
    for id in fallbacks.running.keys where !own.contains(id) { isChanged = await endFallback(id) }
    for id in own {
      if await attendFallback(of: id) { isChanged = true }
    }
    if isChanged { await publish() }
  }

  /// What others fall back to has to deliver something itself.
  private func lookAtTargets(besides own: [String]) {
    let now = MonotonicTime.now()
    let targets = own.compactMap {
      if case .station(let id)? = stations[$0]?.definition.fallback { id } else { nil }
    }
    fallbacks.forget(all: Set(own).union(targets))
    for id in Set(targets).subtracting(own) {
      if let log = stations[id]?.log { _ = fallbacks.look(id, log, at: now) }
    }
  }

  /// Whether a station is somebody's fallback now, and somebody hears it.
  func isFallbackInUse(_ id: String) -> Bool {
    fallbacks.running.contains { station, running in
      running.setting == .station(id) && (stations[station]?.counters.places ?? 0) > 0
    }
  }

  /// True: listeners are to get something else than before.
  private func attendFallback(of id: String) async -> Bool {
    guard let station = stations[id] else { return false }
    guard let setting = station.definition.fallback, !station.isStopped, let log = station.ownLog
    else {
      fallbacks.forget(id)
      return await endFallback(id)
    }
    let now = MonotonicTime.now()
    let isAnotherLog = fallbacks.progress[id].map { $0.log !== log } ?? false
    if fallbacks.look(id, log, at: now) || isAnotherLog {
      fallbacks.refused[id] = nil
      return await endFallback(id)
    }
    if let running = fallbacks.running[id] {
      guard running.setting == setting, isUsable(running, for: log) else {
        return await endFallback(id)
      }
      await keep(running, of: station, at: now)
      return false
    }
    guard let progress = fallbacks.progress[id],
      progress.seconds(at: now) >= station.definition.fallbackAfter
    else { return false }
    if await ingest.status(station: id)?.state == .paused {
      fallbacks.progress[id]?.rest(at: now)
      return false
    }
    return await beginFallback(setting, of: station, log, edge: progress.edge, at: now)
  }

  /// Whether what plays is still what was begun, and may be heard.
  private func isUsable(_ running: RunningFallback, for log: PacketLog) -> Bool {
    if case .station(let id) = running.setting {
      guard let other = stations[id], !other.isStopped, other.log === running.served.log else {
        return false
      }
    }
    guard let own = log.snapshot().format,
      let format = running.served.log.snapshot().format
    else { return true }
    return format == own
  }

  private func keep(
    _ running: RunningFallback, of station: RelayStation, at now: MonotonicTime
  ) async {
    let isNeeded = station.counters.places > 0
    await running.feed?.run(isNeeded)
    if case .station(let id) = running.setting, isNeeded { await ask(for: id, at: now) }
  }

  private func ask(for id: String, at now: MonotonicTime) async {
    guard stations[id]?.definition.rests == true else { return }
    if let last = fallbacks.asked[id], now.seconds(since: last) < FallbackWatch.askSeconds {
      return
    }
    fallbacks.asked[id] = now
    await wanted(id)
  }

  // MARK: Beginning and ending

  private func beginFallback(
    _ setting: FallbackSetting, of station: RelayStation, _ own: PacketLog, edge: UInt64,
    at now: MonotonicTime
  ) async -> Bool {
    let id = station.id
    do throws(APIError) {
      guard let (log, feed) = try await content(of: setting, for: station, own, at: now) else {
        return false
      }
      // What has come meanwhile ends it before it begins.
      guard server != nil, stations[id]?.log === own, own.edgePosition == edge else {
        return false
      }
      fallbacks.refused[id] = nil
      fallbacks.running[id] = RunningFallback(
        setting: setting, since: now, served: Fallback(log: log, edge: edge), feed: feed)
      await feed?.run(station.counters.places > 0)
    } catch {
      tellRefused(error.message, setting, of: station)
      return false
    }
    tell(.fallbackStarted, setting, of: station, ["listeners": JSON(station.counters.now)])
    return true
  }

  private func endFallback(_ id: String) async -> Bool {
    guard let running = fallbacks.running.removeValue(forKey: id) else { return false }
    await running.feed?.run(false)
    let seconds = MonotonicTime.now().seconds(since: running.since)
    events.post(
      RelayEvent(
        .fallbackStopped, station: id, time: Moment.now().wall,
        position: stations[id]?.log?.edgePosition,
        details: [
          "fallback": .string(running.setting.publicText), "seconds": .number(seconds),
        ], identity: ["fallback": .string(running.setting.text)]))
    return true
  }

  private func tellRefused(
    _ reason: String, _ setting: FallbackSetting, of station: RelayStation
  ) {
    guard fallbacks.refused[station.id] != reason else { return }
    fallbacks.refused[station.id] = reason
    tell(.fallbackRefused, setting, of: station, ["reason": .string(reason)])
  }

  private func tell(
    _ kind: RelayEvent.Kind, _ setting: FallbackSetting, of station: RelayStation,
    _ details: KeyValuePairs<String, JSON>
  ) {
    var event = RelayEvent(
      kind, station: station.id, time: Moment.now().wall, position: station.log?.edgePosition,
      details: ["fallback": .string(setting.publicText)],
      identity: ["fallback": .string(setting.text)])
    event.details += details.map { JSON.Member(key: $0.key, value: $0.value) }
    events.post(event)
  }

  // MARK: What it is

  /// nil: that is being found out.
  private func content(
    of setting: FallbackSetting, for station: RelayStation, _ own: PacketLog,
    at now: MonotonicTime
  ) async throws(APIError) -> (PacketLog, FallbackFeed?)? {
    switch setting {
    case .station(let id):
      return (try await log(ofFallback: id, for: station, own, at: now), nil)
    case .file(let path):
      guard let format = try format(ofFile: path, for: station.id, at: now) else { return nil }
      try Self.refuse(format, in: own)
      return feed(.file(FallbackFile(path: path)), for: station.id)
    case .silence:
      guard let packet = await Self.silence(like: own) else {
        throw APIError.badField(
          "fallback", "silence cannot be made in the station's format, or it has no audio yet")
      }
      return feed(.silence(packet), for: station.id)
    }
  }

  private func feed(
    _ content: FallbackFeed.Content, for id: String
  ) -> (PacketLog, FallbackFeed?) {
    let feed = FallbackFeed(content, paths) { [logger] reason in
      logger.error("\(id): fallback: \(reason)")
    }
    return (feed.log, feed)
  }

  private func log(
    ofFallback id: String, for station: RelayStation, _ own: PacketLog, at now: MonotonicTime
  ) async throws(APIError) -> PacketLog {
    guard let other = stations[id], !other.isStopped, let log = other.log else {
      throw APIError.badField("fallback", "the station \"\(id)\" is stopped or gone")
    }
    if station.counters.places > 0 { await ask(for: id, at: now) }
    guard let progress = fallbacks.progress[id], progress.log === log, progress.hasMoved,
      progress.seconds(at: now) < other.definition.fallbackAfter
    else { throw APIError.badField("fallback", "the station \"\(id)\" delivers nothing either") }
    if let format = log.snapshot().format { try Self.refuse(format, in: own) }
    return log
  }

  private static func refuse(_ format: AudioFormat, in log: PacketLog) throws(APIError) {
    guard let own = log.snapshot().format, format != own else { return }
    throw APIError.badField("fallback", FallbackSetting.mismatch(format, own))
  }

  /// What a file has; nil: it is being looked into. Nobody waits for that here, where all that is done to stations waits.
  private func format(
    ofFile path: String, for id: String, at now: MonotonicTime
  ) throws(APIError) -> AudioFormat? {
    if let look = fallbacks.looks[id], look.path == path, !look.isOver(at: now) {
      switch look.result {
      case .success(let format)?:
        fallbacks.looks[id] = nil
        return format
      case .failure(let error)?:
        fallbacks.looks[id] = nil
        throw APIError.badField("fallback", "\(error)")
      case nil:
        if now.seconds(since: look.beganAt) < paths.patience { return nil }
        throw .silent(SilentPath(path: path, seconds: paths.patience), field: "fallback")
      }
    }
    fallbacks.looks[id] = FallbackLook(path: path, beganAt: now)
    Task { [weak self, paths] in
      var result: Result<AudioFormat, FallbackFile.Failure>
      do throws(SilentPath) {
        result = try await paths.wait(path) { FallbackFile(path: path).probed }
      } catch {
        result = .failure(FallbackFile.Failure(description: "\(error)"))
      }
      await self?.take(result, for: id, begunAt: now)
    }
    return nil
  }

  private func take(
    _ result: Result<AudioFormat, FallbackFile.Failure>, for id: String, begunAt: MonotonicTime
  ) async {
    guard server != nil, fallbacks.looks[id]?.beganAt == begunAt else { return }
    fallbacks.looks[id]?.result = result
    fallbacks.looks[id]?.endedAt = .now()
    await attendFallbacks()
  }

  private static let silenceAttempts = 100

  /// nil: a decoder might stumble over it, or there is nothing yet that it could be like.
  private nonisolated static func silence(like log: PacketLog) async -> SilentPacket? {
    let reader = LogReader(log)
    for _ in 0..<silenceAttempts {
      reader.refresh()
      switch reader.silence(before: reader.edge.position) {
      case .packet(let packet): return packet
      case .impossible: return nil
      case .loading: try? await Task.sleep(for: .milliseconds(20))
      }
    }
    return nil
  }
}
