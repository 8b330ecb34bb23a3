import Foundation
import Glibc
import Longwave
import Reactor
import TestSupport
import Testing

/// Holds the program to its table of mistakes.
@Suite struct MistakeTableTests {
  private let folder = TemporaryDirectory()
  private let data = TemporaryDirectory()
  private let free = TemporaryDirectory()

  @Test func `a mistake is answered with what is wrong, on what, and what to do`() async throws {
    let yaml = """
      admin: {token: scenario-token}
      recordings: {disk-limit: 10MB}
      stations:
        - {id: jazz, upstream: "http://127.0.0.1:1/jazz"}
        - {id: rock, upstream: "http://127.0.0.1:1/rock"}
      """
    data.write("longwave.yml", Array(yaml.utf8))
    let server = try await LongwaveProcess(
      ["serve", "--config", data.path + "/longwave.yml"], data: data.path)
    let away = try FakeUpstream(.numbered(before: 100))
    defer { away.stop() }
    let other = try #require(away.url("").split(separator: "/").last)
    away.reply("/api/v1/stations", with: .redirect(301, to: "https://\(other)/api/v1/stations"))
    let places = [
      "{folder}": folder.path, "{data}": data.path, "{free}": free.path,
      "{at}": server.address.description, "{away}": String(other),
    ]
    #expect(Mistake.all.count >= 65)
    for mistake in Mistake.all {
      let arguments = mistake.arguments.map { Self.filled($0, places) }
      let said = try await LongwaveProcess.command(
        arguments, data: mistake.isAsking ? data.path : nil)
      let help =
        mistake.help.map { " (see longwave \($0.isEmpty ? "" : $0 + " ")--help)\n" } ?? "\n"
      let wanted = "longwave: " + Self.filled(mistake.message, places) + help
      #expect(said.status == mistake.status && said.output.isEmpty, "\(arguments): \(said.log)")
      #expect(Self.fits(said.log, wanted), "\(arguments)\nsaid:   \(said.log)wanted: \(wanted)")
    }
    withExtendedLifetime(server) {}
  }

  /// Configurations, and what `config check` says of each, one mistake a line; `{c}` is the file.
  private static let configurations: [(yaml: String, said: [String])] = [
    ("servr: {}\n", ["{c}:1: servr: unknown key; did you mean server?"]),
    (
      "server: {listen: [\"8000\"]}\n",
      [
        "{c}:1: server.listen: \"8000\" has no host; write 0.0.0.0:8000 for everybody, or "
          + "127.0.0.1:8000 for this machine"
      ]
    ),
    (
      "stations:\n  - {id: a, upstream: [push:]}\n",
      ["{c}:2: is not YAML: found unexpected ':'; inside [ ] write push without its colon"]
    ),
    (
      "stations:\n  - {id: a, upstream: push}\n",
      [
        "{c}:2: stations[0].source-password: is missing; a station with push: among its upstreams "
          + "needs one"
      ]
    ),
    (
      "stations:\n  - {id: a, upstream: \"alsa:default\", encode: {bitrate: 77}}\n",
      ["{c}:2: stations[0].encode.bitrate: is 77; MP3 has 8, …, 320 kbit/s"]
    ),
    (
      "stations:\n  - {id: a, upstream: \"alsa:\", encode: {bitrate: 128}}\n",
      [
        "{c}:2: stations[0].upstream: \"alsa:\" names no sound input; write alsa: and the device, "
          + "such as alsa:default or alsa:hw:1,0 (arecord -L lists them)"
      ]
    ),
    (
      "stations:\n  - {id: a, upstream: \"http://h:99999/x\"}\n",
      [
        "{c}:2: stations[0].upstream: \"http://…/x\" has the port 99999; a port is a number from 1 to "
          + "65535"
      ]
    ),
    (
      "timeshift: {window: 99999h}\n",
      ["{c}:1: timeshift.window: 99999h is out of range; write 0s to 366d"]
    ),
    (
      "stations:\n  - {id: a, upstream: \"http://h/\", auth: {htpasswd: /none/p}}\n",
      [
        "{c}:2: stations.a.auth.htpasswd: /none/p: No such file or directory; make it with htpasswd "
          + "-B, or write where it is"
      ]
    ),
    (
      "stations:\n  - {id: a, files: /none}\n",
      [
        "{c}:2: stations.a.files: /none: No such file or directory; make the folder, or write where "
          + "it is"
      ]
    ),
    (
      "log: {access: /tmp}\n", ["{c}: log.access: /tmp is a folder; name a file in it"]
    ),
    (
      "server: {data: /dev/null, paths: [/none]}\n",
      [
        "{c}: server.data: /dev/null is no folder; name one, which may not exist yet",
        "{c}: server.paths: /none: No such file or directory; make the folder, or write where it is",
      ]
    ),
    (
      "stations:\n  - {id: a, upstream: \"http://h/\", fallback: \"station:rok\"}\n"
        + "  - {id: rock, upstream: \"http://h/\"}\n",
      ["{c}:2: stations.a.fallback: there is no station \"rok\"; did you mean \"rock\"?"]
    ),
    (
      "webhooks:\n  - {url: \"http://h/\", kinds: [statte]}\n",
      ["{c}:2: webhooks[0].kinds: \"statte\" is no kind of events; did you mean state?"]
    ),
  ]

