import Glibc
import Reactor
import TestSupport
import Testing
import Wire

@testable import Server

/// Memory for what clients send behind the heads of their requests.
@Suite(.serialized) struct RequestBodyTests {
  private static let long = ServerConfiguration.bodyBytesMax

  /// Takes long bodies below `/long` and `/held`.
  private struct BodyAPI: APIHandling {
    let held = HeldAPI()

    func bodyBytesMax(of head: HTTPRequestHead) -> Int {
      head.path == "/short" ? 1024 : ServerConfiguration.bodyBytesMax
    }

    func respond(to request: APIRequest) async -> APIResponse {
      await held.respond(to: request)
    }
  }

  private static func head(_ path: String, _ fields: String, of client: String = "") -> String {
    let named = client.isEmpty ? "" : "X-Forwarded-For: \(client)\r\n"
    return "POST \(path) HTTP/1.1\r\nHost: a\r\n\(named)\(fields)\r\n\r\n"
  }

  /// A request whose body is never sent to its end.
  private static func begun(_ path: String = "/long", of client: String = "") -> String {
    head(path, "Content-Length: \(long)", of: client) + String(repeating: "x", count: 2000)
  }

  @Test(arguments: [
    "Content-Length: 1025", "Content-Length: 65535",
    "Content-Length: 65535\r\nExpect: 100-continue",
  ])
  func `a body is refused at its head where none is taken`(fields: String) async throws {
    try await withServer(of: BodyAPI()) { server, address in
      let client = try StreamClient(to: address, sending: Self.head("/short", fields))
      try await client.until { $0.isEnded }
      let answer = try client.head()
      #expect(answer.status == 413 && answer["connection"] == "close")
      #expect(server.shared.bodyRoom.bytes == 0)
    }
  }

  @Test(arguments: [("/short", 1024, 200), ("/short", 1025, 413), ("/long", long, 200)])
  func `a body in chunks is as long as one may be there`(path: String, bytes: Int, status: Int)
    async throws
  {
    try await withServer(of: BodyAPI()) { server, address in
      let chunk = String(repeating: "x", count: bytes)
      let client = try StreamClient(
        to: address,
        sending: Self.head(path, "Transfer-Encoding: chunked\r\nConnection: close")
          + "\(String(bytes, radix: 16))\r\n\(chunk)\r\n0\r\n\r\n")
      try await client.until { $0.isEnded }
      #expect(try client.head().status == status)
      try await eventually("its room is free") { server.shared.bodyRoom.bytes == 0 }
    }
  }

  @Test func `a crowd of bodies that do not end is refused, and its neighbour is not`()
    async throws
  {
    try await withServer(
      of: BodyAPI(), change: { $0.clients.trustedProxies = [AddressRange("127.0.0.0/8")!] }
    ) { server, address in
      let most = MemoryRoom.bodies.ofAddress / Self.long
      let crowd = try (0..<most).map { _ in
        try StreamClient(to: address, sending: Self.begun(of: "203.0.113.7"))
      }
      try await eventually("all of its room") {
        server.shared.bodyRoom.bytes == MemoryRoom.bodies.ofAddress
      }
      let next = try StreamClient(to: address, sending: Self.begun(of: "203.0.113.7"))
      try await next.until { $0.isEnded }
      let refusal = try next.head()
      #expect(refusal.status == 429 && refusal["retry-after"] == "10")
      #expect(refusal["connection"] == "close")
      // What is short has a place in its connection.
      for request in [Self.head("/long", "Content-Length: 2", of: "203.0.113.7") + "{}"]
        + ["203.0.113.8", "2001:db8::1"].map({
          Self.begun(of: $0) + String(repeating: "x", count: Self.long - 2000)
        })
      {
        let client = try StreamClient(to: address, sending: request)
        try await client.until { $0.received.count > 12 }
        #expect(try client.head().status == 200)
      }
      withExtendedLifetime(crowd) {}
    }
  }

  /// Begins a request, ends it in some way, and waits for its room on either side.
  private func end(
    _ request: String, _ name: String, at address: SocketAddress, of server: RelayServer,
    _ how: (StreamClient) async throws -> Void
  ) async throws {
    let client = try StreamClient(to: address, sending: request)
    try await eventually("its room: \(name)") { server.shared.bodyRoom.bytes == Self.long }
    try await how(client)
    try await eventually("it is free: \(name)") { server.shared.bodyRoom.bytes == 0 }
  }

  @Test func `room for a body is given back whatever way its connection ends`() async throws {
    let api = BodyAPI()
    try await withServer(of: api, change: { $0.bodyTimeout = 600 }) { server, address in
      func end(_ request: String, _ name: String, _ how: (StreamClient) async throws -> Void)
        async throws
      {
        try await self.end(request, name, at: address, of: server, how)
      }
      try await end(Self.begun(), "closed") { $0.hangUp() }
      try await end(Self.begun(), "reset") { $0.reset() }
      let chunks = Self.head("/long", "Transfer-Encoding: chunked")
      try await end(chunks, "no chunk") { client in
        client.send(Array("zz\r\n".utf8))
        try await client.until { $0.isEnded }
        #expect(try client.head().status == 400)
      }
      let rest = [UInt8](repeating: 0x78, count: Self.long - 2000)
      try await end(Self.begun(), "answered") { client in
        client.send(rest)
        try await client.until { $0.received.count > 12 }
        #expect(try client.head().status == 200)
      }
      try await end(Self.begun("/held"), "held") { client in
        client.send(rest)
        try await eventually("it is being answered") { api.held.heldCount == 1 }
        client.reset()
        try await eventually("it has gone") { await server.figures().connections == 0 }
        // Whoever answers has it still.
        #expect(server.shared.bodyRoom.bytes == Self.long)
        api.held.release()
      }
    }
  }

  /// Apart from the others: on a busy machine five seconds may be over before a test sees the room reserved.
  @Test func `room for a body that is not sent in time is given back`() async throws {
    try await withServer(of: BodyAPI(), change: { $0.bodyTimeout = 5 }) { server, address in
      try await end(Self.begun(), "not sent in time", at: address, of: server) { client in
        try await client.until { $0.isEnded }
        #expect(try client.head().status == 408)
      }
    }
  }
}
