import Server
import Timeshift
import Wire

/// What the API needs of a relay.
protocol RelayControl: BanControl, SessionControl, RecordingControl {
  func stationSnapshots() async -> [StationSnapshot]
  func stationSnapshot(_ id: String) async throws(APIError) -> StationSnapshot
  /// Newest first.
  func history(of id: String, limit: Int) async throws(APIError) -> [HistoryEntry]
  /// The files of a station, in order of their paths.
  func files(of id: String, isAdmin: Bool) async throws(APIError) -> [FileEntry]
  /// What the stations were told to be, in their order, secrets and all.
  func definitions() async -> [StationDefinition]
  func add(_ station: StationDefinition) async throws(APIError) -> StationSnapshot
  func change(_ id: String, by patch: JSON) async throws(APIError) -> StationSnapshot
  /// The same, as far as somebody there may.
  func add(
    _ station: StationDefinition, from origin: APIRequest.Origin
  ) async throws(APIError) -> StationSnapshot
  func change(
    _ id: String, by patch: JSON, from origin: APIRequest.Origin
  ) async throws(APIError) -> StationSnapshot
  func remove(_ id: String) async throws(APIError)
  func perform(_ command: StationCommand, on id: String) async throws(APIError) -> StationSnapshot
  func listenerSnapshots() async -> [ListenerSnapshot]
  /// Who listens, in numbers.
  func audience() async -> Audience
  /// Says what is playing, until the upstream says something new.
  func announce(_ title: Title, on id: String) async throws(APIError)
  func kick(_ listener: UInt64) async -> Bool
  /// Lets a listener go on with another station.
  func move(_ listener: UInt64, to station: String) async throws(APIError)
  func figures() async -> RelayFigures
  /// Reads the configuration again.
  func reload() async throws(APIError) -> ReloadReport
  /// Lets a source push a station's audio.
  func admit(source request: APIRequest) async throws(APIError) -> APIResponse
  /// The same for a source of SHOUTcast's first protocol, answered in that protocol.
  func admit(shoutcast login: ShoutcastLogin, from origin: APIRequest.Origin) async -> APIResponse
  /// The station whose source has this password, at a path or anywhere.
  func station(ofSource password: [UInt8], at mount: String?) async -> String?
  /// What keeps the relay from being ready, in words; empty when it is.
  func obstacles() async -> [String]
}

extension RelayControl {
  func add(
    _ station: StationDefinition, from origin: APIRequest.Origin
  ) async throws(APIError) -> StationSnapshot { try await add(station) }

  func change(
    _ id: String, by patch: JSON, from origin: APIRequest.Origin
  ) async throws(APIError) -> StationSnapshot { try await change(id, by: patch) }
}

/// Answers every request that is neither a stream nor a playlist.
struct APIRouter: APIHandling {
  let relay: any RelayControl
  let settings: APISettings
  let limits: GuessLimits
  let figures: PublicFigures

  init(relay: any RelayControl, settings: APISettings, limits: GuessLimits) {
    self.relay = relay
    self.settings = settings
    self.limits = limits
    figures = PublicFigures(of: relay)
  }

  func respond(to request: APIRequest) async -> APIResponse {
    do throws(APIError) {
      if Routes.isSource(request.head) { return try await admit(source: request) }
      let (route, audience) = try Route.match(
        method: request.head.method, path: request.head.path)
      if route.hasEffect, !route.needsOnlyItsToken { try ForeignPage.refuse(request) }
      if case .monitor(let page) = route, page.isAnnouncement {
        return try await announce(page, request)
      }
      let isAdmin = try isAdmin(request, for: audience)
      if route.hasEffect, !route.needsOnlyItsToken, !route.isMonitor { try request.requireJSON() }
      let response = try await answer(route, request, isAdmin)
      if route.hasEffect, !route.needsOnlyItsToken { return changed(response) }
      // What an administrator is told, and what is done by asking, is nobody's to keep.
      return audience == .everybody && !isAdmin ? response.revalidated : response
    } catch {
      return .json(error.status, error.json, headers: error.headers)
    }
  }

