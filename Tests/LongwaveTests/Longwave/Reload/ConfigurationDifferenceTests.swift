import Testing

@testable import Longwave
@testable import Settings

@Suite struct ConfigurationDifferenceTests {
  @Test func `a new group of the socket waits for the next start`() {
    let old = Configuration()
    var new = old
    new.admin.socketGroup = "radio"
    #expect(old.sections(differingIn: new).isEmpty)
    #expect(old.keysForNextStart(new) == ["admin.socket-group"])
    new.admin.token = "another-token"
    #expect(old.sections(differingIn: new) == ["admin"])
  }

  /// A picture that is there: it is read with the configuration.
  private static let picture =
    #filePath.split(separator: "/").dropLast(5).reduce("") { "\($0)/\($1)" }
    + "/Sources/Web/shared/icon-192.png"

  /// A value of each global key that is not its default.
  private static let changes: [(section: String, lines: [String])] = [
    (
      "server",
      [
        "listen: 127.0.0.1:1", "shoutcast-listen: 127.0.0.1:2", "data: /d", "threads: 3",
        "max-listeners: 4", "max-connections: 5", "max-connections-per-address: 6",
        "max-watchers: 7", "max-watchers-per-address: 8", "public-url: http://a/",
        "tls: {acme-webroot: /w}", "allow: 10.0.0.0/8", "deny: 10.0.0.0/9", "deny-agents: Bad*",
        "trusted-proxies: 10.1.0.0/16", "trusted-proxies: 10.1.0.0/16\n  proxy-protocol: true",
        "time-zone: +02:00", "paths: /p",
      ]
    ),
    ("timeshift", ["window: 1h", "disk-limit: 30GB", "disk-reserve: 9m"]),
    (
      "library",
      [
        "roots: [{id: a, path: /a}]", "rescan: 2h", "watch: false", "missing: 5d", "measure: never",
      ]
    ),
    ("cache", ["renditions: 1GB", "keep-free: 2GB"]),
    ("recordings", ["folder: /r", "disk-limit: 30GB", "keep: 5d", "keep-count: 7"]),
    (
      "listeners",
      [
        "burst: 5s", "behind: drop", "max-lag: 20s", "pause-timeout: 10s", "metaint: 8000",
        "max-per-address: 3", "max-starts-per-address: 4", "max-listening-time: 1h",
        "paused: hold", "session-timeout: 1h", "max-sessions: 5", "shift: false",
        "offset-max: 1h", "clip: false", "hls: {segment: 4}",
        "hls-secret: 0123456789abcdef", "clip-speed: 3",
        "max-clips-per-address: 2",
      ]
    ),
    (
      "upstream",
      [
        "user-agent: a", "connect-timeout: 9s", "data-timeout: 8s", "prebuffer: 7s", "icy: false",
        "request-headers: \"A: b\"", "proxy: http://a:1", "verify-tls: false", "ca-file: /c",
        "allow-private: true", "metadata-encoding: iso-8859-2",
        "metadata-encoding: detect\n  metadata-candidates: [iso-8859-2, iso-8859-5]",
      ]
    ),
    ("log", ["format: json", "access: /a", "playlist: /p", "anonymise: true"]),
    ("admin", ["token: another-token", "socket-group: radio"]),
    (
      "web",
      [
        "enabled: false", "title: Radio", "admin: false", "embed: https://a.org",
        "logo: \(picture)",
        "icon: \(picture)", "colour: \"#c0392b\"", "links: [{name: Imprint, url: /imprint}]",
        "footer: Oslo",
      ]
    ),
    ("metrics", ["allow: 10.0.0.0/8"]),
  ]

  @Test func `a new value of any global key is told, now or for the next start`() throws {
    let old = Configuration()
    for (section, rows) in GlobalKeys.sections {
      let lines = Self.changes.first { $0.section == section }?.lines ?? []
      for row in rows {
        let line = try #require(
          lines.first { $0.contains("\(row.name):") }, "\(section).\(row.name)")
        let new = try Configuration.parse(yaml: "\(section):\n  \(line)\n", file: "c.yml")
        let (now, later) = (old.sections(differingIn: new), old.keysForNextStart(new))
        let isLater = row.takesEffect == .start
        #expect(now == (isLater ? [] : [section]), "\(line)")
        #expect(later == (isLater ? ["\(section).\(row.name)"] : []), "\(line)")
        #expect(new.sections(differingIn: new).isEmpty && new.keysForNextStart(new).isEmpty)
      }
    }
  }

  @Test func `a default that is written is no difference`() throws {
    let new = try Configuration.parse(
      yaml: "server: {max-listeners: 100000, threads: 0}\nlisteners: {shift: true}\n", file: "c.yml"
    )
    #expect(Configuration().sections(differingIn: new).isEmpty && new.server.isListenersMaxWritten)
  }

  @Test func `the event of a reload has every list of its report`() {
    let report = ReloadReport(
      added: ["a"], changed: ["b"], removed: ["c"], leftOut: ["d"], settings: ["web"],
      needRestart: ["server.listen"])
    let unlisted = UnlistedStations()
    let told = report.event(without: unlisted).json(identified: false)
    #expect(told["kind"] == "config-reloaded")
    #expect(ReloadReport(told) == report)
    // Everybody may read it.
    for id in ["a", "c"] { unlisted.note(id, isListed: false) }
    let lessTold = report.event(without: unlisted).json(identified: false)
    #expect(lessTold["added"] == .array([]) && lessTold["removed"] == .array([]))
    #expect(lessTold["changed"] == told["changed"])
  }
}
