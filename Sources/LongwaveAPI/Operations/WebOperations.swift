import Longwave
import Server
import Timeshift
import Wire

// Pages for browsers, and the files that they consist of.
extension Operation {
  static let pages: [Operation] = [
    Operation(
      "GET", "/", "showStations",
      "The page of all stations, for browsers; where there is one, its player.", listening,
      answers: .text("text/html"), errors: [404]
    ) { call in
      let web = try await call.web()
      let shown = await call.shared.stations()
      let choice = shown.value.lazy.filter { $0.isListed && $0.renditionOf == nil }.prefix(2)
      if let only = choice.first, choice.count == 1 {
        return try await page(
          of: only.id, call, fields: { _ in WebPage.fields }, missing: { $0.page },
          files: { $0.page.alone }, { $0.page.alone })
      }
      return .page(shown.key("page \(String(describing: web))")) {
        StationsPage(stations: shown.value.listed, house: web).page
      }
    },
    Operation(
      "GET", "/listen/{station}", "showStation", "The player of a station, for browsers.",
      listening, answers: .text("text/html"), or: [.missingPage]
    ) { (call: Call, station: String) in
      try await page(
        of: station, call, fields: { _ in WebPage.fields }, missing: { $0.page },
        files: { $0.page }, { $0.page })
    },
    Operation(
      "GET", "/listen/{station}/embed", "showSmallPlayer",
      "A small player of a station, or its titles without sound, which pages of others may frame.",
      visit + framed,
      answers: .text("text/html"), or: [.missingPage]
    ) { (call: Call, station: String) in
      let theme = call.query["theme"].flatMap { ["dark", "light"].contains($0) ? $0 : nil }
      let wish = TitlesPage.Wish(call.query)
      return try await page(
        of: station, call, further: "\(theme ?? "") \(wish.map { "\($0)" } ?? "")",
        fields: { WebPage.fields(framedBy: $0.embedders) }, missing: { $0.embedded },
        files: { $0.embedded(theme: theme) }
      ) { player in
        wish.map { TitlesPage(player: player, wish: $0).page(theme: theme) }
          ?? player.embedded(theme: theme)
      }
    },
    Operation(
      "GET", "/listen/{station}/manifest.webmanifest", "getManifest",
      "What a browser needs to install a station's player as an app.",
      answers: .text("application/manifest+json"), errors: [404]
    ) { (call: Call, station: String) in try await manifest(of: station, call) },
    Operation(
      "GET", "/listen/{station}/shows", "showShows",
      "The page of a station's shows: what was recorded of them, to listen again, and when they are on air.",
      [
        token, Parameter("recording", "Number of the recording that the page begins to play."),
        Parameter("t", "With recording: the second in it."),
      ], answers: .text("text/html"), or: [.missingPage]
    ) { (call: Call, station: String) in try await shows(of: station, call) },
    Operation(
      "GET", "/manifest.webmanifest", "getListManifest",
      "What a browser needs to install the page of all stations as an app.",
      answers: .text("application/manifest+json"), errors: [404]
    ) { call in
      let web = try await call.web()
      return manifest(nil, among: await call.shared.stations(), web)
    },
    Operation(
      "GET", "/listen/{station}/{bitrate}", "showRendition",
      "Leads to the player of a station, at the quality of so many kbit/s where it has one.",
      answers: Answer(status: 302, content: []), or: [.missingPage],
      answeredBy: Answering { (call: Call, station: String, bitrate: UInt64) in
        try await lead(to: station, at: bitrate, call)
      }),
    Operation(
      "GET", "/admin", "showDashboard", "The dashboard, for browsers.",
      answers: .text("text/html"), errors: [404]
    ) { call in
      let web = try await call.web()
      guard web.hasDashboard else { throw APIError.notFound(call.request.head.path) }
      let hasToken = !call.admission.rights.access.token.isEmpty
      return .page(
        "page admin \(hasToken) \(String(describing: web))", fields: WebPage.guardedFields
      ) {
        AdminPage(hasToken: hasToken, house: web).page
      }
    },
    Operation(
      "GET", "/assets/{file}", "getStableAsset",
      "A script whose address never changes: player-element.js or sw.js.",
      answers: .text("text/javascript"), errors: [404]
    ) { (call: Call, file: String) in
      _ = try await call.web()
      return try WebAssets.shared.response(toStable: call, file)
    },
    asset("/assets/{version}/{file}", "getAsset"),
    asset("/assets/{version}/{folder}/{module}", "getAssetOfFolder"),
    asset("/assets/{version}/{folder}/{inner}/{module}", "getAssetOfInnerFolder"),
    Operation(
      "GET", "/favicon.ico", "getIcon", "The icon of the pages.", answers: .text("image/svg+xml"),
      errors: [404]
    ) { call in
      let icon = HouseFile.icon(of: try await call.web())
      return try icon?.response(isKept: false)
        ?? WebAssets.shared.response(to: call, version: "", "icon.svg")
    },
  ]

