import Longwave
import Server
import Timeshift
import Wire

// Operations on the server itself: its figures, its description, its health.
extension Operation {
  static let figures: [Operation] = [
    Operation(
      "GET", "/api/v1/stats", "getStats",
      "The server's own figures. listeners.peak counts those of HLS, too; now does not.",
      by: .everybodyInPart,
      answers: .json("Stats")
    ) { call in .json(200, await call.figures().value.json) },
    Operation(
      "GET", "/api/v1/figures", "getFigures",
      "Figures of all stations together over time: the last hour by tens of seconds, or a day by minutes. listeners are "
        + "those of the stream and of HLS.",
      by: .administrators, [stepQuery], answers: .json("FigureSeries"), errors: [400]
    ) { call in
      let figures = await call.relay.figures(each: try step(call.query))
      return .madeJSON { figures.json }
    },
    Operation(
      "GET", "/api/v1/stations/{station}/figures", "getStationFigures",
      "A station's figures over time: the last hour by tens of seconds, or a day by minutes. listeners are those of the "
        + "stream and of HLS.",
      by: .administrators, [stepQuery], answers: .json("FigureSeries"), errors: [400, 404]
    ) { (call: Call, station: String) in
      let figures = try await call.relay.figures(of: station, each: try step(call.query))
      return .madeJSON { figures.json }
    },
    Operation(
      "GET", "/api/v1/openapi.json", "getDescription", "This description.",
      answers: .json("Description")
    ) { _ in OpenAPI.page },
    Operation(
      "POST", "/api/v1/config/reload", "reload",
      "Reads the configuration again; a bad one changes nothing.", by: .administrators,
      answers: .json("Reload"), errors: [400, 409, 503]
    ) { call in .json(200, try await call.relay.reload().json) },
    Operation(
      "GET", "/api/v1/config/changes", "getConfigurationChanges",
      "The changes a reload would make now, the file's mistakes, and its differences; changes nothing.",
      by: .administrators, answers: .json("ConfigurationChanges"), errors: [409, 503]
    ) { call in
      let changes = try await call.relay.configurationChanges()
      return .madeJSON { changes.json }
    },
    Operation(
      "GET", "/api/v1/me", "getRights",
      "The requester's rights, whether others can read along, and the relay's time zone.",
      by: .administrators,
      answers: .json("Me")
    ) { call in
      let zone = await call.relay.timeZone(of: "")
      return .json(
        200,
        [
          "admin": .bool(call.isAdmin), "version": .string(RelayVersion.number),
          "secure": .bool(call.request.isPrivate),
          "timeZone": [
            "name": .string(zone.name),
            "seconds": JSON(zone.offset(at: Moment.now().wall.unixSeconds)),
          ],
        ])
    },
    Operation(
      "GET", "/api/v1/dashboard", "getDashboard",
      "Where the dashboard is, and the token that it asks for; null where there is none.",
      by: .administrators, answers: .json("Dashboard"), errors: [404]
    ) { call in
      let web = await call.relay.webSettings()
      guard web.isEnabled, web.hasDashboard else { throw APIError.noDashboard }
      let token = call.admission.rights.access.token
      return .json(
        200,
        [
          "url": .string(await call.relay.url(of: "admin/")),
          "token": JSON(token.isEmpty ? nil : token),
        ])
    },
    Operation(
      "POST", "/api/v1/dashboard", "makeDashboardCode",
      "Where the dashboard is, and a code for a link to it: url#code=… signs in once, within a minute. Null without a token.",
      by: .administrators, answers: .json("DashboardCode"), errors: [404]
    ) { call in
      let web = await call.relay.webSettings()
      guard web.isEnabled, web.hasDashboard else { throw APIError.noDashboard }
      let rights = call.admission.rights
      let token = rights.access.token
      return .json(
        200,
        [
          "url": .string(await call.relay.url(of: "admin/")),
          "code": JSON(token.isEmpty ? nil : rights.codes.make(for: token)),
          "seconds": .number(DashboardCodes.seconds),
        ])
    },
    Operation(
      "POST", "/api/v1/dashboard/token", "takeDashboardToken",
      "The admin token for a code of a dashboard's link, which then is used up.",
      takes: "DashboardCodeUse", answers: .json("DashboardToken"), errors: [400, 403, 429]
    ) { call in
      guard case .string(let code)? = try call.json["code"] else {
        throw APIError.badField("code", "is missing; write the one of the dashboard's link")
      }
      guard let token = try call.admission.redeem(dashboardCode: code, of: call.request.origin)
      else { throw APIError.codeOver }
      return .json(200, ["token": .string(token)])
    },
    watch("/events", "watchEvents"),
    watch("/api/v1/events", "watchEventsOfAPI"),
    Operation(
      "GET", "/metrics", "getMetrics",
      "All figures, as Prometheus reads them; metrics: {allow: […]} says to whom they are told.",
      by: .everybodyInPart,
      [Parameter("station", Schema.text, "Only the figures of this station.")],
      answers: .text("text/plain"), errors: [403, 404]
    ) { call in
      let settings = await call.relay.metricsSettings()
      guard call.isAdmin || settings.allows(call.request.origin) else {
        throw APIError.metricsDenied
      }
      let (stations, metrics) = (await call.stations(), await call.metrics())
      let wanted = call.query["station"]
      if let wanted, !stations.value.contains(where: { $0.id == wanted }) {
        throw APIError(RelayError.unknownStation(wanted))
      }
      // Whom the configuration names is no stranger.
      let isKnown = call.isAdmin || settings.allow != nil
      let name = ["metrics", isKnown ? "known" : nil, wanted].compactMap(\.self)
        .joined(separator: " ")
      let key = stations.key(name).flatMap { metrics.key($0) }
      return .made(key, MetricsText.mediaType) {
        let rows = Operation.table.names
        var shown = stations.value
        if !isKnown { shown.removeAll { !$0.isListed && $0.id != wanted } }
        for index in shown.indices where !isKnown && !shown[index].isHeardByAll {
          shown[index].sound = shown[index].sound.withoutFigures
        }
        return Array(MetricsText(shown, metrics.value, rows: rows, of: wanted).text.utf8)
      }
    },
    Operation(
      "GET", "/healthz", "isHealthy", "Whether the server answers.", answers: .text("text/plain")
    ) { _ in .text(200, "ok\n") },
    Operation(
      "GET", "/readyz", "isReady", "Whether stations can be listened to; 503 says why not.",
      by: .everybodyInPart, answers: .text("text/plain"),
      or: [.text("text/plain", status: 503)]
    ) { call in
      let obstacles = await call.obstacles()
      if obstacles.isEmpty { return .text(200, "ready\n") }
      return .text(503, obstacles.joined(separator: "\n") + "\n")
    },
  ]

  private static let stepQuery = Parameter(
    "step", ["enum": .array(FigureSeries.Step.allCases.map { JSON($0.rawValue) })],
    "Length of a step in seconds; 10 unless given.")

  private static func step(_ query: HTTPQuery) throws(APIError) -> FigureSeries.Step {
    guard let text = query["step"] else { return .tenSeconds }
    guard let step = Int(text).flatMap(FigureSeries.Step.init) else {
      throw APIError.badParameter("step", "write 10 or 60")
    }
    return step
  }
}
