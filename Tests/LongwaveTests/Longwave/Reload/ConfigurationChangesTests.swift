import Testing

@testable import Longwave
@testable import Settings

@Suite struct ConfigurationChangesTests {
  private func lines(_ old: String, _ new: String) -> [String] {
    var changes = ConfigurationChanges()
    changes.compare(old, new)
    return changes.lines.map { "\($0.number)\($0.operation) \($0.text)" }
  }

  @Test(arguments: [
    ("", "", []), ("admin:\n", "admin:\n", []),
    ("server: {threads: 1}", "server:\n  threads: 1 # one\n", []),
    ("server: {threads: '1'}", "server: {threads: \"1\"}", []),
    (
      "server: {threads: 1}", "server: {threads: 2}",
      ["1- server.threads: 1", "1+ server.threads: 2"]
    ),
    ("timeshift:\n  window: 1h", "", ["2- timeshift.window: 1h"]),
    ("timeshift:\n  window:", "", ["2- timeshift.window:"]),
    ("", "log:\n  access: /a", ["2+ log.access: /a"]),
    (
      "web: {embed: [a, b]}", "web: {embed: [b, a]}",
      ["1- web.embed: [a, b]", "1+ web.embed: [b, a]"]
    ),
    (
      "web: {embed: \"a, b\"}", "web: {embed: [\"a, b\"]}",
      ["1- web.embed: a, b", "1+ web.embed: [a, b]"]
    ),
    (
      "stations:\n- id: a\n  of: b", "stations:\n- id: a\n  of: c",
      ["3- stations.a.of: b", "3+ stations.a.of: c"]
    ),
    (
      "stations: [{id: a}, {id: b}]", "stations: [{id: b}, {id: a}]",
      ["1- stations: [a, b]", "1+ stations: [b, a]"]
    ),
    (
      "stations: [{id: a, silence: {for: 5s}}]", "stations: [{id: a, silence: {for: 6s}}]",
      ["1- stations.a.silence.for: 5s", "1+ stations.a.silence.for: 6s"]
    ),
    (
      "stations: [{id: a, record: {from: '18:00'}}]",
      "stations: [{id: a, record: [{from: '19:00'}]}]",
      ["1- stations.a.record.from: 18:00", "1+ stations.a.record[0].from: 19:00"]
    ),
    (
      "webhooks: [{url: http://a/}]", "webhooks: [{url: http://b/}]",
      ["1- webhooks[0].url: http://a/", "1+ webhooks[0].url: http://b/"]
    ),
    (
      "stations:\n- id: a\n  upstream:\n  - push:\n  - http://a/",
      "stations:\n- id: a\n  upstream: 'push:'\n",
      ["3- stations.a.upstream: [push:, http://a/]", "3+ stations.a.upstream: push:"]
    ),
    (
      "server: {colour: red}", "server: {colour: blue}",
      ["1- server.colour: •••", "1+ server.colour: •••"]
    ),
    // Ids may look like paths.
    (
      "stations: [{id: a, metadata: {artwork: x}}, {id: a.metadata, artwork: x}]",
      "stations: [{id: a, metadata: {artwork: y}}, {id: a.metadata, artwork: x}]",
      ["1- stations.a.metadata.artwork: x", "1+ stations.a.metadata.artwork: y"]
    ),
    ("stations: [{id: a.b, of: c}]", "stations: [{id: a.b}]", ["1- stations[a.b].of: c"]),
    ("stations: [{id: A B, of: c}]", "stations: [{id: A B}]", ["1- stations[0].of: c"]),
    // Short arguments of a program are no secrets elsewhere.
    (
      "stations: [{id: a, window: 4h, command: [play, 4h]}]",
      "stations: [{id: a, window: 5h, command: [play, 4h]}]",
      ["1- stations.a.window: 4h", "1+ stations.a.window: 5h"]
    ),
    ("admin: {token: ''}", "admin: {token: ''}\nweb: {title: ''}", ["2+ web.title: "]),
    ("listeners: {brust: 4s}", "", ["1- listeners.brust: •••"]),
    // What is no YAML has no keys.
    ("server: {threads: 1}", "server: [", []),
  ])
  func `a key that differs is told with both values`(old: String, new: String, told: [String]) {
    #expect(lines(old, new) == told)
  }

