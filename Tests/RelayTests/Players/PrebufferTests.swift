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

  /// Seconds behind the live edge at which a listener begins, which it gets at once.
  private func beginning(_ relay: TestRelay) async throws -> Double {
    let client = try StreamClient(to: relay.address, get: "/jazz")
    try await client.until("the first bytes") { $0.bodyCount > 0 }
    let head = try client.head()
    #expect(head.statusLine == "HTTP/1.1 200 OK")
    return try #require(head["longwave-offset"].flatMap { Double($0) })
  }

  @Test(arguments: [false, true])
  func `listeners wait for the prebuffer, and get it at once`(isOnDemand: Bool) async throws {
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

  @Test func `a station whose past is heard plays as soon as its upstream is back`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 0)))
    try await Scenario.withRelay([station(upstream, 15)]) { relay in
      func window() async throws -> Double {
        try await relay.station("jazz")["window"]?["seconds"]?.double ?? 0
      }
      try await relay.until("jazz", is: "playing", within: 60)
      upstream.goAway()
      try await relay.until("jazz", is: "connecting")
      let before = try await window()
      try upstream.comeBack()
      try await relay.until("jazz", is: "playing", within: 60)
      #expect(try await window() - before < 14)
    }
  }

  @Test func `a listener who has waited for more than comes gets what there is`() async throws {
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
      #expect((1.0..<2).contains(seconds), "\(seconds)")
    }
  }
}
