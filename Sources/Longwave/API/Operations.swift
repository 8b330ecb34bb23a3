import Wire

// Everything the server can be asked: the whole table.
extension Operation {
  static let all =
    stations + listeners + sessions + bans + recordings + figures + monitors + streams

  private static let stations: [Operation] = [
    Operation(
      "GET", "/api/v1/stations", "listStations", "All stations, in the order of the configuration.",
      answers: .json("Stations")
    ) { _ in .stations },
    Operation(
      "POST", "/api/v1/stations", "addStation", "Adds a station, which stays over restarts.",
      by: .administrators, takes: "StationDefinition", answers: .json("Station", status: 201),
      errors: [400, 409, 503]
    ) { _ in .addStation },
    Operation(
      "GET", "/api/v1/definitions", "listDefinitions",
      "What the stations were told to be, passwords included: as adding them takes it.",
      by: .administrators, answers: .json("Definitions")
    ) { _ in .definitions },
    Operation(
      "GET", "/api/v1/stations/{station}", "getStation", "One station.", answers: .json("Station"),
      errors: [404]
    ) { .station($0[0]) },
    Operation(
      "PATCH", "/api/v1/stations/{station}", "changeStation",
      "Changes what the body names; null takes a value away, so that the default counts.",
      by: .administrators, takes: "StationPatch", answers: .json("Station"),
      errors: [400, 404, 409, 503]
    ) { .changeStation($0[0]) },
    Operation(
      "DELETE", "/api/v1/stations/{station}", "removeStation",
      "Ends a station and its listeners, and throws its past away.", by: .administrators,
      answers: .nothing, errors: [404, 409]
    ) { .removeStation($0[0]) },
    Operation(
      "GET", "/api/v1/stations/{station}/history", "getHistory",
      "What was played, newest first; truncated where all that was asked for is more than 1 MiB.",
      [Parameter("limit", Schema.integer(1...1000), "How many titles; 100 unless given.")],
      answers: .json("History"), errors: [400, 404]
    ) { .history($0[0]) },
    Operation(
      "GET", "/api/v1/stations/{station}/files", "listFiles",
      "The files of a station that serves some, in order of their paths; at most 10,000, truncated "
        + "where they take more than 8 MiB. What a station with auth: has, administrators are told only.",
      answers: .json("Files"), errors: [401, 404, 503]
    ) { .files($0[0]) },
    Operation(
      "PUT", "/api/v1/stations/{station}/metadata", "announceTitle",
      "Says what is playing, until the upstream says something new.", by: .administrators,
      takes: "Title", answers: .json("Station"), errors: [400, 404, 409]
    ) { .announce($0[0]) },
    command(.start, "startStation", "Starts a stopped station."),
    command(.stop, "stopStation", "Stops a station; it stays stopped over restarts."),
    command(.restart, "restartStation", "Lets a station connect to its upstream anew."),
  ]

  private static func command(
    _ command: StationCommand, _ name: String, _ summary: String
  ) -> Operation {
    Operation(
      "POST", PathTemplate(stringLiteral: "/api/v1/stations/{station}/\(command.rawValue)"), name,
      summary, by: .administrators, answers: .json("Station"), errors: [404]
    ) { .command(command, $0[0]) }
  }

