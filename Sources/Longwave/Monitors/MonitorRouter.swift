import Server
import Timeshift
import Wire

/// Answers what monitors and scripts of Icecast and SHOUTcast ask.
struct MonitorRouter {
  let relay: any RelayControl
  /// What strangers are told; nil: it asks for an administrator, who is told what is so now.
  let kept: PublicFigures?
  /// Scheme, host and port that listeners use.
  let base: String

  func respond(_ page: MonitorPage, to head: HTTPRequestHead) async throws(APIError) -> APIResponse
  {
    let query = MonitorQuery(head.query)
    switch page {
    case .statusJSON: return try await status(query)
    case .seven, .stats, .statistics, .currentSong, .nextSong, .played:
      return try await shoutcast(page, query)
    case .adminStats, .listMounts, .listClients, .streamList:
      return try await lists(page, query)
    case .moveClients, .killClient, .killSource: return try await act(page, query)
    case .metadata, .adminCGI: return try await announce(query)
    }
  }

  // MARK: What there is

  private func stations() async -> Versioned<MonitoredStations> {
    if let kept { return await kept.monitored() }
    return Versioned(
      value: MonitoredStations(await relay.stationSnapshots(), await relay.audience()))
  }

  private func figures() async -> RelayFigures {
    if let kept { return await kept.figures().value }
    return await relay.figures()
  }

  private func status(_ query: MonitorQuery) async throws(APIError) -> APIResponse {
    let base = base
    if let kept, query["mount"] == nil {
      let page = await kept.status()
      return .made(page.key("status \(base)"), "application/json") {
        page.value.bytes(base: base) + [10]
      }
    }
    var shown = await stations().value.list
    if let mount = query["mount"] { shown = [try Self.find(mount, in: shown)] }
    let status = IcecastStatus(
      stations: shown, figures: await figures(), base: base, host: WebURL.parts(of: base).host)
    return .madeJSON { status.json }
  }

  /// The station of a mount, with or without its slash.
  private static func find(
    _ mount: String, in stations: [MonitoredStation]
  ) throws(APIError) -> MonitoredStation {
    let hasSlash = mount.utf8.first == UInt8(ascii: "/")
    let id = hasSlash ? String(Substring(mount.utf8.dropFirst())) : mount
    guard let station = stations.first(where: { $0.snapshot.id == id }) else {
      throw APIError.unknownStation(id)
    }
    return station
  }

  /// The stream of SHOUTcast's number; the first one where none is given.
  private static func numbered(
    _ query: MonitorQuery, in stations: [MonitoredStation]
  ) -> MonitoredStation? {
    guard let sid = query["sid"] else { return stations.first }
    return stations.first { String($0.snapshot.sid) == sid }
  }

  private func station(of query: MonitorQuery) async throws(APIError) -> MonitoredStation {
    guard let mount = query["mount"] else {
      throw APIError.badParameter("mount", "name the station, such as /jazz")
    }
    return try Self.find(mount, in: await stations().value.list)
  }

  // MARK: SHOUTcast

  private func shoutcast(
    _ page: MonitorPage, _ query: MonitorQuery
  ) async throws(APIError) -> APIResponse {
    let all = await stations()
    let figures = await figures()
    let pages = ShoutcastPages(
      now: Moment.now().wall, version: "Longwave \(figures.version)",
      listenersMax: figures.server.listenersMax)
    if page == .statistics {
      let key = all.key("statistics")
      return query.wantsJSON
        ? query.script(key) { pages.statisticsJSON(all.value) }
        : .madeXML(key) { pages.statisticsXML(all.value) }
    }
    let station = Self.numbered(query, in: all.value.list)
    if page == .seven { return .page("text/html; charset=utf-8", pages.seven(station)) }
    guard let station else { throw APIError.badParameter("sid", "there is no such stream") }
    switch page {
    case .currentSong: return .page("text/plain; charset=utf-8", station.title)
    // What comes next is known to nobody but the station.
    case .nextSong: return .page("text/plain; charset=utf-8", "")
    case .played:
      let history = try await history(of: station.snapshot.id)
      let titles = history.value.prefix(Self.playedMax).map(\.playing)
      let key = history.key("played \(station.snapshot.id)")
      return query["type"] == "json"
        ? query.script(key) { pages.playedJSON(titles) } : .madeXML(key) { pages.playedXML(titles) }
    default:
      return query.wantsJSON
        ? query.script { pages.statsJSON(station) } : .xml(pages.statsXML(station))
    }
  }

  private static let playedMax = 20

