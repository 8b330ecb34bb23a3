import Longwave
import Reactor
import TestSupport
import Testing
import Wire

@Suite struct MonitorScenarioTests {
  private static let admin = ["Authorization: Bearer \(Scenario.token)"]

  private func withStations(_ body: (TestRelay) async throws -> Void) async throws {
    let titles = [FakeProgramme.TitleChange(packet: 0, "From upstream")]
    let upstream = try FakeUpstream(.numbered(before: 100, titles: titles))
    defer { upstream.stop() }
    var stream = FakeStream(burst: 6)
    stream.metaint = 4000
    upstream.reply("/live", with: .stream(stream))
    let stations = ["jazz", "rock"].map {
      StationDefinition(id: $0, upstream: [upstream.url("/live")])
    }
    let here = AddressRange("127.0.0.0/8")!
    try await Scenario.withRelay(stations, change: { $0.server.trustedProxies = [here] }) { relay in
      for id in ["jazz", "rock"] { try await relay.until(id, has: 5) }
      try await body(relay)
    }
  }

  @Test func `a title said by hand is heard and holds until the upstream says a new one`()
    async throws
  {
    try await withStations { relay in
      let listener = try StreamClient(to: relay.address, get: "/jazz", titles: true)
      let answer = try await HTTPExchange(
        "PUT", "/api/v1/stations/jazz/metadata", at: relay.address, fields: Self.admin,
        body: #"{"artist":"By","title":"Hand","url":"http://x/y.png"}"#)
      #expect(answer.status == 200)
      // With the next packet.
      try await eventually("the title in the station") {
        let playing = try await relay.station("jazz")["nowPlaying"]
        return playing?["artist"]?.string == "By" && playing?["title"]?.string == "Hand"
          && playing?["artwork"]?.string == "http://x/y.png"
      }
      try await listener.until("the title") {
        String(decoding: $0.received, as: UTF8.self)
          .contains("StreamTitle='By - Hand';StreamUrl='http://x/y.png';")
      }
      let before = listener.received.count
      // The upstream goes on with its own, which is no news.
      try await listener.until { $0.received.count > before + 16_000 }
      let shown = try await relay.station("jazz")
      #expect(shown["nowPlaying"]?["title"]?.string == "Hand")
      #expect(try await relay.station("rock")["nowPlaying"]?["title"]?.string == "From upstream")
      for body in ["{}", #"{"title":""}"#, #"{"title":5}"#, #"{"title":"x","song":"y"}"#] {
        let refused = try await HTTPExchange(
          "PUT", "/api/v1/stations/jazz/metadata", at: relay.address, fields: Self.admin,
          body: body)
        #expect(refused.status == 400)
      }
    }
  }

  @Test func `a moved listener goes on with the other station's packets on its connection`()
    async throws
  {
    try await withStations { relay in
      let listener = try StreamClient(to: relay.address, get: "/jazz", titles: true)
      try await listener.until { $0.bodyCount > 50_000 }
      let metaint = try #require(Int(try listener.head()["icy-metaint"] ?? ""))
      let listed = try await relay.get("/api/v1/listeners", fields: Self.admin)
      let id = try #require(JSON.parse(listed.body)?["listeners"]?.items.first?["id"]?.integer)
      func move(_ id: Int, _ station: String) async throws -> HTTPExchange {
        try await HTTPExchange(
          "POST", "/api/v1/listeners/\(id)/move", at: relay.address, fields: Self.admin,
          body: "{\"station\":\"\(station)\"}")
      }
      #expect(try await move(id, "none").status == 404)
      #expect(try await move(id + 1000, "rock").status == 404)
      let moved = try await move(id, "rock")
      #expect(JSON.parse(moved.body)?["station"]?.string == "rock")
      let before = listener.bodyCount
      try await listener.until { $0.bodyCount > before + 60_000 }
      #expect(try await relay.station("rock")["listeners"]?["now"]?.integer == 1)
      #expect(try await relay.station("jazz")["listeners"]?["now"]?.integer == 0)
      // Every byte that is not an ICY block is of whole packets.
      let audio = try withoutBlocks(listener.body, metaint: metaint)
      let numbers = try NumberedFrames.numbers(in: audio, mayEndInFrame: true)
      let jumps = zip(numbers, numbers.dropFirst()).filter { $1 != $0 + 1 }
      #expect(jumps.count == 1)
    }
  }

  private func withoutBlocks(_ body: [UInt8], metaint: Int) throws -> [UInt8] {
    var audio: [UInt8] = []
    var rest = body[...]
    while rest.count > metaint {
      audio += rest.prefix(metaint)
      rest = rest.dropFirst(metaint)
      rest = rest.dropFirst(1 + 16 * Int(rest.first!))
    }
    return audio + rest
  }

  @Test func `the pages of Icecast and SHOUTcast are served`() async throws {
    try await withStations { relay in
      let status = try await relay.get("/status-json.xsl")
      let sources = JSON.parse(status.body)?["icestats"]?["source"]?.items ?? []
      #expect(
        sources.map { $0["listenurl"]?.string } == [
          "http://relay.test/jazz", "http://relay.test/rock",
        ])
      let proxied = try await relay.get(
        "/status-json.xsl",
        fields: ["X-Forwarded-Proto: https", "X-Forwarded-Host: radio.example"])
      let behindProxy = JSON.parse(proxied.body)?["icestats"]?["source"]?.items ?? []
      #expect(behindProxy.first?["listenurl"]?.string == "https://radio.example/jazz")
      #expect(try await relay.get("/currentsong?sid=2").text == "From upstream")
      #expect(try await relay.get("/7.html").text.contains(",From upstream</body>"))
      #expect(try await relay.get("/admin/listmounts").status == 401)
      let mounts = try await relay.get("/admin/listmounts", fields: Self.admin)
      #expect(mounts.text.contains("<source mount=\"/rock\">"))
      let listener = try StreamClient(to: relay.address, get: "/;stream.nsv")
      try await listener.until { $0.bodyCount > 1000 }
      let clients = try await relay.get("/admin/listclients?mount=/jazz", fields: Self.admin)
      let id = try #require(clients.text.firstMatch(of: /<ID>(\d+)<\/ID>/)?.1)
      let killed = try await relay.get(
        "/admin/killclient?mount=/jazz&id=\(id)", fields: Self.admin)
      #expect(killed.text.contains("<return>1</return>"))
      try await listener.until("its end") { $0.isEnded }
    }
  }
}