  @Test(arguments: [
    (Secrecy.none, "hunter2", "hunter2"), (.none, "See http://a.b/", "See http://a.b/"),
    (.none, "See http://a@b/", "•••"), (.whole, "hunter2", "•••"), (.whole, "", "•••"),
    (.inURL, "http://a.b/c", "http://a.b/c"), (.inURL, "push:", "push:"),
    (.inURL, "http://u:hunter2@a.b/c", "http://a.b/c •••"),
    (.inURL, "http://hunter2@a.b/c", "http://a.b/c •••"),
    (.inURL, "http://a.b/c?token=hunter2", "http://a.b/c •••"),
    (.inURL, "http://a.b/c#hunter2", "http://a.b/c •••"),
    (.inURL, "http://u:1/hunter2@a.b/c", "•••"), (.inURL, "http://u:hunter2/x@a.b/c", "•••"),
    (.besidePath, "/etc/jazz.htpasswd", "/etc/jazz.htpasswd"),
    (.besidePath, "me:$2y$05$abcdefgh", "•••"), (.besidePath, "/Zm9vYmFyCg==", "•••"),
    (.besidePath, "", "•••"), (.besidePath, "/a/.b", "•••"),
    (.besidePath, "/etc/longwave/.users", "/etc/longwave/.users"),
    (.besidePath, "/etc/a b.pem", "•••"), (.besidePath, "/etc/MIIE+/x==", "•••"),
    (.none, "studio@jazz.example", "studio@jazz.example"), (.none, "//me:hunter2@h/s", "•••"),
    (.none, "http:/me:hunter2@h/s", "•••"), (.none, "http://h/s;hunter2", "•••"),
    (.none, "/srv/jazz@home/x.mp3", "/srv/jazz@home/x.mp3"),
    (.none, "-----BEGIN PRIVATE KEY----- hunter2", "•••"),
    (.inURL, "http://h:8000/;stream.mp3", "http://h:8000/;stream.mp3"),
    (.inURL, "http://h/s;hunter2", "http://h/s •••"),
    (.inURL, "http://h/s|hunter2", "http://h/s •••"),
    (.inURL, "http://h/s%3Fhunter2", "http://h/s •••"),
    (.inURL, "http://h/s？hunter2", "http://h/s •••"),
    (.behindHost, "http://h/", "http://h/"),
    (.behindHost, "https://h:1/hunter2", "https://h:1 •••"),
    (.behindHost, "https://me:hunter2@h", "https://h •••"),
    (.inURL, "http://h/" + String(repeating: "x", count: 9000), "•••"),
  ])
  func `a rule says what of a value is secret`(secrecy: Secrecy, text: String, shown: String) {
    #expect(secrecy.shown(text, isValid: true) == shown)
    if [.inURL, .behindHost].contains(secrecy) {
      #expect(secrecy.shown(text, isValid: false) == "•••")
    }
  }
}

/// No secret of a configuration is told, wherever it stands and however it is written.
@Suite struct ConfigurationSecretTests {
  private static let secret = "hunter2-Hunter2"

