import Longwave
import TestSupport
import Testing

@Suite struct UpstreamScenarioTests {
  @Test func `the second upstream plays where the first answers 404`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/second", with: .stream())
    let urls = [upstream.url("/first"), upstream.url("/second")]
    try await Scenario.withRelay([StationDefinition(id: "jazz", upstream: urls)]) { relay in
      let events = try relay.events("?station=jazz")
      try await relay.until("jazz", is: "playing")
      #expect(try await relay.station("jazz")["upstream"]?["url"]?.string == urls[1])
      try await events.first("not-found") { $0.kind == "not-found" }
      let listener = try StreamClient(to: relay.address, get: "/jazz")
      try await listener.until("two seconds of packets") { try $0.numbers().count > 76 }
      #expect(areUnbroken(try listener.numbers()))
    }
  }

  @Test func `High-Efficiency AAC is told as players show it, and to a relay of ours too`()
    async throws
  {
    // Its core, which is all that the frames announce.
    let file = try Fixtures.ffmpeg(
      ["-c:a", "aac", "-b:a", "48k"], format: "adts", sampleRate: 22_050, seconds: 8)
    let frames = try Fixtures.probe(file, format: "aac").map {
      Array(file[$0.position..<$0.position + $0.bytes])
    }
    let upstream = try FakeUpstream(
      FakeProgramme(samples: 1024, sampleRate: 22_050, before: 60) { frames[$0 % frames.count] })
    defer { upstream.stop() }
    upstream.reply(
      "/live",
      with: .stream(
        FakeStream(burst: 4), mediaType: "audio/aacp",
        fields: [("ice-audio-info", "samplerate=44100;channels=2")]))
    let stations = [StationDefinition(id: "jazz", upstream: [upstream.url("/live")])]
    try await Scenario.withRelay(stations) { near in
      try await near.until("jazz", has: 2)
      let url = "http://\(near.address)/jazz"
      try await Scenario.withRelay([StationDefinition(id: "far", upstream: [url])]) { far in
        try await far.until("far", has: 2)
        for (relay, id) in [(near, "jazz"), (far, "far")] {
          try await eventually("what \(id) says of itself") {
            let format = try await relay.station(id)["format"]
            return format?["mediaType"]?.string == "audio/aacp"
              && format?["sampleRate"]?.integer == 44_100 && format?["channels"]?.integer == 2
          }
          let listener = try StreamClient(to: relay.address, get: "/" + id)
          let head = try await listener.answer()
          #expect(head["content-type"] == "audio/aacp")
          #expect(head["ice-audio-info"]?.hasSuffix("samplerate=44100;channels=2") == true)
          let page = try JSON.parse(await relay.get("/status-json.xsl").body)
          let source = page?["icestats"]?["source"]
          #expect(source?["server_type"]?.string == "audio/aacp")
          #expect(source?["samplerate"]?.integer == 44_100)
          withExtendedLifetime(listener) {}
        }
      }
    }
  }

  @Test func `the second upstream takes over at the same packet when the first one goes`()
    async throws
  {
    let programme = FakeProgramme.numbered(before: 100)
    let first = try FakeUpstream(programme)
    let second = try FakeUpstream(programme)
    defer {
      first.stop()
      second.stop()
    }
    first.reply("/live", with: .stream())
    second.reply("/live", with: .stream(FakeStream(burst: 8)))
    let urls = [first.url("/live"), second.url("/live")]
    try await Scenario.withRelay([StationDefinition(id: "jazz", upstream: urls)]) { relay in
      let events = try relay.events("?station=jazz")
      try await relay.until("jazz", has: 3)
      let listener = try StreamClient(to: relay.address, get: "/jazz")
      try await listener.until("the burst") { try $0.numbers().count > 100 }
      first.goAway()
      try await events.first("reconnected") { $0.kind == "reconnected" }
      let then = try listener.numbers().count
      try await listener.until("more packets") { try $0.numbers().count > then + 100 }
      #expect(areUnbroken(try listener.numbers()))
      #expect(try await relay.station("jazz")["upstream"]?["url"]?.string == urls[1])
      #expect(!events.events.contains { $0.kind == "gap" })
    }
  }

  @Test func `a station whose upstreams all answer 404 is failed and its listeners get 503`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered())
    defer { upstream.stop() }
    let urls = [upstream.url("/a"), upstream.url("/b")]
    try await Scenario.withRelay([StationDefinition(id: "jazz", upstream: urls)]) { relay in
      let events = try relay.events("?station=jazz")
      try await relay.until("jazz", is: "failed")
      #expect(try await relay.station("jazz")["stateReason"]?.string?.contains("404") == true)
      // Later it asks again.
      #expect(upstream.requests.prefix(2).map(\.path) == ["/a", "/b"])
      let failed = try await events.first("failed") { $0.kind == "failed" }
      #expect(failed.json["reason"]?.string?.contains("404") == true)
      let missing = events.events.filter { $0.kind == "not-found" }
      #expect(missing.prefix(2).compactMap { $0.json["url"]?.string } == urls)
      let answer = try await relay.get("/jazz")
      #expect(answer.status == 503 && answer.head["retry-after"] == "5")
      // The server is fine: it is the upstream that is not.
      #expect(try await relay.get("/healthz").status == 200)
    }
  }

  @Test func `a web page in place of a stream is bad content and nobody hears it`() async throws {
    let upstream = try FakeUpstream(.numbered())
    defer { upstream.stop() }
    let line = "<p>This station has moved. Please visit our new web page.</p>\n"
    let page = "<!DOCTYPE html><html>" + String(repeating: line, count: 2000) + "</html>"
    upstream.reply("/page", with: .file(Array(page.utf8), mediaType: "text/html"))
    upstream.reply("/liar", with: .file(Array(page.utf8), mediaType: "audio/mpeg"))
    let stations = ["page", "liar"].map {
      StationDefinition(id: $0, upstream: [upstream.url("/\($0)")])
    }
    try await Scenario.withRelay(stations) { relay in
      let events = try relay.events()
      for id in ["page", "liar"] {
        try await relay.until(id, is: "failed")
        let bad = try await events.first("bad-content") {
          $0.kind == "bad-content" && $0.json["station"]?.string == id
        }
        #expect(bad.json["reason"]?.string?.isEmpty == false)
        #expect(try await relay.station(id)["stateReason"]?.string?.isEmpty == false)
        #expect(try await relay.station(id)["window"]?["bytes"]?.integer == 0)
        let answer = try await relay.get("/\(id)")
        #expect(answer.status == 503 && !answer.text.contains("<p>"))
      }
    }
  }

  @Test func `a playlist leads to the stream and a stopped station answers 503`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/live", with: .chunked())
    let playlist = "[playlist]\nNumberOfEntries=2\nFile1=\(upstream.url("/gone"))\nFile2=/live\n"
    upstream.reply("/jazz.pls", with: .playlist(playlist))
    let station = StationDefinition(id: "jazz", upstream: [upstream.url("/jazz.pls")])
    try await Scenario.withRelay([station]) { relay in
      try await relay.until("jazz", is: "playing")
      let listener = try StreamClient(to: relay.address, get: "/jazz")
      try await listener.until("a second of packets") { try $0.numbers().count > 38 }
      let stop = try await HTTPExchange(
        "POST", "/api/v1/stations/jazz/stop", at: relay.address,
        fields: ["Authorization: Bearer \(Scenario.token)"])
      #expect(stop.status == 200)
      // Its listeners are let go between two packets.
      try await eventually("the listener's end") {
        listener.drain()
        return listener.isEnded
      }
      #expect(areUnbroken(try NumberedFrames.numbers(in: listener.body)))
      #expect(try await relay.get("/jazz").status == 503)
      #expect(try await relay.station("jazz")["state"]?.string == "stopped")
    }
  }
}
