import Longwave
import Wire

// Operations on the server itself: its figures, its description, its health.
extension Operation {
  static let figures: [Operation] = [
    Operation(
      "GET", "/api/v1/stats", "getStats", "The server's own figures.", by: .everybodyInPart,
      answers: .json("Stats")
    ) { call in .json(200, await call.figures().value.json) },
    Operation(
      "GET", "/api/v1/openapi.json", "getDescription", "This description.",
      answers: .json("Description")
    ) { _ in OpenAPI.page },
    Operation(
      "POST", "/api/v1/config/reload", "reload",
      "Reads the configuration again; a bad one changes nothing.", by: .administrators,
      answers: .json("Reload"), errors: [400, 409, 503]
    ) { call in .json(200, try await call.relay.reload().json) },
    watch("/events", "watchEvents"),
    watch("/api/v1/events", "watchEventsOfAPI"),
    Operation(
      "GET", "/metrics", "getMetrics", "All figures, as Prometheus reads them.",
      by: .everybodyInPart, answers: .text("text/plain")
    ) { call in
      let (stations, figures) = (await call.stations(), await call.figures())
      let key = figures.key(stations.key("metrics") ?? "")
      return .made(key, MetricsText.mediaType) {
        Array(MetricsText(stations: stations.value, figures: figures.value).text.utf8)
      }
    },
    Operation(
      "GET", "/healthz", "isHealthy", "Whether the server answers.", answers: .text("text/plain")
    ) { _ in .text(200, "ok\n") },
    Operation(
      "GET", "/readyz", "isReady", "Whether stations can be listened to; 503 says why not.",
      by: .everybodyInPart, answers: .text("text/plain"),
      or: .text("text/plain", status: 503)
    ) { call in
      let obstacles = await call.obstacles()
      if obstacles.isEmpty { return .text(200, "ready\n") }
      return .text(503, obstacles.joined(separator: "\n") + "\n")
    },
  ]
}
