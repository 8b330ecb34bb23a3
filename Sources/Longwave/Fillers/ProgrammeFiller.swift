import Ingest
import Library
import Logging
import Media
import Programmes
import Reactor
import Server
import Store
import Threads
import Timeshift
import Wire

/// Has programmes played: one feed each, all on one thread of their own.
///
/// Not Sendable: only the relay's actor has it.
final class ProgrammeFiller: Filler {
  struct Entry {
    var log: PacketLog
    /// As it is defined.
    var programme: Programme
    /// What commands have changed of it.
    var changes: RuleChanges
    var zone: ZoneOffsets
    var feed: ProgrammeFeed
    /// Whether it has not played before.
    var isNew: Bool
    var isPaused: Bool
    /// What its folders, lists and collections have.
    var sources: ShelfSources?
    /// What it may play, and the folders in which everybody may name music.
    var rights: ListRights?
    var openPaths: [String] = []
    /// Tracks that are being queued and are in none of its sources.
    var lent: Set<TrackKey> = []
    /// One command that queues at a time.
    let queueing = Turnstile()
    /// The logs of the stations that it names.
    var stations: [String: PacketLog] = [:]
  }

  typealias Tell =
    @Sendable (IngestEvent, _ station: String, PacketLog, MountCounters) -> Void

  /// How far a programme has come.
  private struct Kept: Sendable {
    var id: String
    var memory: ProgrammeMemory
    /// Resumed once it is stored.
    var wait: CheckedContinuation<Void, Never>?
  }

  private static let nobodyListens = "nobody listens"

  let stations: StationTable
  private let store: StationStore
  private let music: MusicFolders
  private let lists: MusicLists
  let collections: CollectionDesk
  private let notes: TrackNotes
  private let measures: TrackMeasures
  private let logger: Logger
  /// The thread of all feeds; nil before the first programme.
  private var loop: EventLoop?
  private let turns = FolderTurns()
  /// What is on its way to the store, in its order.
  private let kept = AsyncStream.makeStream(of: Kept.self)
  private let tell: Tell
  private let events: EventHub
  private let pool: SoundPool
  private let makeDecoder: PacketDecoder.Make
  private let plays: PlayDesk
  private let maker: FileMaker
  var entries: [String: Entry] = [:]

  /// - Parameter tell: called with the programmes' states, titles and gaps; must not block.
  init(
    _ stations: StationTable, _ store: StationStore, _ music: MusicFolders, _ lists: MusicLists,
    _ collections: CollectionDesk, _ notes: TrackNotes, _ measures: TrackMeasures,
    _ plays: PlayDesk, _ maker: FileMaker, pool: SoundPool,
    makeDecoder: @escaping PacketDecoder.Make, events: EventHub, logger: Logger,
    tell: @escaping Tell
  ) {
    (self.stations, self.store, self.music, self.lists) = (stations, store, music, lists)
    (self.collections, self.notes, self.measures) = (collections, notes, measures)
    (self.plays, self.maker) = (plays, maker)
    (self.events, self.logger, self.tell) = (events, logger, tell)
    (self.pool, self.makeDecoder) = (pool, makeDecoder)
    Task { [kept = kept.stream, store] in
      for await kept in kept {
        // A disk that fails is told by the store; the programme goes on.
        try? await store.keep(programme: kept.memory.text, of: kept.id)
        kept.wait?.resume()
      }
    }
  }

  deinit { kept.continuation.finish() }

