import Glibc
import Library
import Media
import Programmes
import Synchronization
import Threads
import Wire

/// How loud tracks are: by what people said, by their tags, or measured, in that order.
///
/// Measured are tracks of programmes that have a loudness, if their tags say none: one after the other, behind
/// everything else, and first what comes next on air. Nothing waits for a measure: what is not known yet plays as it is.
final class TrackMeasures: Sendable {
  /// What became of measuring a file.
  private enum Outcome: Sendable {
    case measured([TrackMeasure])
    /// The file cannot be decoded, whoever asks.
    case failed
    /// It may be better another time.
    case unknown
  }

  private struct State {
    var isOn = true
    var known: [TrackKey: TrackMeasure] = [:]
    /// Whether the database has told what it knows.
    var isLoaded = false
    var unsaved: [TrackKey: TrackMeasure] = [:]
    /// What comes next on air, the newest wish last.
    var hurried: [MusicFile] = []
    /// The music of programmes, and how much of it was looked at.
    var music: [String: (shelf: MusicShelf, place: Int)] = [:]
    /// Tracks that could not be read; tried again when there is other music.
    var skipped: Set<TrackKey> = []
    var worker: Task<Void, Never>?
  }

  /// Wishes of what comes next: of 100 programmes, two items each.
  private static let hurriedMax = 200
  /// Seconds for one file, of ten hours at least; a disk that hangs longer is left alone for that file.
  private static let patience = 600.0
  /// Measures that are written together, unless nothing else is to be measured.
  private static let batch = 20
  /// LUFS to which gains lead (ReplayGain 2.0 specification).
  private static let reference = -18.0

  private let turns = FolderTurns()
  private let state = Mutex(State())
  private let isOver = Atomic(false)
  private let said: @Sendable (TrackKey) -> Double?
  private let save: @Sendable ([TrackKey: TrackMeasure]) async -> Bool

  /// - Parameters:
  ///   - said: the gain in dB that people gave a track.
  ///   - save: keeps measures; returns whether they are kept.
  init(
    said: @escaping @Sendable (TrackKey) -> Double? = { _ in nil },
    save: @escaping @Sendable ([TrackKey: TrackMeasure]) async -> Bool
  ) {
    (self.said, self.save) = (said, save)
  }

  /// What was measured so far.
  var all: [TrackKey: TrackMeasure] { state.withLock(\.known) }

  /// The number of tracks that were measured.
  var count: Int { state.withLock { $0.known.count } }

  subscript(track: TrackKey) -> TrackMeasure? { state.withLock { $0.known[track] } }

  /// Whether anything is measured from now on.
  func use(isOn: Bool) {
    state.withLock { $0.isOn = isOn }
    work()
  }

  /// Takes what the database knows. Nothing is measured before.
  func load(_ measures: [TrackKey: TrackMeasure]) {
    state.withLock { state in
      state.known.merge(measures) { own, _ in own }
      state.isLoaded = true
    }
    work()
  }

  /// Measures nothing any more; does not wait for what is being measured.
  func stop() {
    isOver.store(true, ordering: .relaxed)
    state.withLock { ($0.isOn, $0.hurried, $0.music) = (false, [], [:]) }
  }

  /// Keeps what was measured and not written. Nothing follows.
  func keepRest() async {
    let unsaved = state.withLock { state in
      defer { state.unsaved = [:] }
      return state.unsaved
    }
    if !unsaved.isEmpty { _ = await save(unsaved) }
  }

  // MARK: Programmes

  /// Has the music of a programme measured, as far as its tags say nothing; nil: no more.
  func follow(_ shelf: MusicShelf?, of id: String) {
    state.withLock { state in
      state.music[id] = shelf.map { ($0, 0) }
      // What could not be read may be there again.
      state.skipped = []
    }
    work()
  }

  /// Has a file measured that comes next, if nothing is known of it.
  func hurry(_ file: MusicFile) {
    guard isWanted(file) else { return }
    state.withLock { state in
      if state.hurried.contains(where: { $0.key == file.key }) { return }
      state.hurried.append(file)
      if state.hurried.count > Self.hurriedMax { state.hurried.removeFirst() }
    }
    work()
  }

  /// What is known of a file's loudness now.
  func levels(of file: MusicFile) -> TrackGain {
    var levels = file.levels
    let measure = self[file.key]
    if levels.trackPeak == nil, let peak = measure?.truePeak {
      levels.trackPeak = pow(10, peak / 20)
    }
    if let gain = said(file.key) ?? said(file.wholeKey) {
      (levels.track, levels.album) = (gain, gain)
    } else if levels.track == nil, levels.album == nil, let loudness = measure?.loudness {
      levels.track = Self.reference - loudness
    }
    return levels
  }

