import Longwave

// Icecast's pages.
extension MonitorPage {
  static let icecast: [MonitorPage] = [
    MonitorPage(
      name: "icecastStatus", summary: "Icecast's status, as its version 2.4.",
      paths: [("", "/status-json.xsl")], parameters: [mount], answer: .json("IcecastStatus"),
      errors: [404]
    ) { try await $0.monitor.status() },
    MonitorPage(
      name: "icecastPage", summary: "Icecast's status for people.", paths: [("", "/status.xsl")],
      parameters: [mount], answer: .text("text/html"), errors: [404]
    ) { try await $0.monitor.statusPage() },
    admin(
      "icecastStats", "Icecast's figures; a source's password is enough for its own mount's.",
      [("", "/admin/stats"), ("File", "/admin/stats.xml"), ("Page", "/admin/stats.xsl")],
      by: .owners, [mount], [404]
    ) { try await $0.monitor.serverFigures() },
    admin(
      "listMounts", "The mounts.", [("", "/admin/listmounts"), ("Page", "/admin/listmounts.xsl")]
    ) { await $0.monitor.mounts() },
    admin(
      "listClients", "The listeners of a mount; a source's password is enough for its own.",
      [("", "/admin/listclients"), ("Page", "/admin/listclients.xsl")], by: .owners,
      [neededMount], [400, 404]
    ) { try await $0.monitor.clients() },
    admin(
      "moveClients", "Lets listeners go on with another station.",
      [("", "/admin/moveclients"), ("Page", "/admin/moveclients.xsl")],
      hasEffect: true,
      [
        neededMount, .init("destination", "Where to, such as /rock.", isRequired: true),
        .init("id", "Only this listener."),
      ], [400, 404, 409]
    ) { try await $0.monitor.moveClients() },
    admin(
      "killClient", "Ends a listener.",
      [("", "/admin/killclient"), ("Page", "/admin/killclient.xsl")], hasEffect: true,
      [neededMount, .init("id", "Which one.", isRequired: true)], [400, 404]
    ) { try await $0.monitor.killClient() },
    admin(
      "killSource", "Stops a station.",
      [("", "/admin/killsource"), ("Page", "/admin/killsource.xsl")], hasEffect: true,
      [neededMount], [400, 404]
    ) { try await $0.monitor.killSource() },
    admin(
      "setFallback", "Sets what listeners hear while a station has no upstream.",
      [("", "/admin/fallbacks"), ("Page", "/admin/fallbacks.xsl")], hasEffect: true,
      [
        neededMount,
        .init("fallback", "The path of another station, such as /rock.", isRequired: true),
      ], [400, 404, 409]
    ) { try await $0.monitor.setFallback() },
    MonitorPage(
      name: "updateMetadata",
      summary:
        "Icecast's way to set a title, with the admin token or a source's password.",
      paths: [("", "/admin/metadata"), ("Page", "/admin/metadata.xsl")],
      audience: .announcers(passInQuery: false),
      hasEffect: true, parameters: [mount] + announcement, answer: xmlOrPage,
      errors: [400, 404, 409], handler: announce),
    MonitorPage(
      name: "titleForm", summary: "A form for a mount's title.",
      paths: [("", "/admin/updatemetadata.xsl")], audience: .owners, parameters: [neededMount],
      answer: .text("text/html"), errors: [400, 404]
    ) { try await $0.monitor.titleForm() },
    MonitorPage(
      name: "streamList", summary: "The mounts, for a relaying Icecast.",
      paths: [("", "/admin/streamlist"), ("File", "/admin/streamlist.txt")],
      audience: .administrators, answer: .text("text/plain")
    ) { await $0.monitor.streamList() },
  ]

  private static func admin(
    _ name: String, _ summary: String, _ paths: [(suffix: String, path: PathTemplate)],
    by audience: Terms.Audience = .administrators, hasEffect: Bool = false,
    _ parameters: [Operation.Parameter] = [],
    _ errors: [Int] = [], _ handler: @escaping Call.Handler
  ) -> MonitorPage {
    MonitorPage(
      name: name, summary: summary, paths: paths, audience: audience, hasEffect: hasEffect,
      parameters: parameters, answer: xmlOrPage, errors: errors, handler: handler)
  }

  /// XML for scripts; where the path ends in `.xsl`, a page for people.
  private static let xmlOrPage = Operation.Answer(
    status: 200, content: [("text/xml", Schema.text), ("text/html", Schema.text)])
}
