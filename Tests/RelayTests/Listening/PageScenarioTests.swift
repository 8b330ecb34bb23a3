import Longwave
import TestSupport
import Testing

/// Pages, JSON and playlists as browsers and scripts fetch them: compressed, and only when they are new to them.
@Suite struct PageScenarioTests {
  /// One station with audio, and a field of its upstream's own.
  private func withStation(_ body: (TestRelay) async throws -> Void) async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply(
      "/live", with: .stream(FakeStream(burst: 6), fields: [("icy-country-code", "CH")]))
    try await Scenario.withRelay([StationDefinition(id: "jazz", upstream: [upstream.url("/live")])])
    { relay in
      try await relay.until("jazz", has: 5)
      try await body(relay)
    }
  }

  private static let description = "/api/v1/openapi.json"

  @Test func `long text is sent as gzip to those who take it`() async throws {
    try await withStation { relay in
      let plain = try await relay.get(Self.description)
      #expect(plain.head["content-encoding"] == nil)
      #expect(plain.head["vary"] == "Accept-Encoding")
      let packed = try await relay.get(
        Self.description, fields: ["Accept-Encoding: deflate, gzip;q=0.8, *;q=0.1"])
      #expect(packed.status == 200 && packed.head["content-encoding"] == "gzip")
      #expect(packed.head["vary"] == "Accept-Encoding")
      #expect(packed.head["content-length"] == "\(packed.body.count)")
      #expect(packed.body.starts(with: [0x1F, 0x8B]) && packed.body.count * 3 < plain.body.count)
      let head = try await HTTPExchange(
        "HEAD", Self.description, at: relay.address, fields: ["Accept-Encoding: gzip"])
      #expect(head.body.isEmpty)
      for name in ["content-encoding", "content-length", "etag", "vary", "content-type"] {
        #expect(head.head[name] == packed.head[name], "\(name)")
      }
      let refused = try await relay.get(
        Self.description, fields: ["Accept-Encoding: gzip;q=0, identity"])
      #expect(refused.body == plain.body)
    }
  }

  @Test func `curl unpacks what it is sent`() async throws {
    try await withStation { relay in
      let url = "http://\(relay.address)\(Self.description)"
      let folder = TemporaryDirectory()
      let curl = "curl -sS -m 60 '\(url)' -o '\(folder.path)"
      let compare =
        "\(curl)/plain' && \(curl)/unpacked' --compressed && cd '\(folder.path)' && "
        + "grep -q openapi plain && cmp plain unpacked"
      let result = try await ChildProcess.run(["sh", "-c", compare])
      #expect(result.status == 0, "\(result.log)")
    }
  }

  @Test func `short pages, playlists and streams are never compressed`() async throws {
    try await withStation { relay in
      let taken = ["Accept-Encoding: gzip"]
      for path in ["/healthz", "/7.html", "/jazz.xspf", "/api/v1/stations/none"] {
        let answer = try await relay.get(path, fields: taken)
        #expect(answer.head["content-encoding"] == nil && !answer.body.isEmpty, "\(path)")
        #expect(answer.head["vary"] == nil, "\(path)")
      }
      let listener = try StreamClient(
        to: relay.address,
        sending: "GET /jazz HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n")
      let head = try await listener.answer()
      #expect(head["content-encoding"] == nil && head["etag"] == nil)
      #expect(head["cache-control"] == "no-cache, no-store")
      withExtendedLifetime(listener) {}
    }
  }

  @Test func `a client that has a page already is told so, and sent nothing`() async throws {
    try await withStation { relay in
      for path in [Self.description, "/jazz.m3u", "/jazz.asx", "/played", "/healthz"] {
        let first = try await relay.get(path)
        let tag = try #require(first.head["etag"], "\(path)")
        #expect(first.status == 200 && first.head["cache-control"] == "no-cache", "\(path)")
        for method in ["GET", "HEAD"] {
          // Compressed or not, it is the same page.
          let again = try await HTTPExchange(
            method, path, at: relay.address,
            fields: ["If-None-Match: \"x\", \(tag)", "Accept-Encoding: gzip"])
          #expect(again.status == 304 && again.body.isEmpty, "\(path)")
          #expect(again.head["etag"] == tag && again.head["cache-control"] == "no-cache")
          #expect(again.head["vary"] == first.head["vary"])
          #expect(again.head["content-type"] == nil && again.head["content-length"] == nil)
        }
        let other = try await relay.get(path, fields: ["If-None-Match: \"x\""])
        #expect(other.status == 200 && other.body == first.body, "\(path)")
      }
    }
  }

  @Test func `the tag changes with the page`() async throws {
    try await withStation { relay in
      let first = try await relay.get("/currentsong")
      let title = ["Authorization: Bearer \(Scenario.token)"]
      _ = try await relay.get("/admin/metadata?mount=/jazz&mode=updinfo&song=New", fields: title)
      let tag = first.head["etag"] ?? ""
      // Strangers see changes up to a second later.
      try await eventually("another page") {
        let second = try await relay.get("/currentsong", fields: ["If-None-Match: \(tag)"])
        return second.status == 200 && second.text == "New" && second.head["etag"] != tag
      }
    }
  }

  @Test func `an administrator's page and an error are never to be kept`() async throws {
    try await withStation { relay in
      let token = ["Authorization: Bearer \(Scenario.token)"]
      for (path, fields) in [
        ("/api/v1/listeners", token), ("/api/v1/stations", token), ("/admin/stats", token),
        ("/api/v1/stations/none", []), ("/api/v1/listeners", []), ("/none", []),
      ] {
        let answer = try await relay.get(path, fields: fields + ["If-None-Match: *"])
        #expect(answer.status != 304 && answer.head["etag"] == nil, "\(path)")
        #expect(answer.head["cache-control"] == "no-cache, no-store", "\(path)")
      }
    }
  }

  @Test func `scripts see the fields that the upstream has sent along`() async throws {
    try await withStation { relay in
      // They reach listeners a little later than the audio.
      try await eventually("the upstream's field, and its name") {
        let listener = try StreamClient(to: relay.address, get: "/jazz")
        let head = try await listener.answer()
        let exposed = head["access-control-expose-headers"] ?? ""
        return head["icy-country-code"] == "CH" && exposed.contains("icy-name")
          && exposed.hasSuffix(", icy-country-code")
      }
    }
  }
}
