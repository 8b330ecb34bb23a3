import Longwave
import TestSupport
import Testing

/// URLs that are tried before they become a station's.
@Suite struct UpstreamCheckScenarioTests {
  private static let bearer = "Authorization: Bearer \(Scenario.token)"

  private func check(_ relay: TestRelay, _ body: String) async throws -> HTTPExchange {
    try await HTTPExchange(
      "POST", "/api/v1/stations/check", at: relay.address, fields: [Self.bearer], body: body)
  }

  private func steps(_ finding: JSON) -> [String] {
    (finding["steps"]?.items ?? []).compactMap { $0["step"]?.string }
  }

  private func withUpstream(_ body: (FakeUpstream) async throws -> Void) async throws {
    let titles = [FakeProgramme.TitleChange(packet: 0, "Miles Davis - So What")]
    let upstream = try FakeUpstream(.numbered(before: 1000, titles: titles))
    defer { upstream.stop() }
    var stream = FakeStream(burst: 6)
    stream.metaint = 4000
    upstream.reply("/live", with: .stream(stream, fields: [("icy-name", "Jazz FM")]))
    try await body(upstream)
  }

  @Test func `a stream is told with codec, bit rate, name, title and the way there`() async throws {
    try await withUpstream { upstream in
      try await Scenario.withRelay([]) { relay in
        let answer = try await check(relay, #"{"upstream":["\#(upstream.url("/live"))"]}"#)
        #expect(answer.status == 200, "\(answer.text)")
        let found = try #require(JSON.parse(answer.body)?["upstreams"]?.items.first)
        #expect(found["url"]?.string == upstream.url("/live"))
        #expect(found["ok"] == .bool(true) && found["trouble"] == .null)
        #expect(found["codec"]?.string == "mp3" && found["bitrate"]?.integer == 128)
        #expect(found["name"]?.string == "Jazz FM")
        #expect(found["title"]?.string == "Miles Davis - So What")
        let steps = steps(found)
        #expect(Array(steps.prefix(3)) == ["resolved", "connected", "answered"])
        #expect(Set(steps.dropFirst(3)) == ["audio", "title"])
        // Nothing has become a station, and nothing is connected any more.
        #expect(try await relay.get("/api/v1/stations").text == #"{"stations":[]}"# + "\n")
        try await eventually("no connection") { upstream.openConnections == 0 }
      }
    }
  }

  @Test func `redirects and playlists are followed, and what is wrong is told in words`()
    async throws
  {
    try await withUpstream { upstream in
      upstream.reply("/moved", with: .redirect(to: upstream.url("/live")))
      upstream.reply(
        "/list.m3u",
        with: .file(
          Array("#EXTM3U\n\(upstream.url("/gone"))\n\(upstream.url("/live"))\n".utf8),
          mediaType: "audio/x-mpegurl"))
      let page = "<html><body>\(String(repeating: "Hello ", count: 500))</body></html>"
      upstream.reply("/page", with: .file(Array(page.utf8), mediaType: "text/html"))
      try await Scenario.withRelay([]) { relay in
        let urls = ["/moved", "/list.m3u", "/page", "/gone"].map { "\"\(upstream.url($0))\"" }
        let closed = "\"http://127.0.0.1:9/\""
        let answer = try await check(
          relay, #"{"upstream":[\#((urls + [closed]).joined(separator: ","))]}"#)
        let found = JSON.parse(answer.body)?["upstreams"]?.items ?? []
        #expect(found.count == 5)
        #expect(found[0]["ok"] == .bool(true) && steps(found[0]).contains("redirected"))
        #expect(found[1]["ok"] == .bool(true) && steps(found[1]).contains("playlist"))
        #expect(steps(found[1]).contains("failed"))
        #expect(found[2]["trouble"]?.string == "the answer is a web page")
        #expect(found[3]["trouble"]?.string == "the upstream answered 404")
        #expect(found[4]["trouble"]?.string?.hasPrefix("cannot connect") == true)
        for finding in found[2...] {
          #expect(finding["ok"] == .bool(false) && finding["codec"] == .null)
        }
      }
    }
  }

  @Test func `two checks run at once, and a running station notices nothing`() async throws {
    try await withUpstream { upstream in
      upstream.reply("/silent", with: FakeReply(statusLine: nil, body: .silence))
      let jazz = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
      try await Scenario.withRelay([jazz]) { relay in
        try await relay.until("jazz", is: "playing")
        let before = try await relay.station("jazz")["upstream"]?["attempts"]
        let silent = #"{"upstream":"\#(upstream.url("/silent"))"}"#
        async let first = check(relay, silent)
        async let second = check(relay, silent)
        try await eventually("two connections") { upstream.openConnections == 3 }
        let third = try await check(relay, silent)
        #expect(third.status == 503 && third.head["Retry-After"] == "10")
        for answer in try await [first, second] {
          let found = try #require(JSON.parse(answer.body)?["upstreams"]?.items.first)
          #expect(found["trouble"]?.string == "no audio within 9 s")
        }
        #expect(try await relay.station("jazz")["upstream"]?["attempts"] == before)
        #expect(try await relay.station("jazz")["state"]?.string == "playing")
      }
    }
  }

  @Test(arguments: [
    #"{}"#, #"{"upstream":[]}"#, #"{"upstream":"ftp://a/"}"#, #"{"upstream":"push:"}"#,
    #"{"upstream":"http://a/","files":"/etc"}"#, #"{"upstream":{"a":"b"}}"#,
    "{\"upstream\":[" + (1...9).map { "\"http://a/\($0)\"" }.joined(separator: ",") + "]}",
  ])
  func `a check of what is no station's URL is refused, and strangers may ask for none`(
    body: String
  ) async throws {
    try await Scenario.withRelay([]) { relay in
      let answer = try await check(relay, body)
      #expect(answer.status == 400 && answer.text.contains("\"bad-field\""), "\(answer.text)")
      let stranger = try await HTTPExchange(
        "POST", "/api/v1/stations/check", at: relay.address, body: body)
      #expect(stranger.status == 401)
    }
  }
}