  /// Sections of a file with `SECRET` at each place that may hold one.
  private static let places =
    [
      "admin:\n  token: SECRET", "admin: SECRET", "admin: [SECRET]", "admin:\n  tokn: SECRET",
      "admin:\ntoken: SECRET", "SECRET", "- SECRET",
      "server:\n  public-url: http://me:SECRET@a.b/", "server:\n  tls: SECRET",
      "server:\n  tls:\n    key: SECRET", "server:\n  tls:\n    certificate: SECRET",
      "server:\n  tls:\n    certificates:\n      - key: SECRET",
      "server:\n  tls:\n    certificates:\n      - certificate: SECRET",
      "server:\n  tls:\n    key: |\n      -----BEGIN PRIVATE KEY-----\n      SECRET\n      -----END PRIVATE KEY-----",
      "upstream:\n  proxy: socks5h://me:SECRET@h:1", "upstream:\n  proxy: me:SECRET@h:1",
      "upstream:\n  request-headers: \"Authorization: SECRET\"",
      "upstream:\n  request-headers:\n    - \"Cookie: SECRET\"",
      "upstream:\n  request-headers:\n    Authorization: SECRET",
      "webhooks:\n  - url: http://a.b/\n    secret: SECRET",
      "webhooks:\n  - url: http://me:SECRET@a.b/", "webhooks:\n  - url: http://a.b/?key=SECRET",
      "webhooks:\n  url: http://a.b/?key=SECRET", "webhooks: SECRET", "webhooks:\n  - SECRET",
      station("upstream: http://me:SECRET@a.b/c"), station("upstream: http://a.b/c?token=SECRET"),
      station("upstream: http://me:SECRET/x@a.b/c"), station("upstream: httpx://me:SECRET@a.b/c"),
      station("upstream: \"http://a.b/c|Authorization=SECRET\""),
      station("upstream: me:SECRET@a.b/c"),
      station("upstream:\n      - http://a.b/\n      - http://SECRET@a.b/"),
      station("upstream:\n      - url: http://a.b/\n        password: SECRET"),
      station("upstream: 'push:'\n    source-password: SECRET"),
      station("source-password: [SECRET]"),
      station("source-pasword: SECRET"), station("proxy: http://me:SECRET@h:1"),
      station("request-headers: [\"X-Key: SECRET\"]"), station("request-headers: SECRET"),
      station("command: [ffmpeg, -headers, SECRET]"), station("command: SECRET"),
      station("auth: SECRET"), station("auth: [SECRET]"), station("auth:\n      tokens: SECRET"),
      station("auth:\n      tokens:\n        - SECRET"),
      station("auth:\n      tokens:\n        SECRET: 1"),
      station("auth:\n      htpasswd: me:SECRET"),
      station("auth:\n      listener-add: http://me:SECRET@a.b/"),
      station("auth:\n      listener-remove: http://a.b/?pw=SECRET"),
      station("auth:\n      token: SECRET"),
      station("metadata: http://me:SECRET@a.b/"),
      station("metadata:\n      url: http://a.b/?x=SECRET"),
      station("homepage: http://me:SECRET@a.b/"), station("artwork: http://a.b/?x=SECRET"),
      station("encode: SECRET"), station("silence: SECRET"),
      station("name: &pass SECRET\n    source-password: *pass"),
      station("genre: [SECRET]\n    source-password: SECRET"),
      station("fallback: http://me:SECRET@a.b/"), station("files: http://a.b/?x=SECRET"),
      station("of: http://me:SECRET@a.b/"), station("mounts: http://me:SECRET@a.b/"),
      station("description: Hear http://me:SECRET@a.b/"),
      station("fallback: 'http://me:\"SECRET@a.b/'"),
      "web:\n  embed: http://me:SECRET@a.b/",
      "stations: SECRET", "stations:\n  - SECRET", "stations:\n  jazz: SECRET",
    ] + keyFiles + serviceURLs + badURLs.flatMap { url in urlKeys.map { "\($0)\(url)" } }
    + wrongPlaces + keys
    + aliases

  /// A key, or the hash of a password, in place of the file that holds it.
  private static let keyFiles = [
    "server:\n  tls:\n    certificate: /c.pem\n    key: SECRET",
    "server:\n  tls:\n    certificate: /c.pem\n    key: >-\n      -----BEGIN PRIVATE KEY-----\n      SECRET",
    "server:\n  tls:\n    certificate: /c.pem\n    key: -----BEGIN PRIVATE KEY----- SECRET",
    "server:\n  tls:\n    certificate: /c.pem\n    key: MIIEvSECRET",
    "server:\n  tls:\n    certificate: SECRET\n    key: /k.pem",
    "server:\n  tls:\n    certificate: /c.pem\n    key: https://me:SECRET@vault/key.pem?token=SECRET",
    "server:\n  tls:\n    certificates:\n      - certificate: /c.pem\n        key: SECRET",
    "upstream:\n  ca-file: >-\n    -----BEGIN PRIVATE KEY-----\n    SECRET",
    "upstream:\n  ca-file: SECRET", station("auth:\n      htpasswd: 'me:$2y$05$SECRET'"),
  ]

  private static let urlKeys = [
    station("upstream: "), station("homepage: "), "webhooks:\n  - url: ", "server:\n  public-url: ",
    station("metadata: "), station("proxy: "),
  ]