  private static func asset(_ path: PathTemplate, _ name: String) -> Operation {
    Operation(
      "GET", path, name, "A script, style or picture of the pages.",
      answers: .text("text/javascript"), errors: [404],
      answeredBy: Answering(all: { call, values in
        let web = try await call.web()
        let name = values.dropFirst().joined(separator: "/")
        return try HouseFile.response(of: web, version: values[0], name)
          ?? WebAssets.shared.response(to: call, version: values[0], name)
      }))
  }

  /// Leads to a station's page: there, a quality is a parameter.
  private static func lead(
    to id: String, at bitrate: UInt64, _ call: Call
  ) async throws -> APIResponse {
    let web = try await call.web()
    guard let station = await call.shared.stations().value.first(where: { $0.id == id }) else {
      return .page(nil, status: 404, fields: WebPage.fields) {
        MissingPage(asked: id, house: web).page
      }
    }
    let quality = station.publicRenditions.isEmpty ? nil : "bitrate=\(bitrate)"
    let query = call.query.raw.isEmpty ? nil : call.query.raw
    let parameters = [quality, query].compactMap(\.self).joined(separator: "&")
    let place = "/listen/\(id)" + (parameters.isEmpty ? "" : "?\(parameters)")
    return .whole(
      status: 302, mediaType: "", body: [], fields: [.init(name: "Location", value: place)])
  }

  private static let visit = [
    Parameter("at", "Moment, or track-start, from which it plays; as streams take it."),
    Parameter("offset", "Time behind live from which it plays; as streams take it."),
    token,
  ]
  private static let token =
    Parameter("token", "The listener's token, which the page's streams carry.")

  private static let framed = [
    Parameter("theme", "dark or light; as the reader's system wants unless given."),
    Parameter(
      "show", "now or history: what is on air, or the last titles, in place of the player."),
    Parameter(
      "titles", Schema.integer(TitlesPage.Wish.counts),
      "With show=history: how many; \(TitlesPage.Wish.countUsual) unless given."),
  ]

  private static let listening =
    visit + [
      Parameter("session", "Session that the page goes on with, or steers."),
      Parameter("remote", "With session: another player plays, and the page steers it."),
      Parameter("bitrate", "Of a station with renditions: the quality, as streams take it."),
      Parameter("clip", "FROM/TO, two moments: the stretch with which it begins."),
      Parameter("via", "hls: it plays HLS, where the browser tells its dates."),
    ]

  /// - Parameter further: What tells apart pages that are else made of the same.
  private static func page(
    of id: String, _ call: Call, further: String = "",
    fields: (WebSettings) -> [HTTPFields.Field],
    missing: @escaping @Sendable (MissingPage) -> WebPage,
    files filesPage: @escaping @Sendable (FilesPage) -> WebPage,
    _ page: @escaping @Sendable (ListenPage) -> WebPage
  ) async throws -> APIResponse {
    let web = try await call.web()
    let shown = await call.shared.stations()
    guard let station = shown.value.first(where: { $0.id == id }) else {
      return .page(nil, status: 404, fields: fields(web)) {
        missing(MissingPage(asked: id, house: web))
      }
    }
    let visit = ListenPage.Visit(call.query, in: await call.relay.timeZone(of: id))
    let base = call.request.base
    let timeline = try? await call.timeline(of: id)
    let moment = await call.moment(visit, in: timeline?.value, of: station)
    // Who may not be told of the moment has another page.
    let name =
      "\(moment == nil) \(call.request.head.path) \(id) \(base) \(String(describing: web)) \(String(describing: visit)) \(further)"
    if let files = try await call.files(of: id) {
      let list = if case .list(let list) = files { list } else { nil as FileList? }
      return .page(
        shown.key("\(name) \(list.map { String($0.version) } ?? "hidden")"), fields: fields(web)
      ) {
        filesPage(
          FilesPage(station: station, files: list?.entries, access: visit.access, house: web))
      }
    }
    // Without a timeline the page is made of the stations alone.
    let key = timeline.map { $0.key(name) } ?? name
    return .page(key.flatMap { shown.key($0) }, fields: fields(web)) {
      page(
        ListenPage(
          station: station, qualities: Qualities(of: station, in: shown.value),
          timeline: timeline?.value, visit: visit, base: base, house: web, moment: moment))
    }
  }