  @Test func `a mistake in a configuration is one line, and nothing that follows from it`()
    async throws
  {
    #expect(Self.configurations.count > 10)
    for (number, (yaml, said)) in Self.configurations.enumerated() {
      folder.write("\(number).yml", Array(yaml.utf8))
      let file = "\(folder.path)/\(number).yml"
      let checked = try await LongwaveProcess.command(["config", "check", file], data: nil)
      let wanted = said.map { "longwave: " + Self.filled($0, ["{c}": file]) + "\n" }.joined()
      #expect(checked.status == 78 && checked.output.isEmpty)
      #expect(Self.fits(checked.log, wanted), "\(yaml)said:   \(checked.log)wanted: \(wanted)")
    }
  }

  @Test func `a setting that may be meant is no mistake, and is told`() async throws {
    let yaml = """
      server: {data: "\(data.path)"}
      webhooks:
        - {url: "http://h/", stations: [jaz]}
      stations:
        - {id: jazz, upstream: "http://127.0.0.1:1/jazz.m3u8"}
      """
    folder.write("c.yml", Array(yaml.utf8))
    let checked = try await LongwaveProcess.command(["config", "check", folder.path + "/c.yml"])
    #expect(checked.status == 0 && checked.log.isEmpty, "\(checked.log)")
    for words in [
      "webhooks[0]  stations: there is no station \"jaz\"; did you mean \"jazz\"? (one that was",
      "/jazz  http://127.0.0.1:1/jazz.m3u8 plays only if it is a list of streams: HLS is not played",
    ] {
      #expect(checked.output.contains(words), "\(checked.output)")
    }
    // Nobody has written how many listeners there may be.
    #expect(!checked.output.contains("are configured"), "\(checked.output)")
  }

  /// Commands of a user who may not use the relay's folder, and what is said.
  private static let strangers: [(arguments: [String], said: String)] = [
    (
      ["station", "list", "--data", "{data}"],
      "the longwave on {data}, if it runs, runs as another user ({data} belongs to root): use sudo, "
        + "or LONGWAVE_DATA or --data for one of your own"
    ),
    (
      ["serve", "--listen", "127.0.0.1:80", "--data", "{free}"],
      "bind 127.0.0.1:80: Permission denied; choose a port from 1024 on (--listen HOST:PORT), or "
        + "allow this one: AmbientCapabilities=CAP_NET_BIND_SERVICE in systemd's unit, or once sudo "
        + "setcap cap_net_bind_service=+ep and the path of longwave"
    ),
  ]

  private static var canBeStranger: Bool {
    let limit = try? String(
      contentsOfFile: "/proc/sys/net/ipv4/ip_unprivileged_port_start", encoding: .utf8)
    return getuid() == 0 && Binary.find("setpriv") != nil && limit == "1024\n"
  }

  @Test(.enabled(if: canBeStranger, "needs root, setpriv and port 80 closed to users"))
  func `a user without a right is told whose it is, and how to get it`() async throws {
    chmod(data.path, 0o700)
    chown(free.path, 65534, 65534)
    let places = ["{data}": data.path, "{free}": free.path]
    for (arguments, said) in Self.strangers {
      let refused = try await ChildProcess.run(
        ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", Binary.longwave]
          + arguments.map { Self.filled($0, places) })
      #expect(refused.status == 1)
      #expect(refused.log == "longwave: \(Self.filled(said, places))\n", "\(refused.log)")
    }
  }

  private static func filled(_ text: String, _ places: [String: String]) -> String {
    places.reduce(text) { $0.replacingOccurrences(of: $1.key, with: $1.value) }
  }

  /// Whether a text is the wanted one, where `…` is any text.
  private static func fits(_ text: String, _ wanted: String) -> Bool {
    let parts = wanted.components(separatedBy: "…")
    guard text.hasPrefix(parts[0]), text.hasSuffix(parts[parts.count - 1]) else { return false }
    if parts.count == 1 { return text == wanted }
    var rest = text[...]
    for part in parts where !part.isEmpty {
      guard let range = rest.range(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    return true
  }
}