  /// URLs of web services, whose paths are secrets.
  private static let serviceURLs = [
    "hooks.example/services/SECRET", "https://hooks.example:99999/services/SECRET",
    "ftp://hooks.example/services/SECRET", "https://hooks.example/services/SECRET x",
  ].map { "webhooks:\n  - url: \($0)" }

  /// URLs as people write them wrong.
  private static let badURLs = [
    "http:/me:SECRET@h/s", "'http: //me:SECRET@h/s'", "http;//me:SECRET@h/s", "http//me:SECRET@h/s",
    "curl -u me:SECRET http://h/s", "push:SECRET", "user:SECRET", "me:SECRET.example/x.mp3",
    "h.example:8000;SECRET", "rtmp://h/live/SECRET", "http:///me:SECRET@h/s",
    "<http://me:SECRET@h/s>",
    "url http://me:SECRET@h/s", "\"http://h/s\\nSECRET\"", "http://h/s http://me:SECRET@h/s",
    "http://h/s;SECRET", "http://h/s|SECRET", "http://h/s%3fSECRET", "http://h/s%40SECRET",
    "http://h/s？SECRET", "http://h:99999/s?SECRET", "http://SECRET/x@h/s?",
    "http://h/SECRET" + String(repeating: "x", count: 4100), "//me:SECRET@h/s",
    "ftp://me:SECRET@h/s",
    "h.example/s;SECRET", "h.example/s?SECRET",
  ]

  /// URLs where none is meant.
  private static let wrongPlaces =
    ["http://me:SECRET@h/s?token=SECRET", "//me:SECRET@h/s", "http:/me:SECRET@h/s"].flatMap { url in
      [
        "timeshift:\n  window: ", "timeshift:\n  disk-limit: ", "server:\n  shoutcast-listen: ",
        "server:\n  listen: ", "server:\n  data: ", "server:\n  paths: ", "server:\n  allow: ",
        "server:\n  deny-agents: ", "server:\n  time-zone: ", "server:\n  threads: ",
        "server:\n  tls:\n    acme-webroot: ", "server:\n  tls:\n    only: ",
        "server:\n  tls:\n    kernel: ", "recordings:\n  folder: ", "log:\n  access: ",
        "log:\n  format: ", "metrics:\n  allow: ", "metrics:\n  allow:\n    - ",
        "admin:\n  socket-group: ",
        "web:\n  title: ", "web:\n  enabled: ", station("id: "), station("of: "),
        station("mounts: "),
        station("files: "), station("fallback: "), station("fallback: station:"),
        station("fallback: file:"), station("metadata-encoding: "),
        station("metadata-candidates: "), station("record: "), station("record:\n      - "),
        station("record:\n      days: "), station("record:\n      name: "),
        station("record:\n      from: "), station("renditions: "), station("renditions:\n      - "),
        station("renditions:\n      - id: "), station("encode:\n      bitrate: "),
        station("encode:\n      samplerate: "), station("silence:\n      level: "),
        station("title-pattern: "), station("title-pattern: \"{title} - "), station("type: "),
        station("metadata:\n      title: "), station("metadata:\n      mount: "),
        "webhooks:\n  - kinds: ", "webhooks:\n  - stations: ", "stations:\n  - id: ",
      ].map { "\($0)\(url)" + ($0.contains("{title}") ? "\"" : "") }
    } + ["webhooks:\n  - url: https://hooks.example/services/SECRET"]

  /// Secrets where a key is meant.
  private static let keys = [
    "SECRET: x", "server:\n  SECRET: x", "server:\n  tls:\n    SECRET: x", "stations:\n  SECRET:",
    station("SECRET: x"), station("auth:\n      SECRET: x"), station("metadata:\n      SECRET: x"),
    station("auth:\n      tokens:\n        SECRET: 1\n        SECRET: 2"),
    "webhooks:\n  - SECRET: x",
    "admin:\n  SECRET:\n  SECRET:", "stations:\n  - SECRET: x", "SECRET: 1\nSECRET: 2",
    "server:\n  \"\\e[2J SECRET\": x",
  ]

