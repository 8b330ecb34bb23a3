import Longwave
import Server
import TestSupport
import Testing

@Suite struct SessionScenarioTests {
  private static let path = "/api/v1/sessions/my-session_1"
  private static let titles = (0..<40).map {
    FakeProgramme.TitleChange(packet: $0 * 200, "Artist \($0) - Song \($0)")
  }

  private func withStation(
    _ body: (FakeUpstream, [StationDefinition]) async throws -> Void
  ) async throws {
    let upstream = try FakeUpstream(.numbered(before: 100, titles: Self.titles))
    defer { upstream.stop() }
    var stream = FakeStream(burst: 20)
    stream.metaint = 1000
    upstream.reply("/live", with: .stream(stream))
    var station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    // Who is live stays so where nobody reads for a while.
    station.behind = .skip
    station.lagMax = 60
    try await body(upstream, [station])
  }

  private func post(_ relay: TestRelay, _ body: String) async throws -> JSON {
    let answer = try await HTTPExchange("POST", Self.path, at: relay.address, body: body)
    #expect(answer.status == 200, "\(answer.text)")
    return try #require(JSON.parse(answer.body))
  }

  private func listen(_ relay: TestRelay) async throws -> StreamClient {
    let client = try StreamClient(
      to: relay.address, get: "/jazz?session=my-session_1&burst=2")
    #expect(try await client.answer()["longwave-session"] == "my-session_1")
    try await client.until("two seconds") { $0.bodyCount > 30_000 }
    return client
  }

