import Logging
import Timeshift
import Wire

/// The relay's recordings: those that run, and those that did.
actor RecordingDesk {
  let store: StationStore
  let events: EventHub
  let logger: Logger
  private(set) var space: RecordingSpace
  var entries: [Int64: RecordingEntry] = [:]
  private(set) var recorders: [Int64: Recorder] = [:]
  private let reports = AsyncStream.makeStream(of: RecordingEntry.self)
  private var background: Task<Void, Never>?

  /// Each has a thread.
  static let runningMax = 100

  init(store: StationStore, events: EventHub, logger: Logger, space: RecordingSpace) {
    self.store = store
    self.events = events
    self.logger = logger
    self.space = space
  }

  /// Those kept from before a restart; what ran goes on with what is in the window.
  ///
  /// - Parameter isSafe: they are shown, and left as they are in the store.
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
        entries[entry.id]?.reason = "left out of this start, since the relay died at the last ones"
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

  /// Gives what is open its name; it goes on after the restart.
  func suspend() async {
    let running = Array(recorders.values)
    // All at once: the time they have for it is the same for all.
    for recorder in running { recorder.finish(suspends: true) }
    for recorder in running { await recorder.end(suspends: true) }
    // What was reported before comes before.
    reports.continuation.finish()
    await background?.value
    for recorder in running { await keep(recorder.entry) }
    recorders = [:]
  }

  /// For recordings that begin from now on.
  func use(_ space: RecordingSpace) { self.space = space }

  /// Those that are being recorded; one that was stopped needs nothing new.
  var stations: Set<String> {
    Set(recorders.keys.compactMap { entries[$0] }.filter { $0.stop == nil }.map(\.options.station))
  }

  /// Running ones as they are now, the oldest first.
  func list() -> [RecordingEntry] {
    all.filter { $0.isHidden != true }
  }

  /// Also what was taken off the list.
  var all: [RecordingEntry] {
    entries.keys.sorted().compactMap { recorders[$0]?.entry ?? entries[$0] }
  }

  func start(
    _ options: RecordingEntry.Options, of station: RelayStation,
    by schedule: RecordingEntry.Schedule? = nil
  ) async throws(APIError) -> RecordingEntry {
    guard recorders.count < Self.runningMax else {
      throw APIError(
        409, "too-many-recordings", "\(Self.runningMax) recordings run; stop one of them first.")
    }
    var entry = RecordingEntry(
      id: 0, options: options, startedAt: Moment.now().wall.stored)
    (entry.folder, entry.schedule) = (space.folder, schedule)
    do throws(StoreError) {
      entry.id = try await store.add(entry)
    } catch {
      throw APIError.failed(error)
    }
    entries[entry.id] = entry
    run(entry, of: station)
    events.post(entry.event(.recordingStarted))
    return entry
  }

  /// Ends one that runs, with what the log has now; told again, as it is. Takes one that does not run off the list. Its
  /// files stay. False: there is none of that number.
  func stop(_ id: Int64, reason: String? = nil) async throws(APIError) -> Bool {
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
    do throws(StoreError) {
      try store.requireDisk("forget a recording")
      try await forget(entry)
    } catch {
      throw APIError.failed(error)
    }
    return true
  }

  /// Ends those of a station, whose log goes, or which is not to be recorded any more.
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

  /// What is not on the disk yet is not told of one that goes on.
  private func keepEnd(of recorder: Recorder, _ id: Int64) async {
    let entry = recorder.entry
    if entry.state != .recording { return await keep(entry) }
    guard var known = entries[id] else { return }
    known.stop = entry.stop
    await keep(known)
  }

  /// Those of a station go on in the log that it has now.
  func move(to station: RelayStation) async {
    for id in entries.keys.sorted() where entries[id]?.options.station == station.id {
      guard let recorder = recorders[id] else { continue }
      await recorder.end(suspends: true)
      await keep(recorder.entry)
      guard let entry = entries[id], entry.state == .recording else { continue }
      // What it has of the old log is not in this one: in front of its end is another time.
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

  /// Puts down how far one is. What has been reported late is known better already.
  private func keep(_ entry: RecordingEntry) async {
    guard let known = entries[entry.id], known.state == .recording else { return }
    var entry = entry
    // Reported before it was told.
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
