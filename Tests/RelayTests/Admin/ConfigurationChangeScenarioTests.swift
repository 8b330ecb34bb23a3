import Glibc
import Longwave
import TestSupport
import Testing

/// What a reload would do, asked before it is done.
@Suite struct ConfigurationChangeScenarioTests {
  private struct Setup {
    let server: LongwaveProcess
    let data: TemporaryDirectory
    let upstream: FakeUpstream

    var file: String { data.path + "/longwave.yml" }

    func write(_ yaml: String) { data.write("longwave.yml", Array(yaml.utf8)) }

    func changes() async throws -> JSON {
      try await server.api.json("/api/v1/config/changes")
    }

    func yaml(_ stations: [String], token: String = Scenario.token) -> String {
      "admin:\n  token: \(token)\nstations:\n"
        + stations.map { "  - id: \($0)\n    upstream: \(upstream.url("/\($0)", user: "me:pw"))\n" }
        .joined()
    }
  }

  private func withServer(_ body: (Setup) async throws -> Void) async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    for id in ["jazz", "rock", "folk"] { upstream.reply("/\(id)", with: .stream()) }
    let data = TemporaryDirectory()
    let yaml =
      "admin:\n  token: \(Scenario.token)\nstations:\n"
      + ["jazz", "rock"].map {
        "  - id: \($0)\n    upstream: \(upstream.url("/\($0)", user: "me:pw"))\n"
      }.joined()
    data.write("longwave.yml", Array(yaml.utf8))
    let server = try await LongwaveProcess(
      ["serve", "--config", data.path + "/longwave.yml"], data: data.path)
    for id in ["jazz", "rock"] { try await server.api.until(id, is: "playing", within: 60) }
    try await body(Setup(server: server, data: data, upstream: upstream))
    server.process.signal(SIGTERM)
    #expect(try await server.process.end() == 0)
  }

  private func lines(_ changes: JSON) -> [String] {
    (changes["lines"]?.items ?? []).compactMap { line in
      line["op"]?.string.flatMap { op in line["text"]?.string.map { op + $0 } }
    }
  }

  @Test func `a reload's changes are told before it is done`() async throws {
    try await withServer { setup in
      let same = try await setup.changes()
      for key in ["added", "changed", "removed", "leftOut", "settings", "needRestart", "problems"]
        + ["lines"]
      {
        #expect(same[key]?.items.isEmpty == true, "\(key)")
      }
      setup.write(
        "server:\n  threads: 1\n" + setup.yaml(["jazz", "folk"], token: "another-token")
          + "    name: Folk\n")
      let changes = try await setup.changes()
      #expect(changes.texts("added") == ["folk"] && changes.texts("removed") == ["rock"])
      #expect(changes.texts("changed").isEmpty)
      #expect(changes.texts("needRestart") == ["server.threads"])
      #expect(changes.texts("settings") == ["admin"] && changes.texts("leftOut").isEmpty)
      #expect(changes["problems"]?.items.isEmpty == true)
      let lines = lines(changes)
      let source = setup.upstream.url("/rock")
      #expect(
        lines == [
          "-stations.rock.id: rock", "-stations.rock.upstream: \(source) •••",
          "+server.threads: 1", "-admin.token: •••", "+admin.token: •••",
          "+stations.folk.id: folk",
          "+stations.folk.upstream: \(setup.upstream.url("/folk")) •••",
          "+stations.folk.name: Folk", "-stations: [jazz, rock]", "+stations: [jazz, folk]",
        ])
      #expect(!changes.text.contains("pw") && !changes.text.contains(Scenario.token))
      // Nothing has been taken over.
      #expect(try await setup.server.api.station("rock")["state"]?.string == "playing")
      #expect(try await setup.changes() == changes)

      let reload = try await HTTPExchange(
        "POST", "/api/v1/config/reload", at: setup.server.address,
        fields: ["Authorization: Bearer \(Scenario.token)"])
      let report = try #require(JSON.parse(reload.body))
      for key in ["added", "changed", "removed", "leftOut", "settings", "needRestart"] {
        #expect(report[key] == changes[key], "\(key)")
      }
    }
  }

  @Test func `mistakes are told by line, with what differs`() async throws {
    try await withServer { setup in
      setup.write(setup.yaml(["jazz", "rock"]) + "    burst: soon\n    colour: red\n")
      let changes = try await setup.changes()
      let problems = changes["problems"]?.items ?? []
      #expect(problems.compactMap { $0["line"]?.integer } == [8, 9])
      #expect(problems.first?["key"]?.string == "stations[1].burst")
      #expect(
        lines(changes) == ["+stations.rock.burst: soon", "+stations.rock.colour: •••"])
      #expect(changes.texts("added").isEmpty && changes.texts("removed").isEmpty)
      setup.write("stations: [\n")
      let broken = try await setup.changes()
      #expect(broken["problems"]?.items.first?["message"]?.string?.contains("not YAML") == true)
      #expect(lines(broken).isEmpty)
    }
  }

  @Test func `a relay without a configuration file has no changes to take over`() async throws {
    try await Scenario.withRelay([]) { relay in
      let fields = ["Authorization: Bearer \(Scenario.token)"]
      let answer = try await relay.get("/api/v1/config/changes", fields: fields)
      #expect(answer.status == 409 && answer.text.contains("no-configuration"))
      #expect(try await relay.get("/api/v1/config/changes").status == 401)
    }
  }

  @Test func `an administrator is told to be one, and whether others can read along`() async throws
  {
    try await Scenario.withRelay([]) { relay in
      let fields = ["Authorization: Bearer \(Scenario.token)"]
      let me = try await relay.get("/api/v1/me", fields: fields)
      let told = try #require(JSON.parse(me.body))
      #expect(me.status == 200 && told["admin"] == .bool(true) && told["secure"] == .bool(true))
      #expect(told["timeZone"]?["name"]?.string?.isEmpty == false)
      #expect(told["version"]?.string == RelayVersion.number)
      let passedOn = try await relay.get(
        "/api/v1/me", fields: fields + ["X-Forwarded-For: 192.0.2.7"])
      #expect(JSON.parse(passedOn.body)?["secure"] == .bool(false))
      #expect(try await relay.get("/api/v1/me").status == 401)
    }
  }

  @Test func `a station of the file says so to administrators`() async throws {
    try await withServer { setup in
      #expect(try await setup.server.api.station("jazz")["isConfigured"] == .bool(true))
      let shown = try await HTTPExchange("GET", "/api/v1/stations/jazz", at: setup.server.address)
      #expect(!shown.text.contains("isConfigured"))
      let added = try await LongwaveProcess.command(
        ["station", "add", "own", setup.upstream.url("/folk")], data: setup.data.path)
      #expect(added.status == 0, "\(added.log)")
      #expect(try await setup.server.api.station("own")["isConfigured"] == .bool(false))
    }
  }
}
