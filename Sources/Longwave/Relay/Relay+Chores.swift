import Ingest
import Reactor
import Server
import Store
import Threads
import Timeshift
import Wire

// The work that a relay does by itself until it stops.
extension Relay {
  /// One row for each, all at once.
  var chores: [Chore<Relay>] {
    [
      Chore(.each(StartLedger.life)) { await $0.noteLife() },
      Chore(.each(10)) { await $0.lookAtListeners() },
      Chore(.each(1)) { await $0.keepNewSessions() },
      Chore(.each(1)) { await $0.noteListenersOfHLS() },
      Chore(.each(PlayDesk.lookSeconds)) { await $0.lookAtHearers() },
      Chore(.each(1)) { await $0.plays.attend(at: .now()) },
      Chore(.when { [clock = keptFigures.clock] in clock.rest(at: .now()) }) {
        await $0.keepFigures()
      },
      Chore(tried: .retry(2, most: 60)) { await $0.moveToDisk() },
      Chore(.each(2)) { await $0.lookAtData() },
      Chore(.each(2)) { $0.logs.storages.tellHangs() },
      Chore(.each(Fallbacks.lookSeconds)) { await $0.attendFallbacks() },
      Chore(.each(CertificateWatch.pause)) { await $0.attendCertificates() },
      Chore(.call(events.wantedFigures)) { await $0.showFiguresWhileWatched() },
      Chore(.call(events.wantedSound)) { await $0.attendSound() },
      Chore(.each(1)) {
        await $0.attendSound()
        await $0.stepUp()
        await $0.attendClock()
      },
    ]
  }

  func runInBackground() {
    let follow = Task { [weak self, reports = reports.stream] in
      for await report in reports { await self?.follow(report) }
    }
    background = [follow] + chores.map { $0.run(by: self) }
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
      await programmes.note(goodbyeOf: id)
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
    await kit.loader.keepTotals()
  }

  private func lookAtListeners() async {
    if let now = await serving.server?.places() { places.add(now) }
    await sessionKeeper.keep(serving.server)
  }

  private func noteListenersOfHLS() { tally.note(hls: serving.server?.hlsListeners ?? 0) }

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
            ? await kit.fillers.status(of: station.id)?.bytes ?? 0 : 0))
    }
    let replays = await serving.server?.replays() ?? ReplaySample()
    let now = time ?? .now()
    keptFigures.keep(looks, at: now)
    keptReplays.keep(
      replays, of: stations.inOrder, minute: keptFigures.clock.step(at: now, of: .minute))
  }

  func lookAtDemand(of id: String) async {
    await onDemand.look(at: id) { fallbacks.isInUse($0) }
  }

  /// Looks at the schedules at once where the clock was set: a show that is on now may end before the next look.
  /// Programmes learn what is due by the new time.
  private func attendClock() async {
    guard let step = schedules.clockStep(at: .now()) else { return }
    await programmes.follow(clockSetBy: Int64(bounded: step * 1000))
    await followSchedulesWhenDue()
  }

  func followSchedulesWhenDue() async {
    await turnstile.enter()
    defer { turnstile.leave() }
    await schedules.followWhenDue()
  }

  private func showFiguresWhileWatched() async {
    var figures = StationFigures(stations, fillers: kit.fillers, events: events)
    while figures.areWatched, !Task.isCancelled {
      await figures.show(await serving.server?.loads() ?? [:])
      try? await Task.sleep(for: .seconds(1))
    }
  }

  /// Measures the sound that is watched, and that rules need.
  private func attendSound() async {
    let now = MonotonicTime.now()
    soundMeters.pool.replaceHanging(at: now)
    if !renditions.isIdle { renditions.attend(at: now) }
    if !programmes.isIdle { await programmes.attend() }
    let needs = stations.byID.values.contains { $0.definition.sound.needSound }
    if !needs, soundMeters.isIdle, sampleMaker.isIdle { return }
    var places: [SessionToken: Double] = [:]
    for (station, token) in soundMeters.sessions {
      guard case .done(let session)? = await serving.server?.steer(session: token),
        session.station == station
      else { continue }
      places[token] = session.offset
    }
    let sounding = soundingStations
    soundMeters.follow(sounding, at: now) { places[$0] }
    sampleMaker.follow { sounding[$0]?.log }
  }

  private var soundingStations: [String: SoundMeters.Station] {
    stations.byID.compactMapValues { station in
      guard !station.isStopped, let log = station.log else { return nil }
      return SoundMeters.Station(
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

// Data and windows that are to come to their disk, or back to it.
extension Relay {
  /// Checks that the data folder is still this relay's, at the cost of a few lookups of names. Writes to the folder
  /// what its database lacks, and makes the administration's socket where this relay has none.
  func lookAtData() async {
    _ = await store.moveToDisk()
    tellLosses()
    if store.popRestored() { events.post(RelayEvent(.storageRestored, time: Moment.now().wall)) }
    // Never in another relay's folder: its own socket is there.
    guard store.hasFolder, await serving.openRefusedSocket() else { return }
    await serving.remakeSocket()
  }

  /// Posts what happened to the database.
  func tellLosses() {
    for loss in store.popLosses() {
      events.post(
        RelayEvent(
          .storageFailed, time: Moment.now().wall, details: ["reason": .string(loss)]))
    }
  }

  /// Tries to move the database and the windows from memory to the disk, and to make the administration's socket.
  ///
  /// Database and windows are in memory only, and the socket is missing, when the disk had no room or could not be used.
  ///
  /// - Returns: whether nothing is left to be tried again.
  func moveToDisk() async -> Bool {
    await lookAtData()
    let isWhole = await kit.reopen(turnstile) && store.whyInMemory == nil
    return isWhole && serving.obstacle == nil
  }
}
