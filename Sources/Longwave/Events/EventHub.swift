import Ingest
import Logging
import Server
import Store
import Synchronization
import Timeshift
import Wire

/// Receives every event: passes it to the ring that `/events` reads, to web services and to programs, and writes it to
/// the log as a line.
///
/// Called from any thread, the loops' included: nothing here blocks or awaits.
package final class EventHub: Sendable {
  package let ring: EventRing
  /// Events that only the watchers of a session receive.
  let sessions: SessionEvents
  let figures: FigureBoard
  /// Says when the stations' figures have got their first watcher.
  let wantedFigures: AsyncStream<Void>
  /// Says when something of a sound has got its first watcher.
  let wantedSound: AsyncStream<Void>
  let followers = EventFollowers()
  /// Streams of events for programs that use the library.
  let streams = EventStreams()
  /// Stations whose events only those are told who name one, and administrators.
  let unlisted = UnlistedStations()
  private let book: LogBook
  /// Counts of what happens to the stations.
  let ledger = StationLedger()

  /// - Parameter firstID: see `StartLedger.eventID`.
  package init(
    logger: Logger, firstID: UInt64 = StartLedger.eventID(at: Moment.now().wall)
  ) {
    ring = EventRing(firstID: firstID)
    sessions = SessionEvents { event in
      let told = event.told(at: Moment.now().wall)
      return .init(kind: told.kind.rawValue, json: told.json(identified: false).text)
    }
    let figuresWish = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let soundWish = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    (wantedFigures, wantedSound) = (figuresWish.stream, soundWish.stream)
    figures = FigureBoard(
      intervals: [
        RelayEvent.Kind.figures.rawValue: .seconds(1),
        RelayEvent.Kind.levels.rawValue: .milliseconds(1000 / SoundWish.levelsPerSecond),
        RelayEvent.Kind.spectrum.rawValue: .milliseconds(1000 / SoundWish.spectraPerSecond),
        RelayEvent.Kind.sound.rawValue: .zero,
      ], ofMoments: Set(SoundWish.kinds.map(\.rawValue))
    ) { key in
      if key.kind == RelayEvent.Kind.figures.rawValue {
        figuresWish.continuation.yield()
      } else {
        soundWish.continuation.yield()
      }
    }
    book = LogBook(logger: logger)
  }

  package func post(_ event: RelayEvent) {
    let json = event.json(identified: false).text
    let identified = event.identity.isEmpty ? json : event.json(identified: true).text
    let (kind, isOfListener) = (event.kind.rawValue, event.isOfListener)
    let id = ring.append(
      kind: kind, station: event.station, isOfListener: isOfListener,
      isListed: isListed(event.station), json: json, identifiedJSON: identified)
    followers.post(
      .init(
        id: id, kind: kind, station: event.station, isOfListener: isOfListener, json: json,
        identifiedJSON: identified))
    book.write(event)
    streams.post(event)
  }

  /// Shows figures in place of the earlier ones. Figures are no event that is kept or logged.
  ///
  /// - Parameter moment: place in the station's past; nil for the live edge.
  func show(_ figures: RelayEvent, at moment: FigureMoment? = nil) {
    self.figures.put(
      FigureKey(figures.kind.rawValue, station: figures.station, moment: moment),
      isListed: isListed(figures.station), json: figures.json(identified: false).text)
  }

  private func isListed(_ station: String?) -> Bool {
    station.map { !unlisted.contains($0) } ?? true
  }

  func post(_ event: IngestEvent, station: String, log: PacketLog) {
    if case .programSaid(let line) = event { return book.said(line, station: station) }
    ledger.note(event, of: station)
    let now = Moment.now().wall
    let position = log.edgePosition
    for event in RelayEvent.events(of: event, station: station, time: now, position: position) {
      post(event)
    }
  }

  func post(_ event: ProgrammeEvent, station: String, log: PacketLog) {
    ledger.note(event, of: station)
    let told = RelayEvent.event(
      of: event, station: station, time: Moment.now().wall, position: log.edgePosition)
    if let told { post(told) }
  }

  func post(_ events: [ListenerEvent]) {
    let now = Moment.now().wall
    for event in events { post(event.told(at: now)) }
  }

  func post(_ event: StorageEvent, station: String) {
    let now = Moment.now().wall
    switch event {
    case .failed(let reason):
      post(
        RelayEvent(
          .storageFailed, station: station, time: now, details: ["reason": .string(reason)]))
    case .restored: post(RelayEvent(.storageRestored, station: station, time: now))
    case .holeOpened(let position):
      post(
        RelayEvent(
          .storageFailed, station: station, time: now, position: position,
          details: ["reason": "audio was lost before it reached the disk"]))
    case .lost(let lost):
      let text =
        "files in \(lost.directory) were removed or replaced: "
        + "\(DurationText.format(lost.media.seconds)) of the window, on air from "
        + "\(lost.since.rfc3339) on, are lost; the part in memory is written there again"
      post(
        RelayEvent(.storageFailed, station: station, time: now, details: ["reason": .string(text)]))
    case .damaged(let position, let file, let reason):
      let text = "audio is damaged on the disk and left out: \(file): \(reason)"
      post(
        RelayEvent(
          .storageFailed, station: station, time: now, position: position,
          details: ["reason": .string(text)]))
    case .gaveUp(let media):
      ledger.gaveUp(media, of: station)
      book.note(
        "the disk is full: gave up the oldest \(DurationText.format(media.seconds)) of the window",
        station: station)
    case .setAsideRemoved(let files, let bytes):
      book.note(
        "deleted \(files) of the files that were set aside as .bad, the oldest: "
          + "\(SizeText.format(bytes)), since they may take a tenth of the station's disk-limit",
        station: station)
    case .setAside(let count):
      post(
        RelayEvent(
          .storageFailed, station: station, time: now,
          details: ["reason": .string("\(count) damaged segments were set aside (.bad)")]))
    case .leftOut(let count, let reason):
      let text = "\(count) segments could not be read and are left out: \(reason)"
      post(
        RelayEvent(.storageFailed, station: station, time: now, details: ["reason": .string(text)]))
    }
  }
}
