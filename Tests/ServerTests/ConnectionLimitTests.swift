import Glibc
import Reactor
import TestSupport
import Testing
import Wire

@testable import Server

/// How many may be connected, and who goes when there is no place left.
@Suite(.serialized)
struct ConnectionLimitTests {
  private static let ask = "GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
  private static let held = "GET /held HTTP/1.1\r\nHost: a\r\n\r\n"

  private func clients(
    _ count: Int, to address: SocketAddress, sending request: String
  ) throws -> [StreamClient] {
    try (0..<count).map { _ in try StreamClient(to: address, sending: request) }
  }

  @Test func `a full server tells its clients, and lets the administration in`() async throws {
    let api = HeldAPI()
    let folder = TemporaryDirectory()
    let path = folder.file("socket")
    try await withServer(
      of: api,
      change: {
        $0.connectionsMax = 4
        $0.unixSocket = path
      }
    ) { server, address in
      let busy = try clients(4, to: address, sending: Self.held)
      try await eventually("four requests") { api.heldCount == 4 }
      for _ in 0..<40 {
        let refused = try StreamClient(to: address, sending: Self.ask)
        let answer = try await refused.answer()
        #expect(answer.status == 503)
        #expect(answer["retry-after"] == "5")
      }
      let administrator = try StreamClient(to: .unix(path), sending: Self.ask)
      #expect(try await administrator.answer().status == 200)
      #expect(await server.figures().refused == 40)
      api.release()
      for client in busy { #expect(try await client.answer().status == 200) }
      // Those that are kept for another request make room.
      let next = try StreamClient(to: address, sending: Self.ask)
      #expect(try await next.answer().status == 200)
    }
  }

  @Test(arguments: ["", "GET /", "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab"])
  func `the connection that keeps the server waiting longest makes room`(stage: String) async throws
  {
    let api = HeldAPI()
    try await withServer(of: api, change: { $0.connectionsMax = 4 }) { server, address in
      let idle = Line()
      for count in 1...4 {
        try idle.add(address, stage)
        try await eventually("it") { await server.figures().connections == count }
      }
      let busy = Line()
      for count in 1...4 {
        try busy.add(address, Self.held)
        try await eventually("its request") { api.heldCount == count }
        try await eventually("the end of who waits longest") { idle.ended == count }
      }
      let refused = try StreamClient(to: address, sending: Self.ask)
      #expect(try await refused.answer().status == 503)
      api.release()
      try await eventually("answers") { busy.answered == 4 }
    }
  }

  /// Answers with more than sockets hold.
  private struct LongAPI: APIHandling {
    func respond(to request: APIRequest) async -> APIResponse {
      let body = [UInt8](repeating: 0x2E, count: request.head.path == "/long" ? 12 << 20 : 2)
      return .whole(status: 200, mediaType: "text/plain", body: body)
    }
  }

  @Test func `a client that takes nothing of an answer makes room as well`() async throws {
    try await withServer(of: LongAPI(), change: { $0.connectionsMax = 4 }) { server, address in
      let takers = try (0..<4).map { _ in
        try StreamClient(
          to: address, sending: "GET /long HTTP/1.1\r\nHost: a\r\n\r\n", receiveBuffer: 2048)
      }
      for taker in takers { try await taker.until { $0.received.count > 200 } }
      try await Task.sleep(for: .milliseconds(500))
      for _ in 0..<3 {
        let client = try StreamClient(to: address, sending: Self.ask)
        #expect(try await client.answer().status == 200)
      }
      withExtendedLifetime(takers) {}
    }
  }

  @Test func `an address has so many connections, and its own idle ones go first`() async throws {
    let api = HeldAPI()
    try await withServer(of: api, change: { $0.connectionsPerAddress = 3 }) { server, address in
      let busy = try clients(2, to: address, sending: Self.held)
      try await eventually("two requests") { api.heldCount == 2 }
      let idle = try StreamClient(to: address, sending: "GET /")
      try await eventually("three") { await server.figures().connections == 3 }
      let third = try StreamClient(to: address, sending: Self.held)
      try await eventually("three requests") { api.heldCount == 3 }
      try await idle.until { $0.isEnded }
      let refused = try StreamClient(to: address, sending: Self.ask)
      let answer = try await refused.answer()
      #expect(answer.status == 429 && answer["retry-after"] == "30")
      let elsewhere = try StreamClient(to: server.boundAddresses[0], sending: "")
      try await elsewhere.until { $0.isEnded }
      api.release()
      for client in busy + [third] { #expect(try await client.answer().status == 200) }
    }
  }

  @Test func `a trusted proxy has as many connections as it likes, its clients have not`()
    async throws
  {
    let api = HeldAPI()
    try await withServer(
      of: api,
      change: {
        $0.connectionsPerAddress = 2
        $0.clients.trustedProxies = [AddressRange("127.0.0.0/8")!]
        $0.clients.hasProxyHeaders = true
      }
    ) { server, address in
      func header(_ client: String) -> String { "PROXY TCP6 \(client) ::1 4711 8000\r\n" }
      let one = try clients(2, to: address, sending: header("2001:db8:1:2::1") + Self.held)
      try await eventually("two requests") { api.heldCount == 2 }
      // Another address of the same customer.
      let same = try StreamClient(to: address, sending: header("2001:db8:1:2:f::9") + Self.ask)
      #expect(try await same.answer().status == 429)
      let other = try clients(2, to: address, sending: header("2001:db8:1:3::1") + Self.held)
      let checks = try clients(9, to: address, sending: "PROXY UNKNOWN\r\n" + Self.held)
      try await eventually("everybody else's requests") { api.heldCount == 13 }
      withExtendedLifetime((one, other, checks)) {}
      api.release()
    }
  }

  @Test func `an address is one customer's, in limits of listeners too`() async throws {
    try await withServer(
      change: {
        $0.clients.trustedProxies = [AddressRange("127.0.0.0/8")!]
        $0.listenersPerAddress = 1
      }
    ) { server in
      func listen(_ client: String) throws -> StreamClient {
        try StreamClient(
          to: server.address,
          sending: "GET /jazz HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: \(client)\r\n\r\n")
      }
      let first = try listen("2001:db8:1:2::1")
      #expect(try await first.answer().status == 200)
      #expect(try await listen("2001:db8:1:2:ffff::2").answer().status == 429)
      #expect(try await listen("2001:db8:1:3::1").answer().status == 200)
      let four = try listen("203.0.113.7")
      #expect(try await four.answer().status == 200)
      #expect(try await listen("::ffff:203.0.113.7").answer().status == 429)
      #expect(try await listen("203.0.113.8").answer().status == 200)
      first.hangUp()
      try await eventually("its place") {
        try await listen("2001:db8:1:2::5").answer().status == 200
      }
      withExtendedLifetime(four) {}
    }
  }

  @Test func `listeners count against no limit of those who do not listen`() async throws {
    try await withServer(change: { $0.connectionsPerAddress = 3 }) { server in
      let listeners = try (0..<20).map { _ in try StreamClient(to: server.address, get: "/jazz") }
      for listener in listeners { #expect(try await listener.answer().status == 200) }
      let page = try StreamClient(to: server.address, get: "/x")
      #expect(try await page.answer().status == 200)
    }
  }

  /// Clients in the order in which they came.
  private final class Line {
    private var clients: [StreamClient] = []

    func add(_ address: SocketAddress, _ request: String) throws {
      clients.append(try StreamClient(to: address, sending: request))
    }

    /// How many have been ended, the first first; -1: others have.
    var ended: Int {
      for client in clients { client.drain() }
      let count = clients.prefix(while: \.isEnded).count
      return clients.count(where: \.isEnded) == count ? count : -1
    }

    var answered: Int {
      for client in clients { client.drain() }
      return clients.count { $0.text.hasPrefix("HTTP/1.1 200") }
    }
  }

  // MARK: Time

  @Test func `a body that comes a byte at a time runs out of time`() async throws {
    try await withServer(of: HeldAPI(), change: { $0.bodyTimeout = 2 }) { _, address in
      for framing in ["Content-Length: 60000", "Transfer-Encoding: chunked"] {
        let client = try StreamClient(
          to: address, sending: "POST /x HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n")
        try await client.until("the end of its time") {
          $0.send(Array(framing.hasSuffix("chunked") ? "1\r\nx\r\n".utf8 : "x".utf8))
          return $0.received.count > 12
        }
        #expect(try client.head().status == 408)
      }
    }
  }

  @Test func `an answer that never comes is a 503, and a late one goes to nobody`() async throws {
    let api = HeldAPI()
    try await withServer(of: api, change: { $0.answerTimeout = 1 }) { server, address in
      let client = try StreamClient(to: address, sending: Self.held + Self.ask)
      #expect(try await client.answer().status == 503)
      api.release()
      try await client.until { $0.isEnded }
      #expect(!client.text.contains("200 OK"))
      try await eventually("nobody") { await server.figures().connections == 0 }
    }
  }

  @Test func `requests sent ahead by the hundred are answered in order, and others in between`()
    async throws
  {
    try await withServer(threads: 1) { server in
      let one = "GET /jazz.m3u HTTP/1.1\r\nHost: a\r\n\r\n"
      let floods = try (0..<20).map { _ in
        try StreamClient(to: server.address, sending: String(repeating: one, count: 200))
      }
      let listener = try StreamClient(to: server.address, get: "/jazz")
      try await eventually("all answers", within: 60) {
        for flood in floods { flood.drain() }
        listener.drain()
        return floods.allSatisfy { $0.text.split(separator: "HTTP/1.1 200").count == 200 }
      }
      try await listener.until { $0.bodyCount > 10_000 }
      let numbers = try NumberedFrames.numbers(in: listener.body, mayEndInFrame: true)
      #expect(numbers == Array(numbers[0]..<numbers[0] + UInt64(numbers.count)))
    }
  }
}
