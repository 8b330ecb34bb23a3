import Audio
import Ingest
import Server
import Timeshift
import Wire

/// Has the renditions made that are wanted, on the threads that decode.
///
/// Not Sendable: only the relay's actor has it.
final class RenditionFiller: Filler {
  private struct Entry {
    var source: RenditionJob.Source
    var isPaused: Bool
    /// Nil while the rendition rests, or the system gives no thread.
    var job: RenditionJob?
    /// When its decoder was found to hang.
    var hungAt: MonotonicTime?
  }

  /// Seconds after which a rendition whose decoder hung is tried again.
  private static let hungSeconds = 60.0
  private static let nobodyListens = "nobody listens"

  private let stations: StationTable
  private let pool: SoundPool
  private let makeDecoder: PacketDecoder.Make
  private let tell: @Sendable (IngestEvent, RenditionJob.Source) -> Void
  private var entries: [String: Entry] = [:]

  /// - Parameter tell: called with the renditions' states, titles and gaps; must not block.
  init(
    _ stations: StationTable, pool: SoundPool, makeDecoder: @escaping PacketDecoder.Make,
    tell: @escaping @Sendable (IngestEvent, RenditionJob.Source) -> Void
  ) {
    (self.stations, self.pool, self.makeDecoder) = (stations, pool, makeDecoder)
    self.tell = tell
  }

  var isIdle: Bool { entries.isEmpty }

  func begin(_ station: RelayStation, isPaused: Bool) {
    guard let source = source(of: station) else { return }
    entries[station.id]?.job?.end()
    entries[station.id] = Entry(source: source, isPaused: isPaused)
    if isPaused {
      tell(.state(.paused, reason: Self.nobodyListens), source)
    } else {
      resume(station.id)
    }
  }

  func resume(_ id: String) {
    guard let entry = entries[id], entry.job == nil else { return }
    entries[id]?.isPaused = false
    let job = RenditionJob(entry.source, makeDecoder: makeDecoder) { [tell] event in
      tell(event, entry.source)
    }
    if pool.add(job, rank: .first, of: entry.source.original) { entries[id]?.job = job }
  }

  func pause(_ id: String) {
    guard let entry = entries[id], !entry.isPaused else { return }
    entry.job?.end()
    entries[id] = Entry(source: entry.source, isPaused: true)
    tell(.state(.paused, reason: Self.nobodyListens), entry.source)
  }

  func end(_ id: String) { entries.removeValue(forKey: id)?.job?.end() }

  func endAll() {
    for id in Array(entries.keys) { end(id) }
  }

  func update(_ station: RelayStation) { attend(station, at: .now()) }

  /// Looks after all of them, each second.
  func attend(at now: MonotonicTime) {
    for id in Array(entries.keys) { stations[id].map { attend($0, at: now) } }
  }

  /// Begins anew where what is made, or of what, has become something else, and where a decoder hung.
  private func attend(_ station: RelayStation, at now: MonotonicTime) {
    let id = station.id
    guard let entry = entries[id], let source = source(of: station) else { return }
    if source.originalLog !== entry.source.originalLog || source.log !== entry.source.log
      || source.encoding != entry.source.encoding
    {
      return begin(station, isPaused: entry.isPaused)
    }
    if entry.job == nil, !entry.isPaused { resume(id) }
    guard entry.job?.report.isGivenUp == true else { return }
    let hungAt = entry.hungAt ?? now
    entries[id]?.hungAt = hungAt
    if now.seconds(since: hungAt) > Self.hungSeconds { begin(station, isPaused: false) }
  }

  func status(of id: String) -> IngestStatus? {
    guard let entry = entries[id] else { return nil }
    if entry.isPaused {
      return IngestStatus(
        state: .paused, stateReason: Self.nobodyListens, connectedSince: nil, bytes: 0)
    }
    let report = entry.job?.report ?? RenditionJob.Report()
    return IngestStatus(
      state: report.state, stateReason: report.reason, connectedSince: report.connectedSince,
      bytes: report.bytes)
  }

  private func source(of station: RelayStation) -> RenditionJob.Source? {
    guard let id = station.definition.renditionOf, let encoding = station.definition.encode,
      let log = station.log, let original = stations[id]?.log
    else { return nil }
    let settings = station.definition.listenerSettings(stations.configuration.listeners)
    return RenditionJob.Source(
      station: station.id, original: id, originalLog: original, log: log, encoding: encoding,
      burst: settings.burst.seconds)
  }
}