  private func history(
    of station: String
  ) async throws(APIError) -> Versioned<[HistoryEntry]> {
    if let kept { return try await kept.history(of: station) }
    return Versioned(value: try await relay.history(of: station, limit: Self.playedMax))
  }

  // MARK: Icecast's administration

  private func lists(
    _ page: MonitorPage, _ query: MonitorQuery
  ) async throws(APIError) -> APIResponse {
    let all = await stations().value.list
    let admin = IcecastAdmin(stations: all, figures: await figures())
    switch page {
    case .listMounts: return .madeXML { admin.mounts }
    case .listClients:
      let station = try await station(of: query)
      let listeners = await listeners(of: station)
      return .madeXML { admin.clients(of: station, listeners) }
    case .streamList:
      return .made(nil, "text/plain; charset=utf-8") { Array(admin.streamList.utf8) }
    default:
      let shown = try query["mount"].map { (mount) throws(APIError) in
        [try Self.find(mount, in: all)]
      }
      return .madeXML { admin.stats(of: shown ?? all) }
    }
  }

  private func act(
    _ page: MonitorPage, _ query: MonitorQuery
  ) async throws(APIError) -> APIResponse {
    let from = try await station(of: query)
    switch page {
    case .killSource:
      _ = try await relay.perform(.stop, on: from.snapshot.id)
      return .xml(IcecastAdmin.reply("Source Removed"))
    case .killClient:
      let listener = try Self.listener(query["id"], in: await listeners(of: from))
      let isDone = await relay.kick(listener.id)
      return .xml(IcecastAdmin.reply("Client \(listener.id) removed", isDone: isDone))
    default:
      guard let destination = query["destination"] else {
        throw APIError.badParameter("destination", "name a station, such as /rock")
      }
      let target = try Self.find(destination, in: await stations().value.list)
      var moving = await listeners(of: from)
      if let id = query["id"] { moving = [try Self.listener(id, in: moving)] }
      for listener in moving { try await relay.move(listener.id, to: target.snapshot.id) }
      return .xml(
        IcecastAdmin.reply("Clients moved from \(from.mount) to \(target.mount)"))
    }
  }

  private func listeners(of station: MonitoredStation) async -> [ListenerSnapshot] {
    await relay.listenerSnapshots().filter { $0.station == station.snapshot.id }
  }

  private static func listener(
    _ id: String?, in listeners: [ListenerSnapshot]
  ) throws(APIError) -> ListenerSnapshot {
    guard let id else { throw APIError.badParameter("id", "say which listener") }
    guard let listener = listeners.first(where: { String($0.id) == id }) else {
      throw APIError.unknownListener(id)
    }
    return listener
  }

  // MARK: Titles

  /// `/admin/metadata` and `/admin.cgi`: `mode=updinfo` with `song`, or `artist` and `title`.
  private func announce(_ query: MonitorQuery) async throws(APIError) -> APIResponse {
    let all = await stations().value.list
    let named = try query["mount"].map { (mount) throws(APIError) in try Self.find(mount, in: all) }
    guard let station = named ?? Self.numbered(query, in: all) else {
      throw APIError.badParameter("sid", "there is no such stream")
    }
    return try await announce(query, on: station.snapshot.id)
  }

  /// The same by a station's own source, which need not say which station it means.
  func announce(_ head: HTTPRequestHead, as station: String) async throws(APIError) -> APIResponse {
    try await announce(MonitorQuery(head.query), on: station)
  }

  private func announce(
    _ query: MonitorQuery, on station: String
  ) async throws(APIError) -> APIResponse {
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

/// A query as these scripts write it: a plus sign is a blank.
struct MonitorQuery {
  private let query: HTTPQuery

  init(_ query: HTTPQuery) {
    self.query = HTTPQuery(raw: query.raw.replacing("+", with: "%20"))
  }

  subscript(key: String) -> String? { query[key] }

  var wantsJSON: Bool { query["json"] == "1" }

  /// JSON, or a call of the page's function with it (JSONP), whose name can be nothing but a name.
  func script(
    _ key: String? = nil, _ json: @escaping @Sendable () -> JSON
  ) -> APIResponse {
    guard let function = query["callback"], !function.isEmpty,
      function.unicodeScalars.allSatisfy({
        ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0)
          || "_$.".unicodeScalars.contains($0)
      })
    else { return .madeJSON(key.map { $0 + " json" }, json) }
    return .made(key.map { "\($0) callback \(function)" }, "text/javascript; charset=utf-8") {
      Array("\(function)(".utf8) + json().bytes + ");".utf8
    }
  }
}
