import Ingest
import Logging
import Reactor
import Server
import Threads
import Timeshift
import Wire

// Background tasks of a relay; they run until the relay stops.
extension Relay {
  func runInBackground() {
    background = [
      Task { [weak self, reports = reports.stream] in
        for await report in reports { await self?.follow(report) }
      },
      Task { [weak self] in
        while (try? await Task.sleep(for: .seconds(StartLedger.life))) != nil {
          await self?.noteLife()
        }
      },
      Task { [weak self] in
        while (try? await Task.sleep(for: .seconds(10))) != nil { await self?.lookAtListeners() }
      },
      Task { [weak self] in
        while (try? await Task.sleep(for: .seconds(1))) != nil { await self?.keepNewSessions() }
      },
      Task { [weak self, clock = keptFigures.clock] in
        while (try? await Task.sleep(for: .seconds(clock.rest(at: .now())))) != nil {
          await self?.keepFigures()
        }
      },
      Task { [weak self] in
        var pause = Self.reopenFirstSeconds
        while (try? await Task.sleep(for: .seconds(pause))) != nil {
          guard let isDone = await self?.takeDisk() else { return }
          pause = isDone ? Self.reopenFirstSeconds : min(2 * pause, Self.reopenLastSeconds)
        }
      },
      Task { [weak self] in
        while (try? await Task.sleep(for: .seconds(Self.dataLookSeconds))) != nil {
          await self?.lookAtData()
        }
      },
      Task { [storages = logs.storages] in
        while (try? await Task.sleep(for: .seconds(2))) != nil { storages.tellHangs() }
      },
      Task { [weak self] in
        while (try? await Task.sleep(for: .seconds(Fallbacks.lookSeconds))) != nil {
          await self?.attendFallbacks()
        }
      },
      Task { [weak self] in
        while (try? await Task.sleep(for: .seconds(CertificateWatch.pause))) != nil {
          await self?.attendCertificates()
        }
      },
      Task { [weak self, wanted = events.wantedFigures] in
        for await _ in wanted { await self?.showFiguresWhileWatched() }
      },
      Task { [weak self, wanted = events.wantedSound] in
        for await _ in wanted { await self?.attendSound() }
      },
      Task { [weak self] in
        while (try? await Task.sleep(for: .seconds(1))) != nil {
          await self?.attendSound()
          await self?.stepUp()
          await self?.attendClock()
        }
      },
    ]
  }

  private func follow(_ report: Report) async {
    switch report {
    case .listeners(let changes, let time):
      tally.count(changes)
      for change in changes {
        events.post(change.told(at: time))
        if case .disconnected = change.change { onDemand.pauseWhenUnwanted(change.station) }
        if let move = stepDown.move(after: change) { await carry(move) }
      }
    case .demand(let call, let station): await onDemand.follow(call, of: station)
    case .goodbye(let goodbye, let id):
      fallbacks.note(goodbye, of: id)
      if goodbye.isLast { await attendFallbacks() }
    case .headers(let headers, let id):
      guard stations[id]?.headers != headers else { return }
      for station in stations.inOrder where station.id == id || station.definition.parent == id {
        stations.set(\.headers, of: station.id, to: headers)
      }
      await serving.publish()
    }
  }

  /// Notes that the relay has lived for another minute.
  private func noteLife() async {
    let wasDoubted = starts.expiry.state.isFarOff
    await Blocking.run { [starts, ring = events.ring] in starts.live(event: ring.newestID) }
    if !wasDoubted { starts.warnOfClock(logger) }
    await loader.keepTotals()
  }

  private func lookAtListeners() async {
    if let now = await serving.server?.places() { places.add(now) }
    await sessionKeeper.keep(serving.server)
  }

  private func keepNewSessions() async { await sessionKeeper.keepNew(serving.server) }

  /// Keeps the figures of the stations and of the relay for the step of ten seconds that ends now, and which minutes of
  /// the past are heard.
  ///
  /// - Parameter time: nil for the time at which all is looked at; tests name others.
  package func keepFigures(at time: Moment? = nil) async {
    events.ledger.keep { stations[$0] != nil }
    let loads = await serving.server?.loads() ?? [:]
    var looks: [KeptFigures.Look] = []
    for station in stations.inOrder {
      looks.append(
        KeptFigures.Look(
          station: station, load: loads[station.id] ?? StationLoad(),
          received: station.definition.isPulled
            ? await fillers.status(of: station.id)?.bytes ?? 0 : 0))
    }
    let replays = await serving.server?.replays() ?? ReplaySample()
    let now = time ?? .now()
    keptFigures.keep(looks, at: now)
    keptReplays.keep(
      replays, of: stations.inOrder, minute: keptFigures.clock.step(at: now, of: .minute))
  }