  private static let listeners: [Operation] = [
    Operation(
      "GET", "/api/v1/listeners", "listListeners", "Who listens, the longest first.",
      by: .administrators, [stationQuery], answers: .json("Listeners"), errors: [404]
    ) { _ in .listeners },
    Operation(
      "GET", "/api/v1/listeners/{listener}", "getListener", "One listener.", by: .administrators,
      answers: .json("Listener"), errors: [404]
    ) { UInt64($0[0]).map { .listener($0) } },
    Operation(
      "DELETE", "/api/v1/listeners/{listener}", "kickListener",
      "Ends a listener between two packets.", by: .administrators, answers: .nothing, errors: [404]
    ) { UInt64($0[0]).map { .kickListener($0) } },
    Operation(
      "POST", "/api/v1/listeners/{listener}/move", "moveListener",
      "Lets a listener go on with another station, on the connection it has.", by: .administrators,
      takes: "Move", answers: .json("Listener"), errors: [400, 404, 409]
    ) { UInt64($0[0]).map { .moveListener($0) } },
    steer(
      .seek, "seekListener", "Moves a listener in time.", takes: "Seek", errors: [400, 404, 409]),
    steer(.pause, "pauseListener", "Lets a listener's place wait.", errors: [404]),
    steer(
      .resume, "resumeListener", "Lets a paused listener go on where it stopped.", errors: [404]),
  ]

  private static func steer(
    _ steering: ListenerSteering, _ name: String, _ summary: String, takes body: String? = nil,
    errors: [Int]
  ) -> Operation {
    Operation(
      "POST", PathTemplate(stringLiteral: "/api/v1/listeners/{listener}/\(steering.rawValue)"),
      name, summary, by: .administrators, takes: body, answers: .json("Listener"), errors: errors
    ) { UInt64($0[0]).map { .steerListener($0, steering) } }
  }

  /// More than four fields and their values no steering has.
  private static let steeringBytesMax = 1024

  private static let sessions: [Operation] = [
    Operation(
      "DELETE", "/api/v1/sessions", "forgetSessions",
      "Forgets the listening sessions that nobody is connected to, those in the store included.",
      by: .administrators, answers: .nothing
    ) { _ in .forgetSessions },
    Operation(
      "GET", "/api/v1/sessions/{token}", "getSession",
      "A listening session: whoever knows its token may see and steer it.",
      answers: .json("Session"), errors: [404, 409, 429]
    ) { SessionToken($0[0]).map { .session($0) } },
    Operation(
      "POST", "/api/v1/sessions/{token}", "steerSession",
      "Pauses a session, moves it in time, or lets it go on; answered when it is done.",
      takes: "Steering", upTo: steeringBytesMax, answers: .json("Session"),
      errors: [400, 404, 409, 413, 429]
    ) { SessionToken($0[0]).map { .steerSession($0) } },
  ]

  private static let figures: [Operation] = [
    Operation(
      "GET", "/api/v1/stats", "getStats", "The server's own figures.", answers: .json("Stats")
    ) { _ in .stats },
    Operation(
      "GET", "/api/v1/openapi.json", "getDescription", "This description.",
      answers: .json("Description")
    ) { _ in .description },
    Operation(
      "POST", "/api/v1/config/reload", "reload",
      "Reads the configuration again; a bad one changes nothing.", by: .administrators,
      answers: .json("Reload"), errors: [400, 409, 503]
    ) { _ in .reload },
    Operation(
      "GET", "/events", "watchEvents",
      "What happens, as server-sent events without end; the data of each is an Event.",
      [
        stationQuery,
        Parameter("kinds", "Only these kinds, with commas between them."),
        Parameter("Last-Event-ID", in: .header, "The last id seen: what came since is told first."),
      ], answers: .text("text/event-stream"), errors: [400, 404]
    ) { _ in .events },
    Operation(
      "GET", "/metrics", "getMetrics", "All figures, as Prometheus reads them.",
      answers: .text("text/plain")
    ) { _ in .metrics },
    Operation(
      "GET", "/healthz", "isHealthy", "Whether the server answers.", answers: .text("text/plain")
    ) { _ in .healthy },
    Operation(
      "GET", "/readyz", "isReady", "Whether stations can be listened to; 503 says why not.",
      answers: .text("text/plain"), or: .text("text/plain", status: 503)
    ) { _ in .ready },
  ]

  private static let stationQuery = Parameter("station", "Only of this station.")
}

extension Operation.Parameter {
  fileprivate init(_ name: String, in place: Place = .query, _ summary: String) {
    self.init(name, in: place, Schema.text, summary)
  }
}
