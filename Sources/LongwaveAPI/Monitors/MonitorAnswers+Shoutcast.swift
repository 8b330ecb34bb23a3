import Longwave
import Server
import Timeshift

// SHOUTcast's pages.
extension MonitorAnswers {
  private static let playedMax = 20

  func statistics() async -> APIResponse {
    let all = await stations()
    let pages = await pages()
    let key = all.key("statistics")
    return query.wantsJSON
      ? query.script(key) { pages.statisticsJSON(all.value) }
      : .madeXML(key) { pages.statisticsXML(all.value) }
  }

  func seven() async throws -> APIResponse {
    let station = try named(in: await stations().value)
    return .page("text/html; charset=utf-8", await pages().seven(station))
  }

  func stationFigures() async throws -> APIResponse {
    let station = try await numberedStation()
    let pages = await pages()
    return query.wantsJSON
      ? query.script { pages.statsJSON(station) } : .xml(pages.statsXML(station))
  }

  func currentSong() async throws -> APIResponse {
    .page("text/plain; charset=utf-8", try await numberedStation().title)
  }

  /// Answers with no title, because only the station knows what comes next.
  func nextSong() async throws -> APIResponse {
    _ = try await numberedStation()
    return .page("text/plain; charset=utf-8", "")
  }

  func played() async throws -> APIResponse {
    let station = try await numberedStation().snapshot.id
    let pages = await pages()
    let history = try await history(of: station)
    let titles = history.value.prefix(Self.playedMax).map(\.playing)
    let key = history.key("played \(station)")
    return query["type"] == "json"
      ? query.script(key) { pages.playedJSON(titles) } : .madeXML(key) { pages.playedXML(titles) }
  }

  /// Answers `admin.cgi?mode=viewxml`: a stream's figures, listeners and titles. SHOUTcast's `page` picks one of these.
  ///
  /// - Parameter id: The station of the source that asks; nil for an administrator, who may name one.
  func overview(of id: String?) async throws -> APIResponse {
    let all = await stations().value
    let station = try id.map { try Self.find($0, in: all) } ?? named(in: all)
    guard let station else { throw APIError.badParameter("sid", "there is no such stream") }
    let listeners = await listeners(of: station)
    let history = try await history(of: station.snapshot.id)
    let titles = history.value.prefix(Self.playedMax).map(\.playing)
    let (pages, page) = (await pages(), query["page"])
    return .madeXML { pages.overviewXML(station, listeners, titles, page: page) }
  }

  private func pages() async -> ShoutcastPages {
    let figures = await figures()
    return ShoutcastPages(
      now: Moment.now().wall, version: "Longwave \(figures.version)",
      listenersMax: figures.server.listenersMax)
  }

  private func numberedStation() async throws -> MonitoredStation {
    guard let station = numbered(in: await stations().value) else {
      throw APIError.badParameter("sid", "there is no such stream")
    }
    return station
  }

  private func history(of station: String) async throws -> Versioned<[HistoryEntry]> {
    if let kept { return try await kept.history(of: station) }
    return Versioned(value: try await relay.history(of: station, limit: Self.playedMax))
  }
}