  /// A secret's text in another place too.
  private static let aliases = [
    "admin:\n  token: &t SECRET\ntimeshift:\n  window: *t",
    "admin:\n  tokn: &t SECRET\nweb:\n  title: *t",
    "admin:\n  token: &t SECRET\nserver:\n  listen: [*t]",
    "admin:\n  token: &t SECRET\nstations:\n  - id: jazz\n    type: *t",
    "admin:\n  token: &t SECRET\nstations:\n  - id: jazz\n    record: *t",
    "admin:\n  token: &t SECRET\nstations:\n  - id: jazz\n    metadata-encoding: *t",
    "admin:\n  token: &t SECRET\nstations:\n  - id: jazz\n    mounts: *t",
    "admin:\n  token: &t SECRET\nstations:\n  - id: jazz\n    fallback: *t",
  ]

  private static func station(_ lines: String) -> String {
    "stations:\n  - id: jazz\n    \(lines)"
  }

  /// Ways to write a secret.
  private static let manners: [@Sendable (String) -> String] = [
    { $0.replacing("SECRET", with: secret) },
    { $0.replacing("SECRET", with: "other-\(secret)") },
    // Quoted: all of a value that has the secret in it.
    { quoted($0, "'") }, { quoted($0, "\"") },
    // On several lines.
    { $0.replacing("SECRET", with: secret + " x\n          " + secret) },
    { block($0, "|") }, { block($0, ">") },
    // Between braces.
    { flow($0) },
  ]

  private static func quoted(_ text: String, _ quote: String) -> String {
    value(text) { $0.contains("\"") || "&*[|".contains($0.first ?? " ") ? $0 : quote + $0 + quote }
  }

  private static func block(_ text: String, _ sign: String) -> String {
    value(text) {
      $0.contains("\"") || "&*[|".contains($0.first ?? " ") ? $0 : "\(sign)\n            \($0)"
    }
  }

  /// Writes the values that hold a secret in another way.
  private static func value(_ text: String, _ write: (String) -> String) -> String {
    text.split(separator: "\n").map { line in
      guard line.contains("SECRET"), let colon = line.firstRange(of: ": ") else {
        return String(line)
      }
      return line[..<colon.upperBound] + write(String(line[colon.upperBound...]))
    }.joined(separator: "\n").replacing("SECRET", with: secret)
  }

  /// Writes a section as JSON, which YAML reads too.
  private static func flow(_ text: String) -> String {
    let yaml = text.replacing("SECRET", with: secret)
    guard let root = try? YAMLDocument.root(of: yaml, file: "", known: []) else { return yaml }
    return json(root)
  }

  private static func json(_ node: SettingNode) -> String {
    switch node.content {
    case .nothing: "null"
    case .text(let text): JSON.string(text).text
    case .list(let items): "[\(items.map(json).joined(separator: ", "))]"
    case .fields(let fields):
      "{\(fields.map { "\(JSON.string($0.key).text): \(json($0.node))" }.joined(separator: ", "))}"
    }
  }

  @Test(arguments: places)
  func `a secret is told neither as old value nor as new one, nor in a problem`(place: String) {
    for manner in Self.manners {
      let text = manner(place)
      for (old, new) in [
        ("", text), (text, ""), (place.replacing("SECRET", with: "x-y-z-1"), text),
      ] {
        var changes = ConfigurationChanges()
        changes.compare(old, new)
        if (try? YAMLDocument.root(of: text, file: "", known: [])) != nil {
          #expect(!changes.lines.isEmpty, "\(text)")
        }
        #expect(!changes.json.text.contains("unter2"), "\(text)\n\(changes.json.text)")
      }
      do throws(ConfigurationError) {
        _ = try Configuration.parse(yaml: text, file: "c.yml")
      } catch {
        var changes = ConfigurationChanges()
        changes.problems = error.problems
        let told = changes.json.text
        #expect(!told.contains("unter2"), "\(text)\n\(told)")
        // A reload tells them as text, and `config check` does.
        #expect(!"\(error)".contains("unter2"), "\(text)\n\(error)")
        #expect(error.problems.allSatisfy { $0.line > 0 || "\($0)".contains("YAML") }, "\(error)")
        #expect(changes.json["problems"] != .array([]))
      }
    }
  }
}
