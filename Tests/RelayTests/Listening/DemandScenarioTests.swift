import Ingest
import Longwave
import TestSupport
import Testing

/// Stations that are pulled only while somebody listens.
@Suite struct DemandScenarioTests {
  private func withStation(
    runOn: Double, _ body: (TestRelay, FakeUpstream) async throws -> Void
  ) async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream())
    var station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    station.onDemand = true
    station.runOn = runOn
    // A listener waits for the first packet a little longer than that, and for so long nothing is paused.
    try await Scenario.withRelay([station], change: { $0.upstream.connectTimeout = 30 }) { relay in
      try await body(relay, upstream)
    }
  }

  @Test func `a station on demand is pulled from its first listener to its last`() async throws {
    try await withStation(runOn: 0.2) { relay, upstream in
      try await relay.until("jazz", is: "paused")
      #expect(try await relay.station("jazz")["stateReason"]?.string == "nobody listens")
      #expect(upstream.requests.isEmpty)
      // Asking about it is not listening.
      let head = try StreamClient(to: relay.address, get: "/jazz", method: "HEAD")
      try await head.until { $0.isEnded }
      _ = try await relay.get("/jazz.m3u")
      #expect(upstream.requests.isEmpty)
      var one: StreamClient? = try StreamClient(to: relay.address, get: "/jazz")
      try await one?.until("the first packets") { $0.bodyCount > 10_000 }
      let two = try StreamClient(to: relay.address, get: "/jazz")
      try await two.until { $0.bodyCount > 10_000 }
      #expect(upstream.requests.count == 1)
      try await relay.until("jazz", is: "playing")
      one = nil
      try await eventually("one has left", within: 60) {
        two.drain()
        return try await relay.station("jazz")["listeners"]?["now"]?.integer == 1
      }
      let before = two.bodyCount
      try await two.until("it goes on for the other") { $0.bodyCount > before + 30_000 }
      #expect(areUnbroken(try NumberedFrames.numbers(in: two.body, mayEndInFrame: true)))
      two.hangUp()
      try await relay.until("jazz", is: "paused", within: 120)
      let three = try StreamClient(to: relay.address, get: "/jazz")
      try await eventually("it is pulled again", within: 60) { upstream.requests.count == 2 }
      try await three.until { $0.bodyCount > 80_000 }
    }
  }

  @Test func `samples wake a station on demand too, and keep it awake`() async throws {
    try await withStation(runOn: 0.2) { relay, upstream in
      try await relay.until("jazz", is: "paused")
      let samples = try StreamClient(to: relay.address, get: "/jazz/pcm?channels=1")
      try await samples.until("samples") { $0.bodyCount > 100_000 }
      #expect(upstream.requests.count == 1)
      // A look each ten seconds.
      let before = samples.bodyCount
      try await samples.until("it goes on", within: 90) { $0.bodyCount > before + 20 * 88_200 }
      #expect(try await relay.station("jazz")["state"]?.string == "playing")
      samples.hangUp()
      try await relay.until("jazz", is: "paused", within: 60)
    }
  }

  @Test func `a listener who comes back within the run-on time does not wait`() async throws {
    try await withStation(runOn: 3600) { relay, upstream in
      let one = try StreamClient(to: relay.address, get: "/jazz")
      try await one.until { $0.bodyCount > 10_000 }
      one.hangUp()
      try await eventually("it has left", within: 60) {
        try await relay.station("jazz")["listeners"]?["now"]?.integer == 0
      }
      #expect(try await relay.station("jazz")["state"]?.string == "playing")
      let two = try StreamClient(to: relay.address, get: "/jazz")
      try await two.until { $0.bodyCount > 10_000 }
      #expect(upstream.requests.count == 1)
    }
  }

  @Test func `a request that goes before the first packet lets the pull end soon`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/slow", with: FakeReply(statusLine: nil, body: .silence))
    var station = StationDefinition(id: "jazz", upstream: [upstream.url("/slow")])
    station.onDemand = true
    station.runOn = 3600
    // Whoever waits may wait for ten minutes; nobody does.
    try await Scenario.withRelay([station], change: { $0.upstream.connectTimeout = 600 }) { relay in
      let client = try StreamClient(to: relay.address, get: "/jazz")
      try await eventually("it is pulled", within: 60) { upstream.requests.count == 1 }
      client.hangUp()
      try await relay.until("jazz", is: "paused", within: 60)
    }
  }

  @Test func `a client that wakes station after station is stopped, and may hear what plays`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream())
    let stations = (0..<40).map { number in
      var station = StationDefinition(id: "s\(number)", upstream: [upstream.url("/live")])
      station.onDemand = true
      station.runOn = 3600
      return station
    }
    try await Scenario.withRelay(stations) { relay in
      var playing: [StreamClient] = []
      for number in 0..<30 {
        let client = try StreamClient(to: relay.address, get: "/s\(number)")
        try await client.until { $0.bodyCount > 0 }
        playing.append(client)
      }
      for number in 30..<40 {
        let answer = try await relay.get("/s\(number)")
        #expect(answer.status == 429)
        #expect(answer.text.contains("too-many-starts"))
      }
      #expect(upstream.requests.count == 30)
      playing[0].hangUp()
      let again = try StreamClient(to: relay.address, get: "/s0")
      try await again.until { $0.bodyCount > 0 }
      // Asking is not waking.
      let head = try StreamClient(to: relay.address, get: "/s39", method: "HEAD")
      try await head.until { $0.isEnded }
      #expect(upstream.requests.count == 30)
    }
  }
}