  // MARK: Measuring

  private func isWanted(_ file: MusicFile) -> Bool {
    state.withLock { Self.isWanted(file, $0) }
  }

  private static func isWanted(_ file: MusicFile, _ state: State) -> Bool {
    file.levels.track == nil && file.levels.album == nil && state.known[file.key] == nil
      && !state.skipped.contains(file.key)
  }

  private func work() {
    state.withLock { state in
      guard state.isOn, state.isLoaded, state.worker == nil, Self.hasWork(state) else { return }
      state.worker = Task(priority: .background) { [weak self] in await self?.run() }
    }
  }

  private static func hasWork(_ state: State) -> Bool {
    !state.hurried.isEmpty || state.music.values.contains { $0.place < $0.shelf.fileCount }
  }

  private func run() async {
    while true {
      if let file = next() {
        await measure(file)
        if state.withLock({ $0.unsaved.count }) >= Self.batch { await keep() }
      } else {
        await keep()
        if endsWork() { return }
      }
    }
  }

  /// Ends the worker where nothing is left to be done.
  private func endsWork() -> Bool {
    state.withLock { state in
      if state.isOn, Self.hasWork(state) { return false }
      state.worker = nil
      return true
    }
  }

  /// Returns what is to be measured next; nil while there is nothing.
  private func next() -> MusicFile? {
    state.withLock { state in
      guard state.isOn else { return nil }
      while let file = state.hurried.popLast() {
        if Self.isWanted(file, state) { return file }
      }
      for (id, music) in state.music {
        // A piece at a time: this holds the lock that programmes wait for.
        let end = min(music.shelf.fileCount, music.place + 1000)
        for place in music.place..<end {
          state.music[id]?.place = place + 1
          if let file = music.shelf.file(at: place), Self.isWanted(file, state) { return file }
        }
      }
      return nil
    }
  }

  /// Writes what is not written, unless the relay ends.
  private func keep() async {
    let unsaved = state.withLock { $0.unsaved }
    if unsaved.isEmpty || isOver.load(ordering: .relaxed) { return }
    // What the database refuses is measured again after a start.
    guard await save(unsaved) || unsaved.count > 10 * Self.batch else { return }
    state.withLock { state in
      for key in unsaved.keys { state.unsaved[key] = nil }
    }
  }

  private func measure(_ file: MusicFile) async {
    let files = [file] + others(of: file)
    let outcome = await turns.run(in: file.root, within: Self.patience) { [self] in
      SystemThread.stepBack()
      return measured(files)
    }
    state.withLock { state in
      for (index, file) in files.enumerated() {
        switch outcome {
        case .measured(let measures)? where index < measures.count:
          (state.known[file.key], state.unsaved[file.key]) = (measures[index], measures[index])
        case .failed?:
          (state.known[file.key], state.unsaved[file.key]) = (TrackMeasure(), TrackMeasure())
        case .measured?, .unknown?, nil: state.skipped.insert(file.key)
        }
      }
    }
  }

  /// Returns other parts of the same file that lists play and that are wanted: it is decoded once for many.
  private func others(of file: MusicFile) -> [MusicFile] {
    guard let whole = file.whole else { return [] }
    let shelves = state.withLock { $0.music.values.map(\.shelf) }
    var (found, keys): ([MusicFile], Set<TrackKey>) = ([], [file.key])
    for (source, files) in shelves.lazy.flatMap(\.files) {
      guard case .list(_) = source else { continue }
      for other in files
      where other.whole == whole && other.root == file.root && other.path == file.path {
        guard found.count + 1 < TrackMeasure.partsMax else { return found }
        if isWanted(other), keys.insert(other.key).inserted { found.append(other) }
      }
    }
    return found
  }

  /// - Parameter files: one, or parts of one.
  private func measured(_ files: [MusicFile]) -> Outcome {
    guard let file = files.first else { return .unknown }
    guard let open = try? MediaFolder.open(bytes: file.path, in: file.root),
      open.identity.bytes == file.identity.bytes,
      open.identity.modified == file.identity.modified
    else { return .unknown }
    do throws(TrackSoundError) {
      // What people want of a track changes nothing of how loud it is; a list's part is a track by itself.
      let parts = files.map { $0.whole == nil ? nil : $0.cue }
      let measures = try TrackMeasure.of(open, parts: parts) { [self] in
        !isOver.load(ordering: .relaxed)
      }
      // One that was written meanwhile was not measured as a whole.
      guard let measures, open.identityNow == open.identity else { return .unknown }
      return .measured(measures)
    } catch {
      return error.isOfFile && open.identityNow == open.identity ? .failed : .unknown
    }
  }
}
