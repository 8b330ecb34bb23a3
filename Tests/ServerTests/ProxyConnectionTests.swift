import Reactor
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

@Suite(.serialized)
struct ProxyConnectionTests {
  private static func header(_ address: String) -> String {
    "PROXY TCP4 \(address) 127.0.0.1 4711 8000\r\n"
  }

  private static let binary: [UInt8] =
    Array("\r\n\r\n\0\r\nQUIT\n".utf8)
    + [0x21, 0x11, 0, 12, 203, 0, 113, 9, 127, 0, 0, 1, 0x12, 0x67, 0x1F, 0x40]

  private func withProxy(
    trusting range: String = "127.0.0.0/8", _ body: (TestServer) async throws -> Void
  ) async throws {
    try await withServer(
      change: {
        $0.clients.trustedProxies = [AddressRange(range)!]
        $0.clients.hasProxyHeaders = true
        $0.listenersPerAddress = 1
        $0.access.deny = [AddressRange("203.0.114.0/24")!]
      }, body)
  }

  @Test func `the header's address is the listener's, for limits, rules and lists`() async throws {
    try await withProxy { server in
      let one = try StreamClient(to: server.address, sending: Self.header("203.0.113.7"))
      one.send(Array("GET /jazz HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n".utf8))
      #expect(try await one.answer().status == 200)
      let same = try StreamClient(
        to: server.address,
        sending: Self.header("203.0.113.7") + "GET /jazz HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await same.answer().status == 429)
      let denied = try StreamClient(
        to: server.address,
        sending: Self.header("203.0.114.1") + "GET /jazz HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await denied.answer().status == 403)
      let binary = try StreamClient(to: server.address, sending: "")
      for byte in Self.binary { binary.send([byte]) }
      binary.send(Array("GET /jazz HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      #expect(try await binary.answer().status == 200)
      let listed = await server.server.listeners().map(\.address).sorted()
      #expect(listed == ["203.0.113.7", "203.0.113.9"])
      withExtendedLifetime((one, binary)) {}
    }
  }

  @Test(arguments: [false, true])
  func `an IPv4 client whom a proxy writes inside IPv6 is that IPv4 client`(isHeader: Bool)
    async throws
  {
    func ask(_ address: String) -> String {
      isHeader
        ? "PROXY TCP6 \(address) ::1 4711 8000\r\nGET /jazz HTTP/1.1\r\nHost: a\r\n\r\n"
        : "GET /jazz HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: \(address)\r\n\r\n"
    }
    try await withServer(
      change: {
        $0.clients.trustedProxies = [AddressRange("127.0.0.0/8")!]
        $0.clients.hasProxyHeaders = isHeader
        $0.listenersPerAddress = 1
        $0.access.deny = [AddressRange("::ffff:203.0.114.0/120")!]
      }
    ) { server in
      let one = try StreamClient(to: server.address, sending: ask("::ffff:203.0.113.7"))
      #expect(try await one.answer().status == 200)
      let same = try StreamClient(to: server.address, sending: ask("::FFFF:cb00:7107"))
      #expect(try await same.answer().status == 429)
      let denied = try StreamClient(to: server.address, sending: ask("::ffff:203.0.114.1"))
      #expect(try await denied.answer().status == 403)
      #expect(await server.server.listeners().map(\.address) == ["203.0.113.7"])
      withExtendedLifetime(one) {}
    }
  }

  @Test func `a PROXY header counts for every request of its connection, and comes once`()
    async throws
  {
    try await withProxy { server in
      let client = try StreamClient(
        to: server.address,
        sending: Self.header("203.0.114.1")
          + "GET /x HTTP/1.1\r\nHost: a\r\n\r\nGET /jazz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
      )
      try await client.until("both answers") { $0.isEnded }
      let text = String(decoding: client.received, as: UTF8.self)
      #expect(text.contains("HTTP/1.1 200") && text.contains("HTTP/1.1 403"))
      let twice = try StreamClient(
        to: server.address,
        sending: Self.header("203.0.113.1") + Self.header("203.0.113.2")
          + "GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await twice.answer().status == 400)
    }
  }

  @Test func `a proxy that says nothing or nonsense is refused`() async throws {
    try await withProxy { server in
      let requests = [
        "GET /jazz HTTP/1.1\r\nHost: a\r\n\r\n",
        "PROXY TCP4 999.0.0.1 127.0.0.1 1 2\r\nGET /jazz HTTP/1.1\r\nHost: a\r\n\r\n",
        "PROXY TCP6 :::: ::1 1 2\r\nGET /jazz HTTP/1.1\r\nHost: a\r\n\r\n",
      ]
      for request in requests {
        let client = try StreamClient(to: server.address, sending: request)
        #expect(try await client.answer().status == 400)
      }
      // A check of the proxy's own.
      let check = try StreamClient(
        to: server.address, sending: "PROXY UNKNOWN\r\nGET /jazz HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await check.answer().status == 200)
      #expect(await server.server.listeners().map(\.address) == ["127.0.0.1"])
    }
  }

  @Test func `a peer that is no trusted proxy needs no PROXY header, and is not believed`()
    async throws
  {
    try await withProxy(trusting: "10.0.0.0/8") { server in
      let plain = try StreamClient(to: server.address, get: "/jazz")
      #expect(try await plain.answer().status == 200)
      let liar = try StreamClient(
        to: server.address,
        sending: Self.header("203.0.113.7") + "GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await liar.answer().status == 400)
    }
  }
}