  func respond(to login: ShoutcastLogin, from origin: APIRequest.Origin) async -> APIResponse {
    if limits.sources.isSpent(origin) {
      return .whole(
        status: 429, mediaType: "", body: ShoutcastLogin.refused(GuessLimit.refusalText))
    }
    let response = await relay.admit(shoutcast: login, from: origin)
    switch response {
    case .whole(401, _, _, _): limits.sources.wrong(origin)
    case .takeover: limits.sources.right(origin)
    case .whole, .events: break
    }
    return response
  }

  private func admit(source request: APIRequest) async throws(APIError) -> APIResponse {
    try ForeignPage.refuse(request)
    let isGuess = AdminAccess.secret(in: request.head.fields) != nil
    if isGuess, limits.sources.isSpent(request.origin) { throw GuessLimit.refusal }
    do throws(APIError) {
      let response = try await relay.admit(source: request)
      limits.sources.right(request.origin)
      return response
    } catch {
      if isGuess, error.status == 401 { limits.sources.wrong(request.origin) }
      throw error
    }
  }

  /// A source may say what it plays; SHOUTcast's scripts have their password in the query. Counted as sources'
  /// passwords are, also where it is the admin token: an encoder that has lost its password locks nobody else out.
  private func announce(
    _ page: MonitorPage, _ request: APIRequest
  ) async throws(APIError) -> APIResponse {
    let head = request.headWithForm
    let monitor = monitor(request, isAdmin: true)
    if request.origin == .unixSocket { return changed(try await monitor.respond(page, to: head)) }
    let pass = page == .adminCGI ? head.query["pass"].map { Array($0.utf8) } : nil
    let access = settings.access
    guard let password = pass ?? AdminAccess.secret(in: head.fields) else {
      throw access.refusal(at: head.path)
    }
    if limits.sources.isSpent(request.origin) { throw GuessLimit.refusal }
    if access.isToken(password) {
      limits.sources.right(request.origin)
      return changed(try await monitor.respond(page, to: head))
    }
    guard let own = await relay.station(ofSource: password, at: head.query["mount"]) else {
      limits.sources.wrong(request.origin)
      throw access.refusal(at: head.path)
    }
    limits.sources.right(request.origin)
    return changed(try await monitor.announce(head, as: own))
  }

  /// The answer to what has changed something: what strangers are told is worked out anew.
  private func changed(_ response: APIResponse) -> APIResponse {
    figures.forget()
    return response
  }

  /// Whether it is an administrator's. Throws where it has to be one and is not.
  ///
  /// A token is looked at, and counted, for whatever is asked: pages for everybody show administrators more.
  private func isAdmin(
    _ request: APIRequest, for audience: Operation.Audience
  ) throws(APIError) -> Bool {
    if request.origin == .unixSocket { return true }
    let access = settings.access
    if !access.token.isEmpty, let secret = AdminAccess.secret(in: request.head.fields) {
      if limits.admin.isSpent(request.origin) {
        if audience == .administrators { throw GuessLimit.refusal }
        return false
      }
      if access.isToken(secret) {
        limits.admin.right(request.origin)
        return true
      }
      limits.admin.wrong(request.origin)
    }
    if audience == .administrators { throw access.refusal(at: request.head.path) }
    return false
  }

