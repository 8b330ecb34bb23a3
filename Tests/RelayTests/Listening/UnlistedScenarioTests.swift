import Longwave
import TestSupport
import Testing
import Wire

/// A station that no list for everybody has, and that everybody finds by its name.
@Suite struct UnlistedScenarioTests {
  private static let admin = ["Authorization: Bearer \(Scenario.token)"]

  /// A relay with `jingle`, its rendition and the rendition `jazz-odd`, which are not listed, and `jazz`.
  private func withStations(_ body: (TestRelay) async throws -> Void) async throws {
    let upstream = try FakeUpstream(
      .numbered(before: 100, titles: [.init(packet: 0, "On air")]))
    defer { upstream.stop() }
    var stream = FakeStream(burst: 6)
    stream.metaint = 4000
    upstream.reply("/live", with: .stream(stream))
    var jingle = StationDefinition(id: "jingle", upstream: [upstream.url("/live")])
    jingle.isListed = false
    jingle.isPublic = true
    let jazz = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    var small = StationDefinition(id: "jingle-64", source: .rendition(of: "jingle"))
    var encoding = PCMEncoding()
    encoding.bitrate = 64
    var odd = StationDefinition(id: "jazz-odd", source: .rendition(of: "jazz"))
    (small.encode, odd.encode) = (encoding, encoding)
    (small.onDemand, odd.onDemand, odd.isListed) = (true, true, false)
    try await Scenario.withRelay([jingle, jazz, small, odd]) { relay in
      for id in ["jingle", "jazz"] { try await relay.until(id, has: 5) }
      try await body(relay)
    }
  }

  private static let lists = [
    "/", "/api/v1/stations", "/api/v1/stations/jazz", "/listen/jazz",
    "/listen/jazz/manifest.webmanifest", "/manifest.webmanifest", "/status-json.xsl", "/status.xsl",
    "/statistics",
    "/statistics?json=1", "/metrics",
  ]

  @Test func `no list for everybody has it`() async throws {
    try await withStations { relay in
      for path in Self.lists {
        let page = try await relay.get(path)
        #expect(page.status == 200 && page.text.contains("jazz"), "\(path)")
        #expect(!page.text.contains("jingle") && !page.text.contains("jazz-odd"), "\(path)")
      }
      // Numbers can be tried in turn, and none means the first of the list.
      let number = try #require(
        try await RelayAPI(address: relay.address).station("jingle")["sid"]?.integer)
      #expect(try await relay.get("/stats?sid=\(number)").status == 400)
      for path in ["/stream/{sid}/", "/listen.m3u?sid={sid}", "/listen.pls?sid={sid}"] {
        let told = try await relay.get(path.replacing("{sid}", with: "\(number)"))
        let none = try await relay.get(path.replacing("{sid}", with: "9999"))
        #expect(told.status == none.status && told.status >= 400, "\(path)")
      }
      // A quality that is not listed is chosen by nobody's bit rate.
      #expect(try await relay.get("/jazz.m3u?bitrate=64").status == 400)
      #expect(try await relay.get("/jingle.m3u?bitrate=64").text.contains("/jingle-64"))
      #expect(try await relay.get("/stats").text.contains("/jazz"))
      let first = try StreamClient(to: relay.address, get: "/;stream.nsv")
      #expect(try await first.answer()["icy-name"] == "jazz")
    }
  }

  @Test func `everybody finds it by its name`() async throws {
    try await withStations { relay in
      for path in [
        "/listen/jingle", "/listen/jingle/embed", "/api/v1/stations/jingle", "/jingle.m3u",
        "/status-json.xsl?mount=/jingle",
        "/status.xsl?mount=/jingle", "/metrics?station=jingle",
      ] {
        let page = try await relay.get(path)
        #expect(page.status == 200 && page.text.contains("jingle"), "\(path)")
      }
      #expect(try await relay.get("/api/v1/stations/jingle/history").text.contains("On air"))
      let told = try await JSON.parse(relay.get("/api/v1/stations/jingle").body)
      #expect(told?["listed"] == .bool(false))
      #expect(told?["renditions"]?.items.first?["id"]?.string == "jingle-64")
      #expect(try await relay.get("/7.html?mount=/jingle").text.contains("On air"))
      let listener = try StreamClient(to: relay.address, get: "/jingle")
      #expect(try await listener.answer()["icy-pub"] == "0")
      try await listener.until { $0.bodyCount > 10_000 }
    }
  }

  @Test func `an administrator's lists have it, and say so`() async throws {
    try await withStations { relay in
      let answer = try await relay.get("/api/v1/stations", fields: Self.admin)
      let stations = JSON.parse(answer.body)?["stations"]?.items ?? []
      #expect(stations.map { $0["id"]?.string } == ["jingle", "jazz", "jingle-64", "jazz-odd"])
      #expect(
        stations.map { $0["listed"] } == [false, true, false, false].map { JSON.bool($0) })
      for path in ["/status-json.xsl", "/statistics", "/metrics", "/admin/listmounts"] {
        #expect(try await relay.get(path, fields: Self.admin).text.contains("jingle"), "\(path)")
      }
      // What a browser or a monitor sends for something else hinders nobody.
      let basic = ["Authorization: Basic eDp5"]
      #expect(try await relay.get("/status-json.xsl", fields: basic).status == 200)
    }
  }

  /// Stops `jingle`, then `jazz`, and returns the stations of which a stranger was told until the other's stop came.
  private func told(_ query: String, until last: String, by relay: TestRelay) async throws
    -> [String]
  {
    let events = try EventClient(at: relay.address, query)
    _ = try await events.answer()
    for station in ["jingle", "jazz"] {
      let stopped = try await HTTPExchange(
        "POST", "/api/v1/stations/\(station)/stop", at: relay.address, fields: Self.admin,
        body: "{}")
      #expect(stopped.status == 200)
    }
    _ = try await events.first("a stop") {
      $0.json["state"]?.string == "stopped" && $0.json["station"]?.string == last
    }
    return events.events.compactMap { $0.json["station"]?.string }
  }

  @Test func `events of all stations leave it out for strangers`() async throws {
    try await withStations { relay in
      let all = try await told("?kinds=state", until: "jazz", by: relay)
      #expect(all.contains("jazz") && !all.contains { $0.contains("jingle") })
    }
  }

  @Test func `who names it is told its events`() async throws {
    try await withStations { relay in
      let named = try await told("?kinds=state&station=jingle", until: "jingle", by: relay)
      #expect(Set(named) == ["jingle"])
    }
  }

  @Test func `a command takes it off the lists, and puts it there again`() async throws {
    try await Scenario.withRelay([]) { relay in
      func call(_ method: String, _ path: String, _ body: String) async throws -> JSON? {
        JSON.parse(
          try await HTTPExchange(
            method, path, at: relay.address, fields: Self.admin, body: body
          ).body)
      }
      let added = try await call(
        "POST", "/api/v1/stations",
        #"{"id":"test","upstream":"push:","sourcePassword":"of-it-alone","listed":false}"#)
      #expect(added?["listed"] == .bool(false), "\(added?.text ?? "")")
      #expect(try await !relay.get("/").text.contains("/listen/test"))
      let changed = try await call("PATCH", "/api/v1/stations/test", #"{"listed":null}"#)
      #expect(changed?["listed"] == .bool(true))
      #expect(try await relay.get("/").text.contains("/listen/test"))
    }
  }
}
