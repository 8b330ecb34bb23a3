import Library
import Logging
import Server
import Settings
import Synchronization
import Threads
import Timeshift
import Wire

/// The music library: writes what looks at its roots find into `library.db`, and answers what is asked of it.
///
/// An actor of its own, so that no search waits for a change of the stations, and none of these for a scan. The relay
/// goes on without the database where its disk refuses it: programmes have their music from the looks.
package actor LibraryDesk {
  /// What was found in a root, and of which database it is known to be a part.
  private struct Found {
    var folder: MusicFolder
    /// Number of the database (`LibraryStore.generation`); nil: it is to be written.
    var written: Int?
    /// Whether the database refused it; it is tried again in a minute.
    var isRefused = false
  }

  /// As a follower of folders it is called what no station can be.
  private static let follower = "library:"
  private static let minute = 60.0

  nonisolated let store: LibraryStore
  nonisolated let music: MusicFolders
  private let logger: Logger
  nonisolated let questions = LibraryQuestions()
  nonisolated let turns: FolderTurns
  nonisolated let measures: TrackMeasures
  private let held: @Sendable () async -> Set<TrackKey>?
  nonisolated let part: @Sendable (TrackKey) async -> MusicFile?
  private var settings = LibrarySettings()
  private var found: [String: Found] = [:]
  private nonisolated let isOver = Atomic(false)
  /// Number of the database that was asked last.
  nonisolated let asked = Atomic(0)
  private var writing: Task<Void, Never>?
  /// Whether there may be roots in the database that nobody names any more.
  private var hasLeft = false
  private var chores: Task<Void, Never>?
  /// Number of the database that has all measures.
  private var measured: Int?
  /// Why the database was not written last.
  private var failure: String?
  private nonisolated let counted = Mutex(LibraryFigures())
  private var cleaned = MonotonicTime.now()

  /// - Parameters:
  ///   - turns: those in which the database is written.
  ///   - part: returns the part of a file that a track is, as a list says; nil of another.
  ///   - held: returns tracks that collections have; nil where that cannot be told now.
  init(
    _ store: LibraryStore, _ music: MusicFolders, _ measures: TrackMeasures, in turns: FolderTurns,
    logger: Logger, part: @escaping @Sendable (TrackKey) async -> MusicFile? = { _ in nil },
    held: @escaping @Sendable () async -> Set<TrackKey>?
  ) {
    (self.store, self.music, self.turns, self.logger) = (store, music, turns, logger)
    (self.measures, self.part, self.held) = (measures, part, held)
  }

  /// What there was when it was counted last: after each write.
  nonisolated var figures: LibraryFigures {
    var figures = counted.withLock { $0 }
    figures.searches = questions.times
    return figures
  }

  /// Follows the roots of a configuration from now on.
  func use(_ settings: LibrarySettings) async {
    self.settings = settings
    let ids = Set(settings.roots.map(\.id))
    found = found.filter { ids.contains($0.key) }
    if chores == nil {
      chores = Task { [weak self] in
        while !Task.isCancelled {
          try? await Task.sleep(for: .seconds(Self.minute))
          await self?.doChores()
        }
      }
    }
    measures.use(isOn: settings.measure == .idle)
    hasLeft = true
    // A disk that hangs must not hold up the stations.
    writeAll()
    await music.follow(Set(settings.roots.map(\.path)), as: Self.follower) { [weak self] folders in
      await self?.take(folders)
    }
  }

  /// Ends what is written behind the next transaction, without waiting for it.
  nonisolated func stop() {
    isOver.store(true, ordering: .relaxed)
    measures.stop()
  }

  /// Closes the database. Nothing follows.
  func end() async {
    stop()
    chores?.cancel()
    await music.leave(Self.follower)
    await measures.keepRest()
    await writing?.value
    await turns.run(in: store.path, within: nil) { [store] in store.close() }
  }

  // MARK: Writing

  private func take(_ folders: [String: MusicFolder]) {
    for root in settings.roots {
      guard let folder = folders[root.path], folder != found[root.id]?.folder else { continue }
      found[root.id] = Found(folder: folder)
    }
    writeAll()
  }

  /// Writes what has not been written, while there is some.
  func writeAll() {
    if writing != nil { return }
    writing = Task {
      // In the same order as what roots have: one may be named again meanwhile.
      var isRefused = false
      while !isOver.load(ordering: .relaxed) {
        if hasLeft, !isRefused {
          isRefused = await !leave()
        } else if let id = nextToWrite {
          await write(id)
        } else {
          break
        }
      }
      if !isOver.load(ordering: .relaxed) {
        await count()
        await shareMeasures()
      }
      writing = nil
      // What came behind the last look for more found somebody writing.
      let hasMore = hasLeft && !isRefused || nextToWrite != nil
      if hasMore, !isOver.load(ordering: .relaxed) { writeAll() }
    }
  }

  /// Notes that the files of all other roots are gone; false where the database refuses that.
  private func leave() async -> Bool {
    hasLeft = false
    let ids = Set(settings.roots.map(\.id))
    let isLeft: Void? = await write { store throws(LibraryError) in try store.leave(rootsBut: ids) }
    if isLeft == nil { hasLeft = true }
    return isLeft != nil
  }

  private var nextToWrite: String? {
    found.first { !$0.value.isRefused && $0.value.written != store.generation }?.key
  }

  private func write(_ id: String) async {
    guard let folder = found[id]?.folder else { return }
    let former = found[id]?.written
    let change = await write { [self] store throws(LibraryError) in
      try store.write(folder, as: id) { !isOver.load(ordering: .relaxed) }
    }
    let isWritten = change != nil
    // A database that is new knows nothing to judge the next look by.
    if isWritten, former != nil, former != store.generation { await music.keepAgain(id) }
    guard found[id]?.folder == folder else { return }
    found[id]?.isRefused = !isWritten
    if isWritten { found[id]?.written = store.generation }
  }

  /// Works on the database on its thread; nil where that fails, which is logged once.
  private func write<Value: Sendable>(
    _ work: @escaping @Sendable (LibraryStore) throws(LibraryError) -> Value
  ) async -> Value? {
    let outcome = await turns.run(in: store.path, within: nil) {
      [store] () -> Result<Value, LibraryError> in
      SystemThread.stepBack()
      return Result { () throws(LibraryError) in
        try store.open()
        return try work(store)
      }
    }
    for remark in store.popRemarks() { logger.warning("\(remark)") }
    switch outcome {
    case .success(let value):
      if failure != nil { logger.notice("the library's database is written again") }
      failure = nil
      return value
    case .failure where isOver.load(ordering: .relaxed): return nil
    case .failure(let error):
      if failure == nil {
        logger.warning("\(error); programmes play on, and searches may lack music")
      }
      failure = error.description
      return nil
    case nil: return nil
    }
  }

  /// Tells what the database knows of loudness, and writes into a new one what is known.
  private func shareMeasures() async {
    if measured == store.generation { return }
    let isNew = measured != nil
    let own = isNew ? measures.all : [:]
    let found = await write { store throws(LibraryError) in
      if !own.isEmpty { try store.keep(own) }
      return try store.measures()
    }
    guard let found else { return }
    measured = store.generation
    measures.load(found)
  }

  private func count() async {
    let outcome = await turns.run(in: store.path, within: nil) {
      [store] () -> Result<LibraryFigures, LibraryError> in
      Result { () throws(LibraryError) in
        LibraryFigures(roots: try store.roots(), all: try store.count())
      }
    }
    if case .success(let figures)? = outcome { counted.withLock { $0 = figures } }
  }

  /// Writes anew what a deleted database has lost and a disk has refused; forgets what is missing for too long.
  private func doChores() async {
    let isDue = MonotonicTime.now().seconds(since: cleaned) >= 3600
    let before = Moment.now().wall.adding(seconds: -settings.missing)
    let held = isDue ? await held() : nil
    let isDone: Void? = await write { store throws(LibraryError) in
      guard let held else { return }
      try store.drop(missingBefore: before) { held.intersection($0) }
    }
    if isDone != nil, held != nil {
      cleaned = .now()
      await count()
    }
    for id in found.keys { found[id]?.isRefused = false }
    writeAll()
  }
}

/// What is told of the library.
package struct LibraryFigures: Sendable {
  /// By the id of the root.
  package var roots: [String: RootCount] = [:]
  package var all = LibraryCount()
  /// How long searches took.
  package var searches = DurationCounts()

  init(roots: [String: RootCount] = [:], all: LibraryCount = LibraryCount()) {
    (self.roots, self.all) = (roots, all)
  }
}
