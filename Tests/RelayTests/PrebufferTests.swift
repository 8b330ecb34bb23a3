import Longwave
import TestSupport
import Testing

/// What newcomers wait for at a station that has just begun.
@Suite struct PrebufferTests {
  private func station(_ upstream: FakeUpstream, _ prebuffer: Double) -> StationDefinition {
    upstream.reply("/live", with: .stream(FakeStream(burst: 0)))
    var station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    station.connection.prebuffer = prebuffer
    return station
  }

  /// Seconds that a listener has got at its first look that shows any.
  private func beginning(_ relay: TestRelay) async throws -> Double {
    let client = try StreamClient(to: relay.address, get: "/jazz")
    try await eventually("the first bytes") {
      client.drain()
      return client.bodyCount > 0
    }
    #expect(try client.head().statusLine == "HTTP/1.1 200 OK")
    return Double(client.bodyCount) / 16_000
  }

  @Test(arguments: [false, true])
  func `listeners wait for it, and get it at once`(isOnDemand: Bool) async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    var station = station(upstream, 3)
    station.onDemand = isOnDemand
    station.runOn = 0.2
    try await Scenario.withRelay([station]) { relay in
      let first = try await beginning(relay)
      #expect(first > 2.8, "\(first)")
      guard isOnDemand else { return }
      try await relay.until("jazz", is: "paused", within: 60)
      let second = try await beginning(relay)
      #expect(second > 2.8, "\(second)")
    }
  }

  @Test func `who has waited long enough gets what there is`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    let station = station(upstream, 2)
    upstream.reply(
      "/live",
      with: .stream(
        {
          var stream = FakeStream(burst: 0)
          stream.stallAfterBytes = 20_000
          return stream
        }()))
    try await Scenario.withRelay([station]) { relay in
      let seconds = try await beginning(relay)
      #expect(seconds < 2)
    }
  }
}
