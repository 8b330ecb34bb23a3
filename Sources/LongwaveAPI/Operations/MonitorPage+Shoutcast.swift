import Longwave

// SHOUTcast's pages.
extension MonitorPage {
  static let shoutcast: [MonitorPage] = [
    MonitorPage(
      name: "seven", summary: "SHOUTcast's seven values.",
      paths: [("", "/7.html"), ("Icecast", "/7.xsl")],
      parameters: [sid, mount], answer: .text("text/html"), errors: [404]
    ) { try await $0.monitor.seven() },
    MonitorPage(
      name: "shoutcastStats", summary: "SHOUTcast's figures of one station.",
      paths: [("", "/stats")], parameters: [sid, json, callback], answer: xmlOrJSON, errors: [400]
    ) { try await $0.monitor.stationFigures() },
    MonitorPage(
      name: "shoutcastStatistics", summary: "SHOUTcast's figures of the server and all stations.",
      paths: [("", "/statistics")], parameters: [json, callback], answer: xmlOrJSON
    ) { await $0.monitor.statistics() },
    MonitorPage(
      name: "currentSong", summary: "The current title, as plain text.",
      paths: [("", "/currentsong")], parameters: [sid], answer: .text("text/plain"), errors: [400]
    ) { try await $0.monitor.currentSong() },
    MonitorPage(
      name: "nextSong", summary: "Always empty: only the station knows.",
      paths: [("", "/nextsong")], parameters: [sid], answer: .text("text/plain"), errors: [400]
    ) { try await $0.monitor.nextSong() },
    MonitorPage(
      name: "played", summary: "The titles played, in SHOUTcast's form.",
      paths: [("", "/played"), ("Page", "/played.html")],
      parameters: [sid, .init("type", "json: as JSON."), callback], answer: xmlOrJSON,
      errors: [400]
    ) { try await $0.monitor.played() },
    MonitorPage(
      name: "adminCGI",
      summary:
        "SHOUTcast's way to set a title, and to ask for a stream's figures and listeners, "
        + "with the admin token or a source's password.",
      paths: [("", "/admin.cgi"), ("Icecast", "/admin/admin.cgi")],
      audience: .announcers(passInQuery: true), hasEffect: true,
      parameters: [.init("pass", "The password, where no Authorization is sent."), sid, mount]
        + announcement(
          .init("mode", ["enum": ["updinfo", "viewxml"]], "The action; updinfo unless given.")),
      answer: .text("text/xml"), errors: [400, 404, 409]
    ) { call in
      guard call.monitor.query["mode"] == "viewxml" else { return try await announce(call) }
      if case .source(let station) = call.right {
        return try await call.monitor.overview(of: station)
      }
      return try await call.monitor.overview(of: nil)
    },
  ]

  private static let json = Operation.Parameter(
    "json", "1: as JSON, or as a call of the function that callback names.")
  private static let callback = Operation.Parameter("callback", "A function's name, for JSONP.")

  /// The JSON is an object or a list, depending on the page.
  private static let xmlOrJSON = Operation.Answer(
    status: 200,
    content: [
      ("text/xml", Schema.text), ("application/json", ["type": ["object", "array"]]),
      ("text/javascript", Schema.text),
    ])
}
