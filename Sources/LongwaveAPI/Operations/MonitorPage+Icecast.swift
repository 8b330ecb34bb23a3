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
      "icecastStats", "Icecast's figures.", [("", "/admin/stats"), ("File", "/admin/stats.xml")],
      [mount], [404]
    ) { try await $0.monitor.serverFigures() },
    admin("listMounts", "The mounts.", [("", "/admin/listmounts")]) { await $0.monitor.mounts() },
    admin(
      "listClients", "Who listens to a mount.", [("", "/admin/listclients")], [neededMount],
      [400, 404]
    ) { try await $0.monitor.clients() },
    admin(
      "moveClients", "Lets listeners go on with another station.", [("", "/admin/moveclients")],
      hasEffect: true,
      [
        neededMount, .init("destination", "Where to, such as /rock.", isRequired: true),
        .init("id", "Only this listener."),
      ], [400, 404, 409]
    ) { try await $0.monitor.moveClients() },
    admin(
      "killClient", "Ends a listener.", [("", "/admin/killclient")], hasEffect: true,
      [neededMount, .init("id", "Which one.", isRequired: true)], [400, 404]
    ) { try await $0.monitor.killClient() },
    admin(
      "killSource", "Stops a station.", [("", "/admin/killsource")], hasEffect: true,
      [neededMount], [400, 404]
    ) { try await $0.monitor.killSource() },
    admin(
      "setFallback", "Sets what listeners hear while a station has no upstream.",
      [("", "/admin/fallbacks")], hasEffect: true,
      [
        neededMount,
        .init("fallback", "The path of another station, such as /rock.", isRequired: true),
      ], [400, 404, 409]
    ) { try await $0.monitor.setFallback() },
    MonitorPage(
      name: "updateMetadata",
      summary:
        "Icecast's way to say what is playing, with the admin token or a source's password.",
      paths: [("", "/admin/metadata")], audience: .announcers(passInQuery: false),
      hasEffect: true, parameters: [mount] + announcement, answer: .text("text/xml"),
      errors: [400, 404, 409], handler: announce),
    MonitorPage(
      name: "streamList", summary: "The mounts, for a relaying Icecast.",
      paths: [("", "/admin/streamlist"), ("File", "/admin/streamlist.txt")],
      audience: .administrators, answer: .text("text/plain")
    ) { await $0.monitor.streamList() },
  ]

  private static func admin(
    _ name: String, _ summary: String, _ paths: [(suffix: String, path: PathTemplate)],
    hasEffect: Bool = false, _ parameters: [Operation.Parameter] = [], _ errors: [Int] = [],
    _ handler: @escaping Call.Handler
  ) -> MonitorPage {
    MonitorPage(
      name: name, summary: summary, paths: paths, audience: .administrators,
      hasEffect: hasEffect, parameters: parameters, answer: .text("text/xml"), errors: errors,
      handler: handler)
  }
}
