import Glibc
import Reactor
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

extension LoopServer {
  /// As a process that is stopped and goes on.
  fileprivate func standStill(seconds: UInt32) { sleep(seconds) }
}

/// A process stands still for longer than anybody's patience: that is nobody else's fault.
@Suite(.serialized)
struct StandstillTests {
  private static let seconds: UInt32 = 8

  private func withPatience(
    of seconds: Double, change: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (TestServer) async throws -> Void
  ) async throws {
    var settings = ListenerSettings()
    settings.pauseTimeout = seconds
    var window = LogConfiguration()
    window.windowBytes = 8 << 20
    let log = PacketLog(memoryOnly: window, at: .now())
    try await withServer(
      seconds: 120, threads: 1, settings: settings, log: log, change: change, body)
  }

  /// Begins; it is over when the task is.
  private func standStill(_ server: TestServer) -> Task<Void, Never> {
    let loop = server.server.loops[0]
    return Task { await loop.standStill(seconds: Self.seconds) }
  }

  private func listener(_ server: TestServer) throws -> StreamClient {
    // Its burst is more than the sockets take.
    try StreamClient(
      to: server.address,
      sending: "GET /jazz?offset=100&burst=60s HTTP/1.1\r\nHost: a\r\n\r\n",
      receiveBuffer: 4096)
  }

  private func goesOn(_ client: StreamClient) async throws {
    let enough = client.bodyCount + 50_000
    try await client.until("it goes on") { $0.bodyCount > enough || $0.isEnded }
    #expect(!client.isEnded)
  }

  @Test func `listeners who took nothing meanwhile are there afterwards`() async throws {
    try await withPatience(of: 6) { server in
      let still = try listener(server)
      try await still.until { $0.bodyCount > 0 }
      let reads = try listener(server)
      try await reads.until { $0.bodyCount > 0 }
      let beside = try StreamClient(to: server.address, get: "/jazz")
      try await beside.until { $0.bodyCount > 1000 }
      let standing = standStill(server)
      try await Task.sleep(for: .seconds(2))
      // Its window opens while nobody is there to see it.
      reads.drain()
      await standing.value
      try await goesOn(reads)
      try await goesOn(beside)
      // It counts from then on, and not for ever.
      try await eventually("the one that takes nothing is gone") {
        await server.server.figures().listeners < 3
      }
    }
  }

  @Test func `a request that came meanwhile, or was half there, is answered`() async throws {
    try await withPatience(of: 6, change: { $0.headTimeout = 4 }) { server in
      let whole = try StreamClient(to: server.address, sending: "")
      let half = try StreamClient(to: server.address, sending: "GET /thread HTTP/1.1\r\nHo")
      try await eventually("both are there") { await server.server.figures().accepted >= 2 }
      let standing = standStill(server)
      try await Task.sleep(for: .seconds(1))
      whole.send(Array("GET /thread HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      await standing.value
      half.send(Array("st: a\r\n\r\n".utf8))
      let answers = (try await whole.answer().status, try await half.answer().status)
      #expect(answers == (200, 200))
    }
  }

  @Test func `a clip that nobody took meanwhile goes on`() async throws {
    try await withPatience(of: 6) { server in
      let client = try StreamClient(
        to: server.address,
        sending: "GET /jazz/clip?from=-100s&to=-10s HTTP/1.1\r\nHost: a\r\n"
          + "Connection: close\r\n\r\n",
        receiveBuffer: 4096)
      try await client.until { $0.bodyCount > 0 }
      try await eventually("it is on its way") { await server.server.figures().clips == 1 }
      await standStill(server).value
      let length = try #require(Int(try client.head()["content-length"] ?? ""))
      try await client.until { $0.isEnded || $0.bodyCount >= length }
      #expect(client.bodyCount == length)
    }
  }
}