  func begin(_ station: RelayStation, isPaused: Bool) async {
    guard let log = station.ownLog, let programme = station.definition.programme else { return }
    let id = station.id
    await end(id)
    guard let loop = runningLoop() else {
      let reason = "the system gives no thread; stop and start the station to try again"
      logger.error("\(id): \(reason)")
      return tell(.state(.failed, reason: reason), id, log, station.counters)
    }
    let zone = stations.zone(of: station.definition)
    let memory = await memory(of: id)
    let changes = RuleChanges(kept: memory.rules)
    let plan = Plan(changes.applied(to: programme), Stock(), in: zone, state: memory.state)
    let owner = ProgrammeFeed.Owner(
      tell: { [tell, counters = station.counters] in tell($0, id, log, counters) },
      keep: { [kept = kept.continuation] in kept.yield(Kept(id: id, memory: $0)) },
      tellFailure: { [music, lists, logger] file, failure in
        let end = failure.isOfFile ? ", and is left out until it changes" : ""
        logger.warning("\(id): \(file.shownPath) is not played: \(failure.reason)\(end)")
        guard failure.isOfFile else { return }
        Task {
          await music.refuse(file, failure.reason)
          await lists.refuse(file, failure.reason)
        }
      },
      report: { [events] in events.post($0, station: id, log: log) },
      play: { [plays] in plays.note($0, of: id) },
      tellEmpty: { [logger] in
        logger.warning("\(id): \($0.text) has nothing to play, and is passed over")
      },
      tellUnlisted: { [logger] time in
        logger.warning(
          "\(id): inserts that were due from \(time.lowerBound.rfc3339) to \(time.upperBound.rfc3339) were missed; they are not told one by one"
        )
      },
      tellRefused: { [logger] in logger.warning("\(id): does not play \($0), which \($1)") },
      levels: { [measures] in measures.levels(of: $0) },
      hurry: { [measures] in measures.hurry($0) },
      make: { [maker] in await maker.make($0, as: $1, due: $2) },
      dropMade: { [maker] made in Task { await maker.drop(made) } },
      take: { [pool, makeDecoder] log, wish in
        let take = StationTake(log, wish, makeDecoder: makeDecoder)
        if !pool.add(take, rank: .first, of: id) { take.giveUp() }
        return take
      })
    let feed = ProgrammeFeed(log, plan, memory, on: loop, turns: turns, owner)
    entries[id] = Entry(
      log: log, programme: programme, changes: changes, zone: zone, feed: feed,
      isNew: memory.state.item == 0,
      isPaused: isPaused)
    if isPaused {
      await feed.rest(Self.nobodyListens)
    } else {
      await feed.begin()
    }
    await follow(id)
    await attend(id)
  }

  var isIdle: Bool { entries.isEmpty }

  /// Gives a programme the music of its folders, lists and collections, now and whenever that changes.
  func follow(_ id: String) async {
    guard let entry = entries[id] else { return }
    let (roots, isNew) = (entry.programme.folders, entry.isNew)
    let rights = rights(of: id)
    let wishes = Set(entry.programme.lists.map { MusicLists.Wish(path: $0, rights: rights) })
    let names = entry.programme.collections
    let lent = await entry.feed.kept.state.keysOfQueue.union(entries[id]?.lent ?? [])
    var keys = roots.union(names).union(wishes.map { MusicShelf.key(ofList: $0.path) })
    if !lent.isEmpty { keys.insert(MusicShelf.lentKey) }
    // What a reload has not changed is there all the time.
    let known = await entry.sources?.found.mapValues { $0.filter { keys.contains($0.key) } } ?? [:]
    let (hasLoudness, wish) = (entry.programme.hasLoudness, entry.programme.format)
    let sources = ShelfSources(known) {
      [keys, logger, notes, measures, feed = entry.feed, log = entry.log] found in
      let shelf = MusicShelf(
        found, of: keys, in: log.snapshot().format, wish: wish, takesFirst: isNew,
        without: notes.excluded, cues: notes.cues)
      if let remark = shelf.remark { logger.warning("\(id): \(remark)") }
      measures.follow(hasLoudness ? shelf : nil, of: id)
      await feed.use(shelf)
    }
    let open = rights.isFree ? await openFolders(roots) : roots
    // It may have ended meanwhile.
    guard entries[id]?.feed === entry.feed else { return }
    entries[id]?.sources = sources
    entries[id]?.rights = rights
    entries[id]?.openPaths = stations.configuration.server.paths
    await lists.follow(wishes, as: id) { [collections] found in
      await collections.know(lists: found, of: id)
      await sources.take(.lists, found)
    }
    await collections.know(roots, open: open, of: id)
    await collections.follow(names, lent: lent, as: id, isFree: rights.isFree) {
      await sources.take(.collections, $0)
    }
    await music.follow(roots, as: id, hurries: isNew) { await sources.take(.folders, $0) }
    if entries[id]?.feed === entry.feed { return }
    // It has ended meanwhile, or begun anew.
    if entries[id] == nil { await leave(id) } else { await follow(id) }
  }

  /// Gives a station that is none any more no music.
  private func leave(_ id: String) async {
    await music.leave(id)
    await lists.leave(id)
    await collections.leave(id)
    measures.follow(nil, of: id)
  }

  /// Seconds in which a disk has to say where a folder lies.
  private static let placeSeconds = 5.0

