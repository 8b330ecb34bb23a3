import LongwaveAdmin
import Foundation
import Longwave
import Reactor
import TestSupport
import Testing
import Timeshift

/// What strangers, and services that hang, do at the door: none of it is noticed by anybody else.
@Suite struct DoorScenarioTests {
  private static let bcrypt = "$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a"

  /// Takes connections, and says nothing.
  private final class Silence {
    private let fd: Int32
    let address: SocketAddress

    init() throws {
      fd = try Socket.listen(on: .ipv4(0x7F00_0001, port: 0), sharing: false)
      address = try #require(Socket.localAddress(of: fd))
    }

    deinit { Socket.close(fd) }
  }

  private func withStations(
    _ auths: [String: AuthSettings], change: (inout Configuration) -> Void = { _ in },
    _ body: (TestRelay) async throws -> Void
  ) async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream())
    let stations = (Array(auths.keys) + ["open"]).map { id in
      var station = StationDefinition(id: id, upstream: [upstream.url("/live")])
      station.auth = auths[id]
      return station
    }
    try await Scenario.withRelay(
      stations,
      change: {
        $0.server.trustedProxies = [AddressRange("127.0.0.0/8")!]
        change(&$0)
      }
    ) { relay in
      for station in stations { try await relay.until(station.id, has: 3) }
      try await body(relay)
    }
  }

  private func ask(
    _ relay: TestRelay, _ target: String, from address: String = "203.0.113.7",
    _ credentials: String? = nil, method: String = "GET", fields: String = ""
  ) throws -> StreamClient {
    let basic = credentials.map {
      "Authorization: Basic \(Data($0.utf8).base64EncodedString())\r\n"
    }
    return try StreamClient(
      to: relay.address,
      sending: "\(method) \(target) HTTP/1.1\r\nHost: relay.test\r\nX-Forwarded-For: \(address)\r\n"
        + "\(basic ?? "")\(fields)Connection: close\r\n\r\n")
  }

  private func status(
    _ relay: TestRelay, _ target: String, from address: String = "203.0.113.7",
    _ credentials: String? = nil, method: String = "GET", fields: String = ""
  ) async throws -> Int {
    try await ask(relay, target, from: address, credentials, method: method, fields: fields)
      .answer().status
  }

  private func asking(_ url: String, telling: String? = nil) -> AuthSettings {
    var auth = AuthSettings()
    auth.addURL = url
    auth.removeURL = telling
    return auth
  }

  // MARK: Services

  @Test func `a hundred who wait for a service that hangs keep nobody else waiting`() async throws {
    let silence = try Silence()
    let service = try FakeUpstream(.numbered(before: 1))
    defer { service.stop() }
    service.reply("/add", with: .head([("icecast-auth-user", "1")]))
    let auths = [
      "hung": asking("http://\(silence.address)/add"), "good": asking(service.url("/add")),
    ]
    try await withStations(auths) { relay in
      let asked = MonotonicTime.now()
      let crowd = try (0..<100).map { try ask(relay, "/hung", from: "203.0.113.\($0)") }
      for _ in 0..<5 {
        #expect(try await relay.get("/healthz").status == 200)
        #expect(try await status(relay, "/good") == 200)
      }
      let data = relay.relay.dataPath
      #expect(try await AdminClient(.data(data)).request("GET", "/api/v1/stats") != nil)
      // All of that while they waited, unless the machine took longer for it than a service is waited for, 10 s.
      for client in crowd { client.drain() }
      if MonotonicTime.now().seconds(since: asked) < 9 {
        #expect(crowd.allSatisfy { $0.received.isEmpty })
      }
      for client in crowd { #expect(try await client.answer().status == 503) }
    }
  }

  @Test func `farewells to a service that hangs keep no newcomer waiting`() async throws {
    let silence = try Silence()
    let service = try FakeUpstream(.numbered(before: 1))
    defer { service.stop() }
    service.reply("/add", with: .head([("icecast-auth-user", "1")]))
    let auth = asking(service.url("/add"), telling: "http://\(silence.address)/remove")
    try await withStations(["jazz": auth]) { relay in
      let crowd = try (0..<40).map { try ask(relay, "/jazz", from: "203.0.113.\($0)") }
      for client in crowd { #expect(try await client.answer().status == 200) }
      for client in crowd { client.hangUp() }
      try await eventually("all have left") {
        try await relay.station("jazz")["listeners"]?["now"]?.integer == 0
      }
      #expect(try await status(relay, "/jazz") == 200)
      #expect(service.requests(for: "/add").count == 41)
    }
  }

  // MARK: Guesses

  @Test func `a guesser of listeners' passwords locks out nobody else`() async throws {
    let folder = TemporaryDirectory()
    // A hundredth of a second each.
    try "anna:\(Self.bcrypt)\n".write(
      toFile: folder.path + "/users", atomically: true, encoding: .utf8)
    var auth = AuthSettings()
    auth.passwordFile = folder.path + "/users"
    try await withStations(["jazz": auth]) { relay in
      try await eventually("the file is read") {
        try await status(relay, "/jazz", from: "198.51.100.1", "anna:secret") == 200
      }
      let guesses = try (0..<300).map { try ask(relay, "/jazz", "anna:wrong\($0)") }
      for other in 0..<8 {
        #expect(try await status(relay, "/jazz", from: "203.0.114.\(other)", "anna:secret") == 200)
      }
      var statuses: Set<Int> = []
      for guess in guesses { statuses.insert(try await guess.answer().status) }
      #expect(statuses.isSubset(of: [401, 429, 503]))
      for number in 0..<20 { _ = try await status(relay, "/jazz", "anna:again\(number)") }
      #expect(try await status(relay, "/jazz", "anna:secret") == 429)
      #expect(try await status(relay, "/jazz") == 401)
      #expect(try await status(relay, "/open") == 200)
    }
  }

  @Test func `listeners' tokens are not guessed for long`() async throws {
    var auth = AuthSettings()
    auth.tokens = ["4e0d5c7f5b0a4f7a9c1d2e3f"]
    try await withStations(["jazz": auth]) { relay in
      let right = "/jazz?token=4e0d5c7f5b0a4f7a9c1d2e3f"
      for number in 0..<20 {
        let method = number % 2 == 0 ? "GET" : "HEAD"
        let guess = try await status(relay, "/jazz?token=guess-\(number)", method: method)
        #expect(guess == 403)
      }
      #expect(try await status(relay, right) == 429)
      #expect(try await status(relay, right, method: "HEAD") == 429)
      #expect(try await status(relay, right, from: "203.0.113.8") == 200)
    }
  }

  @Test func `HEAD tells nothing of sessions, and GET not for long`() async throws {
    try await withStations([:]) { relay in
      let known = try ask(relay, "/open?session=known-session&offset=2", from: "198.51.100.1")
      try await known.until { $0.bodyCount > 10_000 }
      let path = "/api/v1/sessions/known-session"
      let seek = try await HTTPExchange(
        "POST", path, at: relay.address, body: #"{"action":"seek","seconds":3}"#)
      #expect(seek.status == 200)
      func offset(_ session: String) async throws -> Double? {
        try await ask(relay, "/open?session=\(session)", method: "HEAD").answer()["longwave-offset"]
          .flatMap(Double.init)
      }
      let (first, second) = (try await offset("known-session"), try await offset("other-session"))
      #expect(abs((first ?? 0) - (second ?? 9)) < 1)
      for number in 0..<605 {
        #expect(try await status(relay, "/open?session=guess-no-\(number)") == 200)
      }
      // From here on neither is told from the other, nor taken from whoever has it.
      let guess = try ask(relay, "/open?session=known-session")
      let hit = try await guess.answer()["longwave-offset"].flatMap(Double.init)
      #expect(abs((hit ?? 9) - (first ?? 0)) < 1)
      #expect(try await status(relay, "/api/v1/sessions/guess-no-604") == 404)
      known.drain()
      #expect(!known.isEnded)
      #expect(try await status(relay, path, from: "198.51.100.1") == 200)
    }
  }

  // MARK: Bodies

  @Test func `a hostile body costs its sender an answer, and nobody else anything`() async throws {
    try await withStations([:]) { relay in
      let listener = try StreamClient(to: relay.address, get: "/open?session=known-session")
      try await listener.until { $0.bodyCount > 10_000 }
      func post(_ session: String, _ body: String) async throws -> Int {
        try await HTTPExchange(
          "POST", "/api/v1/sessions/\(session)", at: relay.address, body: body
        ).status
      }
      let deep = String(repeating: "[", count: 60_000)
      let wide = "[" + String(repeating: "{},", count: 20_000) + "{}]"
      for body in [deep, wide, deep + String(repeating: "]", count: 1000)] {
        // At its head, before a token is looked at.
        #expect(try await post("unknown-one", body) == 413)
        #expect(try await post("known-session", body) == 413)
      }
      let small = #"{"action":"# + String(repeating: #"{"a":["#, count: 100)
      #expect(try await post("known-session", small) == 400)
      #expect(try await post("known-session", #"{"action":"pause","action":"live"}"#) == 400)
      #expect(try await post("known-session", #"{"action":"pause"}"#) == 200)
      for body in [deep, wide] {
        let added = try await HTTPExchange(
          "POST", "/api/v1/stations", at: relay.address,
          fields: ["Authorization: Bearer \(Scenario.token)"], body: body)
        #expect(added.status == 400)
      }
    }
  }

  // MARK: Pages of other sites

  @Test(arguments: [
    ("GET", "/admin/killsource?mount=/open"), ("GET", "/admin/metadata?mount=/open&song=x"),
    ("GET", "/admin.cgi?mode=updinfo&song=x&mount=/open&pass=\(Scenario.token)"),
    ("GET", "/admin/moveclients?mount=/open&destination=/open"),
    ("POST", "/admin/killsource?mount=/open"), ("POST", "/api/v1/stations/open/stop"),
    ("POST", "/api/v1/stations"), ("DELETE", "/api/v1/stations/open"),
    ("PATCH", "/api/v1/stations/open"), ("PUT", "/open"),
  ])
  func `a foreign page's requests by a visitor's browser change nothing`(
    method: String, target: String
  ) async throws {
    try await withStations([:]) { relay in
      let admin = "any:\(Scenario.token)"
      for field in [
        "Origin: http://evil.test", "Origin: null", "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site", "Referer: http://evil.test/page",
      ] {
        let answer = try await status(
          relay, target, admin, method: method, fields: field + "\r\n")
        #expect(answer == 403, "\(field)")
      }
      #expect(try await relay.station("open")["state"]?.string == "playing")
    }
  }

  @Test func `a body for the API is JSON by its type, but for sessions`() async throws {
    try await withStations([:]) { relay in
      let body = #"{"id":"rock","upstream":["http://127.0.0.1:9/"]}"#
      func add(_ fields: String...) async throws -> Int {
        try await HTTPExchange(
          "POST", "/api/v1/stations", at: relay.address,
          fields: ["Authorization: Bearer \(Scenario.token)"] + fields, body: body
        ).status
      }
      #expect(try await add("Content-Type: text/plain") == 415)
      #expect(try await add("Content-Type: application/x-www-form-urlencoded") == 415)
      #expect(try await add("Content-Type: application/json; charset=utf-8") == 201)
      let refused = try await relay.get("/api/v1/listeners")
      #expect(refused.head["www-authenticate"] == #"Bearer realm="Longwave""#)
      let icecast = try await relay.get("/admin/stats")
      #expect(icecast.head["www-authenticate"]?.contains("Basic") == true)
      let listener = try StreamClient(to: relay.address, get: "/open?session=known-session")
      try await listener.until { $0.bodyCount > 10_000 }
      let steered = try await HTTPExchange(
        "POST", "/api/v1/sessions/known-session", at: relay.address,
        fields: ["Content-Type: text/plain", "Origin: https://player.example"],
        body: #"{"action":"pause"}"#)
      #expect(steered.status == 200)
    }
  }

  // MARK: Figures

  @Test func `monitors agree with what is so, and nothing is guessed of its kind`() async throws {
    try await withStations([:]) { relay in
      let crowd = try (0..<3).map { try ask(relay, "/open", from: "203.0.113.\($0 % 2)") }
      for client in crowd { try await client.until { $0.bodyCount > 1000 } }
      try await eventually("the counts are new") {
        try await relay.get("/7.html").text.contains("<body>3,1,3,")
      }
      let statistics = try await relay.get("/statistics?json=1").text
      #expect(statistics.contains(#""uniquelisteners":2"#))
      let status = try await relay.get("/status-json.xsl")
      #expect(status.text.contains(#""listenurl":"http://relay.test/open""#))
      #expect(status.text.contains(#""host":"relay.test""#) && JSON.parse(status.body) != nil)
      for path in [
        "/7.html", "/status-json.xsl", "/healthz", "/open.m3u", "/nothing", "/events?kinds=x",
      ] {
        let answer = try await relay.get(path)
        #expect(answer.head["x-content-type-options"] == "nosniff", "\(path)")
      }
      #expect(try await crowd[0].answer()["x-content-type-options"] == "nosniff")
      let events = try relay.events()
      #expect(try await events.answer()["x-content-type-options"] == "nosniff")
    }
  }
}
