import Logging
import Store
import Timeshift
import Wire

/// The relay's recordings, those that run and those that have ended.
actor RecordingRegister {
  let store: StationStore
  let events: EventHub
  let logger: Logger
  private(set) var space: RecordingSpace
  var entries: [Int64: RecordingEntry] = [:]
  private(set) var recorders: [Int64: Recorder] = [:]
  private let reports = AsyncStream.makeStream(of: RecordingEntry.self)
  private var background: Task<Void, Never>?

  /// Highest number of running recordings; each has a thread.
  static let runningMax = 100

  init(store: StationStore, events: EventHub, logger: Logger, space: RecordingSpace) {
    self.store = store
    self.events = events
    self.logger = logger
    self.space = space
  }

  /// Reads the recordings from before a restart; those that ran go on with what is in the window.
  ///
  /// - Parameter isSafe: whether recordings are only shown, and stay in the store as they are.
  func resume(
    _ stations: [String: RelayStation], isSafe: Bool = false
  ) async throws(StoreError) {
    let stream = reports.stream
    background = Task { [weak self] in
      for await entry in stream { await self?.keep(entry) }
    }
    for entry in try await store.recordings() {
      entries[entry.id] = entry
      guard entry.state == .recording else { continue }
      if isSafe {
        entries[entry.id]?.reason =
          "left out of this start, since the relay died at its last starts"
        continue
      }
      let station = stations[entry.options.station]
      if let station, station.log != nil, station.definition.allowsRecording {
        run(entry, of: station)
      } else {
        var ended = entry
        ended.state = .failed
        ended.reason = station?.log == nil ? "the station is gone" : Self.offReason
        ended.endedAt = Moment.now().wall.stored
        await keep(ended)
      }
    }
  }

  /// Ends the files of running recordings under their names; the recordings go on after the restart.
  func suspend() async {
    let running = Array(recorders.values)
    // All are told at once, since all have the same time for it.
    for recorder in running { recorder.finish(suspends: true) }
    for recorder in running { await recorder.end(suspends: true) }
    // Earlier reports are kept before the last entries.
    reports.continuation.finish()
    await background?.value
    for recorder in running { await keep(recorder.entry) }
    recorders = [:]
  }

  /// Sets the space of recordings that begin from now on.
  func use(_ space: RecordingSpace) { self.space = space }

  /// The stations that are being recorded; a recording that was stopped needs nothing new.
  var stations: Set<String> {
    Set(recorders.keys.compactMap { entries[$0] }.filter { $0.stop == nil }.map(\.options.station))
  }

  /// Returns the recordings as they are now, the oldest first.
  func list() -> [RecordingEntry] {
    all.filter { $0.isHidden != true }
  }

  /// Returns what was recorded of a station's shows, the newest first.
  func shows(of station: String) -> [RecordedShow] {
    all.filter { $0.options.station == station }.compactMap(RecordedShow.init).sorted {
      ($0.start, $0.id) > ($1.start, $1.id)
    }
  }

  /// Returns a recording of a station's show; nil without one of that number.
  func show(_ id: Int64, of station: String) -> RecordedShow? {
    guard let entry = recorders[id]?.entry ?? entries[id], entry.options.station == station
    else { return nil }
    return RecordedShow(entry)
  }

  /// All recordings, the hidden ones too.
  var all: [RecordingEntry] {
    entries.keys.sorted().compactMap { recorders[$0]?.entry ?? entries[$0] }
  }

  func start(
    _ options: RecordingEntry.Options, of station: RelayStation,
    by schedule: RecordingEntry.Schedule? = nil
  ) async throws(RelayError) -> RecordingEntry {
    guard recorders.count < Self.runningMax else {
      throw RelayError.tooManyRecordings(Self.runningMax)
    }
    var entry = RecordingEntry(
      id: 0, options: options, startedAt: Moment.now().wall.stored)
    (entry.folder, entry.schedule) = (space.folder, schedule)
    entry.id = try await RelayError.attempt { try await store.add(entry) }
    entries[entry.id] = entry
    run(entry, of: station)
    events.post(entry.event(.recordingStarted))
    return entry
  }

  /// Ends a running recording with what the log has now; a second call ends it as it is. A recording that does not run
  /// is taken off the list, and its files stay. False when no recording has that number.
  func stop(_ id: Int64, reason: String? = nil) async throws(RelayError) -> Bool {
    if let recorder = recorders[id] {
      if entries[id]?.stop == nil {
        await recorder.stop(reason: reason)
      } else {
        await recorder.end(reason: reason)
      }
      await keepEnd(of: recorder, id)
      return true
    }
    guard let entry = entries[id], entry.isHidden != true else { return false }
    try await RelayError.attempt {
      try store.requireDisk("forget a recording")
      try await forget(entry)
    }
    return true
  }

  /// Ends the recordings of a station whose log is removed, or which is not to be recorded any more.
  func stop(station: String, reason: String? = nil) async {
    let ending = entries.keys.filter {
      entries[$0]?.options.station == station && recorders[$0] != nil
    }
    for id in ending { recorders[id]?.finish(reason: reason) }
    for id in ending {
      guard let recorder = recorders[id] else { continue }
      await recorder.end(reason: reason)
      await keepEnd(of: recorder, id)
    }
  }

  /// Stores a recording that was told to end. While it still goes on, only its stop is new: what is not on the disk yet
  /// is not told.
  private func keepEnd(of recorder: Recorder, _ id: Int64) async {
    let entry = recorder.entry
    if entry.state != .recording { return await keep(entry) }
    guard var known = entries[id] else { return }
    known.stop = entry.stop
    await keep(known)
  }

  /// Moves the recordings of a station to the log that it has now.
  func move(to station: RelayStation) async {
    for id in entries.keys.sorted() where entries[id]?.options.station == station.id {
      guard let recorder = recorders[id] else { continue }
      await recorder.end(suspends: true)
      await keep(recorder.entry)
      guard let entry = entries[id], entry.state == .recording else { continue }
      // The new log lacks what came from the old one: audio before its edge is from another time.
      run(entry, of: station, isBehindEdge: recorder.isUnderWay)
    }
  }

  static let offReason = "the station is not to be recorded"

  private func run(
    _ entry: RecordingEntry, of station: RelayStation, isBehindEdge: Bool = false
  ) {
    guard let log = station.log else { return }
    let recorder = Recorder(
      entry, log: log, isBehindEdge: isBehindEdge, delay: station.delay,
      station: station.name, space: entry.folder.map(space.moved) ?? space
    ) {
      [continuation = reports.continuation] in
      continuation.yield($0)
    } reportWaiting: { [events] in
      events.post($0.event($1 ? .recordingWaiting : .recordingResumed))
    }
    recorders[entry.id] = recorder
    recorder.start()
  }

  /// Stores how far a recording has come. A report that comes after the end of the recording is ignored.
  private func keep(_ entry: RecordingEntry) async {
    guard let known = entries[entry.id], known.state == .recording else { return }
    var entry = entry
    // The report may be older than the stop.
    entry.stop = entry.stop ?? known.stop
    entries[entry.id] = entry
    if entry.state != .recording {
      recorders[entry.id] = nil
      events.post(entry.event(.recordingStopped))
    }
    do throws(StoreError) {
      try await store.save(entry)
    } catch {
      logger.error("\(error)")
    }
  }
}

extension RecordingEntry {
  func event(_ kind: RelayEvent.Kind) -> RelayEvent {
    RelayEvent(
      kind, station: options.station, time: Moment.now().wall, position: place?.position,
      details: [
        "recording": JSON(id), "scheduled": .bool(schedule != nil), "seconds": .number(seconds),
        "missedSeconds": .number(missedSeconds), "reason": JSON(reason),
      ])
  }
}