  /// The folders among those of the configuration's own stations that lie where everybody may name music.
  private func openFolders(_ folders: Set<String>) async -> Set<String> {
    let paths = stations.configuration.server.paths
    if paths.isEmpty { return [] }
    return await turns.run(in: "the places of folders", within: Self.placeSeconds) {
      let open = paths.compactMap { PrivateFolder.real($0) }
      return folders.filter { folder in
        let real = PrivateFolder.real(folder)
        return open.contains { open in real.map { PrivateFolder.isInside($0, open) } ?? false }
      }
    } ?? []
  }

  /// What a programme may play. A station that came by command plays nothing but what is open to everybody, since it may
  /// have come over the network.
  func rights(of id: String) -> ListRights {
    let isFree: Bool =
      switch stations[id]?.origin {
      case .file?, .start?: true
      case .command?, nil: false
      }
    let configuration = stations.configuration
    let open = configuration.library.roots.map(\.path) + (isFree ? [] : configuration.server.paths)
    return ListRights(isFree: isFree, folders: open)
  }

  /// Gives all programmes their music again, since other tracks are left out, or other parts of them are played.
  func shelveAgain() async {
    for entry in entries.values { await entry.sources?.again() }
  }

  func update(_ station: RelayStation) async {
    guard let entry = entries[station.id], let programme = station.definition.programme else {
      return
    }
    if station.ownLog !== entry.log { return await begin(station, isPaused: entry.isPaused) }
    let zone = stations.zone(of: station.definition)
    guard programme != entry.programme || zone != entry.zone else { return }
    entries[station.id]?.programme = programme
    entries[station.id]?.zone = zone
    await entry.feed.use(entry.changes.applied(to: programme), in: zone)
    if programme != entry.programme {
      let tracks = await entry.feed.shelf.count
      events.post(
        .changed(by: .configuration, tracks: tracks), station: station.id, log: entry.log)
    }
    await follow(station.id)
    await attend(station.id)
  }

  func pause(_ id: String) async {
    guard let entry = entries[id], !entry.isPaused else { return }
    entries[id]?.isPaused = true
    await entry.feed.rest(Self.nobodyListens)
  }

  func resume(_ id: String) async {
    guard let entry = entries[id], entry.isPaused else { return }
    entries[id]?.isPaused = false
    await entry.feed.begin()
  }

  func end(_ id: String) async {
    guard let entry = entries.removeValue(forKey: id) else { return }
    await leave(id)
    await keep(await entry.feed.end(), of: id)
  }

  /// Keeps how far a programme has come; returns when it is stored.
  func keep(_ memory: ProgrammeMemory, of id: String) async {
    await withCheckedContinuation {
      kept.continuation.yield(Kept(id: id, memory: memory, wait: $0))
    }
  }

  /// Returns how far a programme has come, as it was kept.
  func memory(of id: String) async -> ProgrammeMemory {
    let text = (try? await store.programme(of: id)) ?? nil
    return text.flatMap(ProgrammeMemory.init(text:))
      ?? ProgrammeMemory(seed: Int64.random(in: Programme.seeds))
  }

  /// Ends all programmes, and their thread.
  func endAll() async {
    for id in Array(entries.keys) { await end(id) }
    guard let loop else { return }
    self.loop = nil
    await Blocking.run { loop.stop() }
  }

  private func runningLoop() -> EventLoop? {
    if let loop { return loop }
    guard let made = try? EventLoop(name: "programmes"), made.start() else { return nil }
    loop = made
    return made
  }

  func status(of id: String) async -> IngestStatus? {
    guard let report = entries[id]?.feed.report else { return nil }
    return IngestStatus(
      state: report.state, stateReason: report.reason, connectedSince: report.connectedSince,
      bytes: report.bytes)
  }
}

extension Programme {
  /// The folders whose music it plays.
  fileprivate var folders: Set<String> {
    Set(sources.compactMap { if case .folder(let path) = $0 { path } else { nil } })
  }

  /// Whether anything in it is played as loud as something says.
  fileprivate var hasLoudness: Bool {
    rules.loudness != nil || parts.contains { $0.rules.loudness != nil }
  }

  /// The collections whose tracks it plays.
  var collections: Set<String> {
    Set(sources.compactMap { if case .collection(let name) = $0 { name } else { nil } })
  }

  /// The lists whose files it plays.
  fileprivate var lists: Set<String> {
    Set(sources.compactMap { if case .list(let path) = $0 { path } else { nil } })
  }
}