  func lookAtDemand(of id: String) async {
    await onDemand.look(at: id) { fallbacks.isInUse(id) }
  }

  /// Looks at the schedules at once where the clock was set: a show that is on now may end before the next look.
  private func attendClock() async {
    if schedules.noticesStep(at: .now()) { await followSchedulesWhenDue() }
  }

  func followSchedulesWhenDue() async {
    await turnstile.enter()
    defer { turnstile.leave() }
    await schedules.followWhenDue()
  }

  private func showFiguresWhileWatched() async {
    var figures = StationFigures(stations, fillers: fillers, events: events)
    while figures.areWatched, !Task.isCancelled {
      await figures.show(await serving.server?.loads() ?? [:])
      try? await Task.sleep(for: .seconds(1))
    }
  }

  /// Measures the sound that is watched, and that rules need.
  private func attendSound() async {
    let now = MonotonicTime.now()
    soundDesk.pool.replaceHanging(at: now)
    if !renditions.isIdle { renditions.attend(at: now) }
    let needs = stations.byID.values.contains { $0.definition.sound.needSound }
    if !needs, soundDesk.isIdle, sampleDesk.isIdle { return }
    var places: [SessionToken: Double] = [:]
    for (station, token) in soundDesk.sessions {
      guard case .done(let session)? = await serving.server?.steer(session: token),
        session.station == station
      else { continue }
      places[token] = session.offset
    }
    let sounding = soundingStations
    soundDesk.follow(sounding, at: now) { places[$0] }
    sampleDesk.follow { sounding[$0]?.log }
  }

  private var soundingStations: [String: SoundDesk.Station] {
    stations.byID.compactMapValues { station in
      guard !station.isStopped, let log = station.log else { return nil }
      return SoundDesk.Station(
        id: station.id, log: log,
        delay: station.delay,
        rules: station.definition.sound)
    }
  }

  // MARK: Listeners whose line is too slow

  /// Times that a rendition on demand is asked whether it has something to play, and seconds in between.
  private static let moveAttempts = 20
  private static let movePause = 0.25

  private func stepUp() async {
    for move in stepDown.due() { await carry(move) }
  }

  private func carry(_ move: StepDown.Move) async {
    await onDemand.wake(move.station)
    // Other reports must not wait for a rendition that begins.
    Task { [weak self, server = serving.server] in
      for _ in 0..<Self.moveAttempts {
        switch await server?.move(listener: move.listener, to: move.station) {
        case .nothingToPlay: try? await Task.sleep(for: .seconds(Self.movePause))
        case .moved: return await self?.pauseWhenUnwanted()
        case .unknownListener, .otherCodec, nil: return await self?.forget(move)
        }
      }
      await self?.forget(move)
    }
  }

  private func pauseWhenUnwanted() {
    for id in stations.order { onDemand.pauseWhenUnwanted(id) }
  }

  private func forget(_ move: StepDown.Move) {
    stepDown.forget(move.listener)
    pauseWhenUnwanted()
  }

  // MARK: Fallbacks

  private func attendFallbacks() async {
    if fallbacks.areNone { return }
    await turnstile.enter()
    defer { turnstile.leave() }
    if await fallbacks.attend() { await serving.publish() }
  }

  func note(_ outcome: FallbackLooks.Outcome) async {
    if fallbacks.note(outcome) { await attendFallbacks() }
  }

  // MARK: Certificates

  /// Reads certificates again whose files have changed, and tells of those that end soon.
  private func attendCertificates() async {
    serving.tellExpiry()
    guard let tls = configuration.server.tls, let first = tls.pairs.first?.certificate,
      let stamps = try? await options.paths.look(first, { tls.stamps }), serving.hasChanged(stamps)
    else { return }
    let read = try? await options.paths.look(first) { [tickets = serving.tickets] in
      Result { () throws(TLSFileError) in
        var files = ServerFiles()
        try files.readTLS(tls, tickets)
        return files
      }
    }
    await turnstile.enter()
    defer { turnstile.leave() }
    // Another configuration may have come meanwhile.
    guard let read, configuration.server.tls == tls else { return }
    await serving.use(read, of: stamps)
  }
}

