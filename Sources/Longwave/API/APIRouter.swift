import Server
import Timeshift
import Wire

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

  func bodyBytesMax(of head: HTTPRequestHead) -> Int {
    Operation.bodyBytesMax(method: head.method, path: head.path)
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
      let isAdmin = try isAdmin(request, for: audience, route)
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
    case .whole(401, _, _, _):
      limits.sources.wrong(origin, Guess(login.readings.map(\.password)))
    case .takeover: limits.sources.right(origin)
    case .whole, .made, .events: break
    }
    return response
  }

  private func admit(source request: APIRequest) async throws(APIError) -> APIResponse {
    try ForeignPage.refuse(request)
    let secret = AdminAccess.secret(in: request.head.fields)
    if secret != nil, limits.sources.isSpent(request.origin) { throw GuessLimit.refusal }
    do throws(APIError) {
      let response = try await relay.admit(source: request)
      limits.sources.right(request.origin)
      return response
    } catch {
      if let secret, error.status == 401 {
        limits.sources.wrong(request.origin, Guess(secret, for: request.head.path))
      }
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
      throw access.refusalToAnnounce(isWrong: false)
    }
    if limits.sources.isSpent(request.origin) { throw GuessLimit.refusal }
    let isToken = access.isToken(password)
    let isSpent = limits.announced.isSpent(request.origin)
    if isToken, !isSpent {
      limits.sources.right(request.origin)
      return changed(try await monitor.respond(page, to: head))
    }
    guard let own = await relay.station(ofSource: password, at: head.query["mount"]) else {
      // Not looked at any more: it may be the right token.
      if isToken { throw GuessLimit.refusal }
      limits.sources.wrong(request.origin, Guess(password, for: head.query["mount"] ?? ""))
      if isSpent { throw GuessLimit.refusal }
      limits.announced.wrong(request.origin, Guess(password))
      throw access.refusalToAnnounce(isWrong: true)
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
  /// Where pages for everybody show administrators more, a token is looked at, and counted, as well. Whoever sends Bearer
  /// means it for the admin token and is told that it is wrong; a browser sends a listener's Basic along unasked.
  private func isAdmin(
    _ request: APIRequest, for audience: Operation.Audience, _ route: Route
  ) throws(APIError) -> Bool {
    if request.origin == .unixSocket { return true }
    let (access, fields) = (settings.access, request.head.fields)
    let isNeeded = audience == .administrators
    guard isNeeded || route.showsAdministratorsMore, !access.token.isEmpty,
      let secret = AdminAccess.secret(in: fields)
    else {
      if isNeeded { throw access.refusal(at: request.head.path) }
      return false
    }
    let isForeign = ForeignPage.isForeign(request.head, base: request.base)
    let limit = isForeign ? limits.foreign : limits.admin
    let isMeant = isNeeded || AdminAccess.hasBearer(fields)
    if limit.isSpent(request.origin) {
      if isMeant { throw GuessLimit.refusal }
      return false
    }
    if access.isToken(secret) {
      limit.right(request.origin)
      return true
    }
    limit.wrong(request.origin, Guess(secret))
    if isMeant { throw access.refusal(at: request.head.path, isOptional: !isNeeded) }
    return false
  }

  private func answer(
    _ route: Route, _ request: APIRequest, _ isAdmin: Bool
  ) async throws(APIError) -> APIResponse {
    switch route {
    case .stations:
      let shown =
        isAdmin ? Versioned(value: await relay.stationSnapshots()) : await figures.stations()
      return .madeJSON(shown.key("stations")) {
        ["stations": .array(shown.value.map { $0.json(identified: isAdmin) })]
      }
    case .station(let id):
      return .json(200, try await relay.stationSnapshot(id).json(identified: isAdmin))
    case .history(let id): return try await history(id, request.head.query, isAdmin)
    case .files(let id):
      let files = try await relay.files(of: id, isAdmin: isAdmin, for: request.origin)
      return .madeList(
        "files \(files.version)", "files", files.entries, bytesMax: PageOrder.bytesMax,
        isLong: true, \.json)
    case .stats:
      let shown = isAdmin ? await relay.figures() : await figures.figures().value
      return .json(200, shown.json)
    case .description: return OpenAPI.page
    case .metrics:
      let stations =
        isAdmin ? Versioned(value: await relay.stationSnapshots()) : await figures.stations()
      let shown = isAdmin ? Versioned(value: await relay.figures()) : await figures.figures()
      return .made(shown.key(stations.key("metrics") ?? ""), MetricsText.mediaType) {
        Array(MetricsText(stations: stations.value, figures: shown.value).text.utf8)
      }
    case .events: return try await events(request, isAdmin)
    case .healthy: return .text(200, "ok\n")
    case .ready: return Self.ready(isAdmin ? await relay.obstacles() : await figures.obstacles())
    case .definitions:
      let definitions = await relay.definitions()
      return .madeJSON { ["stations": .array(definitions)] }
    case .addStation, .changeStation, .removeStation, .command, .announce:
      return try await administer(route, request)
    case .listeners, .listener, .kickListener, .moveListener, .steerListener:
      return try await listeners(route, request)
    case .forgetSessions:
      try await relay.forgetSessions()
      return .nothing
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

  /// The token before the body: what a stranger sends is not read. Who has shown this one before from the same address
  /// goes on, whatever others behind it guess.
  private func session(
    _ token: SessionToken, _ request: APIRequest, steers: Bool
  ) async throws(APIError) -> APIResponse {
    let origin = request.origin
    let familiarity = await relay.familiarity(of: token, to: origin)
    if familiarity != .own {
      if limits.sessions.isSpent(origin) { throw GuessLimit.refusal }
      if familiarity == .unknown {
        limits.sessions.wrong(origin, Guess(token))
        throw APIError.unknownSession
      }
      await relay.show(session: token, at: origin)
    }
    var steering: Steering?
    if steers {
      let station = try await relay.steer(session: token, nil).station
      let zone = await relay.timeZone(of: station)
      steering = try SteeringBody.action(try request.json, now: Moment.now().wall, in: zone)
    }
    return .json(200, try await relay.steer(session: token, steering).json)
  }

  private func monitor(_ request: APIRequest, isAdmin: Bool) -> MonitorRouter {
    MonitorRouter(relay: relay, kept: isAdmin ? nil : figures, base: request.base)
  }
}
