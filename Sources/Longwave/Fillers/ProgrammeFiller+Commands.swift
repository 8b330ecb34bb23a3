import Ingest
import Library
import Programmes
import Threads
import Timeshift
import Wire

// What is shown of programmes, and what people do to them.
extension ProgrammeFiller {
  /// What a station's own object says of its programme; nil of one that is none.
  func glance(of station: RelayStation) -> ProgrammeGlance? {
    guard let programme = station.definition.programme else { return nil }
    var glance = ProgrammeGlance(
      play: programme.rules.choice, publishNext: programme.publishNext)
    guard let entry = entries[station.id] else { return glance }
    let report = entry.feed.report
    glance.state = entry.state(report)
    glance.part = report.part
    if let part = report.part { glance.play = part.play }
    glance.item = report.now?.item
    glance.next = report.upcoming.first
    (glance.ahead, glance.tracks, glance.refused) = (report.ahead, report.tracks, report.refused)
    return glance
  }

  func snapshot(of station: RelayStation) async throws(RelayError) -> ProgrammeSnapshot {
    let programme = try Self.programme(of: station)
    guard let entry = entries[station.id] else {
      // It is stopped: only what was kept is known.
      let memory = await memory(of: station.id)
      let changes = RuleChanges(kept: memory.rules)
      let plan = Plan(
        changes.applied(to: programme), Stock(), in: stations.zone(of: station.definition),
        state: memory.state)
      var shown = ProgrammeSnapshot(station.id, plan, part: nil)
      shown.state = .paused
      shown.played = (memory.played ?? []).compactMap(\.value)
      shown.changed = changes.names
      return shown
    }
    let view = await entry.feed.view()
    // An order of very many tracks takes a fifth of a second.
    var shown = await Blocking.run {
      ProgrammeSnapshot(station.id, view.plan, part: view.part)
    }
    shown.state = entry.state(view.report)
    shown.part = view.report.part
    (shown.now, shown.upcoming) = (view.report.now, view.report.upcoming)
    shown.joinRefusal = view.report.joinRefusal
    (shown.played, shown.passThrough) = (view.played, view.passThrough)
    shown.format = view.shelf.format
    let bitrate = entry.log.snapshot().bitrate
    if bitrate > 0 { shown.bitrate = Int(bounded: bitrate.rounded(), in: Bounds.bitrates) }
    (shown.refusedCount, shown.refused) = (view.shelf.refusedCount, view.shelf.refused)
    shown.changed = entry.changes.names
    return shown
  }

  /// Carries a command out, and keeps what it has changed.
  ///
  /// - Returns: whether another item is on air.
  func perform(
    _ command: ProgrammeCommand, on station: RelayStation
  ) async throws(RelayError) -> Bool {
    let id = station.id
    _ = try Self.programme(of: station)
    guard let entry = entries[id] else { throw .stationStopped(id) }
    var command = command
    let isQueue = if case .queue = command { true } else { false }
    if isQueue { await entry.queueing.enter() }
    defer {
      // The state has them by now.
      entries[id]?.lent = []
      if isQueue { entry.queueing.leave() }
    }
    if case .queue(let tracks, let place) = command {
      command = .queue(try await lend(tracks, to: entry.feed, id), place)
    }
    let isMoved: Bool
    do throws(ProgrammeFeed.Refusal) {
      isMoved = try await entry.feed.perform(command)
    } catch {
      switch error {
      case .nothingToPlay(let reason):
        throw .nothingNext(id, reason: IngestEvent.publicPart(ofReason: reason))
      case .unknownItem(let item): throw .unknownItem(item, of: id)
      case .unknownTrack(let track): throw .noSuchTrack(track, of: id)
      case .trackRefused(let track, let reason): throw .trackRefused(track, reason: reason)
      case .queueFull: throw .queueFull(id, ProgrammeState.queueMax)
      }
    }
    // It may have been stopped meanwhile.
    guard entries[id]?.feed === entry.feed else { throw .stationStopped(id) }
    await keep(await entry.feed.kept, of: id)
    return isMoved && !entry.isPaused
  }

  /// Times 50 ms for which tracks that are lent are waited for.
  private static let lendingTurns = 40

