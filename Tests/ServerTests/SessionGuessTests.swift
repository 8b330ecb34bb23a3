import Glibc
import Reactor
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// Somebody guesses tokens of sessions, and others are behind the same address.
@Suite(.serialized)
struct SessionGuessTests {
  private static let shared = "203.0.113.7"

  /// A server that believes what it is told of addresses, and where five wrong tokens are too many.
  private func withCrowd(
    brief: Double = 3600, _ body: (TestServer) async throws -> Void
  ) async throws {
    try await withServer(
      seconds: 60,
      change: {
        $0.clients.trustedProxies = [AddressRange("127.0.0.0/8")!]
        $0.sessionGuesses = GuessLimit(wrongMax: 5)
      }
    ) { server in
      var limits = SessionLimits()
      limits.brief = brief
      server.server.set(limits)
      try await body(server)
    }
  }

  private func listen(
    _ server: TestServer, _ session: String, _ more: String = "", from address: String = shared
  ) async throws -> StreamClient {
    let client = try StreamClient(
      to: server.address,
      sending: "GET /jazz?session=\(session)\(more) HTTP/1.1\r\nHost: x\r\n"
        + "X-Forwarded-For: \(address)\r\n\r\n")
    let answer = try await client.answer()
    try #require(answer.status == 200)
    try await client.until("audio") { $0.bodyCount > 1000 }
    return client
  }

  private func offset(_ client: StreamClient) throws -> Double {
    try #require(client.head()["longwave-offset"].flatMap(Double.init))
  }

  /// So many that the address may have no more.
  private func guess(_ server: TestServer, from address: String = shared) async throws {
    for number in 0..<6 {
      let client = try await listen(server, "guess-no-\(number)", from: address)
      client.hangUp()
    }
  }

  private func isKept(_ server: TestServer, _ token: String) throws -> Bool {
    server.server.sessions[try #require(SessionToken(token))] != nil
  }

  @Test func `a session goes on where it was shown, whatever others there guess`() async throws {
    try await withCrowd { server in
      let mine = try await listen(server, "my-own-session", "&offset=20")
      try await guess(server)
      let kept = try ["guess-no-3", "guess-no-4"].map { try isKept(server, $0) }
      #expect(kept == [true, false])
      let again = try await listen(server, "my-own-session")
      #expect(try offset(again) > 10)
      try await mine.until("the older one's end") { $0.isEnded }
    }
  }

  @Test func `too many guesses at one address let all listen, and tell of nobody's sessions`()
    async throws
  {
    try await withCrowd { server in
      let theirs = try await listen(server, "somebody-elses", "&offset=20", from: "198.51.100.1")
      try await guess(server)
      let (hit, miss) = (
        try await listen(server, "somebody-elses"), try await listen(server, "nobody-at-all")
      )
      let (one, other) = (try offset(hit), try offset(miss))
      #expect(abs(one - other) < 2)
      #expect(try !isKept(server, "nobody-at-all"))
      theirs.drain()
      #expect(!theirs.isEnded)
      // From elsewhere it goes on as ever.
      let again = try await listen(server, "somebody-elses", from: "198.51.100.2")
      #expect(try offset(again) > 10)
    }
  }

  @Test func `a listener who stays has a session in spite of guessers, but not another's`()
    async throws
  {
    try await withCrowd(brief: 1) { server in
      let theirs = try await listen(server, "somebody-elses", "&offset=20", from: "198.51.100.1")
      for number in 0..<6 { try await listen(server, "guess-no-\(number)").hangUp() }
      let (hit, new) = (
        try await listen(server, "somebody-elses"), try await listen(server, "a-new-listener")
      )
      // That it has none before it has stayed is looked at above, where staying takes longer than the test.
      try await eventually("it has stayed") {
        for client in [theirs, hit, new] { client.drain() }
        return try isKept(server, "a-new-listener")
      }
      #expect(!theirs.isEnded && !hit.isEnded && !new.isEnded)
    }
  }

  @Test func `a crowd behind one address that comes and stays has guessed nothing`() async throws {
    try await withCrowd(brief: 0) { server in
      var crowd: [StreamClient] = []
      for number in 0..<20 {
        crowd.append(try await listen(server, "listener-no-\(number)"))
        #expect(try isKept(server, "listener-no-\(number)"))
        // Until somebody has looked who has stayed.
        if number % 4 == 3 {
          let until = MonotonicTime.now().nanoseconds + 2_500_000_000
          try await eventually("a second or two") {
            for client in crowd { client.drain() }
            return MonotonicTime.now().nanoseconds > until
          }
        }
      }
    }
  }
}