  @Test func `a session that the API began goes on with its listener`() async throws {
    try await withStation { _, stations in
      try await Scenario.withRelay(stations) { relay in
        try await relay.until("jazz", has: 18)
        for (body, status) in [
          (#"{"station":"none"}"#, 404), (#"{"station":5}"#, 400), (#"{"action":"pause"}"#, 404),
        ] {
          let refused = try await HTTPExchange(
            "POST", Self.path, at: relay.address, body: body)
          #expect(refused.status == status, "\(refused.text)")
        }
        let begun = try await post(relay, #"{"station":"jazz"}"#)
        #expect(begun["state"]?.string == "disconnected" && begun["listener"] == .null)
        #expect(begun["forwardSeconds"]?.double == 0)
        let sought = try await post(relay, #"{"station":"jazz","action":"seek","seconds":10}"#)
        let (back, ahead) = (sought["rewindSeconds"]?.double, sought["forwardSeconds"]?.double)
        #expect(abs((ahead ?? 0) - 10) < 0.5 && (back ?? 0) > 5)
        let client = try await listen(relay)
        #expect(Double(try client.head()["longwave-offset"] ?? "").map { abs($0 - 10) < 3 } == true)
        let playing = try #require(JSON.parse(await relay.get(Self.path).body))
        #expect(playing["state"]?.string == "playing")
        let listed = try await relay.get(
          "/api/v1/listeners", fields: ["Authorization: Bearer \(Scenario.token)"])
        let id = JSON.parse(listed.body)?["listeners"]?.items.first?["id"]?.integer
        #expect(id != nil && playing["listener"]?.integer == id)
        let other = try await HTTPExchange(
          "POST", Self.path, at: relay.address, body: #"{"station":"rock","action":"live"}"#)
        #expect(other.status == 400)
      }
    }
  }

  @Test func `a slip, a key twice and a key without meaning are refused wherever they stand`()
    async throws
  {
    try await withStation { _, stations in
      try await Scenario.withRelay(stations) { relay in
        try await relay.until("jazz", has: 5)
        for (path, field) in [
          ("/jazz?offfset=3", "offfset"), ("/jazz.m3u?offfset=3", "offfset"),
          ("/jazz.m3u?bitrate=64", "bitrate"), ("/jazz.xspf?reverse=1", "reverse"),
          ("/jazz?at=-10m&at=-5m", "at"), ("/jazz?bitrate=64", "bitrate"),
          ("/jazz/clip?from=-3s&bitrate=64", "bitrate"), ("/jazz/pcm?reverse=1", "reverse"),
          ("/api/v1/stations/jazz/waveform?points=1&points=2", "points"),
          ("/api/v1/stations/jazz/waveform?pionts=1", "pionts"),
          ("/api/v1/stations/jazz/history?limits=1", "limits"),
          ("/api/v1/stations/jazz/artwork?posision=1", "posision"),
          ("/api/v1/stations/jazz/artwork?reverse=1", "reverse"),
          ("/api/v1/stations/jazz?bitrate=64", "bitrate"),
        ] {
          let answer = try await relay.get(path)
          let named = answer.text.contains(#""field":"\#(field)""#)
          #expect(answer.status == 400 && named, "\(path): \(answer.text)")
        }
        for path in [
          "/jazz.m3u?_=1", "/jazz.m3u?version=2", "/api/v1/stations/jazz/waveform?points=1&_=2",
          "/api/v1/stations?v=3",
        ] {
          #expect(try await relay.get(path).status == 200, "\(path)")
        }
        for at in ["-10m", "18:00", "track-start", "2001-01-01T00:00:00Z", "1790000000"] {
          let client = try StreamClient(to: relay.address, get: "/jazz?at=" + at)
          #expect(try await client.answer().status == 200, "\(at)")
        }
      }
    }
  }

  @Test func `a session's token steers it, without any other right`() async throws {
    try await withStation { _, stations in
      try await Scenario.withRelay(stations) { relay in
        try await relay.until("jazz", has: 18)
        #expect(try await relay.get(Self.path).status == 404)
        let client = try await listen(relay)
        var shown: JSON?
        try await eventually("it is at the live edge") {
          client.drain()
          shown = try JSON.parse(await relay.get(Self.path).body)
          return shown?["canForward"] == .bool(false)
        }
        #expect(shown?["station"]?.string == "jazz" && shown?["state"]?.string == "playing")
        #expect(shown?["canRewind"] == .bool(true))
        #expect(shown?["window"]?["oldest"]?.string?.hasSuffix("Z") == true)

        let paused = try await post(relay, #"{"action":"pause"}"#)
        #expect(paused["state"]?.string == "paused")
        let seek = try await post(relay, #"{"action":"seek","seconds":10}"#)
        #expect(seek["state"]?.string == "paused" && seek["canForward"] == .bool(true))
        let offset = try #require(seek["offset"]?.double)
        #expect(abs(offset - 10) < 0.5)
        // Still paused, so that no other title can begin between the two.
        let first = try await post(relay, #"{"action":"seek","to":"track-start"}"#)
        let same = try await post(relay, #"{"action":"seek","to":"track-start"}"#)
        #expect(first["position"] == same["position"])
        let resumed = try await post(relay, #"{"action":"resume"}"#)
        #expect(resumed["state"]?.string == "playing")
        let live = try await post(relay, #"{"action":"live"}"#)
        #expect(live["canForward"] == .bool(false))
        let wrong = try await HTTPExchange(
          "POST", Self.path, at: relay.address, body: #"{"action":"rewind"}"#)
        #expect(wrong.status == 400 && wrong.text.contains(#""field":"seconds""#))
        withExtendedLifetime(client) {}
      }
    }
  }

  @Test func `tokens cannot be guessed at will`() async throws {
    try await withStation { _, stations in
      try await Scenario.withRelay(stations, guessClock: ManualClock()) { relay in
        try await relay.until("jazz", has: 5)
        let client = try await listen(relay)
        for number in 0..<600 {
          let path = number.isMultiple(of: 2) ? "/api/v1/sessions/" : "/api/v1/events?session="
          #expect(try await relay.get("\(path)guessed-\(number)").status == 404)
        }
        let refused = try await relay.get("/api/v1/sessions/guessed-600")
        #expect(refused.status == 429 && refused.head["retry-after"] == "60")
        #expect(try await relay.get("/events?session=guessed-601").status == 429)
        // Who listens there is no guesser.
        #expect(try await relay.get(Self.path).status == 200)
        // It is no reason to refuse anything else.
        let admin = ["Authorization: Bearer \(Scenario.token)"]
        #expect(try await relay.get("/api/v1/listeners", fields: admin).status == 200)
        withExtendedLifetime(client) {}
      }
    }
  }

  @Test func `a session outlives the server, and goes on where it stopped`() async throws {
    let data = TemporaryDirectory()
    try await withStation { upstream, stations in
      var last: UInt64 = 0
      try await Scenario.withRelay(stations, data: data) { relay in
        try await relay.until("jazz", has: 18)
        let client = try await listen(relay)
        _ = try await post(relay, #"{"action":"seek","seconds":15}"#)
        try await client.until("what was before") { client in
          let numbers = try client.numbers()
          return numbers.last ?? 0 < numbers.max() ?? 0
        }
        client.hangUp()
        try await eventually("nobody is there") {
          try JSON.parse(await relay.get(Self.path).body)?["state"]?.string == "disconnected"
        }
        client.drain()
        last = try #require(client.numbers().last)
      }
      try await Scenario.withRelay(stations, data: data) { relay in
        let shown = try JSON.parse(await relay.get(Self.path).body)
        #expect(shown?["state"]?.string == "disconnected")
        let client = try await listen(relay)
        let went = try #require(client.numbers().first)
        // What was on its way when the player hung up was not heard.
        #expect((1...2).contains(Int64(went) - Int64(last)), "\(last), then \(went)")
      }
    }
  }

  @Test func `the title that is heard is told when it is heard, not when it arrived`() async throws
  {
    try await withStation { _, stations in
      try await Scenario.withRelay(stations) { relay in
        try await relay.until("jazz", has: 18)
        let all = try relay.events()
        let unknown = try await relay.get("/events?session=my-session_1")
        #expect(unknown.status == 404, "nobody has it yet")
        let client = try await listen(relay)
        let events = try relay.events("?session=my-session_1&kinds=metadata,moved")
        try await events.first("what it hears now") { $0.kind == "metadata" }
        let then = try await post(relay, #"{"action":"seek","seconds":15}"#)
        let title = try #require(then["nowPlaying"]?["title"]?.string)
        try await events.first("the title of then") {
          $0.kind == "metadata" && $0.json["title"]?.string == title
        }
        let move = try await events.first("where it went") { $0.kind == "moved" }
        #expect(move.json["reason"]?.string == "seek" && move.json["position"] == then["position"])
        #expect(abs((move.json["offset"]?.double ?? 0) - 15) < 0.5)
        // Whoever comes later is told what is current, and nobody else of any of it.
        let late = try EventClient(at: relay.address, "?session=my-session_1")
        try await late.first("the title of then") { $0.json["title"]?.string == title }
        #expect(late.events.allSatisfy { $0.kind == "metadata" })
        try await all.first("the listener") { $0.kind == "listener-connected" }
        #expect(all.events.allSatisfy { !["metadata", "moved"].contains($0.kind) })
        #expect(events.events.allSatisfy { $0.json["session"] == nil && $0.json["address"] == nil })
        let admin = ["Authorization: Bearer \(Scenario.token)"]
        var listener: JSON?
        try await eventually("it is shifted") {
          client.drain()
          let listed = try JSON.parse(await relay.get("/api/v1/listeners", fields: admin).body)
          listener = listed?["listeners"]?.items.first
          return listener?["state"]?.string == "shifted"
        }
        #expect(listener?["session"]?.string == "my-session_1")
        #expect(listener?["nowPlaying"]?["title"]?.string != nil)
        withExtendedLifetime(client) {}
      }
    }
  }

  @Test func `at=track-start begins with the first packet of what is playing`() async throws {
    try await withStation { _, stations in
      try await Scenario.withRelay(stations) { relay in
        try await relay.until("jazz", has: 18)
        let client = try StreamClient(to: relay.address, get: "/jazz?at=track-start")
        try await client.until("packets") { try !$0.numbers().isEmpty }
        // A title begins with the packet in whose bytes the upstream's block stood: two or three behind its own.
        #expect(try client.numbers().first.map { $0 % 200 < 4 } == true)
      }
    }
  }
}