  /// Makes sure that a programme has what is to be queued.
  ///
  /// - Returns: the tracks, those of collections and of files in none of the programme's sources by their keys.
  private func lend(
    _ tracks: [ProgrammeCommand.Track], to feed: ProgrammeFeed, _ id: String
  ) async throws(RelayError) -> [ProgrammeCommand.Track] {
    let known = await feed.shelf
    let isKnown = await Blocking.run { known.strangers(among: tracks).isEmpty }
    if isKnown, !tracks.contains(where: \.isCollection) { return tracks }
    await collections.awaitMusic()
    var all: [ProgrammeCommand.Track] = []
    /// Tracks that collections have: those that cannot be played are left out.
    var listed: Set<TrackKey> = []
    for track in tracks {
      guard case .collection(let name) = track else {
        all.append(track)
        continue
      }
      let keys = try await collections.tracksThere(in: name)
      if keys.isEmpty { throw .nothingNext(id, reason: "\(name) has no track that is there") }
      all += keys.map { .key($0) }
      listed.formUnion(keys)
      guard all.count <= ProgrammeState.queueMax else {
        throw .queueFull(id, ProgrammeState.queueMax)
      }
    }
    let strangers = await Blocking.run { [all] in known.strangers(among: all) }
    let paths = await collections.tracks(at: Set(strangers.compactMap(\.pathBytes)))
    let keys = Set(strangers.compactMap(\.key) + paths.values)
    let lent = await collections.permitted(keys, isFree: rights(of: id).isFree)
    all = all.map { track in
      let key = track.pathBytes.flatMap { paths[$0] }
      return key.flatMap { lent.contains($0) ? .key($0) : nil } ?? track
    }
    if !lent.isEmpty, entries[id]?.feed === feed {
      entries[id]?.lent = lent
      await follow(id)
      for _ in 0..<Self.lendingTurns {
        let there = await feed.shelf.lentFolder?.files.map(\.key) ?? []
        if lent.isSubset(of: there) { break }
        try? await Task.sleep(for: .milliseconds(50))
      }
    }
    let shelf = await feed.shelf
    let playable = all.filter { track in
      track.key.map { !listed.contains($0) || shelf.has($0) } ?? true
    }
    if playable.isEmpty { throw .nothingNext(id, reason: "none of these tracks can be played") }
    return playable
  }

  /// Puts rules in place of a programme's own, until they are taken away.
  func change(_ station: RelayStation, by body: JSON) async throws(RelayError) {
    let programme = try Self.programme(of: station)
    let id = station.id
    guard let entry = entries[id] else {
      var memory = await memory(of: id)
      var changes = RuleChanges(kept: memory.rules)
      try changes.change(by: body, of: programme)
      memory.rules = changes.keptText
      return await keep(memory, of: id)
    }
    var changes = entry.changes
    try changes.change(by: body, of: programme)
    guard changes != entry.changes else { return }
    entries[id]?.changes = changes
    await entry.feed.use(changes.applied(to: programme), changed: changes.keptText)
    await keep(await entry.feed.kept, of: id)
  }

  /// - Parameters:
  ///   - from: nil: now.
  ///   - seconds: Up to `ProgrammeRehearsal.reach`.
  func rehearsal(
    of station: RelayStation, from: WallTime?, seconds: Double
  ) async throws(RelayError) -> ProgrammeRehearsal {
    _ = try Self.programme(of: station)
    guard let entry = entries[station.id] else { throw .stationStopped(station.id) }
    let now = Moment.now().wall.milliseconds
    return ProgrammeRehearsal(
      await entry.feed.view(), from: max(now, from?.milliseconds ?? now),
      seconds: Int64(bounded: seconds))
  }

  static func programme(of station: RelayStation) throws(RelayError) -> Programme {
    guard let programme = station.definition.programme else {
      throw .noProgramme(station.id, station.definition.kind.origin)
    }
    return programme
  }
}

extension ProgrammeFiller.Entry {
  fileprivate func state(_ report: ProgrammeFeed.Report) -> ProgrammeSnapshot.State {
    if isPaused { return .paused }
    return switch report.state {
    case .playing: report.now?.kind == .live ? .live : .playing
    case .failed: .failed
    case .stopped: .paused
    case .buffering, .connecting, .paused: .waiting
    }
  }
}

extension ProgrammeSnapshot {
  /// Makes what a plan says of itself.
  ///
  /// - Parameter part: the part whose rules hold; nil: those outside of all.
  fileprivate init(_ station: String, _ plan: Plan, part: Int?) {
    self.init(
      station: station, rules: plan.programme.rules(in: part),
      seed: plan.programme.seed ?? plan.state.seed, progress: plan.progress(in: part),
      publishNext: plan.programme.publishNext)
  }
}

extension RuleChanges {
  /// Reads what `keptText` has.
  init(kept text: String?) {
    let bytes = Array((text ?? "{}").utf8)
    self.init(json: (try? JSONReader.read(bytes, depthMax: 4)) ?? [:])
  }

  /// As it is kept; nil where nothing is changed.
  var keptText: String? { names.isEmpty ? nil : json.text }
}

extension ProgrammeCommand.Track {
  fileprivate var key: TrackKey? { if case .key(let key) = self { key } else { nil } }

  fileprivate var isCollection: Bool { if case .collection = self { true } else { false } }

  fileprivate var pathBytes: [UInt8]? {
    if case .path(let path) = self { PathText.resolved(Array(path.utf8), in: []) } else { nil }
  }
}
