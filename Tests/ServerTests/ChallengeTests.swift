import Reactor
import Synchronization
import TestSupport
import Testing

@testable import Server

/// Challenges of certificate authorities, of which strangers ask for many.
@Suite(.serialized)
struct ChallengeTests {
  /// Answers when it is told to.
  private final class SlowFolder: ChallengeAnswering {
    let asked = Atomic<Int>(0)
    private let isOpen = Atomic<Bool>(false)

    func answer(to token: String) async -> [UInt8]? {
      asked.add(1, ordering: .relaxed)
      while !isOpen.load(ordering: .acquiring) { try? await Task.sleep(for: .milliseconds(5)) }
      return token == "known" ? Array("known.thumb".utf8) : nil
    }

    func until(asked count: Int) async throws {
      try await eventually("it is asked") { asked.load(ordering: .relaxed) >= count }
    }

    func open() { isOpen.store(true, ordering: .releasing) }
  }

  private func ask(_ server: TestServer, _ token: String, from address: String) throws
    -> StreamClient
  {
    try StreamClient(
      to: server.address,
      sending: "GET /.well-known/acme-challenge/\(token) HTTP/1.1\r\nHost: a\r\n"
        + "X-Forwarded-For: \(address)\r\n\r\n")
  }

  private func withFolder(_ body: (TestServer, SlowFolder) async throws -> Void) async throws {
    let folder = SlowFolder()
    defer { folder.open() }
    try await withServer(change: {
      $0.clients.trustedProxies = [AddressRange("127.0.0.0/8")!]
      $0.challenges = folder
    }) { server in
      do {
        try await body(server, folder)
      } catch {
        folder.open()
        throw error
      }
    }
  }

  @Test func `many requests for challenges at once keep no authority from its own`() async throws {
    try await withFolder { server, folder in
      var strangers: [StreamClient] = []
      for number in 1...32 {
        strangers.append(try ask(server, "none", from: "203.0.113.7"))
        try await folder.until(asked: number)
      }
      for _ in 0..<20 {
        let refused = try await ask(server, "none", from: "203.0.113.7").answer()
        #expect(refused.status == 429 && refused["Retry-After"] == "10")
      }
      let authority = try ask(server, "known", from: "192.0.2.1")
      try await folder.until(asked: 33)
      folder.open()
      #expect(try await authority.answer().status == 200)
      for stranger in strangers { #expect(try await stranger.answer().status == 404) }
    }
  }

  @Test func `a request for a challenge without a turn is asked to come back, and not told 404`()
    async throws
  {
    try await withFolder { server, folder in
      var clients: [StreamClient] = []
      for number in 1...128 {
        clients.append(try ask(server, "known", from: "192.0.2.\(number)"))
        try await folder.until(asked: number)
      }
      let late = try await ask(server, "known", from: "192.0.2.200").answer()
      #expect(late.status == 503 && late["Retry-After"] == "5")
      folder.open()
      for client in clients { #expect(try await client.answer().status == 200) }
      try await eventually("there is room again") {
        try await ask(server, "known", from: "192.0.2.200").answer().status == 200
      }
    }
  }

  @Test func `a banned address is given no answer to a challenge`() async throws {
    try await withFolder { server, folder in
      folder.open()
      let before = try await ask(server, "known", from: "203.0.113.7").answer()
      #expect(before.status == 200)
      await server.server.publish(bans: [Ban(AddressRange("203.0.113.0/24")!)])
      do {
        let status = try await ask(server, "known", from: "203.0.113.7").answer().status
        #expect(status == 403)
      }
      do {
        let status = try await ask(server, "known", from: "192.0.2.1").answer().status
        #expect(status == 200)
      }
    }
  }
}
