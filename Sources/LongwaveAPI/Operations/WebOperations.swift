import Longwave
import Server
import Timeshift
import Wire

// Pages for browsers, and the files that they consist of.
extension Operation {
  static let pages: [Operation] = [
    Operation(
      "GET", "/", "showStations", "The page of all stations, for browsers.",
      answers: .text("text/html"), errors: [404]
    ) { call in
      let web = try await call.web()
      let shown = await call.shared.stations()
      return .page(shown.key("page \(web.title) \(web.hasDashboard)")) {
        StationsPage(stations: shown.value, house: web).page
      }
    },
    Operation(
      "GET", "/listen/{station}", "showStation", "The player of a station, for browsers.",
      [
        Parameter("at", "Moment, or track-start, from which it plays; as streams take it."),
        Parameter("offset", "Time behind live from which it plays; as streams take it."),
      ], answers: .text("text/html"), errors: [404]
    ) { (call: Call, station: String) in try await listen(to: station, call) },
    Operation(
      "GET", "/admin", "showDashboard", "The dashboard, for browsers.",
      answers: .text("text/html"), errors: [404]
    ) { call in
      let web = try await call.web()
      guard web.hasDashboard else { throw APIError.notFound(call.request.head.path) }
      let hasToken = !call.admission.rights.access.token.isEmpty
      return .page(
        "page admin \(hasToken) \(web.title) \(web.hasDashboard)", fields: WebPage.guardedFields
      ) {
        AdminPage(hasToken: hasToken, house: web).page
      }
    },
    asset("/assets/{version}/{file}", "getAsset"),
    asset("/assets/{version}/{folder}/{module}", "getAssetOfFolder"),
    asset("/assets/{version}/{folder}/{inner}/{module}", "getAssetOfInnerFolder"),
    Operation(
      "GET", "/favicon.ico", "getIcon", "The icon of the pages.", answers: .text("image/svg+xml"),
      errors: [404]
    ) { call in
      _ = try await call.web()
      return try WebAssets.shared.response(to: call, version: "", "icon.svg")
    },
  ]

  private static func asset(_ path: PathTemplate, _ name: String) -> Operation {
    Operation(
      "GET", path, name, "A script, style or picture of the pages.",
      answers: .text("text/javascript"), errors: [404],
      answeredBy: Answering(all: { call, values in
        _ = try await call.web()
        let name = values.dropFirst().joined(separator: "/")
        return try WebAssets.shared.response(to: call, version: values[0], name)
      }))
  }

  private static func listen(to id: String, _ call: Call) async throws -> APIResponse {
    let web = try await call.web()
    let shown = await call.shared.stations()
    guard let station = shown.value.first(where: { $0.id == id }) else {
      throw APIError(RelayError.unknownStation(id))
    }
    let timeline = try? await call.timeline(of: id)
    let zone = await call.relay.timeZone(of: id)
    let place =
      call.query["at"].map { ListenPage.Place.at($0, in: zone) }
      ?? call.query["offset"].map { .init(name: "offset", value: $0) }
    let base = call.request.base
    let page = "page \(id) \(base) \(web.title) \(web.hasDashboard) \(String(describing: place))"
    // Without a timeline the page is made of the stations alone.
    let key = timeline.map { $0.key(page) } ?? page
    return .page(key.flatMap { shown.key($0) }) {
      ListenPage(
        station: station, timeline: timeline?.value, place: place, base: base, house: web
      ).page
    }
  }
}

extension ListenPage.Place {
  /// Browsers send what is typed into a field for dates without a zone: it is meant in the station's.
  fileprivate static func at(_ text: String, in zone: ZoneOffsets) -> ListenPage.Place {
    let minutes = "2026-11-25T18:03".utf8.count
    guard [minutes, minutes + 3].contains(text.utf8.count),
      let local = try? WallTime(parsing: text + (text.utf8.count == minutes ? ":00Z" : "Z"))
    else { return .init(name: "at", value: text) }
    let moment = WallTime(unixSeconds: zone.moments(ofLocal: local.unixSeconds).lowerBound)
    return .init(name: "at", value: moment.rfc3339)
  }
}

extension Call {
  /// Returns the settings of the pages; throws "not found" where there are none.
  fileprivate func web() async throws(APIError) -> WebSettings {
    let web = await relay.webSettings()
    if !web.isEnabled { throw APIError.notFound(request.head.path) }
    return web
  }
}