  private func answer(
    _ route: Route, _ request: APIRequest, _ isAdmin: Bool
  ) async throws(APIError) -> APIResponse {
    switch route {
    case .stations:
      if isAdmin { return Self.stations(await relay.stationSnapshots(), isAdmin) }
      return await figures.page(route) { [figures] in
        Self.stations(await figures.stations(), false)
      }
    case .station(let id):
      return .json(200, try await relay.stationSnapshot(id).json(identified: isAdmin))
    case .history(let id): return try await history(id, request.head.query, isAdmin)
    case .files(let id):
      let files = try await relay.files(of: id, isAdmin: isAdmin)
      return .json(200, ["files": .array(files.map(\.json))])
    case .stats:
      let shown = isAdmin ? await relay.figures() : await figures.figures()
      return .json(200, shown.json)
    case .description: return OpenAPI.page
    case .metrics:
      if isAdmin { return Self.metrics(await relay.stationSnapshots(), await relay.figures()) }
      return await figures.page(route) { [figures] in
        Self.metrics(await figures.stations(), await figures.figures())
      }
    case .events: return try await events(request, isAdmin)
    case .healthy: return .text(200, "ok\n")
    case .ready: return Self.ready(isAdmin ? await relay.obstacles() : await figures.obstacles())
    case .definitions:
      return .json(200, ["stations": .array(await relay.definitions().map(\.json))])
    case .addStation, .changeStation, .removeStation, .command, .announce:
      return try await administer(route, request)
    case .listeners, .listener, .kickListener, .moveListener, .steerListener:
      return try await listeners(route, request)
    case .forgetSessions:
      try await relay.forgetSessions()
      return .whole(status: 204, mediaType: "", body: [])
    case .session(let token): return try await session(token, request, steers: false)
    case .steerSession(let token): return try await session(token, request, steers: true)
    case .bans, .addBan, .liftBan: return try await bans(route, request)
    case .recordings, .startRecording, .stopRecording:
      return try await recordings(route, request)
    case .reload: return .json(200, try await relay.reload().json)
    case .monitor(let page):
      let head = request.headWithForm
      return try await monitor(request, isAdmin: isAdmin).respond(page, to: head)
    }
  }

  private static func stations(_ stations: [StationSnapshot], _ isAdmin: Bool) -> APIResponse {
    .json(200, ["stations": .array(stations.map { $0.json(identified: isAdmin) })])
  }

  /// More than four fields and their values no steering has.
  private static let steeringBytesMax = 1024

  /// The token before the body: what a stranger sends is not read.
  private func session(
    _ token: SessionToken, _ request: APIRequest, steers: Bool
  ) async throws(APIError) -> APIResponse {
    if limits.sessions.isSpent(request.origin) { throw GuessLimit.refusal }
    guard await relay.knows(session: token) else {
      limits.sessions.wrong(request.origin)
      throw APIError.unknownSession
    }
    var steering: Steering?
    if steers {
      guard request.body.count <= Self.steeringBytesMax else {
        throw APIError.tooLarge(max: Self.steeringBytesMax)
      }
      steering = try SteeringBody.action(try request.json)
    }
    return .json(200, try await relay.steer(session: token, steering).json)
  }

  private func monitor(_ request: APIRequest, isAdmin: Bool) -> MonitorRouter {
    MonitorRouter(relay: relay, kept: isAdmin ? nil : figures, base: request.base)
  }

  private func administer(
    _ route: Route, _ request: APIRequest
  ) async throws(APIError) -> APIResponse {
    switch route {
    case .addStation:
      let station = try StationBody.station(try request.json)
      return .json(201, try await relay.add(station, from: request.origin).json(identified: true))
    case .changeStation(let id):
      let changed = try await relay.change(id, by: try request.json, from: request.origin)
      return .json(200, changed.json(identified: true))
    case .removeStation(let id):
      try await relay.remove(id)
      return .whole(status: 204, mediaType: "", body: [])
    case .command(let command, let id):
      return .json(200, try await relay.perform(command, on: id).json(identified: true))
    case .announce(let id):
      try await relay.announce(try TitleBody.title(try request.json), on: id)
      return .json(200, try await relay.stationSnapshot(id).json(identified: true))
    default: throw APIError.notFound(request.head.path)
    }
  }

