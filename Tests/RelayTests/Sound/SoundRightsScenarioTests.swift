import Foundation
import Longwave
import Reactor
import Server
import TestSupport
import Testing
import Wire

/// What is made of samples is told to those who may hear the station, and to administrators.
@Suite struct SoundRightsScenarioTests {
  private static let admin = ["Authorization: Bearer \(Scenario.token)"]
  private static let token = "token=first-token"

  private func withStations(
    _ change: (inout StationDefinition) -> Void, also more: [StationDefinition] = [],
    _ body: (TestRelay) async throws -> Void
  ) async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 80)))
    var station = StationDefinition(id: "vault", upstream: [upstream.url("/live")])
    change(&station)
    try await Scenario.withRelay([station] + more) { relay in
      try await relay.until("vault", has: 70)
      try await body(relay)
    }
  }

  /// Paths of all that is made of samples of the vault's newest seconds.
  private static let paths = [
    "/api/v1/stations/vault/sound", "/api/v1/stations/vault/waveform?points=9",
    "/events?station=vault&kinds=levels", "/api/v1/events?station=vault&kinds=state,spectrum",
    "/events?station=vault&kinds=sound",
  ]

  private func status(
    _ relay: TestRelay, _ path: String, _ fields: [String] = []
  ) async throws -> Int {
    // Events have no end; a head says as much.
    let method = path.contains("events") ? "HEAD" : "GET"
    return try await HTTPExchange(method, path, at: relay.address, fields: fields).status
  }

  private func expect(
    _ expected: Int, _ relay: TestRelay, _ fields: [String] = [], query: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    for path in Self.paths {
      let asked = query.map { path + (path.contains("?") ? "&" : "?") + $0 } ?? path
      let found = try await status(relay, asked, fields)
      #expect(found == expected, "\(asked)", sourceLocation: sourceLocation)
    }
  }

  @Test func `a station with tokens tells its sound to those who have one`() async throws {
    try await withStations { station in
      station.auth = AuthSettings()
      station.auth?.tokens = ["first-token"]
    } _: { relay in
      try await expect(403, relay)
      try await expect(403, relay, query: "token=other-token")
      try await expect(200, relay, query: Self.token)
      try await expect(200, relay, Self.admin)
      // What is no sound is told to everybody.
      #expect(try await relay.get("/api/v1/stations/vault/timeline").status == 200)
      #expect(try await status(relay, "/events?station=vault&kinds=state") == 200)
    }
  }

  @Test func `a page's question for a password does not make the browser ask`() async throws {
    let folder = TemporaryDirectory()
    let users = folder.path + "/users"
    try "anna:$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a\n".write(
      toFile: users, atomically: true, encoding: .utf8)
    try await withStations { station in
      station.auth = AuthSettings()
      station.auth?.passwordFile = users
    } _: { relay in
      let refused = try await relay.get(Self.paths[1])
      #expect(refused.status == 401)
      #expect(refused.head["www-authenticate"] == #"Bearer realm="Longwave""#)
      try await eventually("the file is read") {
        // anna:secret
        try await status(relay, Self.paths[1], ["Authorization: Basic YW5uYTpzZWNyZXQ="]) == 200
      }
    }
  }

  @Test func `rules of addresses and players, and bans, count for a station's sound too`()
    async throws
  {
    try await withStations { station in
      station.access.allow = [AddressRange("10.0.0.0/8")!]
    } _: { relay in
      try await expect(403, relay)
      try await expect(200, relay, Self.admin)
    }
    try await withStations { station in
      station.access.denyAgents = [Glob("*crawler*")]
    } _: { relay in
      try await expect(200, relay)
      try await expect(403, relay, ["User-Agent: Some crawler 1.0"])
      let banned = try await HTTPExchange(
        "POST", "/api/v1/bans", at: relay.address,
        fields: Self.admin + ["Content-Type: application/json"],
        body: "{\"address\":\"127.0.0.1\"}")
      #expect(banned.status == 201, "\(banned.text)")
      try await expect(403, relay)
      #expect(try await status(relay, Self.paths[0], Self.admin) == 200)
    }
  }

  @Test func `a station that is heard live only tells nothing of its past`() async throws {
    try await withStations {
      $0.shift = false
    } _: { relay in
      try await expect(200, relay)
      let first = "/api/v1/stations/vault/sound?media=0"
      #expect(try await status(relay, first) == 403)
      #expect(try await status(relay, first, Self.admin) == 200)
      #expect(try await status(relay, "/events?station=vault&kinds=levels&offset=60") == 403)
      func seconds(_ fields: [String] = []) async throws -> Int {
        let answer = try await relay.get(
          "/api/v1/stations/vault/waveform?points=4096", fields: fields)
        let data = JSON.parse(answer.body)?["data"]?.string ?? ""
        return data.count * 3 / 4
      }
      #expect(try await seconds() <= 40)
      #expect(try await seconds(Self.admin) >= 60)
    }
  }

  @Test func `strangers name the station whose sound they are told, eight of them`() async throws {
    let more = (0..<9).map { number in
      var copy = StationDefinition(
        id: "s\(number)", source: .copy(of: "vault", delay: Double(1 + number)))
      copy.name = "Copy \(number)"
      return copy
    }
    try await withStations({ _ in }, also: more) { relay in
      for kinds in ["levels", "state,spectrum", "sound"] {
        let refused = try await relay.get("/events?kinds=\(kinds)")
        #expect(refused.status == 400 && refused.text.contains("name a station"))
        #expect(try await status(relay, "/events?kinds=\(kinds)", Self.admin) == 200)
      }
      #expect(try await status(relay, "/events?kinds=state") == 200)
      var clients = try (0..<8).map { try relay.events("?station=s\($0)&kinds=levels") }
      for client in clients { try await client.first("levels") { $0.kind == "levels" } }
      let ninth = try await relay.get("/events?station=s8&kinds=sound")
      #expect(ninth.status == 429 && ninth.text.contains("too-many-stations"))
      // The same station again is no other one.
      let again = try relay.events("?station=s0&kinds=spectrum")
      try await again.first("a spectrum") { $0.kind == "spectrum" }
      // Who leaves makes room.
      clients.removeFirst(2)
      try await eventually("room") {
        let client = try StreamClient(to: relay.address, get: "/events?station=s8&kinds=sound")
        return try await client.answer().status == 200
      }
    }
  }
}
