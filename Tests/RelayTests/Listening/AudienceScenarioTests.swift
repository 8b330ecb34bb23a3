import Ingest
import Longwave
import Server
import TestSupport
import Testing

/// Where a station's listeners are, counted and listed.
@Suite struct AudienceScenarioTests {
  /// A station with minutes of past, and listeners at several places of it, the first one joined first.
  private func withListeners(
    _ paths: [String], _ body: (TestRelay, [StreamClient]) async throws -> Void
  ) async throws {
    let upstream = try FakeUpstream(.numbered(before: 400))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 300)))
    var station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    // Who is live stays so where nobody reads for a while.
    station.behind = .skip
    station.lagMax = 60
    let rock = StationDefinition(id: "rock", upstream: [upstream.url("/live")])
    // The past comes at once, as far as the relay lets it.
    try await Scenario.withRelay([station, rock], change: { $0.upstream.leadMax = 400 }) { relay in
      for id in ["jazz", "rock"] { try await relay.until(id, has: 290) }
      var clients: [StreamClient] = []
      for path in paths {
        let client = try StreamClient(
          to: relay.address,
          sending: "GET \(path) HTTP/1.1\r\nHost: relay.test\r\nConnection: close\r\n"
            + (path.contains("vlc") ? "User-Agent: VLC\r\n\r\n" : "\r\n"))
        _ = try await client.answer()
        clients.append(client)
      }
      try await body(relay, clients)
    }
  }

  private func json(_ relay: TestRelay, _ path: String) async throws -> JSON {
    try await RelayAPI(address: relay.address).json("/api/v1/" + path)
  }

  private func ids(_ list: JSON) -> [Int] {
    list["listeners"]?.items.compactMap { $0["id"]?.integer } ?? []
  }

  private func buckets(_ counts: [(behind: Int64, listeners: Int64)]) -> JSON {
    .array(
      counts.map { ["behind": .integer($0.behind), "listeners": .integer($0.listeners)] })
  }

  @Test func `listeners are counted by place, state and player`() async throws {
    let paths = [
      "/jazz?x=vlc", "/jazz?x=vlc", "/jazz", "/jazz?offset=90&x=vlc", "/jazz?offset=150",
      "/jazz?offset=160&session=paused_1&x=vlc", "/rock?offset=200",
    ]
    try await withListeners(paths) { relay, clients in
      let paused = try await HTTPExchange(
        "POST", "/api/v1/sessions/paused_1", at: relay.address, body: #"{"action":"pause"}"#)
      #expect(paused.status == 200, "\(paused.text)")
      let states: JSON = [
        "live": .integer(3), "shifted": .integer(2), "stalled": .integer(0), "paused": .integer(1),
        "fallback": .integer(0),
      ]
      var audience = JSON.null
      try await eventually("all are where they asked to be") {
        for client in clients { client.drain() }
        audience = try await json(relay, "stations/jazz/audience")
        return audience["states"] == states
      }
      #expect(audience["station"]?.string == "jazz" && audience["seconds"]?.integer == 60)
      #expect(audience["at"]?.string?.hasSuffix("Z") == true)
      #expect(audience["buckets"] == buckets([(0, 3), (60, 1), (120, 2)]))
      let named: JSON = ["name": "VLC", "listeners": .integer(4)]
      let unnamed: JSON = ["name": .null, "listeners": .integer(2)]
      let players: JSON = [named, unnamed]
      #expect(audience["players"] == players)
      let rock = try await json(relay, "stations/rock/audience")
      #expect(rock["buckets"] == buckets([(180, 1)]))
    }
  }

  @Test func `a list is told part by part, in the order of places`() async throws {
    let paths = ["/jazz?offset=90", "/jazz", "/jazz?offset=200", "/rock", "/jazz?offset=150"]
    try await withListeners(paths) { relay, clients in
      try await eventually("all are where they asked to be") {
        for client in clients { client.drain() }
        let all = try await json(relay, "listeners")["listeners"]?.items ?? []
        return all.map { $0["state"]?.string }
          == ["shifted", "live", "shifted", "live", "shifted"]
      }
      let whole = try await json(relay, "listeners")
      let numbers = ids(whole)
      #expect(whole["total"]?.integer == 5 && whole["next"]?.isNull == true)
      #expect(numbers == numbers.sorted() && numbers.count == 5)

      let first = try await json(relay, "listeners?order=offset&limit=2&station=jazz")
      #expect(ids(first) == [numbers[2], numbers[4]] && first["total"]?.integer == 4)
      let next = try #require(first["next"]?.string)
      // The last of the part leaves, and the list goes on behind it.
      await clients[4].breakOff {}
      try await eventually("it has gone") {
        try await json(relay, "listeners?station=jazz")["total"]?.integer == 3
      }
      let second = try await json(
        relay, "listeners?order=offset&limit=2&station=jazz&after=\(next)")
      #expect(ids(second) == [numbers[0], numbers[1]] && second["next"]?.isNull == true)

      let joined = try await json(relay, "listeners?limit=1&after=\(numbers[0])")
      #expect(ids(joined) == [numbers[1]])
      #expect(joined["next"]?.string == "\(numbers[1])" && joined["total"]?.integer == 4)
      let lags = try await json(relay, "listeners?order=lag")
      let told = lags["listeners"]?.items.compactMap { $0["lag"]?.double } ?? []
      #expect(told.count == 4 && (told.first ?? 0) > 150 && (told.last ?? 99) < 60)
    }
  }

  @Test func `a malformed request for listeners is refused, and strangers are told nothing`()
    async throws
  {
    let folder = TemporaryDirectory()
    folder.write("a.mp3", try Fixtures.mp3(["-b", "128"], seconds: 1))
    let files = StationDefinition(
      id: "files", name: "Files", source: .files(folder.path, throttleBypass: nil))
    try await Scenario.withRelay([files]) { relay in
      let admin = ["Authorization: Bearer \(Scenario.token)"]
      for query in [
        "limit=0", "limit=1001", "limit=x", "limit=-1", "order=size", "order=", "after=x",
        "after=-1", "order=offset&after=7", "order=lag&after=nan:7", "after=1:7",
      ] {
        let refused = try await relay.get("/api/v1/listeners?\(query)", fields: admin)
        #expect(refused.status == 400, "\(query): \(refused.status)")
      }
      let unknown = try await relay.get("/api/v1/listeners?station=none", fields: admin)
      #expect(unknown.status == 404)
      let none = try await relay.get("/api/v1/stations/none/audience", fields: admin)
      #expect(none.status == 404 && none.text.contains("unknown-station"))
      let audience = try await relay.get("/api/v1/stations/files/audience", fields: admin)
      #expect(audience.status == 404 && audience.text.contains("no-timeline"))
      #expect(try await relay.get("/api/v1/stations/files/audience").status == 401)
    }
  }
}
