import Longwave
import Server
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

  func stations() async -> Versioned<MonitoredStations> {
    if let kept { return await kept.monitored() }
    return Versioned(
      value: MonitoredStations(await relay.stationSnapshots(), await relay.audience()))
  }

  func figures() async -> RelayFigures {
    if let kept { return await kept.figures().value }
    return await relay.figures()
  }

  /// Returns the station of a mount, which may lack its slash.
  static func find(
    _ mount: String, in stations: [MonitoredStation]
  ) throws -> MonitoredStation {
    let hasSlash = mount.utf8.first == UInt8(ascii: "/")
    let id = hasSlash ? String(Substring(mount.utf8.dropFirst())) : mount
    guard let station = stations.first(where: { $0.snapshot.id == id }) else {
      throw RelayError.unknownStation(id)
    }
    return station
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
    let named = try query["mount"].map { (mount) in try Self.find(mount, in: all.list) }
    guard let station = named ?? numbered(in: all) else {
      throw APIError.badParameter("sid", "there is no such stream")
    }
    return try await announce(on: station.snapshot.id)
  }

  /// Announces the title on a station that is already known.
  func announce(on station: String) async throws -> APIResponse {
    guard query["mode"] ?? "updinfo" == "updinfo" else {
      throw APIError.badParameter("mode", "the only mode is updinfo")
    }
    let words = [query["artist"], query["title"]].compactMap { $0 }.filter { !$0.isEmpty }
    guard let text = query["song"] ?? (words.isEmpty ? nil : words.joined(separator: " - ")) else {
      throw APIError.badParameter("song", "say what is playing")
    }
    var title = Title(text: text, url: query["url"] ?? "")
    if query["song"] == nil, words.count == 2 {
      title.parts = TitleParts(artist: words[0], title: words[1])
    }
    try await relay.announce(title, on: station)
    return .xml(IcecastAdmin.reply("Metadata update successful"))
  }
}
