import Ingest
import Logging
import Media
import Reactor
import Server
import Timeshift
import Wire

// Another configuration while everything runs.
extension Relay {
  /// Lets the access and playlist logs go on in new files, when the old ones have been moved away.
  public nonisolated func reopenLogs() { desk.reopen() }

  /// Reads the configuration again. A bad one changes nothing; listeners of what has not changed notice nothing.
  @discardableResult
  public func reload() async throws(APIError) -> ReloadReport {
    guard let load = options.reloadConfiguration else {
      throw APIError(
        409, "no-configuration", "This server was started without a configuration to read again.")
    }
    await reloads.enter()
    defer { reloads.leave() }
    let name = configuration.file ?? Self.unnamedFile
    let loaded: Result<Configuration, ConfigurationError>
    do throws(SilentPath) {
      loaded = try await paths.look(name) {
        Result { () throws(ConfigurationError) in try load() }
      }
    } catch {
      throw notTakenOver(.silent(error))
    }
    switch loaded {
    case .success(let new): return try await apply(new)
    case .failure(let error): throw notTakenOver(.badConfiguration("\(error)"))
    }
  }

  private static let unnamedFile = "the configuration"

  private func notTakenOver(_ error: APIError) -> APIError {
    logger.error("the configuration is not taken over: \(error.message)")
    return error
  }

  /// Takes over another configuration.
  public func apply(_ new: Configuration) async throws(APIError) -> ReloadReport {
    // First of all, and before others have to wait: what is wrong with its files changes nothing.
    let read = try await readFiles(of: new)
    await turnstile.enter()
    defer { turnstile.leave() }
    let old = configuration
    var report = ReloadReport()
    report.needRestart = keysForNextStart(new.server)
    configuration = new
    do throws(StoreError) {
      try await applyStations(since: old, read.refused, &report)
    } catch {
      configuration = old
      throw APIError.failed(error)
    }
    authorities.readFilesAgain()
    desk.use(new.log)
    await recordingDesk.use(RecordingSpace(new.recordings, data: dataPath))
    await followSchedules()
    apiSettings.set(new)
    server?.set(new.sessions)
    tls = read.tls
    hidden = read.hidden
    warnOfCertificate()
    await server?.publish(serverConfiguration)
    if old.server.listenersMax != new.server.listenersMax
      || old.server.connectionsMax != new.server.connectionsMax
    {
      warnOfLimits()
    }
    logger.info("configuration read again: \(report.line)")
    events.post(
      RelayEvent(
        .configReloaded, station: nil, time: Moment.now().wall, position: nil,
        details: [
          "added": .array(report.added.map(JSON.string)),
          "changed": .array(report.changed.map(JSON.string)),
          "removed": .array(report.removed.map(JSON.string)),
        ]))
    return report
  }

  /// What has to be read before a configuration is taken over.
  private struct ReadFiles {
    var tls: TLSOffer?
    var hidden: PrivateFolder?
    /// What is wrong with stations added by command.
    var refused: [String: PathRules.Problem] = [:]
    var fallbackFormats: [String: AudioFormat] = [:]
    /// Why it cannot be taken over.
    var problem: String?

    /// Blocks.
    init(
      of new: Configuration, data: String, added: [StationDefinition], _ tickets: TLSTicketKeys
    ) {
      fallbackFormats = new.fallbackFormats
      let rules = PathRules(new, data: data)
      hidden = rules.hidden
      refused = rules.problems(of: added)
      do throws(ConfigurationError) {
        try new.requireOwnPaths(data: data)
      } catch {
        problem = "\(error)"
        return
      }
      do throws(TLSFileError) {
        tls = try Relay.offer(new.server.tls, tickets)
      } catch {
        problem = "server.tls: \(error)"
      }
    }
  }