  private static func shows(of id: String, _ call: Call) async throws -> APIResponse {
    let web = try await call.web()
    let shown = await call.shared.stations()
    guard let station = shown.value.first(where: { $0.id == id }) else {
      return .page(nil, status: 404) { MissingPage(asked: id, house: web).page }
    }
    let shows = try await call.shows(of: id)
    let visit = ListenPage.Visit(call.query, in: shows.value.zone)
    let now = Moment.now().wall
    let name = "shows \(id) \(String(describing: web)) \(visit.access ?? "")"
    return .page(shows.key(name).flatMap { shown.key($0) }) {
      ShowsPage(
        station: station, shows: shows.value, access: visit.access, house: web, now: now
      ).page
    }
  }

  private static func manifest(of id: String, _ call: Call) async throws -> APIResponse {
    let web = try await call.web()
    let (shown, station) = try await call.shown(id)
    return manifest(station, among: shown, web)
  }

  private static func manifest(
    _ station: StationSnapshot?, among shown: Versioned<[StationSnapshot]>, _ web: WebSettings
  ) -> APIResponse {
    let manifest = WebManifest(station: station, others: shown.value, house: web)
    return .made(
      PageOrder(
        key: shown.key("manifest \(station?.id ?? "") \(String(describing: web))"),
        mediaType: WebManifest.mediaType
      ) { manifest.json.bytes })
  }
}

extension ListenPage.Visit {
  /// Most bytes of a listener's token; longer ones are none of a configuration's.
  private static let accessMax = 256
  /// Most bytes of two moments.
  private static let clipMax = 128

  fileprivate init(_ query: HTTPQuery, in zone: ZoneOffsets) {
    place =
      query["at"].map { ListenPage.Place.at($0, in: zone) }
      ?? query["offset"].map { .init(name: "offset", value: $0) }
    access = query["token"].flatMap { (1...Self.accessMax).contains($0.utf8.count) ? $0 : nil }
    session = query["session"].flatMap { SessionToken($0) == nil ? nil : $0 }
    isRemote = session != nil && query["remote"] != nil
    bitrate = query["bitrate"].flatMap { Int($0, in: Bounds.bitrates) }
    clip = query["clip"].flatMap { $0.utf8.count <= Self.clipMax ? $0 : nil }
  }
}

extension TitlesPage.Wish {
  /// Nil for the player.
  fileprivate init?(_ query: HTTPQuery) {
    guard let kind = query["show"].flatMap({ TitlesPage.Kind(rawValue: $0) }) else { return nil }
    self.kind = kind
    count = query["titles"].flatMap { Int($0, in: Self.counts) } ?? Self.countUsual
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
  /// Returns the moment that an address names, where it is kept and the client may hear it.
  fileprivate func moment(
    _ visit: ListenPage.Visit, in timeline: StationTimeline?, of station: StationSnapshot
  ) async -> SharedMoment? {
    guard station.rights.shift, let timeline, let moment = SharedMoment(visit, in: timeline) else {
      return nil
    }
    let place = HeardPlace.behind(moment.behind)
    return (try? await hearing(of: station.id, at: place)) == nil ? nil : moment
  }
  /// What a page may show of a station's files.
  fileprivate enum ShownFiles {
    case list(FileList)
    case hidden
  }
  /// Returns the files of a station of files; nil for another station.
  fileprivate func files(of id: String) async throws(RelayError) -> ShownFiles? {
    do throws(RelayError) {
      return .list(try await relay.files(of: id, isAdmin: isAdmin, for: request.origin))
    } catch {
      switch error {
      case .noFiles: return nil
      case .filesForAdministrators, .filesUnavailable: return .hidden
      default: throw error
      }
    }
  }
  /// Returns the station as everybody sees it, and all stations.
  fileprivate func shown(_ id: String) async throws(APIError) -> (
    Versioned<[StationSnapshot]>, StationSnapshot
  ) {
    let shown = await shared.stations()
    guard let station = shown.value.first(where: { $0.id == id }) else {
      throw APIError(RelayError.unknownStation(id))
    }
    return (shown, station)
  }
}