  private func listeners(
    _ route: Route, _ request: APIRequest
  ) async throws(APIError) -> APIResponse {
    switch route {
    case .listeners:
      let station = request.head.query["station"]
      if let station { _ = try await relay.stationSnapshot(station) }
      let all = await relay.listenerSnapshots().filter { station == nil || $0.station == station }
      return .json(200, ["listeners": .array(all.map(\.json))])
    case .listener(let id): return .json(200, try await listener(id).json)
    case .kickListener(let id):
      guard await relay.kick(id) else { throw APIError.unknownListener("\(id)") }
      return .whole(status: 204, mediaType: "", body: [])
    case .moveListener(let id):
      guard case .string(let station)? = try request.json["station"] else {
        throw APIError.badField("station", "name the station to go on with")
      }
      try await relay.move(id, to: station)
      return .json(200, try await listener(id).json)
    case .steerListener(let id, let steering):
      switch steering {
      case .pause: try await relay.steer(listener: id, .pause)
      case .resume: try await relay.steer(listener: id, .resume)
      case .seek: try await relay.steer(listener: id, try SteeringBody.target(try request.json))
      }
      return .json(200, try await listener(id).json)
    default: throw APIError.notFound(request.head.path)
    }
  }

  private func recordings(
    _ route: Route, _ request: APIRequest
  ) async throws(APIError) -> APIResponse {
    switch route {
    case .recordings:
      let planned = await relay.plannedRecordings()
      return .json(
        200,
        [
          "recordings": .array(await relay.recordings().map(\.json)),
          "planned": .array(planned.map(\.json)),
        ])
    case .startRecording:
      let options = try RecordingBody.options(try request.json, now: Moment.now().wall)
      return .json(201, try await relay.record(options).json)
    case .stopRecording(let id):
      guard try await relay.stopRecording(id) else { throw APIError.unknownRecording(id) }
      return .whole(status: 204, mediaType: "", body: [])
    default: throw APIError.notFound(request.head.path)
    }
  }

  private func bans(
    _ route: Route, _ request: APIRequest
  ) async throws(APIError) -> APIResponse {
    switch route {
    case .bans: return .json(200, ["bans": .array(await relay.bans().map(\.json))])
    case .addBan:
      let ban = try BanBody(try request.json, now: Moment.now().wall)
      return .json(201, try await relay.ban(ban).json)
    case .liftBan(let id):
      guard try await relay.liftBan(id) else { throw APIError.unknownBan(id) }
      return .whole(status: 204, mediaType: "", body: [])
    default: throw APIError.notFound(request.head.path)
    }
  }

  private func listener(_ id: UInt64) async throws(APIError) -> ListenerSnapshot {
    guard let listener = await relay.listenerSnapshots().first(where: { $0.id == id }) else {
      throw APIError.unknownListener("\(id)")
    }
    return listener
  }

  /// How many titles are shown unless asked otherwise.
  private static let historyDefault = 100

  private func history(
    _ id: String, _ query: HTTPQuery, _ isAdmin: Bool
  ) async throws(APIError) -> APIResponse {
    var limit = Self.historyDefault
    if let text = query["limit"] {
      guard let number = Int(text), (1...HistoryEntry.limitMax).contains(number) else {
        throw APIError.badParameter("limit", "write a number from 1 to \(HistoryEntry.limitMax)")
      }
      limit = number
    }
    let titles =
      isAdmin
      ? try await relay.history(of: id, limit: limit)
      : try await figures.history(of: id, limit: limit)
    return .json(200, ["history": .array(titles.map(\.json))])
  }

  private static func metrics(
    _ stations: [StationSnapshot], _ figures: RelayFigures
  ) -> APIResponse {
    let text = MetricsText(stations: stations, figures: figures).text
    return .whole(status: 200, mediaType: MetricsText.mediaType, body: Array(text.utf8))
  }

  private static func ready(_ obstacles: [String]) -> APIResponse {
    if obstacles.isEmpty { return .text(200, "ready\n") }
    return .text(503, obstacles.joined(separator: "\n") + "\n")
  }

  private func events(
    _ request: APIRequest, _ isAdmin: Bool
  ) async throws(APIError) -> APIResponse {
    let query = request.head.query
    let station = query["station"]
    if let station { _ = try await relay.stationSnapshot(station) }
    let filter = EventFilter(
      station: station, kinds: try Self.kinds(query["kinds"]), isIdentified: isAdmin)
    return .events(filter, after: try Self.lastID(request.head.fields["Last-Event-ID"]))
  }

