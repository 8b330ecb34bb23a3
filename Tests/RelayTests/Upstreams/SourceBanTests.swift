import Longwave
import Reactor
import TestSupport
import Testing

/// Sources from addresses that are kept out.
@Suite struct SourceBanTests {
  private typealias Encoder = PushScenarioTests.Encoder
  private static let fields = "icy-name:Pushed\r\ncontent-type:audio/mpeg\r\n\r\n"
  private static let requests = ["SOURCE /live HTTP/1.0", "PUT /live HTTP/1.1"].map {
    "\($0)\r\nHost: x\r\nAuthorization: Basic c291cmNlOnB1c2gtaXQtbm93\r\n"
      + "Content-Type: audio/mpeg\r\n\r\n"
  }

  private func change(_ relay: TestRelay, _ method: String, _ path: String, _ body: String = "")
    async throws -> Int
  {
    try await HTTPExchange(
      method, "/api/v1/bans" + path, at: relay.address,
      fields: ["Authorization: Bearer \(Scenario.token)"], body: body
    ).status
  }

  private func withStation(_ body: (TestRelay, SocketAddress) async throws -> Void) async throws {
    let listen = SocketAddress.ipv4(0x7F00_0001, port: 0)
    try await Scenario.withRelay(
      [PushScenarioTests.station()], change: { $0.server.shoutcastListen = [listen] }
    ) { relay in
      try await body(relay, try #require(await relay.relay.shoutcastAddresses.first))
    }
  }

  /// Bans this machine while `source` plays, and lifts the ban when all is seen.
  private func ban(_ source: Encoder, _ relay: TestRelay) async throws {
    try await source.send(until: "it plays") {
      try await relay.station("live")["state"]?.string == "playing"
    }
    #expect(try await change(relay, "POST", "", #"{"address": "127.0.0.0/8"}"#) == 201)
    try await eventually("its end", within: 60) {
      source.client.drain()
      return source.client.isEnded
    }
    let reason = try await relay.station("live")["stateReason"]?.string
    #expect(reason == "waiting for a source" || reason == "the source's address is banned")
  }

  @Test(arguments: requests)
  func `a ban ends a source that pushes, and keeps it out until it is lifted`(request: String)
    async throws
  {
    try await withStation { relay, _ in
      let source = try Encoder(relay, request)
      try await source.greeted()
      try await ban(source, relay)
      let again = try StreamClient(to: relay.address, sending: request)
      #expect(try await again.answer().status == 403)
      #expect(try await change(relay, "DELETE", "/1") == 204)
      let last = try StreamClient(to: relay.address, sending: request)
      #expect(try await last.answer().status == 200)
    }
  }

  @Test func `a ban ends a source of SHOUTcast 1 and leaves it without an answer`() async throws {
    try await withStation { relay, port in
      let source = try Encoder(relay, at: port, "push-it-now\r\n")
      try await source.client.until("OK2") { $0.received.count > 10 }
      source.client.send(Array(Self.fields.utf8))
      try await ban(source, relay)
      let again = try StreamClient(to: port, sending: "push-it-now\r\n")
      try await again.until("its end") { $0.isEnded }
      #expect(again.received.isEmpty)
      #expect(try await change(relay, "DELETE", "/1") == 204)
      let last = try StreamClient(to: port, sending: "push-it-now\r\n")
      try await last.until("OK2") { $0.received.count > 10 }
    }
  }

  @Test func `a ban of others leaves a source alone`() async throws {
    try await withStation { relay, _ in
      let source = try Encoder(relay, Self.requests[0])
      try await source.greeted()
      try await source.send(until: "it plays") {
        try await relay.station("live")["state"]?.string == "playing"
      }
      #expect(try await change(relay, "POST", "", #"{"address": "203.0.113.0/24"}"#) == 201)
      let bytes = try await relay.station("live")["upstream"]?["bytes"]?.integer ?? 0
      try await source.send(until: "more of it") {
        try await relay.station("live")["upstream"]?["bytes"]?.integer ?? 0 > bytes + 20_000
      }
    }
  }
}
