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
  let guesses: GuessLimit
  /// Of the tokens of sessions, which clients may ask for before they connect: no reason to refuse their passwords.
  let tokenGuesses: GuessLimit

  func respond(to request: APIRequest) async -> APIResponse {
    let isGuess = AdminAccess.secret(in: request.head.fields) != nil
    let isSpent = guesses.isSpent(request.origin)
    var isWrong = false
    do throws(APIError) {
      if Routes.isSource(request.head) {
        if isSpent { throw GuessLimit.refusal }
        return try await relay.admit(source: request)
      }
      let (route, audience) = try Route.match(
        method: request.head.method, path: request.head.path)
      let access = settings.access
      var isAdmin = !isSpent && access.isAdmin(request)
      if case .monitor(let page) = route, page.isAnnouncement, !isAdmin, !isSpent {
        // A source may say what it plays; SHOUTcast's scripts have their password in the query.
        let head = request.headWithForm
        let pass = page == .adminCGI ? head.query["pass"].map { Array($0.utf8) } : nil
        isAdmin = pass.map(access.isToken) ?? false
        let password = pass ?? AdminAccess.secret(in: head.fields)
        if !isAdmin, let password,
          let own = await relay.station(ofSource: password, at: head.query["mount"])
        {
          return try await monitor(request).announce(head, as: own)
        }
        isWrong = !isAdmin && password != nil
      }
      if audience == .administrators, !isAdmin {
        throw isSpent ? GuessLimit.refusal : access.refusal
      }
      // What administrators see more of here would tell them from others as well.
      if isGuess, !isAdmin, !isSpent, !access.token.isEmpty { guesses.wrong(request.origin) }
      let response = try await answer(route, request, isAdmin)
      // What an administrator is told, and what is done by asking, is nobody's to keep.
      return audience == .everybody && !isAdmin ? response.revalidated : response
    } catch {
      if isWrong || (isGuess && error.status == 401) { guesses.wrong(request.origin) }
      return .json(error.status, error.json, headers: error.headers)
    }
  }

  func respond(to login: ShoutcastLogin, from origin: APIRequest.Origin) async -> APIResponse {
    if guesses.isSpent(origin) {
      return .whole(
        status: 429, mediaType: "", body: ShoutcastLogin.refused(GuessLimit.refusalText))
    }
    let response = await relay.admit(shoutcast: login, from: origin)
    if case .whole(401, _, _, _) = response { guesses.wrong(origin) }
    return response
  }

  private func answer(
    _ route: Route, _ request: APIRequest, _ isAdmin: Bool
  ) async throws(APIError) -> APIResponse {
    switch route {
    case .stations:
      let stations = await relay.stationSnapshots().map { $0.json(identified: isAdmin) }
      return .json(200, ["stations": .array(stations)])
    case .station(let id):
      return .json(200, try await relay.stationSnapshot(id).json(identified: isAdmin))
    case .history(let id): return try await history(id, request.head.query)
    case .files(let id):
      let files = try await relay.files(of: id, isAdmin: isAdmin)
      return .json(200, ["files": .array(files.map(\.json))])
    case .stats: return .json(200, await relay.figures().json)
    case .description: return .json(200, OpenAPI.document)
    case .metrics: return await metrics()
    case .events: return try await events(request, isAdmin)
    case .healthy: return .text(200, "ok\n")
    case .ready: return await ready()
    case .definitions:
      return .json(200, ["stations": .array(await relay.definitions().map(\.json))])
    case .addStation, .changeStation, .removeStation, .command, .announce:
      return try await administer(route, request)
    case .listeners, .listener, .kickListener, .moveListener, .steerListener:
      return try await listeners(route, request)
    case .forgetSessions:
      try await relay.forgetSessions()
      return .whole(status: 204, mediaType: "", body: [])
    case .session(let token): return try await session(token, nil, request.origin)
    case .steerSession(let token):
      return try await session(token, try SteeringBody.action(try request.json), request.origin)
    case .bans, .addBan, .liftBan: return try await bans(route, request)
    case .recordings, .startRecording, .stopRecording:
      return try await recordings(route, request)
    case .reload: return .json(200, try await relay.reload().json)
    case .monitor(let page):
      let head = request.headWithForm
      return try await monitor(request).respond(page, to: head)
    }
  }

  private func session(
    _ token: SessionToken, _ steering: Steering?, _ origin: APIRequest.Origin
  ) async throws(APIError) -> APIResponse {
    if tokenGuesses.isSpent(origin) { throw GuessLimit.refusal }
    do throws(APIError) {
      return .json(200, try await relay.steer(session: token, steering).json)
    } catch {
      if error == .unknownSession { tokenGuesses.wrong(origin) }
      throw error
    }
  }

  private func monitor(_ request: APIRequest) -> MonitorRouter {
    MonitorRouter(relay: relay, base: request.base)
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

  /// How many titles are shown unless asked otherwise, and at most.
  private static let historyDefault = 100
  private static let historyMax = 1000

  private func history(_ id: String, _ query: HTTPQuery) async throws(APIError) -> APIResponse {
    var limit = Self.historyDefault
    if let text = query["limit"] {
      guard let number = Int(text), (1...Self.historyMax).contains(number) else {
        throw APIError.badParameter("limit", "write a number from 1 to \(Self.historyMax)")
      }
      limit = number
    }
    let titles = try await relay.history(of: id, limit: limit)
    return .json(200, ["history": .array(titles.map(\.json))])
  }

  private func metrics() async -> APIResponse {
    let stations = await relay.stationSnapshots()
    let text = MetricsText(stations: stations, figures: await relay.figures()).text
    return .whole(status: 200, mediaType: MetricsText.mediaType, body: Array(text.utf8))
  }

  private func ready() async -> APIResponse {
    let obstacles = await relay.obstacles()
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

  fileprivate var json: JSON {
    get throws(APIError) {
      guard let json = JSON.parse(body), case .object = json else { throw APIError.badJSON }
      return json
    }
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
