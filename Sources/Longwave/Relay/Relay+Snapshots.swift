import Ingest
import Server
import Threads
import Timeshift
import Wire

// What is copied out of the relay for whoever asks.
extension Relay {
  public func stationSnapshots() async -> [StationSnapshot] {
    var all: [StationSnapshot] = []
    for id in order {
      guard let station = stations[id] else { continue }
      all.append(await snapshot(of: station))
    }
    return all + leftOut.map { leftOutSnapshot($0.id) }
  }

  public func stationSnapshot(_ id: String) async throws(APIError) -> StationSnapshot {
    if isLeftOut(id) { return leftOutSnapshot(id) }
    guard let station = stations[id] else { throw APIError.unknownStation(id) }
    return await snapshot(of: station)
  }

  private func snapshot(of station: RelayStation) async -> StationSnapshot {
    var shown = station.snapshot(await ingest.status(station: station.id))
    let settings = station.definition.listenerSettings(configuration.listeners)
    // Files are there as a whole: none of this is about them.
    if station.definition.files == nil {
      shown.rights = StationSnapshot.Rights(
        shift: settings.allowsShift,
        offsetMax: settings.allowsShift ? settings.offsetMax?.seconds : nil,
        clip: settings.givesClips, record: station.definition.allowsRecording)
    }
    shown.fallback = fallbacks.running[station.id]?.setting
    return shown
  }

  public func history(of id: String, limit: Int) async throws(APIError) -> [HistoryEntry] {
    guard let station = stations[id] else { throw APIError.unknownStation(id) }
    // The older ones may have to be read from the disk.
    return await Blocking.run {
      guard let log = station.log else { return [] }
      let now = Moment.now()
      // The edge after the marks: no title ends before it began.
      if station.isPulled {
        let marks = log.titles(limit: .max)
        return HistoryEntry.list(
          marks, oldest: log.oldest.position, edge: log.edge, limit: limit)
      }
      let marks = log.titles(limit: .max, delay: station.delay, at: now)
      let edge = log.snapshot(delay: station.delay, at: now).edge
      return HistoryEntry.list(marks, oldest: log.oldest.position, edge: edge, limit: limit)
    }
  }

  public func listenerSnapshots() async -> [ListenerSnapshot] { await server?.listeners() ?? [] }

  public func audience() async -> Audience { await server?.audience() ?? Audience() }

  public func figures() async -> RelayFigures {
    let now = Moment.now()
    var figures = RelayFigures(
      version: RelayVersion.number, startedAt: startedAt.wall,
      uptime: now.monotonic.seconds(since: startedAt.monotonic),
      stations: order.count, listenersPeak: tally.peak,
      listenersTotal: stations.values.reduce(0) { $0 + $1.counters.total },
      places: places, sessions: tally.sessions, logLinesLost: desk.linesLost,
      wrongPasswords: guesses.wrongPasswords,
      server: await server?.figures() ?? ServerFigures(),
      process: await Blocking.run { ProcessFigures.now() })
    figures.leftOut = safeModeText
    return figures
  }

  public func obstacles() async -> [String] {
    guard server != nil else { return ["starting or stopping"] }
    let leftOut = safeModeText.map { [$0] } ?? []
    return leftOut
      + order.compactMap { id in
        guard case .failed(let reason) = stations[id]?.log?.snapshot().storage else { return nil }
        return "\(id): disk: \(reason)"
      }
  }
}
