import Foundation
import Longwave
import Reactor
import TestSupport
import Testing

/// Passwords that somebody tries one after the other.
@Suite struct GuessScenarioTests {
  private static let right = "c291cmNlOnB1c2gtaXQtbm93"
  private static let wrong = "c291cmNlOndyb25nLW9uZQ=="
  private static let wrongMax = 20

  /// Guesses are counted by a clock that stands, since their minute may be over before a busy machine has made them.
  private func withStation(
    _ clock: ManualClock = ManualClock(), _ body: (TestRelay, SocketAddress) async throws -> Void
  ) async throws {
    let listen = SocketAddress.ipv4(0x7F00_0001, port: 0)
    try await Scenario.withRelay(
      [
        PushScenarioTests.station(),
        StationDefinition(id: "pulled", upstream: ["http://127.0.0.1:9/?key=hidden"]),
      ],
      guessClock: clock,
      change: {
        $0.server.shoutcastListen = [listen]
        $0.server.trustedProxies = [AddressRange("127.0.0.0/8")!]
      }
    ) { relay in
      try await body(relay, try #require(await relay.relay.shoutcastAddresses.first))
    }
  }

  private func ask(
    _ relay: TestRelay, _ line: String, from client: String, _ authorization: String = ""
  ) async throws -> Int {
    let field = authorization.isEmpty ? "" : "Authorization: \(authorization)\r\n"
    let client = try StreamClient(
      to: relay.address,
      sending: "\(line) HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: audio/mpeg\r\n"
        + "X-Forwarded-For: \(client)\r\n\(field)\r\n")
    return try await client.answer().status
  }

  /// A password that nobody has.
  private static func guess(_ number: Int, _ scheme: String) -> String {
    let text = "guess-\(number)"
    return scheme + " " + (scheme == "Basic" ? Data("x:\(text)".utf8).base64EncodedString() : text)
  }

  private static let title = "GET /admin.cgi?mode=updinfo&pass=push-it-now&song=x"

  @Test(arguments: [
    ("GET /admin/stats", "Basic"), ("GET /api/v1/listeners", "Bearer"),
    ("DELETE /api/v1/stations/live", "Bearer"), ("GET /api/v1/stations", "Bearer"),
  ])
  func `a guesser of the admin token is refused, right or wrong, and nobody else is`(
    line: String, scheme: String
  ) async throws {
    try await withStation { relay, _ in
      for number in 0..<Self.wrongMax {
        let guess = Self.guess(number, scheme)
        #expect(try await ask(relay, line, from: "203.0.113.7", guess) == 401)
      }
      #expect(try await ask(relay, line, from: "203.0.113.7", Self.guess(99, scheme)) == 429)
      let token = "Bearer \(Scenario.token)"
      #expect(try await ask(relay, "GET /admin/stats", from: "203.0.113.7", token) == 429)
      // What is for everybody is for them, too.
      #expect(try await ask(relay, "GET /healthz", from: "203.0.113.7", token) == 200)
      #expect(try await ask(relay, "GET /admin/stats", from: "203.0.113.8", token) == 200)
      // The encoder beside it has not guessed at anything.
      #expect(try await ask(relay, Self.title, from: "203.0.113.7") != 429)
      let source = "Basic \(Self.right)"
      #expect(try await ask(relay, "SOURCE /live", from: "203.0.113.7", source) == 200)
      let metrics = try await relay.get("/metrics").text
      #expect(metrics.contains("longwave_wrong_passwords_total \(Self.wrongMax)\n"))
    }
  }

  @Test func `a source's right password lets nobody guess the admin token faster`() async throws {
    try await withStation { relay, _ in
      func announce(_ password: String, from client: String = "203.0.113.7") async throws -> Int {
        let line = "GET /admin.cgi?mode=updinfo&pass=\(password)&mount=/live&song=x"
        return try await ask(relay, line, from: client)
      }
      var answers: [Int] = []
      for _ in 0..<Self.wrongMax {
        answers.append(try await announce("push-it-now"))
        let guess = try await announce("no-\(answers.count)")
        #expect(guess == 401)
      }
      answers.append(try await announce("push-it-now"))
      answers.append(try await announce(Scenario.token, from: "203.0.113.8"))
      #expect(!answers.contains(401) && !answers.contains(429))
      for password in [Scenario.token, "another"] {
        let answer = try await announce(password)
        #expect(answer == 429)
      }
    }
  }

  @Test(arguments: [
    ("SOURCE /live", "Basic"), ("PUT /live", "Basic"),
    ("GET /admin.cgi?mode=updinfo&song=x&pass=no-", ""),
    ("GET //admin.cgi?mode=updinfo&song=x&pass=no-", ""),
    ("GET /admin/metadata?mount=/live&song=x", "Basic"),
  ])
  func `a guesser of sources' passwords is refused, administrators beside it are not`(
    line: String, scheme: String
  ) async throws {
    func guess(_ relay: TestRelay, _ number: Int) async throws -> Int {
      try await ask(
        relay, scheme.isEmpty ? line + "\(number)" : line, from: "203.0.113.7",
        scheme.isEmpty ? "" : Self.guess(number, scheme))
    }
    try await withStation { relay, _ in
      for number in 0..<Self.wrongMax {
        let status = try await guess(relay, number)
        #expect(status == 401)
      }
      #expect(try await guess(relay, 99) == 429)
      let source = "Basic \(Self.right)"
      #expect(try await ask(relay, "SOURCE /live", from: "203.0.113.7", source) == 429)
      #expect(try await ask(relay, Self.title, from: "203.0.113.7") == 429)
      let token = "Bearer \(Scenario.token)"
      #expect(try await ask(relay, "GET /admin/stats", from: "203.0.113.7", token) == 200)
      #expect(try await ask(relay, "SOURCE /live", from: "203.0.113.8", source) == 200)
    }
  }

  @Test func `a right token beside a source's right password is not told to be wrong`()
    async throws
  {
    try await withStation { relay, _ in
      let from = "203.0.113.7"
      let page = "GET /admin/metadata?mount=/live&song=x"
      let token = "Bearer \(Scenario.token)"
      let first = try await ask(relay, page, from: from, "Basic \(Self.right)")
      #expect(first == 200)
      for number in 0..<Self.wrongMax {
        #expect(try await ask(relay, page, from: from, Self.guess(number, "Basic")) == 401)
      }
      #expect(try await ask(relay, page, from: from, token) == 429)
      // Who asks cannot tell it from a wrong one.
      #expect(try await ask(relay, page, from: from, Self.guess(99, "Basic")) == 429)
      #expect(try await ask(relay, page, from: from, "Basic \(Self.right)") == 200)
      #expect(try await ask(relay, "GET /admin/stats", from: from, token) == 200)
    }
  }

  @Test(arguments: ["", Scenario.token])
  func `a wrong source password is told as such, whatever it was to open, and is counted`(
    token: String
  ) async throws {
    let stations = [
      PushScenarioTests.station(),
      StationDefinition(id: "pulled", upstream: ["http://127.0.0.1:9/"]),
    ]
    try await Scenario.withRelay(
      stations, guessClock: ManualClock(), change: { $0.admin.token = token }
    ) { relay in
      func say(
        _ mount: String, _ password: String?
      ) async throws -> (status: Int, text: String, offer: String?) {
        let basic = password.map { Data("source:\($0)".utf8).base64EncodedString() }
        let answer = try await relay.get(
          "/admin/metadata?mode=updinfo&song=x&mount=\(mount)",
          fields: basic.map { ["Authorization: Basic \($0)"] } ?? [])
        return (answer.status, answer.text, answer.head["www-authenticate"])
      }
      let without = try await say("/live", nil)
      #expect(without.status == 401 && without.text.contains("Send the station's source password"))
      let wrong = try await say("/live", "guess-0")
      #expect(wrong.status == 401 && wrong.offer?.contains("Basic realm=") == true)
      let words = token.isEmpty ? "not the station's source password" : "nor the admin token"
      #expect(wrong.text.contains(words) && !wrong.text.contains("is off"))
      // Who knows no password learns nothing of what there is.
      for mount in ["/pulled", "/none"] {
        let other = try await say(mount, "guess-1")
        #expect(other == wrong)
      }
      for number in 2..<Self.wrongMax { _ = try await say("/live", "guess-\(number)") }
      let last = try await say("/live", "push-it-now")
      #expect(last.status == 429)
    }
  }

  @Test func `a right token is let in when its address has been quiet for ten seconds`()
    async throws
  {
    let clock = ManualClock()
    try await withStation(clock) { relay, _ in
      let (line, from) = ("GET /admin/stats", "203.0.113.7")
      for number in 0..<Self.wrongMax {
        _ = try await ask(relay, line, from: from, Self.guess(number, "Bearer"))
      }
      let token = "Bearer \(Scenario.token)"
      #expect(try await ask(relay, line, from: from, token) == 429)
      clock.advance(seconds: 10)
      #expect(try await ask(relay, line, from: from, token) == 200)
    }
  }

  @Test func `a connection that has shown the right token goes on while its address is refused`()
    async throws
  {
    try await withStation { relay, _ in
      let request = "GET /admin/stats HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
      let client = try StreamClient(
        to: relay.address, sending: request + Scenario.token + "\r\n\r\n")
      let first = try await client.answer()
      #expect(first.status == 200)
      let length = first["content-length"].flatMap(Int.init) ?? 0
      try await client.until { $0.bodyCount >= length }
      for number in 0..<Self.wrongMax {
        let guess = try StreamClient(
          to: relay.address, sending: request + "no-\(number)\r\nConnection: close\r\n\r\n")
        #expect(try await guess.answer().status == 401)
      }
      let other = try StreamClient(
        to: relay.address, sending: request + Scenario.token + "\r\n\r\n")
      #expect(try await other.answer().status == 429)
      let before = client.received.count
      client.send(Array((request + Scenario.token + "\r\nConnection: close\r\n\r\n").utf8))
      try await client.until { $0.isEnded || $0.received.count > before + 100 }
      let again = String(decoding: client.received[before...].prefix(15), as: UTF8.self)
      #expect(again == "HTTP/1.1 200 OK")
    }
  }

  @Test func `a page for everybody does not tell a right token from a wrong one for long`()
    async throws
  {
    try await withStation { relay, _ in
      func upstream(_ token: String) async throws -> Bool {
        try await HTTPExchange(
          "GET", "/api/v1/stations", at: relay.address,
          fields: ["Authorization: Bearer \(token)", "X-Forwarded-For: 203.0.113.7"]
        ).text.contains("key=hidden")
      }
      let isSeen = try await upstream(Scenario.token)
      #expect(isSeen)
      for number in 0..<Self.wrongMax { #expect(try await !upstream("no-\(number)")) }
      #expect(try await !upstream(Scenario.token))
    }
  }

  @Test func `a client with an old token is told, on all pages, and locks nobody out`() async throws
  {
    try await withStation { relay, _ in
      let from = "203.0.113.7"
      let pages = [
        "/api/v1/stations", "/api/v1/stats", "/metrics", "/readyz", "/admin/stats",
        "/status-json.xsl",
      ]
      for _ in 0..<Self.wrongMax {
        for page in pages {
          let told = try await ask(relay, "GET \(page)", from: from, "Bearer of-last-year")
          #expect(told == 401)
        }
      }
      // Where the token says nothing it is not looked at.
      for page in ["/healthz", "/api/v1/openapi.json"] {
        #expect(try await ask(relay, "GET \(page)", from: from, "Bearer other-\(page)") == 200)
      }
      let token = "Bearer \(Scenario.token)"
      #expect(try await ask(relay, "GET /admin/stats", from: from, token) == 200)
      // A browser sends what it knows for this server whether a page wants it or not.
      let listener = Self.guess(7, "Basic")
      #expect(try await ask(relay, "GET /api/v1/stations", from: from, listener) == 200)
    }
  }

  @Test func `an encoder with an old password locks out none beside it`() async throws {
    try await withStation { relay, _ in
      for _ in 0...Self.wrongMax {
        let old = try await ask(relay, "SOURCE /live", from: "203.0.113.7", "Basic \(Self.wrong)")
        #expect(old == 401)
      }
      let source = "Basic \(Self.right)"
      #expect(try await ask(relay, "SOURCE /live", from: "203.0.113.7", source) == 200)
    }
  }

  @Test func `a guesser of SHOUTcast 1's passwords is told in its protocol`() async throws {
    try await withStation { relay, port in
      func answer(_ line: String) async throws -> String {
        let client = try StreamClient(to: port, sending: line)
        try await client.until("the end") { $0.isEnded || $0.received.starts(with: "OK2".utf8) }
        return String(decoding: client.received.prefix(8), as: UTF8.self)
      }
      for number in 0..<Self.wrongMax {
        let said = try await answer("guess-\(number)\r\n")
        #expect(said == "invalid ")
      }
      #expect(try await answer("push-it-now\r\n") == "Too many")
    }
  }
}