// Taking over another configuration while everything runs.
extension Relay {
  /// Reopens the access and playlist logs as new files, after the old ones have been moved away.
  public nonisolated func reopenLogs() { desk.reopen() }

  /// Reads the configuration again. A bad configuration changes nothing; listeners of unchanged stations notice
  /// nothing. The administration's socket is made again where it is gone, whatever the configuration is.
  @discardableResult
  public func reload() async throws(RelayError) -> ReloadReport {
    await reloads.enter()
    defer { reloads.leave() }
    await lookAtData()
    guard let load = options.reloadConfiguration else { throw RelayError.noConfiguration }
    do throws(RelayError) {
      return try await reload(by: load)
    } catch {
      configurationMetrics.isLastSuccessful = false
      throw error
    }
  }

  private func reload(
    by load: @escaping @Sendable () throws(ConfigurationError) -> Configuration
  ) async throws(RelayError) -> ReloadReport {
    let name = configuration.file ?? Reload.unnamedFile
    let loaded: Result<Configuration, ConfigurationError>
    do throws(SilentPath) {
      loaded = try await options.paths.look(name) {
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

  /// Returns what a reload would do now, and changes nothing.
  package func configurationChanges() async throws(RelayError) -> ConfigurationChanges {
    guard let load = options.reloadConfiguration else { throw RelayError.noConfiguration }
    let running = configuration
    var look: Reload.Look
    do throws(SilentPath) {
      look = try await options.paths.look(running.file ?? Reload.unnamedFile) {
        Reload.Look(load, running: running)
      }
    } catch {
      throw .silent(error)
    }
    if case .success(let new) = look.loaded {
      look.changes.report.needRestart = startedWith.keysForNextStart(new)
      look.changes.report.settings = running.sections(differingIn: new)
      try await reloading.tell(new, in: &look.changes)
    }
    return look.changes
  }

  private func notTakenOver(_ error: RelayError) -> RelayError {
    logger.error("the configuration is not taken over: \(error)")
    return error
  }

  /// Takes over another configuration. Throws `RelayError.badConfiguration`, and changes nothing, when a file that says
  /// the same could not be taken over.
  public func apply(_ new: Configuration) async throws(RelayError) -> ReloadReport {
    let new = try validated(new)
    // Files are read first, before other changes have to wait: a configuration with bad files changes nothing.
    let read = try await readFiles(of: new)
    await turnstile.enter()
    defer { turnstile.leave() }
    let before = configuration
    var report = ReloadReport()
    report.settings = before.sections(differingIn: new)
    report.needRestart = startedWith.keysForNextStart(new)
    try await reloading.carryOut(new, read, &report)
    desk.use(new.log)
    await recordingDesk.use(RecordingSpace(new.recordings, data: dataPath))
    await schedules.follow()
    adminRights.set(new)
    webhookDesk.follow(new.webhooks)
    await serving.use(read.server)
    if before.server.listenersMax != new.server.listenersMax
      || before.server.connectionsMax != new.server.connectionsMax
    {
      serving.warnOfLimits()
    }
    configurationMetrics = ConfigurationMetrics(takenOverAt: Moment.now().wall)
    logger.info("configuration read again: \(report.line)")
    events.post(report.event)
    return report
  }

  private func validated(_ new: Configuration) throws(RelayError) -> Configuration {
    do throws(RelayError) {
      return try new.validated()
    } catch {
      throw notTakenOver(error)
    }
  }

  private func readFiles(of new: Configuration) async throws(RelayError) -> ReloadFiles {
    do throws(RelayError) {
      return try await reloading.readFiles(of: new)
    } catch .failed(let reason) {
      throw .failed(reason)
    } catch {
      throw notTakenOver(error)
    }
  }

  private var reloading: Reload {
    Reload(
      stations: stations, loader: loader, fillers: fillers, onDemand: onDemand, windows: windows,
      fallbackRules: fallbackRules, serving: serving, recordings: recordingDesk, logs: logs,
      paths: options.paths, data: dataPath)
  }
}