  /// nil: all kinds.
  private static func kinds(_ text: String?) throws(APIError) -> Set<String>? {
    guard let text else { return nil }
    let kinds = text.split(separator: ",").map(String.init)
    for kind in kinds where RelayEvent.Kind(rawValue: kind) == nil {
      let known = RelayEvent.Kind.allCases.map(\.rawValue)
      let meant = KeySuggestion.nearest(to: kind, among: known)
      throw APIError.badParameter(
        "kinds", "\"\(kind)\" is unknown" + (meant.map { "; did you mean \($0)?" } ?? ""))
    }
    return Set(kinds)
  }

  private static func lastID(_ text: String?) throws(APIError) -> UInt64? {
    guard let text, !text.isEmpty else { return nil }
    guard let id = UInt64(text) else {
      throw APIError.badParameter("Last-Event-ID", "write the id of an event, a whole number")
    }
    return id
  }
}

extension APIRequest {
  /// The head with a form in the body (application/x-www-form-urlencoded) as part of its query.
  fileprivate var headWithForm: HTTPRequestHead {
    guard head.method == "POST",
      head.fields["Content-Type"]?.lowercased().hasPrefix("application/x-www-form-urlencoded")
        == true
    else { return head }
    var head = head
    let form = String(decoding: body, as: UTF8.self)
    head.query = HTTPQuery(raw: head.query.raw.isEmpty ? form : head.query.raw + "&" + form)
    return head
  }

  /// Objects and lists inside one another; a station has four.
  private static let depthMax = 16

  fileprivate var json: JSON {
    get throws(APIError) {
      let json: JSON
      do throws(JSONScanner.Failure) {
        json = try JSONReader.read(body, depthMax: Self.depthMax)
      } catch {
        throw APIError.badJSON("it \(error)")
      }
      guard case .object = json else { throw APIError.badJSON }
      return json
    }
  }

  /// Where there is a body, or only the type of one, it has to be JSON's. A browser asks us before it sends that for a
  /// page of another site, and gets no leave to send passwords along.
  fileprivate func requireJSON() throws(APIError) {
    if origin == .unixSocket { return }
    let type = head.fields["Content-Type"]
    if type == nil, body.isEmpty { return }
    let name = type?.prefix { $0 != ";" }.lowercased().trimmingBlanks
    if name != "application/json" {
      throw APIError(
        415, "content-type", "Send the body with Content-Type: application/json.",
        field: "Content-Type")
    }
  }
}

extension String {
  fileprivate var trimmingBlanks: Substring {
    var rest = self[...]
    while rest.last == " " || rest.last == "\t" { rest.removeLast() }
    return rest.drop { $0 == " " || $0 == "\t" }
  }
}

extension APIResponse {
  static func json(
    _ status: Int, _ json: JSON, headers: [String: String] = [:]
  ) -> APIResponse {
    let fields = headers.sorted { $0.key < $1.key }.map {
      HTTPFields.Field(name: $0.key, value: $0.value)
    }
    return .whole(
      status: status, mediaType: "application/json", body: json.bytes + [10], fields: fields)
  }

  fileprivate static func text(_ status: Int, _ text: String) -> APIResponse {
    .whole(status: status, mediaType: "text/plain; charset=utf-8", body: Array(text.utf8))
  }

  /// The same, which may be kept and asked for again.
  fileprivate var revalidated: APIResponse {
    guard case .whole(200, let mediaType, let body, let fields) = self else { return self }
    return .whole(
      status: 200, mediaType: mediaType, body: body, fields: fields + [CacheControl.revalidate])
  }

  static func page(_ mediaType: String, _ text: String) -> APIResponse {
    .whole(status: 200, mediaType: mediaType, body: Array(text.utf8))
  }

  static func xml(_ text: String) -> APIResponse { page("text/xml; charset=utf-8", text) }
}
