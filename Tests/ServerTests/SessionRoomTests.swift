import Reactor
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// Who keeps a session when there are more than are kept.
@Suite(.serialized)
struct SessionRoomTests {
  private static func token(_ number: Int) -> SessionToken {
    SessionToken("kept-session-\(number)")!
  }

  /// Sessions from before a restart, as many as there may be.
  private func restore(_ count: Int, in server: TestServer) {
    let now = Moment.now().wall
    let place = SessionRecord.Place.packet(at: 0, air: now, log: nil)
    let records = (0..<count).map {
      (
        Self.token($0),
        SessionRecord(
          station: "jazz", place: place, isPaused: false,
          lastSeen: now.adding(seconds: Double($0 - 100)))
      )
    }
    server.server.restore(Dictionary(uniqueKeysWithValues: records))
  }

  private func isKept(_ token: SessionToken, in server: TestServer) async -> Bool {
    server.server.sessions[token] != nil
  }

  private func listenForAMoment(_ token: String, _ server: TestServer) async throws {
    let client = try StreamClient(to: server.address, get: "/jazz?session=\(token)")
    try await client.until { $0.bodyCount > 1000 }
    let gone = server.told.ends.count
    client.hangUp()
    try await eventually("it has left") { server.told.ends.count > gone }
  }

  @Test func `invented tokens push out nobody who is known`() async throws {
    try await withServer { server in
      var limits = SessionLimits()
      limits.sessionsMax = 3
      // However long a moment takes on a busy machine.
      limits.brief = 3600
      server.server.set(limits)
      restore(3, in: server)
      for number in 0..<10 { try await listenForAMoment("invented-\(number)", server) }
      for number in 0..<3 { #expect(await isKept(Self.token(number), in: server)) }
      #expect(server.server.sessions.count <= 3)
    }
  }

  @Test func `a session that stays pushes out the oldest one, and only when it leaves`()
    async throws
  {
    try await withServer { server in
      var limits = SessionLimits()
      limits.sessionsMax = 2
      limits.brief = 0
      server.server.set(limits)
      restore(2, in: server)
      let client = try StreamClient(to: server.address, get: "/jazz?session=stays-here")
      try await client.until { $0.bodyCount > 1000 }
      #expect(server.server.sessions.count == 3)
      client.hangUp()
      try await eventually("it has left") { !server.told.ends.isEmpty }
      let kept = Set(server.server.sessions.keys.map(\.text))
      #expect(kept == ["kept-session-1", "stays-here"])
    }
  }

  @Test func `sessions that are connected are not pushed out, and no more are let in`()
    async throws
  {
    try await withServer { server in
      var limits = SessionLimits()
      limits.sessionsMax = 2
      server.server.set(limits)
      let clients = try (0..<2).map {
        try StreamClient(to: server.address, get: "/jazz?session=connected-\($0)")
      }
      for client in clients { try await client.until { $0.bodyCount > 1000 } }
      let third = try StreamClient(to: server.address, get: "/jazz?session=connected-2")
      try await third.until { $0.isEnded }
      #expect(try third.head().status == 503)
      clients[0].hangUp()
      try await eventually("it has left") { !server.told.ends.isEmpty }
      try await listenForAMoment("connected-3", server)
      #expect(await isKept(SessionToken("connected-1")!, in: server))
      #expect(server.server.sessions.count == 2)
      withExtendedLifetime(clients) {}
    }
  }

  @Test func `a listener who gets no audio takes no session's place`() async throws {
    try await withServer(seconds: 0, isFed: false) { server in
      var limits = SessionLimits()
      limits.sessionsMax = 1
      server.server.set(limits)
      restore(1, in: server)
      let client = try StreamClient(to: server.address, get: "/jazz?session=invented-1")
      try await client.until { $0.isEnded }
      #expect(try client.head().status == 503)
      #expect(await isKept(Self.token(0), in: server))
    }
  }

  /// Somebody behind a proxy that tells who they are.
  private func client(_ server: TestServer, _ address: String, _ token: String) throws
    -> StreamClient
  {
    try StreamClient(
      to: server.address,
      sending:
        "GET /jazz?session=\(token) HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: \(address)\r\n\r\n")
  }

  private func listen(_ server: TestServer, _ address: String, _ token: String) async throws {
    let client = try client(server, address, token)
    try await client.until { $0.bodyCount > 1000 }
    let gone = server.told.ends.count
    client.hangUp()
    try await eventually("it has left") { server.told.ends.count > gone }
  }

  private func withProxy(
    _ max: Int, _ body: (TestServer) async throws -> Void
  ) async throws {
    try await withServer(change: { $0.clients.trustedProxies = [AddressRange("127.0.0.0/8")!] }) {
      server in
      var limits = SessionLimits()
      limits.sessionsMax = max
      limits.brief = 0
      server.server.set(limits)
      try await body(server)
    }
  }

  private func kept(_ server: TestServer) -> Set<String> {
    Set(server.server.sessions.keys.map(\.text))
  }

  @Test func `an address with many sessions loses its own, and nobody else's`() async throws {
    try await withProxy(5) { server in
      for number in 0..<3 { try await listen(server, "203.0.113.\(number)", "others-\(number)") }
      for number in 0..<12 { try await listen(server, "198.51.100.1", "greedy-\(number)") }
      #expect(kept(server) == ["others-0", "others-1", "others-2", "greedy-10", "greedy-11"])
    }
  }

  @Test func `a network of IPv6 is one address in the room of sessions`() async throws {
    try await withProxy(4) { server in
      for number in 0..<3 { try await listen(server, "203.0.113.\(number)", "others-\(number)") }
      for number in 0..<6 {
        try await listen(server, "2001:db8::\(number + 1)", "greedy-\(number)")
      }
      #expect(kept(server) == ["others-0", "others-1", "others-2", "greedy-5"])
    }
  }

  @Test
  func `a stranger finds room though one address is connected with all sessions there are`()
    async throws
  {
    try await withProxy(3) { server in
      let greedy = try (0..<3).map { try client(server, "198.51.100.1", "greedy-\($0)") }
      for client in greedy { try await client.until { $0.bodyCount > 1000 } }
      let another = try client(server, "198.51.100.1", "greedy-3")
      #expect(try await another.answer().status == 503)
      let other = try client(server, "203.0.113.1", "others-0")
      try await other.until { $0.bodyCount > 1000 }
      // It plays on, without a place that is kept.
      let before = greedy.map(\.bodyCount)
      for (client, before) in zip(greedy, before) {
        try await client.until { $0.bodyCount > before + 1000 }
      }
      #expect(kept(server).contains("others-0") && server.server.sessions.count == 3)
      withExtendedLifetime(greedy) {}
    }
  }
}
