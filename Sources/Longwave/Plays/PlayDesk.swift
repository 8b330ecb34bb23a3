import Library
import Logging
import Server
import Settings
import Synchronization
import Threads
import Timeshift
import Wire

/// Keeps what programmes have played, and how long it was heard.
///
/// Feeds say what they play, loops are asked every few seconds what is heard. Both wait in memory, in bounds, and are
/// written on a thread of their own. So no programme waits for a disk, and a disk that fails costs old plays only.
actor PlayDesk {
  /// A log that has what a programme plays.
  struct Source: Hashable, Sendable {
    var programme: String
    /// How much later than the programme's the air times are.
    var delay = MediaTime.zero
  }

  private enum Message: Sendable {
    case note(PlayNote, station: String)
    /// All before has been taken note of.
    case wait(CheckedContinuation<Void, Never>)
  }

  private enum Counting { case due, runs, done }

  /// Seconds between two looks at what is heard.
  static let lookSeconds = 5.0
  /// The longest time between two looks that counts: a machine may have slept.
  private static let lookMax = 3 * lookSeconds
  /// Seconds between two times that plays are written which are not over.
  private static let writeSeconds = 10.0
  /// Seconds between two looks for plays that are too old, or too many.
  private static let trimSeconds = 3600.0
  /// Seconds until the plays of tracks are counted again that could not be.
  private static let countSeconds = 60.0
  /// Seconds that a disk has to answer.
  private static let patience = 5.0
  /// Readings that may wait for the disk.
  private static let readingsMax = 16

  private let store: PlayStore
  /// Whether the data folder is this relay's.
  private let mayWrite: @Sendable () -> Bool
  private let events: EventHub
  private let logger: Logger
  private let turns = FolderTurns()
  /// Nobody keeps these waiting, so there are never many.
  private let messages = AsyncStream.makeStream(of: Message.self)
  private var queue = PlayQueue()
  private var spans: [String: PlaySpans] = [:]
  /// When it was asked last what is heard.
  private var looked: MonotonicTime?
  private var written = MonotonicTime.now()
  private var trimmed: MonotonicTime?
  /// Whether the plays of tracks were counted, or are being counted, and when that was tried last.
  private var counting: (state: Counting, since: MonotonicTime?) = (.due, nil)
  /// Ends what takes long, at the end.
  private nonisolated let ending = ReadEnd()
  /// When the write began that has not ended.
  private var writing: MonotonicTime?
  /// Whether it was told that plays cannot be written.
  private var isTold = false
  /// Plays that there was no room for.
  private var lost = 0
  /// Readings that wait for the disk, or for which nobody waits any more.
  private nonisolated let readings = Atomic(0)

  init(
    _ path: String, _ events: EventHub, _ logger: Logger, tracks: TrackPlays = TrackPlays(),
    mayWrite: @escaping @Sendable () -> Bool
  ) {
    store = PlayStore(path, tracks: tracks)
    (self.events, self.logger, self.mayWrite) = (events, logger, mayWrite)
    Task { [weak self, messages = messages.stream] in
      for await message in messages {
        switch message {
        case .note(let note, let station): await self?.take(note, of: station)
        case .wait(let continuation): continuation.resume()
        }
      }
    }
  }

  deinit { messages.continuation.finish() }

  // MARK: What is played and heard

  /// Called on the programmes' thread: it does not block.
  nonisolated func note(_ note: PlayNote, of station: String) {
    messages.continuation.yield(.note(note, station: station))
  }

  private func take(_ note: PlayNote, of station: String) {
    let play = note.play(of: station)
    if spans[station] == nil {
      spans[station] = PlaySpans()
      Task { await know(station) }
    }
    let until = note.isWhole == nil ? PlaySpans.open : note.ended.milliseconds
    spans[station]?.set(play.key, from: note.began.milliseconds, until: until)
    lost += queue.put(play)
    // A kill may come at once.
    if queue.hasEnded { attend(at: .now()) }
  }

  /// Learns what a station has played before: who listens in the past may still hear it.
  private func know(_ station: String) async {
    guard await isOpen() else { return }
    let found = await read { [store] in try? store.newest(of: station, count: PlaySpans.max / 2) }
    for play in found.flatMap(\.self) ?? [] {
      spans[station]?.learn(play.key, from: play.key.at, until: play.ended)
    }
  }

  /// Counts what is heard, for the time since the look before.
  ///
  /// - Parameter sources: by the serial numbers of their logs.
  func hear(_ sample: HearingSample, of sources: [UInt64: Source], at now: MonotonicTime) {
    let programmes = Set(sources.values.map(\.programme))
    spans = spans.filter { programmes.contains($0.key) }
    defer { looked = now }
    guard let looked else { return }
    let length = Int64(min(Self.lookMax, now.seconds(since: looked)) * 1000)
    for (log, seconds) in sample.logs {
      guard let source = sources[log], let spans = spans[source.programme] else { continue }
      for (second, listeners) in seconds {
        let middle = second.saturatingMultiply(1000).saturatingAdd(500)
        let end = middle.saturatingSubtract(source.delay.nanoseconds / 1_000_000)
        for share in spans.shares(of: end.saturatingSubtract(length)..<end) {
          queue.hear(share.milliseconds.saturatingMultiply(Int64(listeners)), of: share.key)
        }
      }
    }
  }

  // MARK: Writing

  /// Writes what waits, once an item is over or some seconds have passed.
  func attend(at now: MonotonicTime) {
    countTracks(at: now)
    // What is counted must not change meanwhile.
    if counting.state == .runs { return }
    if let writing {
      if now.seconds(since: writing) > Self.patience { tell("its disk does not answer") }
      return
    }
    guard mayWrite(), !queue.isEmpty,
      queue.hasEnded || now.seconds(since: written) >= Self.writeSeconds
    else { return }
    (writing, written) = (now, now)
    let changes = queue.pop()
    let isTrimmed = trimmed.map { now.seconds(since: $0) < Self.trimSeconds } ?? false
    if !isTrimmed { trimmed = now }
    // Not waited for: a disk may hang.
    Task { await write(changes, trims: !isTrimmed) }
  }

  /// Counts what was played before the start, once; where there is no database, nothing was.
  private func countTracks(at now: MonotonicTime) {
    let isDue = counting.since.map { now.seconds(since: $0) >= Self.countSeconds } ?? true
    guard counting.state == .due, isDue, writing == nil, mayWrite() else { return }
    counting = (.runs, now)
    Task {
      let isDone = await turns.run(in: store.path, within: nil) { [store, ending] in
        if FileCalls.posix.status(store.path) == nil { return true }
        return (try? store.countTracks(until: ending)) != nil
      }
      counting.state = isDone == true ? .done : .due
      tellRemarks()
    }
  }

  private func write(_ changes: PlayChanges, trims: Bool) async {
    let time = Moment.now().wall.adding(seconds: -PlayStore.keptSeconds)
    let failure = await turns.run(in: store.path, within: nil) {
      [store, ending] () -> LibraryError? in
      do throws(LibraryError) {
        try store.write(changes)
        while trims, !ending.isOver, try !store.trim(before: time) {}
        return nil
      } catch {
        return error
      }
    }
    writing = nil
    tellRemarks()
    if let failure = failure.flatMap(\.self) {
      lost += queue.putBack(changes)
      return tell(failure.description)
    }
    guard isTold else { return }
    if lost > 0 { logger.error("\(lost) plays are lost: their database could not be written") }
    (isTold, lost) = (false, 0)
    events.post(RelayEvent(.storageRestored, time: Moment.now().wall))
  }

  private func tellRemarks() {
    for remark in store.popRemarks() { logger.error("\(remark)") }
  }

  /// Tells once that plays cannot be written.
  private func tell(_ reason: String) {
    if isTold { return }
    isTold = true
    let text =
      "what programmes play is not written down: \(reason); the newest \(PlayQueue.max) plays wait"
    events.post(
      RelayEvent(.storageFailed, time: Moment.now().wall, details: ["reason": .string(text)]))
  }

  /// Writes what waits, and closes the database. No other call may follow.
  func close() async {
    ending.end()
    // What the feeds said last may be on its way.
    await withCheckedContinuation { messages.continuation.yield(.wait($0)) }
    let waiting = queue.count
    let changes = mayWrite() ? queue.pop() : PlayChanges()
    let isWritten = await turns.run(in: store.path, within: Self.patience) { [store] in
      defer { store.close() }
      return (try? store.write(changes)) != nil
    }
    lost += isWritten == true ? waiting - changes.plays.count : waiting
    if lost > 0 { logger.error("\(lost) plays are lost: their database could not be written") }
  }

  // MARK: Reading

  /// Returns plays that are over, the newest first.
  func page(_ query: PlayQuery) async throws(RelayError) -> PlayPage {
    guard await isOpen() else { throw busy }
    // A page that nobody waits for any more holds up no other.
    let end = ReadEnd()
    let found = await withTaskCancellationHandler {
      await read { [store] in
        Result { () throws(LibraryError) in try store.page(query, until: end) }
      }
    } onCancel: {
      end.end()
    }
    end.end()
    switch found {
    case .success(let page): return page
    case .failure(let error): throw .failed("\(error)")
    case nil: throw busy
    }
  }

  private var busy: RelayError {
    readings.load(ordering: .relaxed) >= Self.readingsMax
      ? .libraryBusy("too many ask for plays; ask again in some seconds")
      : .silentDisk("the database of plays does not answer; ask again in some seconds")
  }

  /// Whether there is a database to be read: on the thread that writes, which alone opens one.
  private func isOpen() async -> Bool {
    if store.hasBegun { return true }
    guard mayWrite() else { return false }
    let isOpen = await look(in: store.path) { [store] in (try? store.begin()) != nil }
    tellRemarks()
    return isOpen ?? false
  }

  /// Reads on a thread of its own, so that a page does not wait for what is written.
  private func read<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value? {
    await look(in: store.path + " read", work)
  }

  /// Returns what `work` does on a thread; nil where the disk does not answer in time, or too much waits for it.
  private func look<Value: Sendable>(
    in turn: String, _ work: @escaping @Sendable () -> Value
  ) async -> Value? {
    guard readings.add(1, ordering: .relaxed).newValue <= Self.readingsMax else {
      readings.subtract(1, ordering: .relaxed)
      return nil
    }
    return await turns.run(in: turn, within: Self.patience) { [self] in
      defer { readings.subtract(1, ordering: .relaxed) }
      return work()
    }
  }
}
