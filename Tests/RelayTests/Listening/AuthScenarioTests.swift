import Foundation
import Longwave
import TestSupport
import Testing

/// Stations that do not play for everybody.
@Suite struct AuthScenarioTests {
  private static let bcrypt = "$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a"

  private func withStation(
    _ auth: AuthSettings, change: (inout StationDefinition) -> Void = { _ in },
    _ body: (TestRelay, FakeUpstream) async throws -> Void
  ) async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream())
    var station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    station.auth = auth
    change(&station)
    try await Scenario.withRelay([station]) { relay in
      try await relay.until("jazz", has: 3)
      try await body(relay, upstream)
    }
  }

  private func listen(
    _ relay: TestRelay, _ target: String = "/jazz", _ credentials: String? = nil,
    method: String = "GET"
  ) throws -> StreamClient {
    let basic = credentials.map {
      "Authorization: Basic \(Data($0.utf8).base64EncodedString())\r\n"
    }
    return try StreamClient(
      to: relay.address,
      sending: "\(method) \(target) HTTP/1.1\r\nHost: radio.test\r\nUser-Agent: tester\r\n"
        + "\(basic ?? "")Connection: close\r\n\r\n")
  }

  @Test func `a token in the query opens, and nothing else does`() async throws {
    var auth = AuthSettings()
    auth.tokens = ["first-token", "other-token"]
    try await withStation(auth) { relay, _ in
      for target in ["/jazz?token=first-token", "/jazz?offset=1&token=other-token"] {
        let client = try listen(relay, target)
        #expect(try await client.answer().status == 200)
        try await client.until { $0.bodyCount > 10_000 }
        #expect(try await listen(relay, target, method: "HEAD").answer().status == 200)
      }
      for target in ["/jazz", "/jazz?token=", "/jazz?token=first-toke", "/jazz?token=first-tokens"]
      {
        let answer = try await listen(relay, target, "anna:first-token").answer()
        #expect(answer.status == 403 && answer["www-authenticate"] == nil)
        #expect(try await listen(relay, target, method: "HEAD").answer().status == 403)
      }
      let list = try await relay.get("/jazz.m3u?token=first-token")
      #expect(list.text.contains("/jazz?token=first-token"))
      #expect(try await relay.get("/api/v1/stations/jazz").status == 200)
    }
  }

  /// A station whose only user is Anna, and the file that says so.
  private func withUsers(_ body: (TestRelay, String) async throws -> Void) async throws {
    let folder = TemporaryDirectory()
    let path = folder.path + "/users"
    try "anna:\(Self.bcrypt)\n".write(toFile: path, atomically: true, encoding: .utf8)
    var auth = AuthSettings()
    auth.passwordFile = path
    try await withStation(auth) { relay, _ in try await body(relay, path) }
  }

  @Test func `users of a file get in, also those it has got since`() async throws {
    try await withUsers { relay, path in
      try await eventually("the file is read") {
        try await listen(relay, "/jazz", "anna:secret").answer().status == 200
      }
      let refused = try await listen(relay).answer()
      #expect(refused.status == 401)
      #expect(refused["www-authenticate"] == #"Basic realm="jazz", charset="UTF-8""#)
      for credentials in ["anna:Secret", "anna:", "bert:secret", ":", "anna"] {
        #expect(try await listen(relay, "/jazz", credentials).answer().status == 401)
      }
      // Ten at once: the others' audio goes on, and each gets an answer, if only that four wait already.
      let steady = try listen(relay, "/jazz", "anna:secret")
      try await steady.until { $0.bodyCount > 1000 }
      let crowd = try (0..<10).map { try listen(relay, "/jazz", "anna:wrong\($0)") }
      for client in crowd {
        let status = try await client.answer(within: 60).status
        #expect(status == 401 || status == 503)
      }
      let before = steady.bodyCount
      try await steady.until { $0.bodyCount > before + 10_000 }
      #expect(areUnbroken(try steady.numbers()))

      try "bert:\(Self.bcrypt)\n".write(toFile: path, atomically: true, encoding: .utf8)
      _ = try await relay.relay.apply(await relay.relay.configuration)
      try await eventually("the file is read again") {
        try await listen(relay, "/jazz", "bert:secret").answer().status == 200
      }
      #expect(try await listen(relay, "/jazz", "anna:secret").answer().status == 401)
    }
  }

  private func pass(
    _ relay: TestRelay, _ user: String, _ password: String, of station: String = "jazz",
    query: String = ""
  ) async throws -> HTTPExchange {
    try await HTTPExchange(
      "POST", "/api/v1/stations/\(station)/pass\(query)", at: relay.address,
      fields: ["Content-Type: application/json"],
      body: "{\"user\":\"\(user)\",\"password\":\"\(password)\"}")
  }

  @Test func `a name and a password are exchanged for a token, which is as good as they are`()
    async throws
  {
    try await withUsers { relay, path in
      let shown = try await JSON.parse(relay.get("/api/v1/stations/jazz").body)
      #expect(shown?["auth"] == ["password"])
      try await eventually("the file is read") {
        try await listen(relay, "/jazz", "anna:secret").answer().status == 200
      }
      let wrong = try await pass(relay, "anna", "Secret")
      #expect(wrong.status == 401)
      #expect(JSON.parse(wrong.body)?["error"]?["code"]?.string == "unauthorized")
      // A browser would ask by itself for Basic.
      #expect(wrong.head["www-authenticate"]?.hasPrefix("Bearer") == true)
      #expect(try await pass(relay, "an:na", "secret").status == 400)
      #expect(try await pass(relay, "anna", "secret", of: "none").status == 404)
      let made = try await pass(relay, "anna", "secret")
      let token = try #require(JSON.parse(made.body)?["token"]?.string)
      let client = try listen(relay, "/jazz?token=\(token)")
      #expect(try await client.answer().status == 200)
      try await client.until { $0.bodyCount > 10_000 }
      let waveform = "/api/v1/stations/jazz/waveform?points=1"
      #expect(try await relay.get("\(waveform)&token=\(token)").status == 200)
      // Asked again, it is the same; a token in the address opens nothing here.
      #expect(JSON.parse(try await pass(relay, "anna", "secret").body)?["token"]?.string == token)
      let byToken = try await pass(relay, "anna", "Secret", of: "jazz", query: "?token=\(token)")
      #expect(byToken.status == 400)
      // Passes from before a restart are no guesses.
      for number in 0..<30 {
        let stale = String(repeating: "0", count: 30) + "\(10 + number)"
        #expect(try await relay.get("\(waveform)&token=\(stale)").status == 401)
      }
      #expect(try await pass(relay, "anna", "secret").status == 200)
      let other = token.dropLast() + (token.hasSuffix("0") ? "1" : "0")
      #expect(try await relay.get("\(waveform)&token=\(other)").status == 401)
      // Who is no user any more has nothing of it.
      try "bert:\(Self.bcrypt)\n".write(toFile: path, atomically: true, encoding: .utf8)
      _ = try await relay.relay.apply(await relay.relay.configuration)
      try await eventually("the file is read again") {
        try await listen(relay, "/jazz?token=\(token)").answer().status == 401
      }
    }
  }

  @Test func `a web service is asked with the name and password that a token stands for`()
    async throws
  {
    let service = try FakeUpstream(.numbered(before: 1))
    defer { service.stop() }
    service.reply("/add", with: .head([("icecast-auth-user", "1")]))
    var auth = AuthSettings()
    auth.tokens = ["first-token"]
    auth.addURL = service.url("/add")
    try await withStation(auth) { relay, _ in
      let shown = try await JSON.parse(relay.get("/api/v1/stations/jazz").body)
      #expect(shown?["auth"] == ["token", "password"])
      let made = try await pass(relay, "anna", "secret")
      let token = try #require(JSON.parse(made.body)?["token"]?.string)
      let client = try listen(relay, "/jazz?token=\(token)")
      try await client.until { $0.bodyCount > 10_000 }
      #expect(!forms(service, "/add").isEmpty)
      for form in forms(service, "/add") {
        #expect("&\(form)&".contains("&user=anna&pass=secret&"), "\(form)")
      }
    }
  }

  private func listeners(_ relay: TestRelay) async throws -> [String] {
    let answer = try await relay.get(
      "/api/v1/listeners", fields: ["Authorization: Bearer \(Scenario.token)"])
    return (JSON.parse(answer.body)?["listeners"]?.items ?? []).map { "\($0["id"]?.integer ?? 0)" }
  }

  private func forms(_ upstream: FakeUpstream, _ path: String) -> [String] {
    upstream.requests(for: path).map { String(decoding: $0.body, as: UTF8.self) }
  }

  @Test func `a web service is asked, and told when they have gone`() async throws {
    let service = try FakeUpstream(.numbered(before: 1))
    defer { service.stop() }
    service.reply("/add", with: .head([("icecast-auth-user", "1")]))
    service.reply("/remove", with: .head([]))
    var auth = AuthSettings()
    auth.addURL = service.url("/add")
    auth.removeURL = service.url("/remove")
    try await withStation(auth) { relay, _ in
      let client = try listen(relay, "/jazz?a=1", "anna:secret")
      try await client.until { $0.bodyCount > 10_000 }
      let add = try #require(forms(service, "/add").first)
      #expect(service.requests(for: "/add").first?.method == "POST")
      for part in [
        "action=listener_add", "server=radio.test", "mount=%2Fjazz%3Fa%3D1", "user=anna",
        "pass=secret", "ip=127.0.0.1", "agent=tester",
      ] { #expect("&\(add)&".contains("&\(part)&"), "\(add)") }
      let id = try #require(add.firstMatch(of: /client=([0-9]+)/)).1
      #expect(try await listeners(relay) == [String(id)])
      client.hangUp()
      try await eventually("a farewell") { !forms(service, "/remove").isEmpty }
      let remove = try #require(forms(service, "/remove").first)
      #expect(remove.contains("action=listener_remove") && remove.contains("client=\(id)&"))
      #expect(remove.contains("&duration="))
      // A look at the head is asked about, and over at once.
      #expect(try await listen(relay, method: "HEAD").answer().status == 200)
      try await eventually("its farewell") { forms(service, "/remove").count == 2 }
    }
  }

  @Test func `a web service's answer decides whether, how long and what a listener hears`()
    async throws
  {
    let service = try FakeUpstream(.numbered(before: 1))
    defer { service.stop() }
    var auth = AuthSettings()
    auth.addURL = service.url("/add")
    try await withStation(auth) { relay, _ in
      service.reply("/add", with: .head([("icecast-auth-message", "not today")]))
      let refused = try await listen(relay).answer()
      #expect(refused.status == 401 && refused["icecast-auth-message"] == "not today")
      #expect(refused["www-authenticate"]?.hasPrefix("Basic realm=") == true)
      service.reply(
        "/add", with: .head([("icecast-auth-user", "1"), ("icecast-auth-timelimit", "2")]))
      let short = try listen(relay)
      // Before that, what is known of the address is that it was refused.
      #expect(try await short.answer().status == 200)
      let others = try ["/jazz/pcm", "/events?station=jazz&kinds=levels"].map {
        try listen(relay, $0)
      }
      try await short.until("its time is up", within: 60) { $0.isEnded }
      #expect(areUnbroken(try short.numbers()))
      for other in others {
        #expect(try await other.answer().status == 200)
        try await other.until("its time is up", within: 60) { $0.isEnded }
      }
      service.goAway()
      let unknown = try await listen(relay).answer()
      #expect(unknown.status == 503 && unknown["retry-after"] == "5")
      try service.comeBack()
      #expect(try await listen(relay).answer().status == 200)
    }
  }

  @Test func `a listener who leaves while the service thinks is said farewell`() async throws {
    let service = try FakeUpstream(.numbered(before: 1))
    defer { service.stop() }
    var slow = FakeReply.head([("icecast-auth-user", "1")])
    slow.body = .pieces([[], []], pause: 2, thenCloses: true)
    slow.fields = [("icecast-auth-user", "1")]
    service.reply("/add", with: slow)
    service.reply("/remove", with: .head([]))
    var auth = AuthSettings()
    auth.addURL = service.url("/add")
    auth.removeURL = service.url("/remove")
    try await withStation(auth) { relay, _ in
      let client = try listen(relay)
      try await eventually("the question") { service.requests(for: "/add").count == 1 }
      client.hangUp()
      try await eventually("the farewell") { forms(service, "/remove").count == 1 }
      try await eventually("nobody is left") { try await listeners(relay).isEmpty }
    }
  }
}
