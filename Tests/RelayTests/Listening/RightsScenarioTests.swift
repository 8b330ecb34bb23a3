import Glibc
import Logging
import Longwave
import LongwaveAPI
import Reactor
import TestSupport
import Testing

/// Rights and paths, as administrators set them over the network and here.
@Suite struct RightsScenarioTests {
  private static let admin = ["Authorization: Bearer \(Scenario.token)"]

  private func ask(
    _ relay: TestRelay, _ method: String, _ path: String, _ body: String = ""
  ) async throws -> HTTPExchange {
    try await HTTPExchange(
      method, "/api/v1/" + path, at: relay.address,
      fields: Self.admin + ["Content-Type: application/json"], body: body)
  }

  @Test func `a station that is not to be recorded is not`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream())
    try await Scenario.withRelay([]) { relay in
      let added = try await ask(
        relay, "POST", "stations",
        "{\"id\":\"jazz\",\"upstream\":\"\(upstream.url("/live"))\",\"record\":false}")
      #expect(added.status == 201, "\(added.text)")
      try await relay.until("jazz", is: "playing")
      #expect(try await relay.station("jazz")["rights"]?["record"] == .bool(false))
      let refused = try await ask(relay, "POST", "recordings", "{\"station\":\"jazz\"}")
      #expect(refused.status == 409 && refused.text.contains("record-off"))
      _ = try await ask(relay, "PATCH", "stations/jazz", "{\"record\":null}")
      let begun = try await ask(relay, "POST", "recordings", "{\"station\":\"jazz\"}")
      #expect(begun.status == 201)
      _ = try await ask(relay, "PATCH", "stations/jazz", "{\"record\":false,\"shift\":false}")
      try await eventually("it has ended") {
        let list = try await ask(relay, "GET", "recordings")
        return JSON.parse(list.body)?["recordings"]?.items.first?["state"]?.string != "recording"
      }
      let rights = try await relay.station("jazz")["rights"]
      #expect(["shift", "clip", "record"].allSatisfy { rights?[$0] == JSON.bool(false) })
      #expect(try await relay.get("/jazz?offset=1").status == 403)
      #expect(try await relay.get("/jazz/clip?from=-5s").status == 403)
    }
  }

  @Test func `files that the configuration does not allow cannot be named over the network`()
    async throws
  {
    let folder = TemporaryDirectory()
    mkdir(folder.path + "/media", 0o755)
    mkdir(folder.path + "/media/shows", 0o755)
    mkdir(folder.path + "/other", 0o755)
    let data = TemporaryDirectory()
    func body(_ id: String, _ path: String) -> String { "{\"id\":\"\(id)\",\"files\":\"\(path)\"}" }
    try await Scenario.withRelay([], data: data) { relay in
      let refused = try await ask(relay, "POST", "stations", body("a", folder.path + "/media"))
      #expect(refused.status == 403 && refused.text.contains("path-not-allowed"))
    }
    try await Scenario.withRelay(
      [], data: data, change: { $0.server.paths = [folder.path + "/media"] }
    ) { relay in
      let allowed = try await ask(
        relay, "POST", "stations", body("a", folder.path + "/media/shows"))
      #expect(allowed.status == 201, "\(allowed.text)")
      let other = try await ask(relay, "POST", "stations", body("b", folder.path + "/other"))
      #expect(other.status == 403)
      let patched = try await ask(
        relay, "PATCH", "stations/a", "{\"files\":\"\(folder.path)/other\"}")
      #expect(patched.status == 403)
      let renamed = try await ask(relay, "PATCH", "stations/a", "{\"name\":\"A\"}")
      #expect(renamed.status == 200)
      var here = StationDefinition(
        id: "c", source: .files(folder.path + "/other", throttleBypass: nil))
      _ = try await relay.relay.add(here)
      here.id = "d"
      here.source = .files(data.path + "/stations", throttleBypass: nil)
      await #expect(throws: RelayError.self) { try await relay.relay.add(here) }
      // What somebody here has named stays, whoever changes the rest.
      let kept = try await ask(relay, "PATCH", "stations/c", "{\"name\":\"C\"}")
      #expect(kept.status == 200, "\(kept.text)")
    }
  }

  @Test func `a folder around the data folder does not show what is in it`() async throws {
    let folder = TemporaryDirectory()
    let data = folder.path + "/data"
    var configuration = Configuration()
    configuration.stations = [
      StationDefinition(id: "all", source: .files(folder.path, throttleBypass: nil))
    ]
    let audio = NumberedFrames.stream(0..<500)
    folder.write("open.mp3", audio)
    var options = RelayOptions(data: data, listen: [.ipv4(0x7F00_0001, port: 0)], interface: .http)
    options.logger = LineLogHandler.logger(level: .critical)
    let relay = try await Relay(configuration: configuration, options: options)
    try await relay.start()
    mkdir(data + "/stations/x", 0o755)
    folder.write("data/stations/x/000.mp3", audio)
    let address = try #require(await relay.addresses.first)
    func get(_ path: String) async throws -> HTTPExchange {
      try await HTTPExchange("GET", path, at: address)
    }
    #expect(try await get("/all/open.mp3").status == 200)
    #expect(try await get("/all/data/stations/x/000.mp3").status == 404)
    let list = try await get("/all.m3u").text
    #expect(list.contains("open.mp3") && !list.contains("000.mp3"))
    await relay.stop()
  }
}
