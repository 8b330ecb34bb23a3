import Longwave
import TestSupport
import Testing

@Suite struct DelayedStationScenarioTests {
  private static let admin = ["Authorization: Bearer \(Scenario.token)"]
  private static let titles = (0..<40).map {
    FakeProgramme.TitleChange(packet: $0 * 200, "Artist \($0) - Song \($0)")
  }

  private func later(_ id: String, by delay: Double) -> StationDefinition {
    StationDefinition(id: id, name: "Later", source: .copy(of: "jazz", delay: delay))
  }

  private func send(
    _ relay: TestRelay, _ method: String, _ path: String, _ body: String = ""
  ) async throws -> HTTPExchange {
    try await HTTPExchange(method, path, at: relay.address, fields: Self.admin, body: body)
  }

  /// The position of what a station's history begins with.
  private func newestTitle(_ relay: TestRelay, _ id: String) async throws -> Int? {
    let answer = try await relay.get("/api/v1/stations/\(id)/history")
    return JSON.parse(answer.body)?["history"]?.items.first?["position"]?.integer
  }

  @Test func `a station that is another one, later, has its audio, titles and times of then`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered(before: 100, titles: Self.titles))
    defer { upstream.stop() }
    var stream = FakeStream(burst: 20)
    stream.metaint = 1000
    upstream.reply("/live", with: .stream(stream))
    let jazz = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    // In the file it may stand in front of the one that it is.
    try await Scenario.withRelay([later("west", by: 10), jazz]) { relay in
      try await relay.until("jazz", has: 18)
      try await relay.until("west", is: "playing")
      // The later one is asked first: whatever the other takes makes more of the difference.
      let far = try await relay.station("west")
      let near = try await relay.station("jazz")
      #expect(far["name"]?.string == "Later" && far["upstream"]?["url"]?.isNull == true)
      #expect(near["nowPlaying"]?["title"] != far["nowPlaying"]?["title"])
      let (whole, rest) = (near["window"]?["seconds"]?.double, far["window"]?["seconds"]?.double)
      #expect(try #require(whole) - (try #require(rest)) > 8)

      let there = try StreamClient(to: relay.address, get: "/west?burst=1")
      try await there.until("packets") { try $0.numbers().count > 60 }
      let here = try StreamClient(to: relay.address, get: "/jazz?burst=1")
      try await here.until("packets") { try $0.numbers().count > 60 }
      for client in [here, there] { #expect(areUnbroken(try client.numbers())) }
      let packets = Int(try here.numbers()[0]) - Int(try there.numbers()[0])
      #expect(packets > 300, "\(packets)")
      // What is heard there is in its history, and nothing newer.
      let newest = try #require(try await newestTitle(relay, "west"))
      #expect(newest < (try #require(try await newestTitle(relay, "jazz"))))
      let announced = try await send(
        relay, "PUT", "/api/v1/stations/west/metadata", #"{"title":"x"}"#)
      #expect(announced.status == 409 && announced.text.contains("jazz"))

      #expect(try await send(relay, "POST", "/api/v1/stations/west/stop").status == 200)
      try await there.until("its end") { $0.isEnded }
      #expect(try await send(relay, "POST", "/api/v1/stations/west/start").status == 200)
      try await relay.until("west", is: "playing")
      withExtendedLifetime((here, there)) {}
    }
  }

  @Test func `a later station of which nothing is on air yet says so, and takes no disk`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 20)))
    let jazz = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    try await Scenario.withRelay([jazz, later("west", by: 3600)]) { relay in
      try await relay.until("jazz", has: 18)
      let west = try await relay.station("west")
      #expect(west["state"] == "buffering")
      let reason = try #require(west["stateReason"]?.string)
      let begins = try #require(west["beginsAt"]?.string)
      #expect(reason == "nothing of it is on air before \(begins)")
      #expect(try await relay.station("jazz")["beginsAt"]?.isNull == true)
      let window = try #require(west["window"])
      #expect(window["live"]?.isNull == true && window["oldest"]?.isNull == true)
      #expect(window["seconds"]?.double == 0 && window["onDisk"] == .integer(0))
      #expect(try await relay.station("jazz")["window"]?["onDisk"]?.integer ?? 0 > 0)
      let timeline = try await relay.get("/api/v1/stations/west/timeline")
      #expect(JSON.parse(timeline.body)?["anchors"] == .array([]))
    }
  }

  @Test func `delayed stations are added, changed and removed like others`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 20)))
    let data = TemporaryDirectory()
    try await Scenario.withRelay([], data: data) { relay in
      let jazz = #"{"id":"jazz","upstream":["\#(upstream.url("/live"))"],"window":3600}"#
      #expect(try await send(relay, "POST", "/api/v1/stations", jazz).status == 201)
      for (body, field) in [
        (#"{"id":"west","of":"rock","delay":5}"#, "of"), (#"{"id":"west","of":"jazz"}"#, "delay"),
        (#"{"id":"west","of":"jazz","delay":3600}"#, "delay"),
        (#"{"id":"west","of":"jazz","delay":5,"upstream":["http://x/"]}"#, "upstream"),
        (#"{"id":"west","delay":5}"#, "delay"),
      ] {
        let refused = try await send(relay, "POST", "/api/v1/stations", body)
        #expect(refused.status == 400 && refused.text.contains(#""field":"\#(field)""#), "\(body)")
      }
      let west = #"{"id":"west","of":"jazz","delay":"5s"}"#
      #expect(try await send(relay, "POST", "/api/v1/stations", west).status == 201)
      try await relay.until("west", is: "playing")
      let changed = try await send(relay, "PATCH", "/api/v1/stations/west", #"{"delay":15}"#)
      #expect(changed.status == 200, "\(changed.text)")
      let other = try await send(
        relay, "PATCH", "/api/v1/stations/west",
        #"{"of":null,"delay":null,"upstream":["http://x/"]}"#)
      #expect(other.status == 409)
      let inUse = try await send(relay, "DELETE", "/api/v1/stations/jazz")
      #expect(inUse.status == 409 && inUse.text.contains("west"))
    }
    try await Scenario.withRelay([], data: data) { relay in
      try await relay.until("west", is: "playing")
      #expect(try await send(relay, "DELETE", "/api/v1/stations/west").status == 204)
      #expect(try await send(relay, "DELETE", "/api/v1/stations/jazz").status == 204)
    }
  }
}
