import Library
import Reactor
import Server
import Timeshift

// What programmes have played, and who heard it.
extension Relay {
  /// Returns plays that are over, the newest first.
  ///
  /// Throws for a station that is none, and of which nothing is known.
  package func plays(_ query: PlayQuery) async throws(RelayError) -> PlayPage {
    let page = try await plays.page(query)
    if let id = query.station, stations[id] == nil, page.plays.isEmpty, query.after == nil {
      let any = try await plays.page(PlayQuery(station: id, limit: 1))
      if any.plays.isEmpty { throw .unknownStation(id) }
    }
    return page
  }

  /// Counts who hears what programmes play.
  func lookAtHearers() async {
    guard !programmes.isIdle, let server = serving.server else { return }
    let sources = playSources
    let sample = await server.hearings(of: Set(sources.keys))
    await plays.hear(sample, of: sources, at: .now())
  }

  /// The logs of programmes and of their renditions, by their serial numbers.
  private var playSources: [UInt64: PlayDesk.Source] {
    var sources: [UInt64: PlayDesk.Source] = [:]
    for station in stations.inOrder {
      guard let log = station.ownLog, let source = playSource(of: station) else { continue }
      sources[log.serial] = source
    }
    return sources
  }

  private func playSource(of station: RelayStation) -> PlayDesk.Source? {
    if station.definition.programme != nil { return PlayDesk.Source(programme: station.id) }
    guard let id = station.definition.parent, let parent = stations[id] else { return nil }
    var source = playSource(of: parent)
    source?.delay += parent.delay
    return source
  }
}
