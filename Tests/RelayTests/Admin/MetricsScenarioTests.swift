import Ingest
import Longwave
import Reactor
import Server
import TestSupport
import Testing

/// What supervisors read, on a running relay.
@Suite struct MetricsScenarioTests {
  /// A relay with a station that has a title. What is told of sound and of web services has no sample.
  private func withRelay(
    change: (inout Configuration) -> Void = { _ in },
    _ body: (TestRelay, FakeUpstream) async throws -> Void
  ) async throws {
    let upstream = try FakeUpstream(
      .numbered(before: 100, titles: [FakeProgramme.TitleChange(packet: 0, "A - B")]))
    defer { upstream.stop() }
    var stream = FakeStream(burst: 6)
    stream.metaint = 8192
    upstream.reply("/live", with: .stream(stream))
    let jazz = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    try await Scenario.withRelay([jazz], change: change) { relay in
      try await relay.until("jazz", is: "playing")
      try await body(relay, upstream)
    }
  }

  private func samples(_ relay: TestRelay, _ query: String = "") async throws -> [String: Double] {
    try PrometheusText.samples(of: try await relay.get("/metrics" + query).text)
  }

  private func wait(
    _ relay: TestRelay, for what: String, _ isThere: ([String: Double]) -> Bool
  ) async throws {
    try await eventually(what) { isThere(try await samples(relay)) }
  }