  private func readFiles(of new: Configuration) async throws(APIError) -> ReadFiles {
    let read: ReadFiles
    do {
      let added = try await storedStations().compactMap { try? $0.definition.get() }
      let (data, tickets) = (dataPath, tickets)
      read = try await paths.look(new.file ?? Self.unnamedFile) {
        ReadFiles(of: new, data: data, added: added, tickets)
      }
    } catch let error as SilentPath {
      throw notTakenOver(.silent(error))
    } catch {
      throw .failed("\(error)")
    }
    if let problem = fallbackProblem(of: new, read.fallbackFormats) ?? read.problem {
      throw notTakenOver(.badConfiguration(problem))
    }
    return read
  }

  /// What is other than it was at the start, and stays as it was then.
  private func keysForNextStart(_ new: ServerSection) -> [String] {
    var keys: [String] = []
    if startedServer.listen != new.listen { keys.append("server.listen") }
    if startedServer.shoutcastListen != new.shoutcastListen {
      keys.append("server.shoutcast-listen")
    }
    if startedServer.data != new.data { keys.append("server.data") }
    if startedServer.threads != new.threads { keys.append("server.threads") }
    return keys
  }

  private func applyStations(
    since old: Configuration, _ refused: [String: PathRules.Problem],
    _ report: inout ReloadReport
  ) async throws(StoreError) {
    let wanted = wantedStations(try await storedStations(), besides: refused)
    let ids = wanted.map(\.definition.id)
    report.removed = order.filter { !ids.contains($0) }
    let sources = Dictionary(wanted.map { ($0.definition.id, $0.definition.source) }) { $1 }
    let known = Set(
      order.filter { id in
        guard let old = stations[id]?.definition.source, let new = sources[id] else { return true }
        return new.hasLog(of: old)
      })
    // Those that are replaced are there until this is done.
    let opened = try await open(wanted.filter { !known.contains($0.definition.id) })
    let replaced = takeOut { !known.contains($0) }
    report.changed = replaced.map(\.id)
    await put(opened)
    let loaded = opened.map(\.id)
    report.added = loaded.filter { !report.changed.contains($0) }
    for (definition, origin) in wanted where known.contains(definition.id) {
      if await change(definition, origin, since: old) { report.changed.append(definition.id) }
    }
    let gone = replaced + takeOut { report.removed.contains($0) }
    order = ids.filter { stations[$0] != nil }
    shareDisk()
    await publish()
    for station in gone {
      forgetDemand(of: station.id)
      await ingest.stop(station: station.id)
      await recordingDesk.stop(station: station.id)
    }
    // Their windows stay, for the day they are written down again.
    await logs.close(gone.ownLogs)
    for id in loaded {
      if let station = stations[id], !station.isStopped { await pull(station) }
    }
  }

  /// The stations that are so, which are none of the relay's any more.
  private func takeOut(where isOut: (String) -> Bool) -> [RelayStation] {
    let out = order.filter(isOut)
    order.removeAll { out.contains($0) }
    return out.compactMap { stations.removeValue(forKey: $0) }
  }

  /// True: something is different from before.
  private func change(
    _ definition: StationDefinition, _ origin: RelayStation.Origin, since old: Configuration
  ) async -> Bool {
    guard let station = stations[definition.id] else { return false }
    stations[definition.id]?.definition = definition
    stations[definition.id]?.origin = origin
    let upstream = definition.upstreamSettings(configuration.upstream)
    let before = station.definition.window ?? old.timeshift.window
    let window = configuration.window(of: definition)
    if definition.isPulled, (before == 0) != (window == 0) {
      await openAnotherLog(of: definition.id)
    }
    if !station.isStopped { await update(definition) }
    return definition != station.definition
      || upstream != station.definition.upstreamSettings(old.upstream)
      || definition.listenerSettings(configuration.listeners)
        != station.definition.listenerSettings(old.listeners)
      || window != before
  }

  /// Tells ingest what a station is like now.
  func update(_ definition: StationDefinition) async {
    guard definition.isPulled else { return }
    await ingest.update(
      station: definition.id, settings: definition.upstreamSettings(configuration.upstream))
    if definition.rests {
      demand(of: definition.id).set(isRunning: true)
      pauseWhenUnwanted(definition.id)
    } else {
      forgetDemand(of: definition.id)
      await ingest.resume(station: definition.id)
    }
  }
}
