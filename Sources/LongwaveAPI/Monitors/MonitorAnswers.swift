import Ingest
import Longwave
import Reactor
import Server
import Threads
import Wire

/// Answers the requests of monitors and scripts for Icecast and SHOUTcast.
struct MonitorAnswers {
  let relay: any RelayControl
  /// The figures for public requests, up to a second old; nil for an administrator's request, which gets current
  /// figures.
  let kept: PublicFigures?
  /// The scheme, host and port that listeners use.
  let base: String
  let query: MonitorQuery
  /// Where the request comes from.
  let origin: Peer
  /// Whether a page for people is wanted, by its name: `/admin/stats.xsl`.
  let isPage: Bool

  func stations() async -> Versioned<MonitoredStations> {
    if let kept { return await kept.monitored() }
    return Versioned(
      value: MonitoredStations(
        await relay.stationSnapshots(), await relay.audience(), withUnlisted: true))
  }

  func figures() async -> RelayFigures {
    if let kept { return await kept.figures().value }
    return await relay.figures()
  }

  /// Returns the station that a mount's name means; see `MountName`.
  static func find(
    _ mount: String, in stations: MonitoredStations
  ) throws -> MonitoredStation {
    guard let station = MountName.find(mount, in: stations.all, paths: \.paths) else {
      throw RelayError.unknownStation(mount)
    }
    return station
  }

  /// Returns the station that `mount` names, or the stream of SHOUTcast's number; the first one without both.
  func named(in stations: MonitoredStations) throws -> MonitoredStation? {
    try query["mount"].map { try Self.find($0, in: stations) } ?? numbered(in: stations)
  }

  /// Returns the stream of SHOUTcast's number; the first one if no number is given.
  func numbered(in stations: MonitoredStations) -> MonitoredStation? {
    guard let sid = query["sid"] else { return stations.list.first }
    return stations.list.first { String($0.snapshot.sid) == sid }
  }

  // MARK: Titles

  /// Answers `/admin/metadata` and `/admin.cgi`: `mode=updinfo` with `song`, or with `artist` and `title`.
  func announce() async throws -> APIResponse {
    let all = await stations().value
    guard let station = try named(in: all) else {
      throw APIError.badParameter("sid", "there is no such stream")
    }
    return try await announce(on: station.snapshot.id)
  }

  /// Announces the title on a station that is already known.
  func announce(on station: String) async throws -> APIResponse {
    guard query["mode"] ?? "updinfo" == "updinfo" else {
      throw APIError.badParameter("mode", "the only mode is updinfo")
    }
    guard let words else { throw APIError.badParameter("song", "say what is playing") }
    let (url, charset) = (query.bytes(of: "url") ?? [], query["charset"])
    let title = await Blocking.run { SentTitle(words, url: url, charset: charset) }
    try await relay.announce(title, on: station)
    return reply("Metadata update successful")
  }

  /// What is playing, in the words of the query; nil where it says nothing.
  private var words: SentTitle.Words? {
    if let song = query.bytes(of: "song") { return .whole(song) }
    let parts = ["artist", "title"].compactMap(query.bytes).filter { !$0.isEmpty }
    if parts.count == 2 { return .parts(artist: parts[0], title: parts[1]) }
    return parts.first.map { .whole($0) }
  }
}
