import Ingest
import Server
import Timeshift

/// Posts figures of the stations, each second while they are watched.
struct StationFigures {
  let stations: StationTable
  let fillers: Fillers
  let events: EventHub
  private var rates = StationRates()

  init(_ stations: StationTable, fillers: Fillers, events: EventHub) {
    (self.stations, self.fillers, self.events) = (stations, fillers, events)
  }

  private static let kind = RelayEvent.Kind.figures.rawValue

  var areWatched: Bool { events.figures.isWatched(Self.kind) }

  /// Shows the figures of every watched station.
  ///
  /// - Parameter loads: the server's load of each station.
  mutating func show(_ loads: [String: StationLoad]) async {
    for id in stations.order where events.figures.isWatched(Self.kind, station: id) {
      let load = loads[id] ?? StationLoad()
      let listeners = load.listeners + (stations[id]?.counters.hls ?? 0)
      let received = await fillers.status(of: id)?.bytes ?? 0
      let now = Moment.now()
      let kbit = rates.rates(of: id, .init(received: received, sent: load.bytes), at: now.monotonic)
      events.show(
        RelayEvent(
          .figures, station: id, time: now.wall, position: stations[id]?.log?.edgePosition,
          details: [
            "listeners": JSON(listeners), "kbitIn": JSON(kbit.received),
            "kbitOut": JSON(kbit.sent), "lagMax": JSON(load.lagMax),
          ]))
    }
  }
}
