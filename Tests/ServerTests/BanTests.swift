import Reactor
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

@Suite(.serialized)
struct BanTests {
  private func answer(
    _ server: TestServer, _ path: String, _ fields: String = "", method: String = "GET"
  ) async throws -> Int {
    let client = try StreamClient(
      to: server.address, sending: "\(method) \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
    return try await client.answer().status
  }

  private static func from(_ address: String) -> String { "X-Forwarded-For: \(address)\r\n" }

  @Test func `a ban ends those it is on, between two packets, and nobody else`() async throws {
    try await withServer(change: { $0.clients.trustedProxies = [AddressRange("127.0.0.0/8")!] }) {
      server in
      func listen(_ address: String) async throws -> StreamClient {
        let client = try StreamClient(
          to: server.address, sending: "GET /jazz HTTP/1.1\r\n\(Self.from(address))Host: a\r\n\r\n")
        try await client.until { $0.bodyCount > 1000 }
        return client
      }
      let banned = try await listen("203.0.113.7")
      let other = try await listen("203.0.114.7")
      let watcher = try StreamClient(
        to: server.address,
        sending: "GET /events HTTP/1.1\r\nHost: a\r\n\(Self.from("203.0.113.8"))\r\n")
      _ = try await watcher.answer()
      await server.server.publish(bans: [Ban(AddressRange("203.0.113.0/24")!)])
      try await banned.until("its end") { $0.isEnded }
      try await watcher.until("its end") { $0.isEnded }
      #expect(try NumberedFrames.numbers(in: banned.body).count > 2)
      let before = other.bodyCount
      try await other.until("more") { $0.bodyCount > before + 10_000 }
    }
  }

  @Test func `a banned address gets nothing, whatever it asks for`() async throws {
    try await withServer(change: { $0.clients.trustedProxies = [AddressRange("127.0.0.0/8")!] }) {
      server in
      await server.server.publish(bans: [Ban(AddressRange("203.0.113.0/24")!)])
      let banned = Self.from("203.0.113.7")
      for path in ["/jazz", "/jazz.m3u", "/events", "/metrics", "/"] {
        let status = try await answer(server, path, banned)
        #expect(status == 403)
        #expect(try await answer(server, path, banned, method: "HEAD") == 403)
      }
      #expect(try await answer(server, "/jazz", banned, method: "SOURCE") == 403)
      // Where a ban is lifted, the token decides: the API's, and that of the dashboard, which needs its scripts.
      for path in ["/api/v1/bans", "/admin", "/admin/", "/assets/1/admin/app.js", "/readyz"] {
        #expect(try await answer(server, path, banned) != 403, "\(path)")
      }
      #expect(try await answer(server, "/admin/stats", banned) == 403)
      #expect(try await answer(server, "/assets/jazz", banned, method: "PUT") == 403)
      // A mount may have such a path.
      var mount = Mount(station: "jazz", log: server.station.log)
      mount.paths = ["/assets/jazz"]
      await server.server.publish(mounts: [mount])
      #expect(try await answer(server, "/assets/jazz", banned) == 403)
      #expect(try await answer(server, "/jazz", Self.from("203.0.114.7")) == 200)
      await server.server.publish(bans: [])
      #expect(try await answer(server, "/jazz", banned) == 200)
    }
  }

  @Test func `a ban ends when it is over`() throws {
    let gate = Gate(AccessRules())
    let origin = Peer.tcp(try #require(SocketAddress("203.0.113.7:1")))
    let now = Moment.now().wall.stored
    let range = try #require(AddressRange("203.0.113.7"))
    gate.set([Ban(range, until: WallTime(nanoseconds: now - 1))])
    #expect(!gate.isBanned(origin))
    gate.set([Ban(range, until: WallTime(nanoseconds: now + 3_600_000_000_000))])
    #expect(gate.isBanned(origin))
    #expect(!gate.isBanned(.unixSocket))
  }

  @Test func `a player that is not wanted is told so, anew whenever the rules change`()
    async throws
  {
    try await withServer(change: { $0.access.denyAgents = [Glob("*ripper*")] }) { server in
      let status = try await answer(server, "/jazz", "User-Agent: StreamRipper/1\r\n")
      #expect(status == 403)
      #expect(try await answer(server, "/jazz", "User-Agent: mpv\r\n") == 200)
      #expect(try await answer(server, "/jazz") == 200)
      await server.server.publish(ServerConfiguration(listen: [], name: "test"))
      #expect(try await answer(server, "/jazz", "User-Agent: StreamRipper/1\r\n") == 200)
      var mount = Mount(station: "jazz", log: server.station.log)
      mount.access.denyAgents = [Glob("mpv*")]
      await server.server.publish(mounts: [mount])
      #expect(try await answer(server, "/jazz", "User-Agent: mpv\r\n") == 403)
      #expect(try await answer(server, "/jazz", "User-Agent: vlc\r\n") == 200)
    }
  }
}
