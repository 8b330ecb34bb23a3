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
    if !limits.announced.isSpent(request.origin), access.isToken(password) {
      limits.sources.right(request.origin)
      return changed(try await monitor.respond(page, to: head))
    }
    guard let own = await relay.station(ofSource: password, at: head.query["mount"]) else {
      limits.sources.wrong(request.origin)
      limits.announced.wrong(request.origin)
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
      return .json(200, ["stations": .array(await relay.definitions())])
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
}
