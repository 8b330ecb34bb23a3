import Ingest
import Longwave
import TestSupport
import Testing
import Wire

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

  @Test func `renditions of a station on demand end and come back with it`() async throws {
    let upstream = try await PitchStation.upstream(before: 240, burst: 40)
    defer { upstream.stop() }
    var station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    (station.onDemand, station.runOn) = (true, 0.2)
    station.hls = .on(HLSRule.Keys(segment: 2))
    var made = StationDefinition(id: "jazz-64", source: .rendition(of: "jazz"))
    (made.encode, made.runOn) = (PCMEncoding(), 0.2)
    made.encode?.bitrate = 64
    try await Scenario.withRelay([station, made]) { relay in
      func areBoth(_ state: String, within seconds: Double = 60) async throws {
        for id in ["jazz", "jazz-64"] { try await relay.until(id, is: state, within: seconds) }
      }
      try await areBoth("paused")
      #expect(upstream.requests.isEmpty)
      // Whoever hears one of them, by stream or by HLS, wakes both, and keeps them awake.
      for (index, path) in ["/jazz", "/jazz-64"].enumerated() {
        let client = try StreamClient(to: relay.address, get: path)
        try await client.until("\(path) is heard") { $0.bodyCount > 10_000 }
        try await areBoth("playing")
        #expect(upstream.requests.count == 2 * index + 1, "\(path)")
        // A look each ten seconds.
        let start = ContinuousClock.now
        try await eventually("looks", within: 60) {
          client.drain()
          return ContinuousClock.now - start > .seconds(12)
        }
        try await areBoth("playing")
        client.hangUp()
        try await areBoth("paused", within: 120)
        #expect(try await relay.get("\(path)/hls/live.m3u8").status == 200)
        try await areBoth("playing")
        #expect(upstream.requests.count == 2 * index + 2, "\(path) by HLS")
        try await areBoth("paused", within: 120)
      }
    }
  }

  @Test func `a rendition on demand of a station on demand rests while its original plays`()
    async throws
  {
    let upstream = try await PitchStation.upstream(before: 240, burst: 40)
    defer { upstream.stop() }
    var station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    (station.onDemand, station.runOn) = (true, 0.2)
    var made = StationDefinition(id: "jazz-64", source: .rendition(of: "jazz"))
    (made.encode, made.onDemand, made.runOn) = (PCMEncoding(), true, 0.2)
    try await Scenario.withRelay([station, made]) { relay in
      try await relay.until("jazz", is: "paused")
      let one = try StreamClient(to: relay.address, get: "/jazz")
      try await one.until { $0.bodyCount > 10_000 }
      #expect(try await relay.station("jazz-64")["state"]?.string == "paused")
      one.hangUp()
      try await relay.until("jazz", is: "paused", within: 120)
      let two = try StreamClient(to: relay.address, get: "/jazz-64")
      try await two.until { $0.bodyCount > 10_000 }
      try await relay.until("jazz", is: "playing")
      two.hangUp()
      for id in ["jazz-64", "jazz"] { try await relay.until(id, is: "paused", within: 120) }
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
