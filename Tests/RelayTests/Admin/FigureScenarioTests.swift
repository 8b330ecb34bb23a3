import Longwave
import TestSupport
import Testing
import Timeshift

/// Figures over time, as charts show them.
@Suite struct FigureScenarioTests {
  @Test func `listening is in the figures of its station and of the relay`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 20)))
    let stations = ["jazz", "rock"].map {
      StationDefinition(id: $0, upstream: [upstream.url("/live")])
    }
    try await Scenario.withRelay(stations) { relay in
      for id in ["jazz", "rock"] { try await relay.until(id, has: 10) }
      let api = RelayAPI(address: relay.address)
      let clients = try (0..<3).map { _ in try StreamClient(to: relay.address, get: "/jazz") }
      for client in clients { _ = try await client.answer() }
      let added = try await HTTPExchange(
        "POST", "/api/v1/stations", at: relay.address,
        fields: ["Authorization: Bearer \(Scenario.token)"],
        body: #"{"id":"new","upstream":["\#(upstream.url("/live"))"]}"#)
      #expect(added.status == 201, "\(added.text)")
      // Who hears HLS counts for three segments behind each list.
      for name in ["anna", "ben"] {
        _ = try await relay.get("/jazz/hls/main.m3u8?CMCD=sid%3D%22\(name)%22")
      }
      let heard = try await api.station("jazz")["listeners"]
      #expect(heard?["now"]?.integer == 3 && heard?["hls"]?.integer == 2)
      #expect(heard?["peak"]?.integer == 5)
      try await eventually("the relay's peak counts both") {
        try await api.json("/api/v1/stats")["listeners"]?["peak"]?.integer == 5
      }
      // Hours from now, so that the relay's own looks at the clock change nothing.
      let later = Moment.now().adding(seconds: 30_000)
      for number in 0..<3 {
        await relay.relay.keepFigures(at: later.adding(seconds: Double(number) * 10))
      }
      for path in ["stations/jazz/figures", "figures"] {
        let told = try await api.json("/api/v1/\(path)")
        #expect(told["step"]?.integer == 10 && told["from"]?.string?.hasSuffix("0Z") == true)
        for key in ["listeners", "kbitIn", "kbitOut", "lagMax"] {
          #expect(told[key]?.items.count == 360, "\(key)")
        }
        #expect(told["listeners"]?.items.suffix(3) == [.integer(5), .integer(5), .integer(5)])
        #expect(told["listeners"]?.items.dropLast(3).allSatisfy(\.isNull) == true)
        #expect(told["kbitIn"]?.items.last?.double != nil)
        #expect(told["lagMax"]?.items.last?.double ?? 99 < 60)
      }
      let rock = try await api.json("/api/v1/stations/rock/figures?step=60")
      #expect(rock["listeners"]?.items.count == 1440 && rock["step"]?.integer == 60)
      #expect(rock["listeners"]?.items.last?.integer == 0)
      #expect(rock["lagMax"]?.items.last?.isNull == true, "nobody was live")

      let admin = ["Authorization: Bearer \(Scenario.token)"]
      for step in ["0", "11", "x", "", "10.0", "-10"] {
        for path in ["/api/v1/figures", "/api/v1/stations/jazz/figures"] {
          let refused = try await relay.get("\(path)?step=\(step)", fields: admin)
          #expect(refused.status == 400, "\(path) \(step): \(refused.status)")
        }
      }
      #expect(try await relay.get("/api/v1/figures").status == 401)
      #expect(try await relay.get("/api/v1/stations/jazz/figures").status == 401)
      let removed = try await HTTPExchange(
        "DELETE", "/api/v1/stations/new", at: relay.address, fields: admin)
      #expect(removed.status == 204)
      let gone = try await relay.get("/api/v1/stations/new/figures", fields: admin)
      #expect(gone.status == 404 && gone.text.contains("unknown-station"))
    }
  }
}
