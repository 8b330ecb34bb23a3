import Longwave
import Reactor
import TestSupport
import Testing
import Timeshift
import Wire

/// Web services that are told of events, by the whole relay and a real receiver.
@Suite struct WebhookScenarioTests {
  private static let admin = ["Authorization: Bearer \(Scenario.token)"]

  /// A relay with a station and a receiver of events at `/hook`.
  private func withHooks(
    _ hooks: (FakeUpstream) -> [WebhookSettings],
    _ body: (TestRelay, FakeUpstream) async throws -> Void
  ) async throws {
    let upstream = try FakeUpstream(.numbered(before: 20))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 10)))
    upstream.reply("/hook", with: .status(204))
    let station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    let settings = hooks(upstream)
    try await Scenario.withRelay([station], change: { $0.webhooks = settings }) { relay in
      try await relay.until("jazz", has: 5)
      try await body(relay, upstream)
    }
  }

  private func hook(
    _ url: String, _ change: (inout WebhookSettings) -> Void = { _ in }
  ) -> WebhookSettings {
    var settings = WebhookSettings()
    settings.url = url
    change(&settings)
    return settings
  }

  private func announce(_ relay: TestRelay, _ title: String) async throws {
    try await relay.relay.station("jazz").announce(Title(text: title))
  }

  private func titles(_ upstream: FakeUpstream, _ path: String = "/hook") -> [String] {
    upstream.requests(for: path).compactMap {
      $0.fields["x-longwave-event"] == "metadata-live"
        ? JSON.parse($0.body)?["title"]?.string : nil
    }
  }

  @Test func `events come in order, signed, as the stream of events tells them`() async throws {
    try await withHooks({ upstream in
      [
        hook(upstream.url("/hook")) {
          $0.kinds = ["metadata-live"]
          $0.secret = "It's a secret"
        }
      ]
    }) { relay, upstream in
      let told = try relay.events("?kinds=metadata-live")
      for number in 1...20 { try await announce(relay, "Title \(number)") }
      try await eventually("all titles") { titles(upstream).count == 20 }
      #expect(titles(upstream) == (1...20).map { "Title \($0)" })
      try await told.first("the last") { $0.json["title"]?.string == "Title 20" }
      let requests = upstream.requests(for: "/hook")
      let ids = requests.compactMap { $0.fields["x-longwave-delivery"].flatMap { UInt64($0) } }
      #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 } && ids.count == 20)
      for request in requests {
        #expect(request.method == "POST" && request.fields["content-type"] == "application/json")
        #expect(told.events.contains { $0.data == String(decoding: request.body, as: UTF8.self) })
      }
      // Another implementation's code of the same body.
      let folder = TemporaryDirectory()
      let last = try #require(requests.last)
      folder.write("body", last.body)
      let result = try await ChildProcess.run(
        ["openssl", "dgst", "-sha256", "-hmac", "It's a secret", folder.path + "/body"])
      let code = try #require(last.fields["x-longwave-signature"]?.dropFirst("sha256=".count))
      #expect(result.output.contains(code), "\(result.output) \(code)")
      let shown = try await relay.get("/api/v1/webhooks", fields: Self.admin)
      let state = try #require(JSON.parse(Array(shown.text.utf8))?["webhooks"]?.items.first)
      #expect(state["state"]?.string == "idle" && state["delivered"]?.integer == 20)
      #expect(!shown.text.contains("It's a secret"))
      let metrics = try await relay.get("/metrics").text
      #expect(
        metrics.contains("longwave_webhook_deliveries_total{webhook=\"1\",result=\"ok\"} 20"))
    }
  }

  @Test func `kinds and stations choose, and addresses are told where that is asked for`()
    async throws
  {
    try await withHooks({ upstream in
      [
        hook(upstream.url("/hook")) { $0.kinds = ["listener-connected"] },
        hook(upstream.url("/named")) {
          $0.kinds = ["listener-connected"]
          $0.isIdentified = true
        },
        hook(upstream.url("/other")) { $0.stations = ["rock"] },
        hook(upstream.url("/rest")),
      ]
    }) { relay, upstream in
      for path in ["/named", "/other", "/rest"] { upstream.reply(path, with: .status(200)) }
      let listener = try StreamClient(to: relay.address, get: "/jazz")
      try await listener.until("audio") { $0.bodyCount > 1000 }
      try await eventually("both are told") {
        !upstream.requests(for: "/hook").isEmpty && !upstream.requests(for: "/named").isEmpty
          && upstream.requests(for: "/rest").contains {
            $0.fields["x-longwave-event"] == "listener-connected"
          }
      }
      let plain = String(decoding: upstream.requests(for: "/hook")[0].body, as: UTF8.self)
      let named = String(decoding: upstream.requests(for: "/named")[0].body, as: UTF8.self)
      #expect(!plain.contains("127.0.0.1") && named.contains("127.0.0.1"))
      #expect(upstream.requests(for: "/other").isEmpty)
    }
  }

  @Test func `an outage of the receiver loses nothing, and holds up no other`() async throws {
    let receiver = try FakeUpstream(.numbered())
    defer { receiver.stop() }
    receiver.reply("/hook", with: .status(200))
    try await withHooks({ upstream in
      [
        hook(receiver.url("/hook")) { $0.kinds = ["metadata-live"] },
        hook(upstream.url("/hook")) { $0.kinds = ["metadata-live"] },
      ]
    }) { relay, upstream in
      try await announce(relay, "before")
      try await eventually("the first") { titles(receiver) == ["before"] }
      receiver.goAway()
      for number in 1...30 { try await announce(relay, "Title \(number)") }
      try await eventually("the other is told") { titles(upstream).count == 31 }
      try await eventually("trouble is shown") {
        let text = try await relay.get("/api/v1/webhooks", fields: Self.admin).text
        return text.contains("\"state\":\"retrying\"") && text.contains("\"queued\":30")
      }
      try receiver.comeBack()
      try await eventually("all are told", within: 60) { titles(receiver).count == 31 }
      #expect(titles(receiver) == ["before"] + (1...30).map { "Title \($0)" })
    }
  }

  @Test func `a refusal is asked again, 410 never`() async throws {
    try await withHooks({ upstream in
      [
        hook(upstream.url("/hook")) { $0.kinds = ["metadata-live"] },
        hook(upstream.url("/gone")) { $0.kinds = ["metadata-live"] },
      ]
    }) { relay, upstream in
      upstream.reply(
        "/hook", with: .status(500), .redirect(to: upstream.url("/elsewhere")), .status(200))
      upstream.reply("/gone", with: .status(410))
      try await announce(relay, "one")
      try await eventually("taken at last", within: 60) { titles(upstream).count == 3 }
      #expect(
        Set(upstream.requests(for: "/hook").map { $0.fields["x-longwave-delivery"] }).count == 1)
      #expect(upstream.requests(for: "/elsewhere").isEmpty)
      try await announce(relay, "two")
      try await eventually("the next") { titles(upstream).last == "two" }
      #expect(upstream.requests(for: "/gone").count == 1)
      let text = try await relay.get("/api/v1/webhooks", fields: Self.admin).text
      #expect(text.contains("\"state\":\"stopped\""))
    }
  }

  @Test func `a full queue loses its oldest events, and says how many`() async throws {
    let receiver = try FakeUpstream(.numbered())
    defer { receiver.stop() }
    receiver.reply("/hook", with: .status(200))
    try await withHooks({ _ in
      [hook(receiver.url("/hook")) { $0.kinds = ["config-reloaded"] }]
    }) { relay, _ in
      func shown() async throws -> JSON? {
        let text = try await relay.get("/api/v1/webhooks", fields: Self.admin).text
        return JSON.parse(Array(text.utf8))?["webhooks"]?.items.first
      }
      receiver.goAway()
      let configuration = await relay.relay.configuration
      for _ in 0..<1100 { _ = try await relay.relay.apply(configuration) }
      try await eventually("the queue is full, and the oldest are lost") {
        let hook = try await shown()
        return hook?["queued"]?.integer == 1000 && hook?["lost"]?.integer == 100
      }
      try receiver.comeBack()
      try await eventually("the rest is told", within: 90) {
        receiver.requests(for: "/hook").count == 1000
      }
      let ids = receiver.requests(for: "/hook").compactMap {
        $0.fields["x-longwave-delivery"].flatMap { UInt64($0) }
      }
      #expect(ids.count == 1000 && zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
    }
  }

  @Test func `listeners who come and go push no other event out of a queue`() async throws {
    let receiver = try FakeUpstream(.numbered())
    defer { receiver.stop() }
    for path in ["/all", "/state"] { receiver.reply(path, with: .status(200)) }
    try await withHooks({ _ in
      [
        hook(receiver.url("/all")), hook(receiver.url("/state")) { $0.kinds = ["metadata-live"] },
      ]
    }) { relay, _ in
      receiver.goAway()
      try await announce(relay, "before")
      // As a stranger makes them, who connects and hangs up.
      for number in 0..<3000 {
        relay.relay.events.post(
          RelayEvent(
            number % 2 == 0 ? .listenerConnected : .listenerDisconnected, station: "jazz",
            time: Moment.now().wall))
        if number == 1500 { try await announce(relay, "meanwhile") }
      }
      let states = await relay.relay.webhooks()
      #expect(states.map(\.queued) == [1000, 2])
      #expect(states[1].lost == 0 && states[0].lost >= 2000)
      let watcher = try relay.events("?kinds=metadata-live")
      try await watcher.first("the last") { $0.json["title"]?.string == "meanwhile" }
      #expect(!watcher.events.contains { $0.kind == "missed" })
      try receiver.comeBack()
      for path in ["/all", "/state"] {
        try await eventually("\(path) is told", within: 90) {
          titles(receiver, path).suffix(2) == ["before", "meanwhile"]
        }
      }
    }
  }

  @Test func `a service that asks for it is told several events in one body`() async throws {
    let receiver = try FakeUpstream(.numbered())
    defer { receiver.stop() }
    receiver.reply("/hook", with: .status(200))
    try await withHooks({ _ in
      [
        hook(receiver.url("/hook")) {
          $0.kinds = ["metadata-live"]
          $0.batch = 20
          $0.secret = "It's a secret"
        }
      ]
    }) { relay, _ in
      func lists() -> [[String]] {
        receiver.requests(for: "/hook").map { request in
          (JSON.parse(request.body)?.items ?? []).compactMap { $0["title"]?.string }
        }
      }
      try await announce(relay, "alone")
      try await eventually("a list of one") { lists() == [["alone"]] }
      receiver.goAway()
      for number in 1...50 { try await announce(relay, "\(number)") }
      try await eventually("they wait") { await relay.relay.webhooks().first?.queued == 50 }
      try receiver.comeBack()
      try await eventually("all are told", within: 90) { lists().joined().count == 51 }
      #expect(Array(lists().joined().dropFirst()) == (1...50).map(String.init))
      #expect(lists().count <= 5 && lists().allSatisfy { $0.count <= 20 })
      try await eventually("all are counted") {
        await relay.relay.webhooks().first?.delivered == 51
      }
      for request in receiver.requests(for: "/hook") {
        #expect(request.fields["x-longwave-event"] == "batch")
        let code = MessageCode.sha256(of: request.body, key: Array("It's a secret".utf8))
        let digits = code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(request.fields["x-longwave-signature"] == "sha256=" + digits)
      }
    }
  }

  @Test func `a reload keeps the queue of a service that is as before`() async throws {
    let receiver = try FakeUpstream(.numbered())
    defer { receiver.stop() }
    receiver.reply("/hook", with: .status(200))
    try await withHooks({ _ in
      [hook(receiver.url("/hook")) { $0.kinds = ["metadata-live"] }]
    }) { relay, upstream in
      receiver.goAway()
      try await announce(relay, "kept")
      try await eventually("it waits") {
        try await relay.get("/api/v1/webhooks", fields: Self.admin).text.contains("\"queued\":1,")
      }
      var configuration = await relay.relay.configuration
      configuration.webhooks.insert(hook(upstream.url("/hook")), at: 0)
      _ = try await relay.relay.apply(configuration)
      try receiver.comeBack()
      try await eventually("it is told", within: 60) { titles(receiver) == ["kept"] }
      try await eventually("so is the new one") { !upstream.requests(for: "/hook").isEmpty }
    }
  }

  @Test(arguments: [
    ("webhooks: {}", "webhooks"), ("webhooks: [{kinds: [state]}]", "webhooks[0]"),
    ("webhooks: [{url: \"ftp://x/\"}]", "webhooks[0].url"),
    ("webhooks: [{url: \"http://x/\", kinds: [statte]}]", "did you mean state?"),
    ("webhooks: [{url: \"http://x/\", kinds: [levels]}]", "figures"),
    ("webhooks: [{url: \"http://x/\", secrets: a}]", "webhooks[0].secrets"),
    ("webhooks: [{url: \"http://x/\", batch: 1}]", "webhooks[0].batch"),
  ])
  func `mistakes in the configuration are told by place`(yaml: String, words: String) throws {
    let error = #expect(throws: ConfigurationError.self) {
      try Configuration.parse(yaml: yaml, file: "x.yml")
    }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains(words), "\(text)")
  }

  // RFC 4231, test cases 1 and 2.
  @Test(arguments: [
    (
      [UInt8](repeating: 0x0B, count: 20), "Hi There",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
  ])
  func `signatures are those of RFC 4231`(key: [UInt8], message: String, code: String) {
    let digits = Array("0123456789abcdef")
    let made = MessageCode.sha256(of: Array(message.utf8), key: key)
    #expect(String(made.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }) == code)
  }
}
