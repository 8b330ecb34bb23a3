import Longwave
import Reactor
import TestSupport
import Testing
import Wire

/// Stations that are fed by themselves: each pull says who asks, and who would hear itself is refused.
@Suite struct RelayLoopTests {
  private static func port(_ relay: TestRelay) throws -> UInt16 {
    try #require(relay.address.port)
  }

  private static func expectLoop(_ relay: TestRelay, _ id: String) async throws {
    try await eventually("the reason of \(id)") {
      let station = try await relay.station(id)
      return station["state"]?.string != "playing"
        && station["stateReason"]?.string?.contains("what this station itself plays") == true
    }
  }

  @Test func `a fallback that is fed by its own station is refused, and the station plays on`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered(before: 8))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 8)))
    try await Scenario.withRelay([]) { relay in
      let own = "http://127.0.0.1:\(try Self.port(relay))"
      let backup = StationDefinition(id: "backup", upstream: ["\(own)/jazz"])
      var jazz = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
      jazz.fallback = .station("backup")
      _ = try await relay.relay.add(backup)
      _ = try await relay.relay.add(jazz)
      try await relay.until("jazz", has: 4)
      try await Self.expectLoop(relay, "backup")
      #expect(try await relay.station("backup")["window"]?["seconds"]?.double == 0)
      // Another listener, and a relay that is none of its own, are welcome.
      let client = try StreamClient(
        to: relay.address,
        sending: "GET /jazz HTTP/1.1\r\nHost: relay.test\r\n"
          + "Longwave-Via: \(LogID.random())\r\n\r\n")
      let head = try await client.answer()
      let via = RelayVia.read(head[RelayField.via] ?? "")
      #expect(head.status == 200 && via.count == 2)
      #expect(via.first?.description == head[RelayField.log])
      for log in via {
        let refused = try await HTTPExchange(
          "GET", "/jazz", at: relay.address, fields: ["Longwave-Via: \(log)"])
        #expect(refused.status == 508 && refused.text.contains("loop"))
      }
    }
  }

  @Test func `stations that pull each other in a circle say so when their upstream is gone`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered(before: 8))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 8)))
    try await Scenario.withRelay([]) { relay in
      let own = "http://127.0.0.1:\(try Self.port(relay))"
      let first = [upstream.url("/live"), "\(own)/third"]
      _ = try await relay.relay.add(StationDefinition(id: "first", upstream: first))
      try await relay.until("first", has: 4)
      for (id, source) in [("second", "first"), ("third", "second")] {
        _ = try await relay.relay.add(StationDefinition(id: id, upstream: ["\(own)/\(source)"]))
        try await relay.until(id, is: "playing")
      }
      let before = try await relay.station("first")["window"]?["seconds"]?.double ?? 0
      upstream.goAway()
      let events = try relay.events("?station=first")
      try await events.first("508") { $0.kind == "http-error" && $0.data.contains("508") }
      let after = try await relay.station("first")["window"]?["seconds"]?.double ?? 0
      #expect(after < before + 10)
    }
  }
}
