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
  ])
  func `a rule says what of a value is secret`(secrecy: Secrecy, text: String, shown: String) {
    #expect(secrecy.shown(text, isValid: true) == shown)
    if secrecy == .inURL { #expect(secrecy.shown(text, isValid: false) == "•••") }
  }
}

/// No secret of a configuration is told, wherever it stands and however it is written.
@Suite struct ConfigurationSecretTests {
  private static let secret = "hunter2-Hunter2"

  /// Sections of a file with `SECRET` at each place that may hold one.
  private static let places = [
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
    station("upstream: 'push:'\n    source-password: SECRET"), station("source-password: [SECRET]"),
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
    guard let root = try? YAMLDocument.root(of: yaml, file: "") else { return yaml }
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
        if (try? YAMLDocument.root(of: text, file: "")) != nil {
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
        #expect(changes.json["problems"] != .array([]))
      }
    }
  }
}
