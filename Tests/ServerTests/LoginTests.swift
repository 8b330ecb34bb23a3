import Reactor
import TestSupport
import Testing
import Wire

@testable import Server

/// The port for sources of SHOUTcast's first protocol, before anybody has let one in.
@Suite struct LoginTests {
  private func withPort(
    _ body: (TestServer, SocketAddress) async throws -> Void
  ) async throws {
    let any = try #require(SocketAddress("127.0.0.1:0"))
    try await withServer(change: { $0.shoutcastListen = [any] }) { server in
      try await body(server, try #require(server.server.boundShoutcastAddresses.first))
    }
  }

  private func end(of client: StreamClient) async throws -> String {
    try await eventually("the connection's end", within: 60) {
      client.drain()
      return client.isEnded
    }
    return String(decoding: client.received, as: UTF8.self)
  }

  @Test func `a login that never ends runs out of time, and is not spoken to in HTTP`() async throws
  {
    try await withPort { _, port in
      let (half, none) = (
        try StreamClient(to: port, sending: "hackm"), try StreamClient(to: port, sending: "")
      )
      #expect(try await end(of: half) == "")
      #expect(try await end(of: none) == "")
    }
  }

  @Test func `a source that is refused hears it, however much it has sent already`() async throws {
    try await withPort { _, port in
      let client = try StreamClient(to: port, sending: "hackme\r\nicy-name:x\r\n\r\n")
      client.send(Array(repeating: 0xFF, count: 20_000))
      #expect(try await end(of: client) == "invalid password\r\n")
    }
  }

  @Test func `a banned source's login is not answered`() async throws {
    try await withPort { server, port in
      let here = try #require(AddressRange("127.0.0.0/8"))
      await server.server.publish(bans: [Ban(here)])
      let banned = try StreamClient(to: port, sending: "hackme\r\n")
      #expect(try await end(of: banned) == "")
      await server.server.publish(bans: [])
      let client = try StreamClient(to: port, sending: "hackme\r\n")
      #expect(try await end(of: client) == "invalid password\r\n")
    }
  }

  @Test func `a storm of bad logins leaves no hole in anybody's audio`() async throws {
    try await withPort { server, port in
      let listener = try StreamClient(to: server.address, get: "/jazz")
      for round in 0..<200 {
        let lines = ["x\r\n", "\n", "!POKE\n", "\u{0}\u{1}\n", "GET / HTTP/9.9\r\n\r\n"]
        let client = try StreamClient(to: port, sending: lines[round % lines.count])
        if round % 3 == 0 { client.hangUp() }
        listener.drain()
      }
      let before = listener.bodyCount
      try await listener.until { $0.bodyCount > before + 20_000 }
      #expect(areUnbroken(try NumberedFrames.numbers(in: listener.body, mayEndInFrame: true)))
    }
  }
}