  @Test func `every metric is in the manual's tables as it is told, and no other is`() async throws
  {
    let rows = try MetricTable.rows
    try await withRelay { relay, _ in
      _ = try await StreamClient(to: relay.address, get: "/jazz").answer()
      let told = MetricTable(of: try await relay.get("/metrics").text)
      for row in rows {
        let family = told.families[row.name]
        #expect(family?.type == row.type && family?.help == row.help, "\(row.name)")
        // A family may have no sample here.
        if let labels = told.labels[row.name] { #expect(labels == row.labels, "\(row.name)") }
      }
      #expect(Set(told.families.keys) == Set(rows.map(\.name)))
      // There is neither a programme nor a root.
      let others = rows.filter {
        !$0.name.hasPrefix("longwave_programme_") && !$0.name.hasPrefix("longwave_library_")
      }
      #expect(told.labels.count > others.count - 10)
    }
  }

  @Test func `an outage of moments is told by counters`() async throws {
    try await withRelay { relay, upstream in
      let state = #"longwave_station_state{station="jazz",state="#
      let before = try await samples(relay)
      #expect(before[state + #""playing"}"#] == 1 && before[state + #""failed"}"#] == 0)
      #expect(before.keys.count { $0.hasPrefix(state) } == StationState.allCases.count)
      let left = #"longwave_station_upstream_disconnects_total{station="jazz",reason="closed"}"#
      let away = #"longwave_station_off_air_seconds_total{station="jazz"}"#
      #expect(before[left] == 0)
      upstream.goAway()
      try await wait(relay, for: "the loss") { $0[left] == 1 && $0[state + #""playing"}"#] == 0 }
      try upstream.comeBack()
      try await wait(relay, for: "the return") { $0[state + #""playing"}"#] == 1 }
      let after = try await samples(relay)
      #expect(try #require(after[away]) > #require(before[away]))
      // Attempts that brought nothing were no losses.
      #expect(after[left] == 1)
      let made = ["lost", "stitched"].compactMap {
        after["longwave_station_\($0)_seconds_total{station=\"jazz\"}"]
      }
      #expect(made.count == 2 && made.reduce(0, +) > 0)
      #expect(try #require(after[#"longwave_station_edge_age_seconds{station="jazz"}"#]) < 30)
      try await wait(relay, for: "the title") {
        $0[#"longwave_titles_total{station="jazz"}"#] ?? 0 >= 1
      }
    }
  }

  @Test func `requests are counted by row and status, and never by path`() async throws {
    try await withRelay { relay, _ in
      let listener = try StreamClient(to: relay.address, get: "/jazz")
      _ = try await listener.answer()
      for path in ["/jazz.m3u", "/api/v1/stations/jazz", "/api/v1/stations/rock", "/no/such/path"] {
        _ = try await relay.get(path)
      }
      _ = try await HTTPExchange("OPTIONS", "/jazz", at: relay.address)
      let garbage = try StreamClient(to: relay.address, sending: "\u{1}\u{2}\r\n\r\n")
      _ = try await garbage.answer()
      func requests(_ route: String, _ code: Int) -> String {
        "longwave_http_requests_total{route=\"\(route)\",code=\"\(code)\"}"
      }
      let expected = [
        requests("GET /{station}", 200), requests("GET /{station}.m3u", 200),
        requests("GET /api/v1/stations/{station}", 200),
        requests("GET /api/v1/stations/{station}", 404), requests("unknown", 404),
        requests("OPTIONS", 204), requests("none", 400),
      ]
      try await wait(relay, for: "all of them") { samples in
        expected.allSatisfy { samples[$0] ?? 0 >= 1 }
      }
      let text = try await relay.get("/metrics").text
      #expect(!text.contains("such") && !text.contains("stations/rock"))
      let found = try await samples(relay)
      #expect(found["longwave_first_byte_seconds_count"] == 1)
      #expect(found[#"longwave_http_request_seconds_count{route="GET /{station}"}"#] == 1)
      try await wait(relay, for: "time to listen") {
        $0[#"longwave_listening_seconds_total{station="jazz"}"#] ?? 0 > 1
          && $0[#"longwave_station_sent_bytes_total{station="jazz"}"#] ?? 0 > 10_000
      }
      withExtendedLifetime((listener, garbage)) {}
    }
  }

  @Test func `refused clients are counted by the reason`() async throws {
    try await withRelay(change: { $0.server.listenersPerAddress = 1 }) { relay, _ in
      let first = try StreamClient(to: relay.address, get: "/jazz")
      _ = try await first.answer()
      #expect(try await relay.get("/jazz").status == 429)
      let reasons = try await samples(relay).filter { $0.key.hasPrefix("longwave_refused_total") }
      #expect(reasons.count == RefusalReason.allCases.count)
      #expect(reasons[#"longwave_refused_total{reason="address"}"#] == 1)
      #expect(reasons.values.reduce(0, +) == 1)
      withExtendedLifetime(first) {}
    }
  }

  @Test func `loops and disks tell what they do`() async throws {
    try await withRelay { relay, _ in
      try await wait(relay, for: "a sync of the disk") {
        $0["longwave_storage_sync_seconds_count"] ?? 0 > 0
      }
      for loop in ["loop.0", "ingest", "storage"] {
        try await wait(relay, for: "turns of \(loop)") {
          $0["longwave_loop_busy_seconds_total{loop=\"\(loop)\"}"] ?? 0 > 0
            && $0["longwave_loop_turn_seconds_count{loop=\"\(loop)\"}"] ?? 0 > 0
        }
      }
      let found = try await samples(relay)
      #expect(found["longwave_storage_write_seconds_count"] ?? 0 > 0)
      #expect(found[#"longwave_storage_unwritten_seconds{station="jazz"}"#] ?? 60 < 60)
      #expect(found["process_open_fds"] ?? 0 > 5)
      #expect(found["process_start_time_seconds"] ?? 0 > 1_700_000_000)
      #expect(found[#"longwave_sessions{state="away"}"#] == 0)
    }
  }

  @Test func `a station's own figures can be had alone`() async throws {
    try await withRelay { relay, _ in
      let own = try await samples(relay, "?station=jazz")
      #expect(own[#"longwave_station_playing{station="jazz"}"#] == 1)
      #expect(own.keys.allSatisfy { $0.contains(#"station="jazz""#) })
      #expect(try await relay.get("/metrics?station=rock").status == 404)
    }
  }

  @Test func `metrics are for the addresses that may read them, and for the token`() async throws {
    let world = AddressRange("203.0.113.0/24")!
    try await withRelay(change: { $0.metrics.allow = [world] }) { relay, _ in
      let refused = try await relay.get("/metrics")
      #expect(refused.status == 403 && !refused.text.contains("jazz"))
      let token = ["Authorization: Bearer \(Scenario.token)"]
      #expect(try await relay.get("/metrics", fields: token).status == 200)
      var new = await relay.relay.configuration
      new.metrics.allow = [world, AddressRange("127.0.0.1")!]
      #expect(try await relay.relay.apply(new).settings == ["metrics"])
      #expect(try await relay.get("/metrics").status == 200)
    }
  }
}
